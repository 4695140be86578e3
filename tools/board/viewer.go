// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"hide/tools/rig"
)

// viewer is a member with the page of the review open. It behaves as the script of the page
// does: it says that it is there, and fetches the page again after each step of the session.
type viewer struct {
	*rig.Person
	conn  *websocket.Conn
	ended chan struct{}

	wire   atomic.Int64 // bytes of answers
	live   atomic.Int64 // bytes of the live connection
	frames atomic.Int64
	failed atomic.Int64

	opened, fetched, fetches int64 // guarded by mu

	mu    sync.Mutex
	stage string // of the session, as the page shows it
	seen  []sight
}

// sight is where the slider was, and when a frame first showed it.
type sight struct {
	at   string
	when time.Time
}

const (
	page    = "/p/" + project + "/reviews/1"
	present = 20 * time.Second // between two signs of presence
	behind  = 2 * time.Second  // the script looks so often whether the session has gone on
)

// open opens the page and its live connection.
func (v *viewer) open(ctx context.Context) error {
	v.Count(&v.wire)
	text, err := v.Page(page)
	if err != nil {
		return fmt.Errorf("%s opens the review: %w", v.Name, err)
	}
	v.opened, v.stage, v.ended = v.wire.Load(), stageIn(text), make(chan struct{})
	live := rig.LiveAddress(text)
	d := &websocket.Dialer{HandshakeTimeout: time.Minute, NetDialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		return rig.DialCounted(ctx, network, addr, &v.live)
	}}
	if v.conn, _, err = v.Dial(d, live); err != nil {
		return fmt.Errorf("the live connection of %s: %w", v.Name, err)
	}
	go v.read()
	go v.stay(ctx)
	return nil
}

// read takes frames until the connection ends.
func (v *viewer) read() {
	defer close(v.ended)
	for {
		_, frame, err := v.conn.ReadMessage()
		if err != nil {
			return
		}
		v.frames.Add(1)
		v.take(string(frame))
	}
}

// In frames the markup is inside of JSON.
var (
	stagePattern = regexp.MustCompile(`data-stage=\\?"([^"\\]*)`)
	shownPattern = regexp.MustCompile(`data-lc=\\?"([^"\\]+)\\?" data-b=\\?"([^"\\]+)`)
)

func stageIn(text string) string {
	if m := stagePattern.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

func (v *viewer) take(frame string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if m := shownPattern.FindStringSubmatch(frame); m != nil {
		v.seen = append(v.seen, sight{m[1] + " " + m[2], time.Now()})
	}
	if stage := stageIn(frame); stage != "" && stage != v.stage {
		v.stage = stage
		go v.refresh()
	}
}

// refresh fetches the sections that depend on the person.
func (v *viewer) refresh() {
	before := v.wire.Load()
	answer, err := v.Script(page, nil)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fetched, v.fetches = v.fetched+v.wire.Load()-before, v.fetches+1
	if err != nil || answer.Status != http.StatusOK {
		v.failed.Add(1)
	}
}

// stay says every 20 seconds that the page is open.
func (v *viewer) stay(ctx context.Context) {
	for {
		v.send("/here", url.Values{})
		select {
		case <-ctx.Done():
			return
		case <-v.ended:
			return
		case <-time.After(present):
		}
	}
}

// send sends a form of the page, as its script does.
func (v *viewer) send(form string, values url.Values) {
	answer, err := v.Script(page+form, values)
	if err != nil || answer.Status >= http.StatusBadRequest {
		v.failed.Add(1)
	}
}

// lost reports whether the live connection ended although nobody closed it.
func (v *viewer) lost() bool {
	select {
	case <-v.ended:
		return true
	default:
		return false
	}
}
