// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"hide/tools/rig"
)

// page is an open page with its live connection. It behaves as the scripts of the page do:
// it answers pings, and fetches a note that changed.
type page struct {
	person   *rig.Person
	path     string
	doc      int // 0 if nobody edits its note
	fetches  bool
	conn     *websocket.Conn
	shown    newest
	received atomic.Int64 // bytes on the wire, compressed as they came
	fetched  atomic.Int64
	frames   atomic.Int64
	ended    chan struct{}
	opened   time.Time
	timer    *time.Timer

	mu   sync.Mutex
	seen []sight       // rising revisions
	key  string        // of the suggestions it shows
	took time.Duration // by the last fetch
	why  error         // why the connection ended
}

// sight is a revision and when a frame first showed it.
type sight struct {
	revision int
	at       time.Time
}

// The script of the page waits fetchAfter before it fetches a changed note, and spare times
// as long as the last fetch took.
const (
	fetchAfter = 200 * time.Millisecond
	spare      = 20
)

// openPage opens a page and its live connection.
func openPage(ctx context.Context, who *rig.Person, path string, how liveness, of *note) (*page, error) {
	text, err := who.Page(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	p := &page{person: who, path: path, ended: make(chan struct{})}
	if of != nil {
		p.doc, p.fetches = of.doc, how.fetch
	}
	p.shows(revisionIn(text), text)
	live := rig.LiveAddress(text)
	if live == "" {
		return nil, fmt.Errorf("%s opens no live connection", path)
	}
	if err := p.dial(ctx, live); err != nil {
		return nil, fmt.Errorf("live connection of %s: %w", path, err)
	}
	p.opened = time.Now()
	go p.read()
	return p, nil
}

func (p *page) dial(ctx context.Context, live string) error {
	d := &websocket.Dialer{HandshakeTimeout: time.Minute, NetDialContext: func(_ context.Context, network, addr string) (net.Conn, error) {
		return rig.DialCounted(ctx, network, addr, &p.received)
	}}
	conn, response, err := p.person.Dial(d, live)
	if err != nil && response != nil {
		return fmt.Errorf("%w: status %d", err, response.StatusCode)
	}
	p.conn = conn
	return err
}

// read takes frames until the connection ends.
func (p *page) read() {
	defer close(p.ended)
	for {
		_, frame, err := p.conn.ReadMessage()
		if err != nil {
			p.mu.Lock()
			p.why = err
			p.mu.Unlock()
			return
		}
		p.frames.Add(1)
		if revision := revisionIn(string(frame)); p.doc != 0 && revision > 0 {
			p.see(revision)
		}
	}
}

func (p *page) see(revision int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.seen); n > 0 && p.seen[n-1].revision >= revision {
		return
	}
	p.seen = append(p.seen, sight{revision, time.Now()})
	if p.fetches && p.timer == nil && revision > p.revision() {
		p.timer = time.AfterFunc(max(fetchAfter, spare*p.took), p.refresh)
	}
}

func (p *page) refresh() {
	p.mu.Lock()
	p.timer = nil
	behind := p.seen[len(p.seen)-1].revision > p.revision()
	p.mu.Unlock()
	if !behind { // it was its own edit
		return
	}
	since := url.Values{"since": {strconv.Itoa(p.revision())}, "shown": {p.suggestions()}}
	began := time.Now()
	if answer, size, err := p.person.Glance(p.path + "?" + since.Encode()); err == nil && answer.Status == http.StatusOK {
		p.fetched.Add(size)
		p.shows(revisionIn(answer.Body), answer.Body)
		p.mu.Lock()
		p.took = time.Since(began)
		p.mu.Unlock()
	}
}

func (p *page) revision() int { return int(p.shown.n.Load()) }

func (p *page) suggestions() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.key
}

// shows notes the state of the note in a page or an answer.
func (p *page) shows(revision int, in string) {
	p.shown.raise(revision)
	if m := suggestionsPattern.FindStringSubmatch(in); m != nil {
		p.mu.Lock()
		p.key = m[1]
		p.mu.Unlock()
	}
}

// fresh forgets what was counted, at the start of the measurement.
func (p *page) fresh() {
	p.received.Store(0)
	p.fetched.Store(0)
	p.frames.Store(0)
}

// sights are the revisions that the page was told of.
func (p *page) sights() []sight {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen
}

// lost reports whether the connection ended although nobody closed it.
func (p *page) lost() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

func (p *page) close() {
	p.conn.Close()
	<-p.ended
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
}
