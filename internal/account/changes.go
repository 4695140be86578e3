// SPDX-License-Identifier: Apache-2.0

package account

import "sync"

// Changes calls fn after each change that may take rights from a person: a session that
// ended by sign-out or revocation, another role, a disabled or enabled account, a new
// password, and what [Service.Changed] reports. fn gets the person's id, after the change
// is stored, in the goroutine that made it: it must be quick and must not wait for that
// goroutine. A session that ends because nobody used it is not reported. stop ends the
// calls.
func (s *Service) Changes(fn func(userID string)) (stop func()) { return s.changes.add(fn) }

// Changed reports a change that another service stored, as of the membership in a project.
func (s *Service) Changed(userID string) { s.changes.tell(userID) }

// changes are the functions to call.
type changes struct {
	mu   sync.Mutex // guards the fields below
	next int
	fns  map[int]func(string)
}

func (c *changes) add(fn func(string)) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fns == nil {
		c.fns = map[int]func(string){}
	}
	id := c.next
	c.next++
	c.fns[id] = fn
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.fns, id)
	}
}

// tell calls the functions without the lock: one may call stop.
func (c *changes) tell(userID string) {
	c.mu.Lock()
	fns := make([]func(string), 0, len(c.fns))
	for _, fn := range c.fns {
		fns = append(fns, fn)
	}
	c.mu.Unlock()
	for _, fn := range fns {
		fn(userID)
	}
}
