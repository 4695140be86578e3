// SPDX-License-Identifier: Apache-2.0

package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/net/html"

	"hide/internal/project"
	"hide/web/ui"
)

// stream is a live part as a group of viewers sees it. It belongs to the goroutine of its
// room, except for part and query, which do not change.
type stream struct {
	part  ui.LivePart
	key   streamKey
	query url.Values

	viewers   map[*viewer]bool // true: it needs the whole part before any change
	state     *state           // what was rendered last; nil before
	rendering bool
	began     time.Time // of the last rendering
}

// state is a part as it was rendered once.
type state struct {
	n      uint64 // of its last frame
	part   ui.LivePart
	html   string
	root   *html.Node
	change []*frame // what leads here from the state before; nil when this has to be sent whole
	whole  *frame   // made when it is first needed
}

// anyone is one of the viewers.
func (st *stream) anyone() *viewer {
	for v := range st.viewers {
		return v
	}
	return nil
}

// render makes the next state as the speaker sees it. If nothing has changed, it is the
// state before.
func (st *stream) render(ctx context.Context, speaker *viewer, id project.ID, before *state) (*state, error) {
	ctx = ui.WithVisit(ctx, speaker.visit)
	component, err := st.part.Render(ctx, speaker.visit.User, id, st.query)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := component.Render(ctx, &b); err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	return newState(st.part, b.String(), before)
}

// newState numbers the frames that lead from one state to the next. A change that is not
// much smaller than the part is sent as the whole part.
func newState(p ui.LivePart, content string, before *state) (*state, error) {
	if before != nil && before.html == content {
		return before, nil
	}
	root, err := parsePart(content)
	if err != nil {
		return nil, err
	}
	next := &state{n: 1, part: p, html: content, root: root}
	if before == nil {
		return next, nil
	}
	next.n = before.n + 1
	changed, ok := changedElements(before.root, root)
	if !ok {
		return next, nil
	}
	frames, size := make([]*frame, len(changed)), 0
	for i, e := range changed {
		inner, err := rendered(e)
		if err != nil {
			return nil, err
		}
		if size += len(inner); size > len(content)/2 {
			return next, nil
		}
		frames[i], err = newFrame(message{Part: p.Name, N: before.n + uint64(i) + 1, Target: "#" + idOf(e), Content: inner})
		if err != nil {
			return nil, err
		}
	}
	next.n, next.change = before.n+uint64(len(frames)), frames
	return next, nil
}

// wholeFrame is the frame with the whole state. All who need it share it.
func (s *state) wholeFrame() (*frame, error) {
	var err error
	if s.whole == nil {
		s.whole, err = newFrame(message{Part: s.part.Name, N: s.n, Whole: true, Target: s.part.Target, Content: s.html})
	}
	return s.whole, err
}

// tell queues what has changed for each viewer. It waits for nobody: who has no place left
// gets the whole part later.
func (st *stream) tell(fresh bool) {
	for v, behind := range st.viewers {
		switch {
		case behind || fresh && st.state.change == nil:
			st.giveWhole(v)
		case fresh:
			st.giveChange(v)
		}
	}
}

func (st *stream) giveChange(v *viewer) {
	for _, f := range st.state.change {
		if !v.offer(f) {
			st.fallBehind(v)
			return
		}
	}
}

// giveWhole queues the whole part for a viewer. A viewer with a full queue asks again when
// it has written it.
func (st *stream) giveWhole(v *viewer) {
	if st.state == nil {
		return // it comes with the first rendering
	}
	f, err := st.state.wholeFrame()
	if err != nil {
		v.end(errUnavailable)
		return
	}
	if st.viewers[v] = !v.offer(f); st.viewers[v] {
		st.fallBehind(v)
	}
}

func (st *stream) fallBehind(v *viewer) {
	st.viewers[v] = true
	v.full.Store(true)
	// The viewer may have emptied its queue before it could see that.
	if f, err := st.state.wholeFrame(); err == nil && len(v.queue) == 0 {
		st.viewers[v] = !v.offer(f)
	}
}

// message is what live.js and hx-ws read. A message belongs to a part and has a number,
// which follows the number of the part's last message unless it holds the whole part.
// Elements are morphed into place, so that the focus and open sections stay.
type message struct {
	Part    string `json:"part"`
	N       uint64 `json:"n"`
	Whole   bool   `json:"whole,omitempty"`
	Target  string `json:"target"`
	Swap    string `json:"swap"`
	Content string `json:"content"`
}

// frame is a message that is encoded, and compressed, once for all who get it.
type frame struct {
	message *websocket.PreparedMessage
	small   bool // compression would make it no smaller
}

// smallFrame is the size in bytes below which frames are not compressed.
const smallFrame = 256

func newFrame(m message) (*frame, error) {
	m.Swap = "outerMorph"
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // it is no part of a page, and escapes would triple its size
	if err := e.Encode(m); err != nil {
		return nil, err
	}
	data := bytes.TrimSpace(b.Bytes())
	prepared, err := websocket.NewPreparedMessage(websocket.TextMessage, data)
	return &frame{prepared, len(data) < smallFrame}, err
}
