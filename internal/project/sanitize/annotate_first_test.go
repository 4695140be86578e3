// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy/drift"
	"hide/internal/project/projecttest"
	"hide/internal/project/sanitize"
)

func TestNotesToAnnotateFirstAreOfTheForeignInstitution(t *testing.T) {
	b := newBench(t)
	ws := b.MustWorkspace(b.NewProject(projecttest.Plain("one", "two", "three"), false))
	rings := []drift.Test{{Name: drift.Doubt, P: 0.001}}
	own, foreign := drift.Side{Source: "a", Annotated: true, Target: 1, Tests: rings}, drift.Side{Source: "", Target: 2}
	docs, profiles := []annotate.DocumentID{1, 2, 3}, []drift.Profile{{Source: "a"}, {Source: ""}, {Source: ""}}
	for _, c := range []struct {
		sides []drift.Side
		want  []annotate.DocumentID
	}{{[]drift.Side{foreign, own}, []annotate.DocumentID{2, 3}}, {[]drift.Side{own}, []annotate.DocumentID{1}}, {nil, docs}} {
		r := &drift.Report{All: drift.Side{Tests: rings}, Sources: c.sides}
		if got := b.ToAnnotate(ws, r, docs, profiles); !slices.Equal(slices.Sorted(slices.Values(got)), c.want) {
			t.Errorf("of %+v: %v, want %v", c.sides, got, c.want)
		}
	}
	said := strings.Join(sanitize.SourceWarnings([]drift.Side{foreign, own}), "\n")
	if !strings.Contains(said, "At 1 of 1 institution with annotated notes") || !strings.Contains(said, "Hardly any note is annotated from 1 institution with notes to be published: 2 of the compared notes") {
		t.Errorf("it says %q", said)
	}
}
