// SPDX-License-Identifier: Apache-2.0

package release_test

import (
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish"
)

// withKnown are finished notes, and notes that nobody has finished with names that no model
// finds, because they stand in a place where no other note has a name.
func withKnown(b *projecttest.Bench) project.ID {
	docs := projecttest.Notes(12)
	id := b.FinishedProject(docs)
	var open []annotate.Annotated
	for i, text := range []string{"cough of quarkinson; lungs clear, chart 005519, fever.\n", "fever, no cough\n"} {
		d := projecttest.Plain(text)[0]
		d.Name = "open-" + string(rune('a'+i))
		d.Identities = []annotate.Identity{
			{Of: annotate.OfRelative, Label: "PATIENT", Value: "Zora Quarkinson", From: "NK1-2"},
			{Of: annotate.OfPatient, Label: "MEDICALRECORD", Value: "5519", From: "PID-3"},
		}
		open = append(open, d)
	}
	b.MustImport(id, open, false)
	return id
}

// TestKnownIdentifiersAreRedactedUnlessThePolicySaysOtherwise publishes, freezes and keeps
// known identifiers that the model misses.
func TestKnownIdentifiersAreRedactedUnlessThePolicySaysOtherwise(t *testing.T) {
	b := newBench(t)
	id := withKnown(b.Bench)
	run := b.Ran(id, sanitize.Params{LC: []float64{10}, Folds: 2, Learners: []string{"bayes"}, First: "none"})
	chosen, err := b.Choose(t.Context(), projecttest.Broker, id, run.Number, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		keep bool
		want publish.KnownCounts
	}{{"redacted", false, publish.KnownCounts{Found: 2}}, {"kept", true, publish.KnownCounts{Found: 2, Remaining: 2}}} {
		t.Run(c.name, func(t *testing.T) {
			candidate := b.Froze(id, func() error {
				return b.StartPublish(t.Context(), projecttest.Broker, id, release.Freeze, chosen.Number, release.Despite{Uncertified: "a test", KeepKnown: c.keep})
			})
			if candidate.Known != c.want {
				t.Errorf("the candidate counts %+v, want %+v", candidate.Known, c.want)
			}
			text, err := b.CandidateText(t.Context(), projecttest.Reviewer, id, candidate.Number)
			if err != nil {
				t.Fatal(err)
			}
			all := ""
			for i := range text.Len() {
				n, err := text.Note(t.Context(), i)
				if err != nil {
					t.Fatal(err)
				}
				all += n.Text
			}
			if shown := strings.Contains(all, "quarkinson") && strings.Contains(all, "5519"); shown != c.keep {
				t.Errorf("the known identifiers are readable: %v", shown)
			}
			if warned := strings.Contains(strings.Join(candidate.Warnings, "\n"), "Known identifiers"); warned != c.keep {
				t.Errorf("the manifest warns: %v", warned)
			}
		})
	}
}
