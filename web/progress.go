// SPDX-License-Identifier: Apache-2.0

package web

import (
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// tempo is how long a request may take to arrive and its answer to leave. The time between
// them, in which the server works, is not limited.
type tempo struct {
	read, send time.Duration
	each       bool // each read and each write has as long: a transfer may take any time, but not stand still
	transfer   *transfer
}

// keep sets the deadlines of a request while it is read and while it is answered.
func (t tempo) keep(c echo.Context) {
	r, control := c.Request(), http.NewResponseController(c.Response().Writer)
	if r.Body == nil || r.Body == http.NoBody {
		_ = control.SetReadDeadline(time.Time{}) // as at the end of a body
	} else {
		_ = control.SetReadDeadline(time.Now().Add(t.read))
		r.Body = &timedBody{r.Body, control, t}
	}
	_ = control.SetWriteDeadline(time.Time{})
	c.Response().Writer = &timedWriter{ResponseWriter: c.Response().Writer, control: control, tempo: t}
}

// timedBody is a request that arrives.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	tempo   tempo
}

func (b *timedBody) Read(p []byte) (int, error) {
	if b.tempo.each {
		_ = b.control.SetReadDeadline(time.Now().Add(b.tempo.read))
	}
	if err := b.tempo.transfer.stopped(); err != nil {
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		// The server now watches the connection: an old deadline would look like a browser
		// that went away while the server works.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// timedWriter is an answer that leaves.
type timedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	tempo   tempo
	begun   bool
}

func (w *timedWriter) begin() {
	if !w.begun || w.tempo.each {
		w.begun = true
		_ = w.control.SetWriteDeadline(time.Now().Add(w.tempo.send))
	}
}

func (w *timedWriter) WriteHeader(status int) {
	w.begin()
	w.ResponseWriter.WriteHeader(status)
}

func (w *timedWriter) Write(p []byte) (int, error) {
	w.begin()
	if err := w.tempo.transfer.stopped(); err != nil {
		return 0, err
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets echo flush.
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
