// SPDX-License-Identifier: Apache-2.0

package web

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// How many live connections there may be.
const (
	maxSockets  = 2_000 // of all people
	maxOfPerson = 8     // of one person: one more closes the oldest
)

// closeTooMany tells live.js that the person opened too many pages; it is not one of the
// codes after which browsers try again.
const closeTooMany = 4408

// errTooMany ends the oldest connection of a person who opened too many.
var errTooMany = errors.New("web: too many pages of one person")

// sockets counts the live connections and knows those of each person.
type sockets struct {
	n  atomic.Int64
	mu sync.Mutex           // guards of
	of map[string][]*viewer // person -> connections, oldest first
}

func (s *sockets) take() bool {
	if s.n.Add(1) > maxSockets {
		s.n.Add(-1)
		return false
	}
	return true
}

func (s *sockets) giveBack() { s.n.Add(-1) }

// enter adds a connection of its person. If they have too many, it ends the oldest.
func (s *sockets) enter(v *viewer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[string][]*viewer{}
	}
	mine := append(s.of[v.visit.User.ID], v)
	if len(mine) > maxOfPerson {
		mine[0].end(errTooMany)
		mine = slices.Delete(mine, 0, 1)
	}
	s.of[v.visit.User.ID] = mine
}

func (s *sockets) leave(v *viewer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := slices.DeleteFunc(s.of[v.visit.User.ID], func(o *viewer) bool { return o == v })
	if s.of[v.visit.User.ID] = rest; len(rest) == 0 {
		delete(s.of, v.visit.User.ID)
	}
}

// ofPerson are the connections of a person.
func (s *sockets) ofPerson(id string) []*viewer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.of[id])
}
