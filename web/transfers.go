// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"hide/web/ui"
)

// transfers are the running uploads and downloads of each person. They may take hours, and
// end with the session or the access token that began them.
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
