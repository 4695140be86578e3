// SPDX-License-Identifier: Apache-2.0

package web

import (
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// followProgress gives every read and every write of a stream its own deadline: a transfer
// may take any time, but not stand still.
func followProgress(c echo.Context, within time.Duration) {
	r, control := c.Request(), http.NewResponseController(c.Response().Writer)
	if r.Body == nil || r.Body == http.NoBody {
		_ = control.SetReadDeadline(time.Time{}) // as at the end of a body
	} else {
		_ = control.SetReadDeadline(time.Now().Add(within))
		r.Body = &movingBody{r.Body, control, within}
	}
	c.Response().Writer = &movingWriter{c.Response().Writer, control, within}
}

// movingBody is a request that arrives.
type movingBody struct {
	io.ReadCloser
	control *http.ResponseController
	within  time.Duration
}

func (b *movingBody) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(b.within))
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		// The server now watches the connection: an old deadline would look like a browser
		// that went away while the notes are stored.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// movingWriter is an answer that leaves.
type movingWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	within  time.Duration
}

func (w *movingWriter) Write(p []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.within))
	return w.ResponseWriter.Write(p)
}

// Unwrap lets echo flush.
func (w *movingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
