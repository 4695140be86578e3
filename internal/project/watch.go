// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"sync"

	"hide/internal/account"
	"hide/internal/annotate"
)

// hub sends events to watchers. A slow watcher loses all but the newest event of each
// topic (and document). Events say that something changed, not what, so the newest is
// enough.
type hub struct {
	mu       sync.Mutex // guards watchers
	watchers map[*watcher]bool
}

type watcher struct {
	project ID
	wake    chan struct{} // one slot: there are pending events
	mu      sync.Mutex    // guards pending
	pending []Event
}

// Watch sends an event whenever something of the project changes. When ctx ends, it
// closes the channel.
func (s *Service) Watch(ctx context.Context, by account.User, id ID) (<-chan Event, error) {
	if _, err := s.EnterAny(by, id, account.ReadNotes, account.SeeFigures); err != nil {
		return nil, err
	}
	w := &watcher{project: id, wake: make(chan struct{}, 1)}
	s.hub.add(w)
	out := make(chan Event)
	go func() {
		defer close(out)
		defer s.hub.remove(w)
		w.deliver(ctx, out)
	}()
	return out, nil
}

func (h *hub) add(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers == nil {
		h.watchers = map[*watcher]bool{}
	}
	h.watchers[w] = true
}

func (h *hub) remove(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers, w)
}

// send never blocks.
func (h *hub) send(e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		if w.project == e.Project {
			w.push(e)
		}
	}
}

func (w *watcher) push(e Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.pending {
		if p == e {
			return
		}
	}
	w.pending = append(w.pending, e)
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *watcher) take() []Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	events := w.pending
	w.pending = nil
	return events
}

func (w *watcher) deliver(ctx context.Context, out chan<- Event) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		}
		for _, e := range w.take() {
			select {
			case out <- e:
			case <-ctx.Done():
				return
			}
		}
	}
}

func (s *Service) Tell(id ID, topic Topic) { s.hub.send(Event{Project: id, Topic: topic}) }

func (s *Service) TellDocument(id ID, doc annotate.DocumentID) {
	s.hub.send(Event{Project: id, Topic: TopicDocument, Document: doc})
}
