// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/labstack/echo/v4"
)

// observe gives the request its id and writes one log line when it has been
// answered. The line has the route's pattern and never the query, the form or
// the values in the path: a document's name may be a patient's.
func (s *Server) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		v := visit{id: newRequestID(), assets: s.assets, path: c.Request().URL.Path}
		s.visiting(c, v)
		start := time.Now()
		defer func() { s.logRequest(c, time.Since(start)) }() // of answers cut short, too
		if err := next(c); err != nil {
			c.Error(err)
		}
		return nil
	}
}

// visiting makes v the visit of the rest of the request.
func (s *Server) visiting(c echo.Context, v visit) {
	c.SetRequest(c.Request().WithContext(withVisit(c.Request().Context(), v)))
}

func (s *Server) logRequest(c echo.Context, took time.Duration) {
	pattern := c.Path()
	if pattern == "" {
		pattern = "no route"
	}
	v := visitFrom(c.Request().Context())
	s.log.LogAttrs(context.Background(), slog.LevelInfo, "request",
		slog.String("id", v.id), slog.String("method", c.Request().Method), slog.String("route", pattern),
		slog.Int("status", c.Response().Status), slog.Int64("bytes", c.Response().Size),
		slog.Duration("took", took), slog.String("user", v.user.ID))
}

// recoverPanic turns a panic into an error. What was panicked with may hold text
// of a note, so only errors of the runtime, which hold numbers, are kept. An answer
// that is to be cut short goes on to net/http, which alone can do it.
func (s *Server) recoverPanic(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			what := recover()
			if what == nil {
				return
			}
			if what == http.ErrAbortHandler { // as net/http compares it
				panic(what)
			}
			err = fmt.Errorf("panic with a %T\n%s", what, debug.Stack())
			if e, ok := what.(runtime.Error); ok {
				err = fmt.Errorf("panic: %w\n%s", e, debug.Stack())
			}
		}()
		return next(c)
	}
}
