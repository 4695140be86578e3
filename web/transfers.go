// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/web/ui"
)

// transfers are the running uploads and downloads of each person. They may take hours, and end
// with the session or the access token that began them, and with the right to do them.
type transfers struct {
	mu sync.Mutex // guards of
	of map[string]map[*transfer]bool
}

// transfer is one upload or download.
type transfer struct {
	allowed func() error // why it may not go on; nil if it may
	cancel  context.CancelFunc
	control *http.ResponseController
	over    atomic.Bool // it is not allowed any more: nothing more is read or written
}

// begin puts a request under watch, until done is called.
func (t *transfers) begin(c echo.Context, allowed func() error) (one *transfer, done func()) {
	v := ui.VisitOf(c.Request().Context())
	ctx, cancel := context.WithCancel(c.Request().Context())
	c.SetRequest(c.Request().WithContext(ctx))
	one = &transfer{allowed: allowed, cancel: cancel, control: http.NewResponseController(c.Response().Writer)}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[string]map[*transfer]bool{}
	}
	if t.of[v.User.ID] == nil {
		t.of[v.User.ID] = map[*transfer]bool{}
	}
	t.of[v.User.ID][one] = true
	return one, func() {
		// An error page is still to be written, which a cancelled context would prevent.
		c.SetRequest(c.Request().WithContext(context.WithoutCancel(c.Request().Context())))
		cancel()
		t.mu.Lock()
		defer t.mu.Unlock()
		if delete(t.of[v.User.ID], one); len(t.of[v.User.ID]) == 0 {
			delete(t.of, v.User.ID)
		}
	}
}

// ofPerson are the transfers of a person.
func (t *transfers) ofPerson(id string) []*transfer {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*transfer
	for one := range t.of[id] {
		all = append(all, one)
	}
	return all
}

// end stops a transfer, also one that waits for the browser.
func (t *transfer) end() {
	t.over.Store(true)
	t.cancel()
	past := time.Unix(1, 0)
	_ = t.control.SetReadDeadline(past)
	_ = t.control.SetWriteDeadline(past)
}

// stopped is why nothing more may be read or written; a request that is no transfer goes on.
func (t *transfer) stopped() error {
	if t != nil && t.over.Load() {
		return errSessionOver
	}
	return nil
}

// mayGoOn says of a request, later, why it may not go on: its session or token has ended, or the
// person has no longer the permission, or the role in the project that gave it.
func (s *Server) mayGoOn(c echo.Context, r ui.Route) func() error {
	id, token := ui.ProjectID(c), ui.VisitOf(c.Request().Context()).Token
	find, ofAPI := c.Get(personKey).(func() (account.User, error))
	if !ofAPI {
		find = func() (account.User, error) {
			u, _, err := s.accounts.Peek(token)
			return u, err
		}
	}
	return func() error {
		u, err := find()
		if err == nil && inProject(r) {
			u.Role, err = s.frame.RoleIn(u, id)
		}
		if err == nil && !(ui.Visit{User: u}).Allowed(r.Needs) {
			err = forbidden(u.Role, r.Needs)
		}
		return err
	}
}

// endOn stops a transfer when its token or its session ends in any case, which nothing else
// tells of. The caller calls stop when the transfer is over.
func (s *Server) endOn(c echo.Context, t *transfer) (stop func() bool) {
	v := ui.VisitOf(c.Request().Context())
	ends := v.Access.Ends
	if ends.IsZero() {
		ends = v.Session.Ends
	}
	if ends.IsZero() {
		return func() bool { return false }
	}
	return time.AfterFunc(ends.Sub(s.now()), t.end).Stop
}
