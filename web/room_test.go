// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/gorilla/websocket"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/ui"
)

// readMessage reads the next frame as it is.
func readMessage(t *testing.T, conn *websocket.Conn) (m message) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, data, err := conn.ReadMessage()
	if err != nil {
		t.Fatalf("read frame: %v", err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestViewersOfTheSamePartShareOneRendering(t *testing.T) {
	ls := startLive(t)
	var conns []*websocket.Conn
	for range 5 {
		conn := ls.mustDial(t)
		readFrame(t, conn)
		conns = append(conns, conn)
	}
	annotator, status := ls.dial(account.Annotator, "http://"+ls.address, "tally")
	if annotator == nil {
		t.Fatalf("dial: status %d", status)
	}
	defer annotator.Close()
	readFrame(t, annotator)
	if n := ls.renders.Load(); n != 2 {
		t.Errorf("%d renderings for six viewers of two roles, want 2", n)
	}
	ls.tally.Store(7)
	ls.projects.events <- project.Event{Topic: project.TopicQueue}
	for _, conn := range append(conns, annotator) {
		if got, _ := readFrame(t, conn); got != tallyHTML(7) {
			t.Errorf("got %q", got)
		}
	}
	if n := ls.renders.Load(); n != 4 {
		t.Errorf("%d renderings, want 4: two of them for one event", n)
	}
}

// TestPersonalPartsAreForOnePerson has a part that names the person who looks.
func TestPersonalPartsAreForOnePerson(t *testing.T) {
	ls := startLive(t)
	p := ls.parts["steps"]
	p.Personal = true
	p.Render = func(_ context.Context, u account.User, _ project.ID, _ url.Values) (templ.Component, error) {
		return text(`<p id="tally">` + u.Name + `</p>`), nil
	}
	ls.parts["steps"] = p
	for _, role := range []account.Role{account.Broker, account.Annotator, account.Broker} {
		conn, status := ls.dial(role, "http://"+ls.address, "steps")
		if conn == nil {
			t.Fatalf("dial: status %d", status)
		}
		defer conn.Close()
		if got, _ := readFrame(t, conn); !strings.Contains(got, "Some "+string(role)) {
			t.Errorf("%s gets %q", role, got)
		}
	}
	a, _ := keyOf(p, account.User{ID: "u-1", Role: account.Broker}, nil)
	b, _ := keyOf(p, account.User{ID: "u-2", Role: account.Broker}, nil)
	if a == b {
		t.Error("two people share a personal part")
	}
}

// TestLiveNumbersFramesAndReloads follows the numbers, and asks for the whole part.
func TestLiveNumbersFramesAndReloads(t *testing.T) {
	ls := startLive(t)
	ls.Server.pace.send = time.Millisecond
	conn := ls.mustDial(t)
	first := readMessage(t, conn)
	if !first.Whole || first.Part != "tally" {
		t.Fatalf("the first frame is %+v", first)
	}
	ls.tally.Store(2)
	ls.projects.events <- project.Event{Topic: project.TopicQueue}
	second := readMessage(t, conn)
	if second.N != first.N+1 {
		t.Errorf("frame %d follows %d", second.N, first.N)
	}
	if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"reload":"tally"}`)); err != nil {
		t.Fatal(err)
	}
	if again := readMessage(t, conn); !again.Whole || again.N != second.N || again.Content != tallyHTML(2) {
		t.Errorf("after a request for the whole part: %+v", again)
	}
	if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"reload":"no such part"} and more`)); err != nil {
		t.Fatal(err)
	}
	ls.tally.Store(3)
	ls.projects.events <- project.Event{Topic: project.TopicQueue}
	if third := readMessage(t, conn); third.Content != tallyHTML(3) {
		t.Errorf("after a request that makes no sense: %+v", third)
	}
}

// TestAViewerThatFellBehindGetsTheWholePart fills the queue of a viewer that writes nothing
// meanwhile.
func TestAViewerThatFellBehindGetsTheWholePart(t *testing.T) {
	v := &viewer{queue: make(chan *frame, 2)}
	st := &stream{part: ui.LivePart{Name: "list", Target: "#list"}, viewers: map[*viewer]bool{v: true}}
	padding := strings.Repeat("x", 500)
	next := func(i int) {
		s, err := newState(st.part, fmt.Sprintf(`<div id="list"><p id="n">%d</p>%s</div>`, i, padding), st.state)
		if err != nil {
			t.Fatal(err)
		}
		st.state = s
		st.tell(true)
	}
	for i := range 5 {
		next(i)
	}
	if !st.viewers[v] || !v.full.Load() || len(v.queue) != 2 {
		t.Fatalf("behind %v, full %v, %d queued", st.viewers[v], v.full.Load(), len(v.queue))
	}
	<-v.queue
	<-v.queue
	next(5)
	if whole := <-v.queue; whole != st.state.whole || st.viewers[v] {
		t.Error("the viewer did not get the newest state whole")
	}
	next(6)
	if f := <-v.queue; f != st.state.change[0] {
		t.Error("after the whole part there is no change")
	}
}

// TestLiveEndsWithTheProject has a project that is gone while somebody looks.
func TestLiveEndsWithTheProject(t *testing.T) {
	ls := startLive(t)
	conn := ls.mustDial(t)
	readFrame(t, conn)
	ls.projects.gone.Store(true)
	ls.accounts.change("u-broker")
	if _, code := readFrame(t, conn); code != closeOtherRole {
		t.Errorf("closed with %d, want %d", code, closeOtherRole)
	}
}

// TestWhoHasLeftIsToldNothing has a request for the whole part that comes after its page was
// closed, while somebody else still looks.
func TestWhoHasLeftIsToldNothing(t *testing.T) {
	ls := startLive(t)
	r, err := ls.rooms.take(t.Context(), account.User{Role: account.Broker}, "p1")
	if err != nil {
		t.Fatal(err)
	}
	defer ls.rooms.giveBack(r)
	visit := ui.Visit{User: account.User{ID: "u-broker", Role: account.Broker}, Token: "broker"}
	look := func() *viewer {
		return newViewer(ls.Server, r, nil, visit, []ui.LivePart{ls.parts["tally"]}, url.Values{})
	}
	stays, leaves := look(), look()
	r.join(stays)
	r.join(leaves)
	r.leave(leaves)
	r.reload(leaves, "tally")
	viewers := make(chan int, 1)
	r.do(func() {
		for _, st := range r.streams {
			viewers <- len(st.viewers)
		}
	})
	if n := <-viewers; n != 1 {
		t.Errorf("%d viewers, want the one who stays", n)
	}
	r.leave(stays)
	r.do(func() { viewers <- len(r.streams) })
	if n := <-viewers; n != 0 {
		t.Errorf("%d parts are still rendered for nobody", n)
	}
}

// TestAPartThatPanicsEndsOnlyItsViewers has a part with a fault.
func TestAPartThatPanicsEndsOnlyItsViewers(t *testing.T) {
	ls := startLive(t)
	p := ls.parts["steps"]
	p.Render = func(context.Context, account.User, project.ID, url.Values) (templ.Component, error) { panic("a note") }
	ls.parts["steps"] = p
	healthy := ls.mustDial(t)
	readFrame(t, healthy)
	broken, status := ls.dial(account.Broker, "http://"+ls.address, "steps")
	if broken == nil {
		t.Fatalf("dial: status %d", status)
	}
	defer broken.Close()
	_ = broken.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, _, err := broken.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseTryAgainLater) {
		t.Errorf("the page with the fault gets %v, want to be told to try again later", err)
	}
	ls.tally.Store(3)
	ls.projects.events <- project.Event{Topic: project.TopicQueue}
	if got, _ := readFrame(t, healthy); got != tallyHTML(3) {
		t.Errorf("the other page gets %q", got)
	}
}
