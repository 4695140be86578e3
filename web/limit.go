// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

// How much a request may carry, and how long it may take to be read and answered.
const (
	maxBody    = 64 << 20
	maxUpload  = 4 << 30
	readWithin = 30 * time.Second
	sendWithin = time.Minute
)

// streams reports whether a route carries files or a whole data set, up or down:
// it has no deadline and a larger limit.
func streams(path string) bool {
	for _, part := range []string{"/import", "/download/", "/zip", "/bundles/", "/dictionaries/files"} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return path == populationUpload
}

// limit bounds what one request can take. Deadlines are set here and not in the
// http.Server, because an import lasts as long as it lasts.
func (s *Server) limit(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, size := c.Request(), int64(maxBody)
		if streams(c.Path()) {
			size = maxUpload
		}
		if r.ContentLength > size {
			return &http.MaxBytesError{Limit: size}
		}
		if r.Body != nil {
			r.Body = http.MaxBytesReader(c.Response(), r.Body, size)
		}
		if !streams(c.Path()) && !c.IsWebSocket() {
			control := http.NewResponseController(c.Response())
			// A writer without deadlines is a test's: nothing to bound there.
			_ = control.SetReadDeadline(time.Now().Add(readWithin))
			_ = control.SetWriteDeadline(time.Now().Add(sendWithin))
		}
		return next(c)
	}
}
