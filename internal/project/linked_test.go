// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"testing"

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
