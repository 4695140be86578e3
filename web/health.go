// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Addresses for monitors and load balancers. They need no session and answer to every host
// name: monitors ask by the address of the machine.
const (
	healthPath = "/healthz" // the process answers
	readyPath  = "/readyz"  // it can do its work
)

const (
	readyFor    = time.Second     // an answer of /readyz counts for the next questions
	readyWithin = 2 * time.Second // for all checks together
)

// Readiness says whether the server can do its work.
type Readiness interface {
	// Ready returns nil, or the reason why not. Everybody who reaches the server can read
	// the reason: it names no path, person, project or note.
	Ready(ctx context.Context) error
}

// health answers healthPath and readyPath. Its zero value is ready.
type health struct {
	checks   []Readiness
	stopping atomic.Bool

	mu    sync.Mutex // guards what follows, and is held during the checks
	asked time.Time  // zero before the first question
	last  error
}

func (h *health) stop() { h.stopping.Store(true) }

func (h *health) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answerHealth(w, r, h.ready(r.Context()))
}

// ready asks the checks, at most once per readyFor: strangers may ask as often as they like.
func (h *health) ready(ctx context.Context) error {
	if h.stopping.Load() {
		return errStopping
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := time.Now(); h.asked.IsZero() || now.Sub(h.asked) >= readyFor {
		// A monitor that hangs up early must not decide for the others.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyWithin)
		defer cancel()
		h.last, h.asked = nil, now
		for _, c := range h.checks {
			h.last = errors.Join(h.last, c.Ready(ctx))
		}
	}
	return h.last
}

// answerHealth answers both addresses. A process that can answer is healthy, ready or not:
// a supervisor must not restart a server because its disk is full.
func answerHealth(w http.ResponseWriter, r *http.Request, notReady error) {
	plainHeaders(w)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Path == readyPath && notReady != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, "not ready:", notReady)
		return
	}
	fmt.Fprintln(w, "ok")
}
