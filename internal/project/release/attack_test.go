// SPDX-License-Identifier: Apache-2.0

package release_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish/idview"
	"hide/internal/publish/table"
	"hide/internal/publish/verify"
)

// attackedPatients is the number of patients of [equalNotes].
const attackedPatients = 8

// equalNotes are equal notes of patients with a hobby of their own each. One of them may tell
// the hobby, which nobody marked.
func equalNotes(planted bool) []annotate.Annotated {
	docs := make([]annotate.Annotated, attackedPatients)
	for i := range docs {
		hobby := fmt.Sprintf("quark%cing", 'a'+i)
		var m projecttest.Markup
		m.Text("Seen by Dr. ").Span("Weiss", "NAME").Text(" for a cough.\n")
		if planted && i == 3 {
			m.Text("Likes " + hobby + ".\n")
		}
		docs[i] = annotate.Annotated{Spans: m.Spans, Document: annotate.Document{
			Name: fmt.Sprint("note-", i), Patient: fmt.Sprint("pat-", i), Text: m.String(),
			Attributes: map[string]string{"hobby": hobby, "sex": "f"},
		}}
	}
	return docs
}

// publishText publishes all notes with a redaction model of them.
func (b *bench) publishText(id project.ID) release.Release {
	b.T.Helper()
	run := b.Ran(id, sanitize.Params{LC: []float64{10}, Folds: 2, Learners: []string{"bayes"}, First: "none"})
	chosen, err := b.Choose(b.T.Context(), projecttest.Broker, id, run.Number, 10)
	if err != nil {
		b.T.Fatal(err)
	}
	if err := b.StartPublish(b.T.Context(), projecttest.Broker, id, release.Publish, chosen.Number, release.Despite{Uncertified: "a test"}); err != nil {
		b.T.Fatal(err)
	}
	made, _ := b.Published(id)
	return made
}

// publishFields publishes the notes with their fields.
func (b *bench) publishFields(id project.ID) release.Release {
	b.T.Helper()
	b.role(id, idview.Attribute{Key: idview.Key{Source: idview.Field, Name: "sex"}, Role: table.Quasi, Kind: table.Nominal})
	if err := b.StartPublishJoint(b.T.Context(), projecttest.Broker, id, release.Publish, release.JointChoice{K: 2, Lambda: 1, Threshold: 1}, attackedPatients, 0); err != nil {
		b.T.Fatal(err)
	}
	made, _ := b.Published(id)
	return made
}

// attackOn reads what a release says of the attacker. The record, the manifest and the verifier
// must say the same.
func (b *bench) attackOn(id project.ID, r release.Release) retrieve.Result {
	b.T.Helper()
	if r.Attack == nil {
		b.T.Fatal("the attacker was not tried")
	}
	var result retrieve.Result
	if err := json.Unmarshal(r.Attack.Figures, &result); err != nil {
		b.T.Fatal(err)
	}
	found, err := verify.Release(os.DirFS(b.Dir(id, r.Name)))
	if err != nil || !found.Common().OK {
		b.T.Fatal(found.Common().Problems, err)
	}
	if said := found.Common().Attack; !slices.Equal(said, r.Attack.Words) || !slices.Equal(said, result.Words()) {
		b.T.Errorf("the verifier reads %q, the record has %q", said, r.Attack.Words)
	}
	return result
}

// TestEveryReleaseOfNotesIsAttacked publishes equal notes, which an attacker can only guess, and
// equal ones but for one that tells what only its patient's record has.
func TestEveryReleaseOfNotesIsAttacked(t *testing.T) {
	for name, publish := range map[string]func(*bench, project.ID) release.Release{"text": (*bench).publishText, "with fields": (*bench).publishFields} {
		for _, planted := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " planted ", planted), func(t *testing.T) {
				b := newBench(t)
				id := b.FinishedProject(equalNotes(planted))
				result := b.attackOn(id, publish(b, id))
				best, known := result.Best(retrieve.Table)
				want := 1.0 // of all notes: each is a guess
				if planted {
					want = 2 - 1.0/attackedPatients // one more, without its guess
				}
				if hits := best.Top1.Hits; !known || result.Notes != attackedPatients || hits < want-.2 || hits > want+.2 {
					t.Errorf("the attacker links %v of %d notes, want about %v", hits, result.Notes, want)
				}
			})
		}
	}
}

// TestARepairIsAttackedAgain: a candidate without the words that told its patient is at chance.
func TestARepairIsAttackedAgain(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(equalNotes(true))
	run := b.Ran(id, sanitize.Params{LC: []float64{10}, Folds: 2, Learners: []string{"bayes"}, First: "none"})
	chosen, err := b.Choose(t.Context(), projecttest.Broker, id, run.Number, 10)
	if err != nil {
		t.Fatal(err)
	}
	parent := b.Froze(id, func() error {
		return b.StartPublish(t.Context(), projecttest.Broker, id, release.Freeze, chosen.Number, release.Despite{Uncertified: "a test"})
	})
	text, err := b.CandidateText(t.Context(), projecttest.Reviewer, id, parent.Number)
	if err != nil {
		t.Fatal(err)
	}
	var marks []release.Mark
	for i := range text.Len() {
		n, err := text.Note(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		if at := strings.Index(n.Text, "quark"); at >= 0 {
			marks = append(marks, release.Mark{Note: i, Start: annotate.RuneOff(at), End: annotate.RuneOff(at + len("quarkding")), Label: "NAME"})
		}
	}
	child := b.Froze(id, func() error {
		return b.StartRepair(t.Context(), projecttest.Broker, id, parent.Number, release.Findings{Found: []release.Found{{Candidate: parent.Number, Marks: marks}}})
	})
	if len(marks) != 1 || parent.Attack == nil || child.Attack == nil || string(parent.Attack.Figures) == string(child.Attack.Figures) {
		t.Errorf("%d marks; the attacker links %v of the candidate, %v of its repair", len(marks), parent.Attack, child.Attack)
	}
}
