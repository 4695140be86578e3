// SPDX-License-Identifier: Apache-2.0

package web

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/parallel"
	"hide/internal/project"
	"hide/web/ui"
)

// rooms are the projects that somebody looks at.
type rooms struct {
	server *Server
	turns  chan struct{} // one for each part that is being rendered

	mu   sync.Mutex // guards open and room.users
	open map[project.ID]*room
}

func newRooms(s *Server) *rooms {
	return &rooms{server: s, turns: make(chan struct{}, runtime.GOMAXPROCS(0)), open: map[project.ID]*room{}}
}

// take finds the room of a project, or makes it for the first who looks. Each call needs
// a giveBack.
func (rs *rooms) take(ctx context.Context, by account.User, id project.ID) (*room, error) {
	// Checks the permission, and loads the project outside the lock.
	if _, err := rs.server.frame.Project(ctx, by, id); err != nil {
		return nil, err
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r := rs.open[id]
	if r == nil || r.ctx.Err() != nil {
		ctx, end := context.WithCancel(rs.server.live)
		events, err := rs.server.frame.Watch(ctx, by, id)
		if err != nil {
			end()
			return nil, err
		}
		r = newRoom(ctx, end, rs, id)
		rs.open[id] = r
		go r.run(events)
	}
	r.users++
	return r, nil
}

// giveBack ends the room after the last viewer, and waits for it.
func (rs *rooms) giveBack(r *room) {
	rs.mu.Lock()
	r.users--
	last := r.users == 0
	if last && rs.open[r.project] == r {
		delete(rs.open, r.project)
	}
	rs.mu.Unlock()
	if last {
		r.end()
		<-r.done
	}
}

// room is the viewers of one project. It is subscribed once to the project's events, and
// renders each part once for all viewers that see the same. Its fields below tasks belong
// to the goroutine of run.
type room struct {
	rooms   *rooms
	project project.ID
	users   int // guarded by rooms.mu
	ctx     context.Context
	end     func()
	done    chan struct{}  // closed when run has ended
	busy    sync.WaitGroup // renderings
	tasks   chan func()    // to be done by run

	streams map[streamKey]*stream
	stale   map[*stream]time.Time // when to render
}

func newRoom(ctx context.Context, end func(), rs *rooms, id project.ID) *room {
	return &room{
		rooms: rs, project: id, ctx: ctx, end: end, done: make(chan struct{}), tasks: make(chan func()),
		streams: map[streamKey]*stream{}, stale: map[*stream]time.Time{},
	}
}

// run is the life of the room.
func (r *room) run(events <-chan project.Event) {
	defer close(r.done)
	defer r.busy.Wait()
	defer r.end()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Reset(r.startDue())
		select {
		case <-r.ctx.Done():
			return
		case e, ok := <-events:
			if !ok {
				r.closeAll()
				return
			}
			r.mark(e)
		case do := <-r.tasks:
			do()
		case <-timer.C:
		}
	}
}

// do lets the room's goroutine call fn, and waits until it begins.
func (r *room) do(fn func()) {
	select {
	case r.tasks <- fn:
	case <-r.ctx.Done():
	}
}

// mark notes when to render what an event makes stale.
func (r *room) mark(e project.Event) {
	pace := r.rooms.server.pace
	soon := time.Now().Add(pace.settle)
	for _, st := range r.streams {
		if _, waits := r.stale[st]; waits || !st.concerns(e) {
			continue
		}
		r.stale[st] = soon
		if rested := st.began.Add(max(pace.send, st.part.Pause)); rested.After(soon) {
			r.stale[st] = rested
		}
	}
}

// concerns reports whether an event is about what the stream shows.
func (st *stream) concerns(e project.Event) bool {
	if !slices.Contains(st.part.Topics, e.Topic) {
		return false
	}
	return !st.part.OfNote || shows(st.query, e.Document)
}

// shows reports whether an event about a document is about the one on the page.
// 0 stands for all documents.
func shows(q url.Values, doc annotate.DocumentID) bool {
	return doc == 0 || q.Get("doc") == strconv.FormatUint(uint64(doc), 10)
}

// startDue starts to render what is due, and says how long the next stale stream has time.
func (r *room) startDue() time.Duration {
	wait, now := time.Hour, time.Now()
	for st, at := range r.stale {
		switch left := at.Sub(now); {
		case st.rendering: // rendered comes first
		case left <= 0:
			r.start(st)
		default:
			wait = min(wait, left)
		}
	}
	return wait
}

// start renders a stream as one of its viewers sees it.
func (r *room) start(st *stream) {
	delete(r.stale, st)
	st.rendering, st.began = true, time.Now()
	speaker, before := st.anyone(), st.state
	r.busy.Go(func() {
		select {
		case r.rooms.turns <- struct{}{}:
			defer func() { <-r.rooms.turns }()
		case <-r.ctx.Done():
			return
		}
		var next *state
		err := parallel.Guard(func() (err error) {
			next, err = st.render(r.ctx, speaker, r.project, before)
			return err
		})
		if err != nil {
			err = cmp.Or(speaker.check(), err)
		}
		r.do(func() { r.rendered(st, speaker, next, err) })
	})
}

// rendered tells the viewers what has changed.
func (r *room) rendered(st *stream, speaker *viewer, next *state, err error) {
	st.rendering = false
	switch {
	case len(st.viewers) == 0 || r.ctx.Err() != nil: // all have left meanwhile
	case errors.Is(err, errSessionOver), errors.Is(err, errOtherRole), isGone(err):
		// The others may still look.
		speaker.end(err)
		r.drop(st, speaker)
		if len(st.viewers) > 0 {
			r.stale[st] = time.Now()
		}
	case err != nil:
		r.rooms.server.log.Error("live part", "part", st.part.Name, "project", string(r.project), "error", err)
		for v := range st.viewers {
			v.end(errUnavailable)
		}
	default:
		fresh := next != st.state
		st.state = next
		st.tell(fresh)
	}
}

// join adds a viewer. It gets every part whole as soon as the part is rendered.
func (r *room) join(v *viewer) {
	r.do(func() {
		for _, p := range v.parts {
			key, query := keyOf(p, v.visit.User, v.query)
			st := r.streams[key]
			if st == nil {
				st = &stream{part: p, key: key, query: query, viewers: map[*viewer]bool{}}
				r.streams[key] = st
				r.stale[st] = time.Now()
			}
			st.viewers[v] = true
			if _, stale := r.stale[st]; !stale && !st.rendering {
				st.giveWhole(v)
			}
		}
	})
}

// leave removes a viewer, and what nobody else looks at.
func (r *room) leave(v *viewer) {
	r.do(func() {
		for _, st := range r.of(v) {
			r.drop(st, v)
		}
	})
}

func (r *room) drop(st *stream, v *viewer) {
	if delete(st.viewers, v); len(st.viewers) == 0 {
		delete(r.streams, st.key)
		delete(r.stale, st)
	}
}

// of are the streams that a viewer sees.
func (r *room) of(v *viewer) []*stream {
	var all []*stream
	for _, p := range v.parts {
		key, _ := keyOf(p, v.visit.User, v.query)
		if st := r.streams[key]; st != nil {
			all = append(all, st)
		}
	}
	return all
}

// reload gives a viewer a part whole, because it has missed a change.
func (r *room) reload(v *viewer, part string) {
	r.do(func() {
		for _, st := range r.of(v) {
			if _, looks := st.viewers[v]; looks && st.part.Name == part {
				st.viewers[v] = true
				st.giveWhole(v)
			}
		}
	})
}

// caughtUp gives a viewer whole what it had no place for.
func (r *room) caughtUp(v *viewer) {
	r.do(func() {
		for _, st := range r.of(v) {
			if st.viewers[v] {
				st.giveWhole(v)
			}
		}
	})
}

func (r *room) closeAll() {
	for _, st := range r.streams {
		for v := range st.viewers {
			v.end(nil)
		}
	}
}

// streamKey is what all who see the same have in common.
type streamKey struct {
	part   string
	role   account.Role
	person string // of a personal part
	query  string
}

func keyOf(p ui.LivePart, u account.User, q url.Values) (streamKey, url.Values) {
	query := url.Values{}
	for name, values := range q {
		if name != "topics" && !slices.Contains(p.Ignores, name) {
			query[name] = values
		}
	}
	key := streamKey{part: p.Name, role: u.Role, query: query.Encode()}
	if p.Personal {
		key.person = u.ID
	}
	return key, query
}
