// SPDX-License-Identifier: Apache-2.0

// Package meter shows how far a command has come, on one line of a terminal.
package meter

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Line rewrites one line of a terminal, at most ten times a second. It is safe for
// concurrent use.
type Line struct {
	w     io.Writer // nil: show nothing
	doing string
	start time.Time

	mu    sync.Mutex // guards shown and dirty
	shown time.Time
	dirty bool // a line is on the screen
}

// New starts a line about what is being done. Without a writer it shows nothing.
func New(w io.Writer, doing string) *Line { return &Line{w: w, doing: doing, start: time.Now()} }

// Step updates the progress. total 0 means unknown; detail may be "".
func (l *Line) Step(done, total int, detail string) {
	if l.w == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); now.Sub(l.shown) >= 100*time.Millisecond || done == total {
		l.shown, l.dirty = now, true
		fmt.Fprintf(l.w, "\r\x1b[K%s", lineText(l.doing, done, total, detail, now.Sub(l.start)))
	}
}

// End clears the line.
func (l *Line) End() {
	if l.w == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dirty {
		fmt.Fprint(l.w, "\r\x1b[K")
		l.dirty = false
	}
}

// lineText is "training: 120 of 600 (20 %), 12 s left, detail".
func lineText(doing string, done, total int, detail string, took time.Duration) string {
	line := fmt.Sprintf("%s: %d", doing, done)
	if total > 0 {
		line = fmt.Sprintf("%s: %d of %d (%d %%)", doing, done, total, 100*done/total)
	}
	if done > 0 && done < total && took > 2*time.Second {
		left := time.Duration(float64(took) / float64(done) * float64(total-done))
		line += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	if detail != "" {
		line += ", " + detail
	}
	return line
}
