// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/gorilla/websocket"

	"hide/internal/account"
	"hide/internal/project"
)

// TestLiveClosesTheOldestOfManyWindows opens one page more than a person may have.
func TestLiveClosesTheOldestOfManyWindows(t *testing.T) {
	ls := startLive(t)
	oldest := ls.mustDial(t)
	readFrame(t, oldest)
	for range maxOfPerson {
		readFrame(t, ls.mustDial(t))
	}
	if _, code := readFrame(t, oldest); code != closeTooMany {
		t.Errorf("the oldest was closed with %d, want %d", code, closeTooMany)
	}
	another, status := ls.dial(account.Annotator, "http://"+ls.address, "tally")
	if another == nil {
		t.Fatalf("another person: status %d", status)
	}
	defer another.Close()
	readFrame(t, another)
}

// TestLivePartsRestBetweenFrames has a part that may be sent once an hour beside one
// without a pause.
func TestLivePartsRestBetweenFrames(t *testing.T) {
	ls := startLive(t)
	p := ls.parts["tally"]
	p.Pause = time.Hour
	ls.parts["tally"] = p
	conn, status := ls.dial(account.Broker, "http://"+ls.address, "tally,steps")
	if conn == nil {
		t.Fatalf("dial: status %d", status)
	}
	defer conn.Close()
	readFrame(t, conn)
	readFrame(t, conn)
	ls.tally.Store(2)
	ls.projects.events <- project.Event{Topic: project.TopicQueue}
	if got, _ := readFrame(t, conn); got != tallyHTML(2) {
		t.Errorf("the part without a pause is %q", got)
	}
	if n := ls.renders.Load(); n != 3 {
		t.Errorf("%d renders, want 3: two on connect, and one of the part without a pause", n)
	}
}

// counted counts the bytes that arrive.
type counted struct {
	net.Conn
	n *atomic.Int64
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// TestLiveCompressesFrames counts the bytes of a long list on the wire.
func TestLiveCompressesFrames(t *testing.T) {
	ls := startLive(t)
	p := ls.parts["tally"]
	list := strings.Repeat(`<li id="queue-17"><a href="/p/p1/notes/17"><span class="name">letter-17</span></a></li>`, 200)
	p.Render = func(context.Context, account.User, project.ID, url.Values) (templ.Component, error) {
		return text(list), nil
	}
	ls.parts["tally"] = p
	var n atomic.Int64
	d := &websocket.Dialer{EnableCompression: true, NetDial: func(network, address string) (net.Conn, error) {
		c, err := net.Dial(network, address)
		return counted{c, &n}, err
	}}
	header := http.Header{"Cookie": {ls.cookie + "=" + string(account.Broker)}, "Origin": {"http://" + ls.address}}
	conn, _, err := d.Dial("ws://"+ls.address+"/p/p1/live?topics=tally", header)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	got, _ := readFrame(t, conn)
	if wire := n.Load(); got != list || wire > int64(len(list)/10) {
		t.Errorf("a list of %d bytes took %d on the wire", len(list), wire)
	}
}
