// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"hide/internal/lab"
)

// progress rewrites one line on the terminal, at most ten times a second. When
// standard error is not a terminal it shows nothing. Safe for concurrent use.
type progress struct {
	w     io.Writer // nil: show nothing
	doing string
	start time.Time

	mu    sync.Mutex // guards shown and dirty
	shown time.Time
	dirty bool // a line is on the screen
}

// progress starts a line that says what is being done. The caller ends it with
// [progress.end] before anything else is printed.
func (e *env) progress(doing string) *progress {
	p := &progress{doing: doing, start: time.Now()}
	if e.terminal {
		p.w = e.stderr
	}
	return p
}

// step says how far it is. total 0 means that it is not known; detail may be "".
func (p *progress) step(done, total int, detail string) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); now.Sub(p.shown) >= 100*time.Millisecond || done == total {
		p.shown, p.dirty = now, true
		fmt.Fprintf(p.w, "\r\x1b[K%s", progressLine(p.doing, done, total, detail, now.Sub(p.start)))
	}
}

// end clears the line.
func (p *progress) end() {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dirty {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.dirty = false
	}
}

// progressLine is "training: 120 of 600 (20 %), 12 s left, detail".
func progressLine(doing string, done, total int, detail string, took time.Duration) string {
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

// bars shows the progress of an experiment as that of a command.
func (e *env) bars() lab.Progress {
	return func(doing string) lab.Bar { return bar{e.progress(doing)} }
}

type bar struct{ *progress }

func (b bar) Step(done, total int, detail string) { b.step(done, total, detail) }
func (b bar) End()                                { b.end() }
