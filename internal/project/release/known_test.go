// SPDX-License-Identifier: Apache-2.0

package release_test

import (
	"fmt"
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
	projecttest.WantUnlinked(b.Bench, b.StartPublish(t.Context(), projecttest.Broker, id, release.Freeze, chosen.Number, release.Despite{Uncertified: "a test"}))
	for _, c := range []struct {
		name string
		keep bool
		want publish.KnownCounts
	}{{"redacted", false, publish.KnownCounts{Found: 2}}, {"kept", true, publish.KnownCounts{Found: 2, Remaining: 2}}} {
		t.Run(c.name, func(t *testing.T) {
			candidate := b.Froze(id, func() error {
				return b.StartPublish(t.Context(), projecttest.Broker, id, release.Freeze, chosen.Number, release.Despite{Uncertified: "a test", KeepKnown: c.keep, Unlinked: true})
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

// withRelatives are finished notes with fields. The structured data names a relative, whom two
// thirds of the notes name: without a mark, or half in one. All patients have a relative of
// one name, or each has another.
func withRelatives(shared bool) []annotate.Annotated {
	docs := projecttest.Cohort(12)
	for i := range docs {
		given, family := "Zora", "Quarkinson"
		if !shared {
			given, family = fmt.Sprintf("Zor%c", 'a'+i/2), fmt.Sprintf("Quarkinso%c", 'a'+i/2)
		}
		docs[i].Identities = []annotate.Identity{{Of: annotate.OfRelative, Label: "PATIENT", Value: given + " " + family, From: "NK1-2"}}
		at := annotate.ByteOff(len(docs[i].Text))
		switch i % 3 {
		case 0:
			docs[i].Text += "\nthen called " + strings.ToLower(family) + " again.\n"
		case 1:
			docs[i].Text += "\nthen called " + given + " " + family + " again.\n"
			docs[i].Spans = append(docs[i].Spans, annotate.Span{Start: at + 13, End: at + 17, Label: "PATIENT"})
		}
	}
	return docs
}

// TestKnownIdentifiersGoFromNotesWithFields: what nobody marked of a known identifier goes. A
// mark whose words everybody in the class has stays, and is counted.
func TestKnownIdentifiersGoFromNotesWithFields(t *testing.T) {
	for _, c := range []struct {
		shared bool
		want   publish.KnownCounts
	}{{false, publish.KnownCounts{Found: 16}}, {true, publish.KnownCounts{Found: 16, Remaining: 8}}} {
		b := newBench(t)
		docs := withRelatives(c.shared)
		id := b.FinishedProject(docs)
		choice := release.JointChoice{K: 2, Lambda: .5, Found: 1, Threshold: .5}
		frozen := b.Froze(id, func() error {
			return b.StartPublishJoint(t.Context(), projecttest.Broker, id, release.Freeze, choice, len(docs), 0)
		})
		if frozen.Known != c.want {
			t.Errorf("shared %v: counted %+v, want %+v", c.shared, frozen.Known, c.want)
		}
		text, err := b.CandidateText(t.Context(), projecttest.Reviewer, id, frozen.Number)
		if err != nil {
			t.Fatal(err)
		}
		for n, err := range text.All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(strings.ToLower(n.Text), "quarkinso") || !c.shared && strings.Contains(n.Text, "Zor") {
				t.Error("a known identifier is readable")
			}
		}
	}
}
