// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/ui"
)

// Limits of the live connection. A write that takes longer than pace.write ends it.
const (
	maxIncoming = 4 << 10 // pages send nothing but pongs and requests for a whole part
	maxQueued   = 16      // frames that wait for a viewer; see [stream.tell]
)

// pace is the timing of a live connection.
type pace struct {
	settle time.Duration // the events of one change come within it
	send   time.Duration // a part is rendered at most once in this time, see also [ui.LivePart]
	check  time.Duration // between checks of the session, besides those after a change of the account
	ping   time.Duration // between pings
	pong   time.Duration // a connection that is silent for longer has ended
	write  time.Duration // for one frame
	close  time.Duration // from the end of a connection until it is cut off, whatever is being written
}

func usualPace() pace {
	return pace{settle: 20 * time.Millisecond, send: 200 * time.Millisecond, check: 15 * time.Second, ping: 30 * time.Second, pong: 70 * time.Second, write: 10 * time.Second, close: time.Second}
}

// closeSignedOut tells live.js that the session ended; it is not one of the codes
// after which browsers try again.
const closeSignedOut = 4401

// Why a connection ends, besides a server that stops.
var (
	errSessionOver = errors.New("web: signed out")
	errOtherRole   = errors.New("web: another role in the project, or none")
	errUnavailable = errors.New("web: a part cannot be rendered")
)

// closing is the code and the words that a connection is closed with.
func closing(cause error) (code int, words string) {
	switch {
	case errors.Is(cause, errTooMany):
		return closeTooMany, "open in too many windows"
	case errors.Is(cause, errSessionOver):
		return closeSignedOut, "signed out"
	case errors.Is(cause, errOtherRole):
		return closeOtherRole, "another role"
	case isGone(cause):
		return closeGone, "no longer available"
	case errors.Is(cause, errUnavailable):
		// The browser tries again after a while, and shows meanwhile that the page may be
		// out of date.
		return websocket.CloseTryAgainLater, "not available"
	}
	return websocket.CloseGoingAway, "server stops"
}

func isGone(err error) bool {
	kind := project.KindOf(err)
	return kind == project.Forbidden || kind == project.NotFound
}

// closeGone tells live.js that the page shows nothing that can be refreshed, and
// closeOtherRole that it shows what may not be for this person any more: it is loaded again.
const (
	closeGone      = 4404
	closeOtherRole = 4403
)

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
	parts, err := s.watched(c)
	if err != nil {
		return err
	}
	s.open.Add(1)
	defer s.open.Done()
	r, err := s.rooms.take(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	defer s.rooms.giveBack(r)
	if !s.sockets.take() {
		return &ui.Error{Status: http.StatusServiceUnavailable, Title: "Too many pages are open", What: "This page does not refresh itself.", Next: "Reload it to see the newest state."}
	}
	defer s.sockets.giveBack()
	if !c.IsWebSocket() { // after every other reason to refuse: live.js takes this answer for a proxy's fault
		s.tellOfProxy(c.Request())
		return errNoWebSocket
	}
	conn, err := s.upgrader.Upgrade(c.Response(), c.Request(), nil)
	if err != nil {
		return nil // Upgrade has answered
	}
	defer conn.Close()
	s.view(newViewer(s, r, conn, ui.VisitOf(c.Request().Context()), parts, c.QueryParams()))
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
		if p.Admits != nil {
			if err := p.Admits(c.Request().Context(), ui.User(c), ui.ProjectID(c), c.QueryParams()); err != nil {
				return nil, err
			}
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// viewer is one live connection. One goroutine writes what the room queues, another reads.
type viewer struct {
	server *Server
	room   *room
	conn   *websocket.Conn
	visit  ui.Visit
	parts  []ui.LivePart
	query  url.Values

	ended context.Context
	end   func(cause error) // ends the connection
	queue chan *frame       // what to write
	full  atomic.Bool       // a frame found no place in queue: ask the room for whole parts
}

func newViewer(s *Server, r *room, conn *websocket.Conn, visit ui.Visit, parts []ui.LivePart, query url.Values) *viewer {
	v := &viewer{
		server: s, room: r, conn: conn, visit: visit, parts: parts, query: query,
		queue: make(chan *frame, maxQueued),
	}
	v.ended, v.end = context.WithCancelCause(s.live)
	return v
}

// view serves a connection until it ends.
func (s *Server) view(v *viewer) {
	defer v.end(nil)
	// A browser that reads nothing must not keep open what has ended.
	defer context.AfterFunc(v.ended, func() { time.AfterFunc(s.pace.close, func() { v.conn.Close() }) })()
	s.sockets.enter(v)
	defer s.sockets.leave(v)
	// A change of the account between the request and enter told nobody.
	if err := v.check(); err != nil {
		v.end(err)
	}
	gone := v.read()
	v.room.join(v)
	v.serve()
	v.room.leave(v)
	v.conn.Close() // ends read
	<-gone
}

// read drains the connection, which gorilla needs for pongs and closes, and takes the
// page's requests for whole parts. The channel it returns is closed when the connection
// has ended.
func (v *viewer) read() <-chan struct{} {
	gone := make(chan struct{})
	v.conn.SetReadLimit(maxIncoming)
	_ = v.conn.SetReadDeadline(time.Now().Add(v.server.pace.pong))
	v.conn.SetPongHandler(func(string) error { return v.conn.SetReadDeadline(time.Now().Add(v.server.pace.pong)) })
	go func() {
		defer close(gone)
		defer v.end(nil)
		for {
			_, message, err := v.conn.ReadMessage()
			if err != nil {
				return
			}
			var asks struct{ Reload string }
			if json.Unmarshal(message, &asks) != nil || asks.Reload == "" {
				continue
			}
			v.room.reload(v, asks.Reload)
			if !sleep(v.ended, v.server.pace.send) { // so that nobody asks without end
				return
			}
		}
	}()
	return gone
}

// sleep reports whether ctx goes on after d.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// serve writes what the room queues until the connection ends.
func (v *viewer) serve() {
	check := time.NewTicker(v.server.pace.check)
	defer check.Stop()
	ping := time.NewTicker(v.server.pace.ping)
	defer ping.Stop()
	over := v.atEnd()
	defer over.Stop()
	for v.ended.Err() == nil {
		var err error
		select {
		case <-v.ended.Done():
		case f := <-v.queue:
			err = v.write(f)
		case <-check.C:
			err = v.check()
		case <-over.C:
			err = v.check()
		case <-ping.C:
			err = v.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(v.server.pace.write))
		}
		if err != nil {
			v.end(err)
		}
	}
	code, words := closing(context.Cause(v.ended))
	_ = v.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, words), time.Now().Add(v.server.pace.write))
}

// atEnd fires when the session ends in any case, which emergency access does after minutes.
func (v *viewer) atEnd() *time.Timer {
	ends := v.visit.Session.Ends
	if ends.IsZero() {
		return time.NewTimer(account.AbsoluteFor)
	}
	return time.NewTimer(ends.Sub(v.server.now()) + time.Millisecond)
}

func (v *viewer) write(f *frame) error {
	_ = v.conn.SetWriteDeadline(time.Now().Add(v.server.pace.write))
	v.conn.EnableWriteCompression(!f.small)
	if err := v.conn.WritePreparedMessage(f.message); err != nil {
		return errUnavailable // who reads too slowly may try again
	}
	if len(v.queue) == 0 && v.full.Swap(false) {
		v.room.caughtUp(v)
	}
	return nil
}

// offer queues a frame if there is place. It never blocks.
func (v *viewer) offer(f *frame) bool {
	select {
	case v.queue <- f:
		return true
	default:
		return false
	}
}

// check is why the person may no longer look, nil if they may. It does not count as use of
// the session: an open connection is not activity.
func (v *viewer) check() error {
	u, _, err := v.server.accounts.Peek(v.visit.Token)
	if err != nil || u.ID != v.visit.User.ID {
		return errSessionOver
	}
	role, err := v.server.frame.RoleIn(u, v.room.project)
	if err == nil && role != v.visit.User.Role {
		return errOtherRole
	}
	if err == nil {
		_, err = v.server.frame.Project(v.ended, u, v.room.project)
	}
	for _, p := range v.parts {
		if err == nil && p.Admits != nil {
			err = p.Admits(v.ended, v.visit.User, v.room.project, v.query)
		}
	}
	if isGone(err) {
		return errOtherRole
	}
	return nil
}

// accountChanged ends the connections of a person who may no longer look, and transfers that
// may not go on. It does not let the account's change wait.
func (s *Server) accountChanged(userID string) {
	go func() {
		for _, v := range s.sockets.ofPerson(userID) {
			if err := v.check(); err != nil {
				v.end(err)
			}
		}
		for _, t := range s.transfers.ofPerson(userID) {
			if t.allowed() != nil {
				t.end()
			}
		}
	}()
}

// tellOfProxy writes into the log, once, that a proxy has taken the request for a websocket
// apart: it passes the key on, and not the headers that belong to one connection.
func (s *Server) tellOfProxy(r *http.Request) {
	if r.Header.Get("Sec-WebSocket-Key") == "" {
		return
	}
	s.toldOfProxy.Do(func() {
		s.log.Warn("a proxy in front of hide does not pass websockets on: pages do not refresh themselves; let it pass the headers Upgrade and Connection on")
	})
}
