// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"fmt"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"

	"hide/internal/project/links"
	"hide/internal/project/projecttest"
)

// TestNotesThatAreReadTogetherHaveTheLinksOfOneMoment links two records while the notes are read.
func TestNotesThatAreReadTogetherHaveTheLinksOfOneMoment(t *testing.T) {
	b := projecttest.New(t)
	id := b.FinishedProject(projecttest.TwelveKeys())
	ws, first := b.MustWorkspace(id), true
	for pass, want := range []int{30, 29} {
		people := map[string]bool{}
		for n, err := range ws.Documents(t.Context(), ws.All()) {
			if err != nil {
				t.Fatal(err)
			}
			people[n.Group()] = true
			if first {
				first = false
				b.Link(id, links.Figures{}, "k0", "k11")
			}
		}
		if len(people) != want {
			t.Errorf("pass %d: the notes are of %d people, want %d", pass, len(people), want)
		}
	}
}

// TestLinkedKeysCountOnce links the twelve keys of a person, and counts patients as folds,
// intervals, queues and deletions do.
func TestLinkedKeysCountOnce(t *testing.T) {
	b := projecttest.New(t)
	id := b.FinishedProject(projecttest.TwelveKeys())
	var keys []string
	for i := range 12 {
		keys = append(keys, fmt.Sprint("k", i))
	}
	b.Link(id, links.Figures{}, keys...)
	for _, when := range []string{"linked", "opened again"} {
		ws := b.MustWorkspace(id)
		if notes, patients, _ := ws.FinishedCounts(); notes != 30 || patients != 19 {
			t.Errorf("%s: %d finished notes are of %d patients", when, notes, patients)
		}
		c, err := ws.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		views := c.Views()
		folds, n := greedy.Groups(views, func(v annotate.View) string { return v.Group })
		if n != 19 || folds[0] != folds[11] || folds[0] == folds[12] {
			t.Errorf("%s: folds keep %d groups together: %v", when, n, folds)
		}
		resampled := map[string]bool{} // as intervals of scores do
		for _, v := range views {
			resampled[v.Patient] = true
		}
		if len(resampled) != 19 {
			t.Errorf("%s: intervals are over %d patients", when, len(resampled))
		}
		hers := ws.OfPerson(annotate.Document{Patient: "k0"}.Record())
		if order := ws.ByGroup(); len(hers) != 12 || !slices.Equal(order[:12], hers) {
			t.Errorf("%s: she has %d notes, in the order %v", when, len(hers), order)
		}
		b.Reopen()
	}
}
