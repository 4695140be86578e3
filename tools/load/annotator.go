// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"

	"hide/tools/rig"
)

// annotator edits at a steady pace and remembers what the server has acknowledged.
type annotator struct {
	person *rig.Person
	notes  []note // the first is open
	step   int    // takes every step-th word, from first on
	first  int
	page   *page
	how    liveness
	tally  tally
}

// liveness is how pages of this run follow what happens.
type liveness struct {
	fetch bool
}

// acked is an acknowledged edit.
type acked struct {
	doc, revision int
	word          word
	at            time.Time
}

// tally is what one annotator saw.
type tally struct {
	took      []time.Duration
	acked     []acked
	failed    map[string]int // by status, or "no answer"
	conflicts int            // edits that were asked about, because somebody else was faster
	bytes     int            // of the answers
}

const (
	conflictsMost = 20       // tries of one edit
	topOfAnswer   = 16 << 10 // where an answer says its revision
)

// edit works until ctx ends, at most once in the given time.
func (a *annotator) edit(ctx context.Context, begin time.Time, every time.Duration) error {
	due := begin
	for next := a.first; ; next += a.step {
		if next >= len(a.notes[0].words) {
			if err := a.turn(ctx); err != nil {
				return err
			}
			next = a.first
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Until(due)):
		}
		a.tag(ctx, a.notes[0].words[next])
		due = later(due.Add(every), time.Now()) // who is late does not hurry
	}
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// turn opens the next note.
func (a *annotator) turn(ctx context.Context) error {
	if len(a.notes) == 1 {
		return fmt.Errorf("%s has no notes left: give more --notes", a.person.Name)
	}
	a.notes = a.notes[1:]
	a.page.close()
	var err error
	a.page, err = openPage(ctx, a.person, a.notes[0].path(), a.how, &a.notes[0])
	return err
}

// tag tags a word, again after the newest state was fetched if somebody else was faster.
func (a *annotator) tag(ctx context.Context, w word) {
	for range conflictsMost {
		form := url.Values{
			"do": {"tag"}, "revision": {strconv.Itoa(a.page.revision())}, "label": {"OTHER"},
			"shown": {a.page.suggestions()}, "surface": {w.text}, "start": {strconv.Itoa(w.start)}, "end": {strconv.Itoa(w.end)},
		}
		began := time.Now()
		answer, err := a.person.Script(a.notes[0].path()+"/edit", form)
		now := time.Now()
		switch {
		case ctx.Err() != nil && err != nil:
			return
		case err != nil:
			a.tally.failed["no answer"]++
			return
		case answer.Status == http.StatusConflict:
			a.tally.conflicts++
			if !a.catchUp() {
				return
			}
			continue
		case answer.Status != http.StatusOK:
			a.tally.failed[strconv.Itoa(answer.Status)]++
			return
		}
		top := answer.Body[:min(len(answer.Body), topOfAnswer)]
		revision := a.page.revision() + 1
		if shown := revisionIn(top); shown > 0 {
			revision = shown
		}
		a.page.shows(revision, top)
		a.tally.took = append(a.tally.took, now.Sub(began))
		a.tally.acked = append(a.tally.acked, acked{a.notes[0].doc, revision, w, now})
		a.tally.bytes += len(answer.Body)
		return
	}
	a.tally.failed["conflicts"]++
}

// catchUp fetches the newest state of the note, as the page does after a question.
func (a *annotator) catchUp() bool {
	answer, _, err := a.person.Glance(a.notes[0].path())
	if err != nil || answer.Status != http.StatusOK {
		a.tally.failed["catching up"]++
		return false
	}
	a.page.shows(revisionIn(answer.Body), answer.Body)
	return true
}

// suggestionsPattern is the key of the suggestions in a page.
var suggestionsPattern = regexp.MustCompile(`data-suggestions="([0-9a-f]+)"`)

// A revision in a page, or in a frame, where the markup is inside of JSON.
var revisionPattern = regexp.MustCompile(`data-revision=\\?"(\d+)|"revision":\s*(\d+)`)

// revisionIn is the highest revision in an answer or a frame, 0 if there is none.
func revisionIn(s string) int {
	highest := 0
	for _, m := range revisionPattern.FindAllStringSubmatch(s, -1) {
		n, _ := strconv.Atoi(m[1] + m[2]) // digits
		highest = max(highest, n)
	}
	return highest
}

// newest is a revision that several goroutines raise.
type newest struct{ n atomic.Int64 }

func (r *newest) raise(to int) {
	for {
		n := r.n.Load()
		if n >= int64(to) || r.n.CompareAndSwap(n, int64(to)) {
			return
		}
	}
}
