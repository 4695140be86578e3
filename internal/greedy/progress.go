// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"fmt"
	"sync"
)

// counter tells how many of total trainings are done, in order, whichever
// finishes first.
type counter struct {
	report func(what string, done, total int)
	what   string
	total  int

	mu   sync.Mutex // guards done, and serialises tell
	done int
}

func newCounter(what string, total int, tell func(what string, done, total int)) *counter {
	c := &counter{report: tell, what: what, total: total}
	tell(what, 0, total)
	return c
}

func (c *counter) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	c.report(c.what, c.done, c.total)
}

// reporter turns trainings, rounds and outcomes into events with a share that never
// falls.
type reporter struct {
	send func(Event)
	lcs  []float64

	mu    sync.Mutex // guards what follows, and serialises send
	at    int        // index into lcs
	as    float64    // the current L/C, from lcs[at] up
	round int        // its finished rounds
	share float64
}

func newReporter(send func(Event), lcs []float64) *reporter {
	if send == nil {
		send = func(Event) {}
	}
	return &reporter{send: send, lcs: lcs}
}

// trained reports trainings of the current round. The number of rounds is unknown: each
// is assumed to be half of the remaining work.
func (r *reporter) trained(what string, done, total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rest := 1.0
	for range r.round {
		rest /= 2
	}
	within := 1 - rest + rest/2*float64(done)/float64(total)
	r.emit(Event{Doing: fmt.Sprintf("%s: training %s, %d of %d", r.where(), what, done, total), Step: done, Steps: total}, within)
}

// first reports what the first round of an L/C would leave.
func (r *reporter) first(lc float64, o Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.send(Event{LC: lc, Doing: fmt.Sprintf("first figures, L/C %g", lc), Share: r.share, First: &o})
}

// solving sets the L/C that is solved for, instead of the requested one.
func (r *reporter) solving(as float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.as, r.round = as, 0
}

// ratio is the requested L/C, and the one solved for if that is larger.
func (r *reporter) ratio() string {
	asked := fmt.Sprintf("L/C %g", r.lcs[r.at])
	if r.as > r.lcs[r.at] {
		asked += fmt.Sprintf(" raised to %g", r.as)
	}
	return asked
}

func (r *reporter) where() string { return fmt.Sprintf("%s, round %d", r.ratio(), r.round+1) }

func (r *reporter) finishedRound(round Round) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.round = round.Number
	r.emit(Event{Doing: fmt.Sprintf("%s, round %d finished", r.ratio(), round.Number), Round: &round, At: max(r.as, r.lcs[r.at])}, 0)
}

func (r *reporter) finished(c *Choice) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.emit(Event{Doing: fmt.Sprintf("L/C %g finished", r.lcs[r.at]), Choice: c}, 1)
	r.at, r.as, r.round = r.at+1, 0, 0
}

func (r *reporter) emit(e Event, within float64) {
	e.LC = r.lcs[r.at]
	r.share = max(r.share, (float64(r.at)+within)/float64(len(r.lcs)))
	e.Share = r.share
	r.send(e)
}
