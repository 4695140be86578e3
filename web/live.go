// SPDX-License-Identifier: Apache-2.0

package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/web/ui"
)

// Limits of the live connection. Nothing is queued for a viewer that does not read: state
// is rendered when it can be written. A write that takes longer than pace.write ends the
// connection.
const maxIncoming = 4 << 10 // pages send nothing but pongs

// pace is the timing of a live connection.
type pace struct {
	send  time.Duration // at most one frame per part in this time, see also [ui.LivePart]
	check time.Duration // between checks that the person still has the session and the role
	ping  time.Duration // between pings
	pong  time.Duration // a connection that is silent for longer has ended
	write time.Duration // for one frame
}

func usualPace() pace {
	return pace{send: 200 * time.Millisecond, check: 1500 * time.Millisecond, ping: 30 * time.Second, pong: 70 * time.Second, write: 10 * time.Second}
}

// closeSignedOut tells live.js that the session ended; it is not one of the codes
// after which browsers try again.
const closeSignedOut = 4401

// newUpgrader makes connections that take little memory while nothing is sent, and
// compress what is sent.
func newUpgrader(handshake time.Duration) *websocket.Upgrader {
	return &websocket.Upgrader{
		HandshakeTimeout:  handshake,
		ReadBufferSize:    1 << 10,
		WriteBufferSize:   4 << 10,
		WriteBufferPool:   new(sync.Pool),
		EnableCompression: true,
		CheckOrigin:       func(*http.Request) bool { return true }, // checkOrigin has, more strictly
	}
}

// liveSocket upgrades to a websocket and serves it until either side ends it.
func (s *Server) liveSocket(c echo.Context) error {
	if !c.IsWebSocket() {
		return echo.NewHTTPError(http.StatusUpgradeRequired)
	}
	parts, err := s.watched(c)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(c.Request().Context())
	defer end(nil)
	defer context.AfterFunc(s.live, func() { end(nil) })()
	events, err := s.frame.Watch(ctx, ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	if !s.sockets.take() {
		return &ui.Error{Status: http.StatusServiceUnavailable, Title: "Too many pages are open", What: "This page does not refresh itself.", Next: "Reload it to see the newest state."}
	}
	defer s.sockets.giveBack()
	s.open.Add(1)
	defer s.open.Done()
	conn, err := s.upgrader.Upgrade(c.Response(), c.Request(), nil)
	if err != nil {
		return nil // Upgrade has answered
	}
	defer conn.Close()
	v := &viewer{
		server: s, conn: conn, user: ui.User(c), project: ui.ProjectID(c), token: ui.VisitOf(ctx).Token,
		query: c.QueryParams(), parts: parts, due: map[string]time.Time{},
		last: map[string]time.Time{}, sent: map[string][sha256.Size]byte{}, end: end,
	}
	s.sockets.enter(v)
	defer s.sockets.leave(v)
	gone := v.read()
	v.serve(ctx, events)
	conn.Close() // ends read
	<-gone
	return nil
}

// watched are the parts that the page asks for and the person may see.
func (s *Server) watched(c echo.Context) ([]ui.LivePart, error) {
	var parts []ui.LivePart
	for _, name := range strings.Split(c.QueryParam("topics"), ",") {
		p, ok := s.parts[name]
		if !ok {
			return nil, echo.ErrNotFound
		}
		if !ui.VisitOf(c.Request().Context()).Allowed(p.Needs) {
			return nil, forbidden(ui.User(c).Role, p.Needs)
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// viewer is one live connection. One goroutine writes, another reads.
type viewer struct {
	server  *Server
	conn    *websocket.Conn
	user    account.User
	project project.ID
	token   string
	query   url.Values
	parts   []ui.LivePart
	end     func(cause error)            // ends the connection
	due     map[string]time.Time         // when to send parts that became stale
	last    map[string]time.Time         // when each part was last rendered
	sent    map[string][sha256.Size]byte // what each part looked like when last sent
}

// read drains the connection, which gorilla needs for pongs and closes. The
// channel it returns is closed when the connection has ended.
func (v *viewer) read() <-chan struct{} {
	gone := make(chan struct{})
	v.conn.SetReadLimit(maxIncoming)
	_ = v.conn.SetReadDeadline(time.Now().Add(v.server.pace.pong))
	v.conn.SetPongHandler(func(string) error { return v.conn.SetReadDeadline(time.Now().Add(v.server.pace.pong)) })
	go func() {
		defer close(gone)
		defer v.end(nil)
		for {
			_, message, err := v.conn.NextReader()
			if err != nil {
				return
			}
			if _, err := io.Copy(io.Discard, message); err != nil {
				return
			}
		}
	}()
	return gone
}

// serve writes until ctx ends: everything at first, then what became stale, each part at
// most once in its time.
func (v *viewer) serve(ctx context.Context, events <-chan project.Event) {
	for _, p := range v.parts {
		v.due[p.Name] = time.Now()
	}
	if !v.send(ctx) {
		return
	}
	check := time.NewTicker(v.server.pace.check)
	defer check.Stop()
	ping := time.NewTicker(v.server.pace.ping)
	defer ping.Stop()
	tick := v.nextDue()
	for {
		select {
		case <-ctx.Done():
			v.ended(ctx)
			return
		case e, ok := <-events:
			if !ok {
				v.close(websocket.CloseGoingAway, "no more events")
				return
			}
			if v.mark(e) {
				tick = v.nextDue()
			}
		case <-tick:
			if !v.send(ctx) {
				return
			}
			tick = v.nextDue()
		case <-check.C:
			if !v.stillSignedIn() {
				return
			}
		case <-ping.C:
			if !v.ping() {
				return
			}
		}
	}
}

// mark notes when to send the parts that an event makes stale, and reports whether there
// is a new one.
func (v *viewer) mark(e project.Event) bool {
	fresh := false
	for _, p := range v.parts {
		if !slices.Contains(p.Topics, e.Topic) || p.OfNote && !v.shows(e.Document) {
			continue
		}
		if _, waits := v.due[p.Name]; waits {
			continue
		}
		at := time.Now().Add(v.server.pace.send)
		if rested := v.last[p.Name].Add(p.Pause); rested.After(at) {
			at = rested
		}
		v.due[p.Name], fresh = at, true
	}
	return fresh
}

// nextDue ticks when the first stale part is due. It is nil when no part is stale.
func (v *viewer) nextDue() <-chan time.Time {
	if len(v.due) == 0 {
		return nil
	}
	first := slices.MinFunc(slices.Collect(maps.Values(v.due)), time.Time.Compare)
	return time.After(time.Until(first))
}

// shows reports whether an event about a document is about the one on the page.
// 0 stands for all documents.
func (v *viewer) shows(doc annotate.DocumentID) bool {
	return doc == 0 || v.query.Get("doc") == strconv.FormatUint(uint64(doc), 10)
}

// send writes the due parts that look different from what was last sent, and
// reports whether the connection goes on.
func (v *viewer) send(ctx context.Context) bool {
	if !v.stillSignedIn() {
		return false
	}
	for _, p := range v.parts {
		if at, stale := v.due[p.Name]; !stale || time.Now().Before(at) {
			continue
		}
		delete(v.due, p.Name)
		v.last[p.Name] = time.Now()
		frame, err := v.frame(ctx, p)
		if err != nil {
			return v.failed(ctx, p.Name, err)
		}
		sum := sha256.Sum256(frame)
		if v.sent[p.Name] == sum {
			continue
		}
		v.sent[p.Name] = sum
		_ = v.conn.SetWriteDeadline(time.Now().Add(v.server.pace.write))
		if err := v.conn.WriteMessage(websocket.TextMessage, frame); err != nil {
			v.close(websocket.CloseTryAgainLater, "too slow")
			return false
		}
	}
	return true
}

// failed ends the connection after a part could not be rendered. The browser tries again
// after a while, and shows meanwhile that the page may be out of date.
func (v *viewer) failed(ctx context.Context, part string, err error) bool {
	if ctx.Err() != nil {
		v.ended(ctx)
		return false
	}
	v.server.log.Error("live part", "part", part, "project", string(v.project), "error", err)
	v.close(websocket.CloseTryAgainLater, "not available")
	return false
}

// frame is the message that hx-ws swaps: the whole part, morphed into place so that the
// focus and open sections stay.
func (v *viewer) frame(ctx context.Context, p ui.LivePart) ([]byte, error) {
	component, err := p.Render(ctx, v.user, v.project, v.query)
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	if err := component.Render(ctx, &html); err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	return json.Marshal(map[string]string{"content": html.String(), "target": p.Target, "swap": "outerMorph"})
}

// ended tells the browser why the connection ends.
func (v *viewer) ended(ctx context.Context) {
	if errors.Is(context.Cause(ctx), errTooMany) {
		v.close(closeTooMany, "open in too many windows")
		return
	}
	v.close(websocket.CloseGoingAway, "server stops")
}

// ping keeps the connection open through proxies.
func (v *viewer) ping() bool {
	return v.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(v.server.pace.write)) == nil
}

// stillSignedIn does not count as use of the session: an open connection is not activity.
func (v *viewer) stillSignedIn() bool {
	u, _, err := v.server.accounts.Peek(v.token)
	if err == nil && u == v.user {
		return true
	}
	v.close(closeSignedOut, "signed out")
	return false
}

func (v *viewer) close(code int, why string) {
	_ = v.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, why), time.Now().Add(v.server.pace.write))
}
