// SPDX-License-Identifier: Apache-2.0

package review_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/candidate"
	"hide/internal/project/draft"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/review"
	"hide/internal/project/signing"
	"hide/internal/publish/evidence"
	"hide/internal/publish/policy"
)

// newInvented is a board with a candidate of surrogates, which people's annotations alone make.
func newInvented(t *testing.T) *board {
	t.Helper()
	b := &board{Bench: shared.Copy(t, prepare), id: "p1"}
	p, err := policy.Find("safe-harbor-surrogates")
	b.must(err)
	b.must(b.PrepareDraft(t.Context(), projecttest.Broker, b.id, draft.Settings{Policy: p}))
	b.Wait("the draft", func() bool {
		st, err := b.Preparing(t.Context(), projecttest.Broker, b.id)
		b.must(err)
		return !st.Running
	})
	b.candidate = b.Froze(b.id, func() error {
		return b.PublishDraft(t.Context(), projecttest.Broker, b.id, release.Freeze, draft.Answers{Statement: "Ada Broker"})
	})
	b.must(b.SetRule(t.Context(), projecttest.Broker, b.id, project.DefaultRule()))
	b.open()
	return b
}

// inventedIn are the surrogates in a candidate, and the texts of all its notes.
func (b *board) inventedIn(number int) (invented []string, notes []candidate.Note) {
	b.T.Helper()
	text, err := b.TextOf(b.id, number)
	b.must(err)
	for n, err := range text.All(b.T.Context()) {
		b.must(err)
		notes = append(notes, n)
		again, err := text.Note(b.T.Context(), len(notes)-1)
		b.must(err)
		if !slices.Equal(n.Redactions, again.Redactions) {
			b.T.Errorf("note %s has other places when it is read alone", n.ID)
		}
		for _, r := range n.Redactions {
			if r.Action == string(policy.Surrogate) {
				invented = append(invented, string([]rune(n.Text)[r.Start:r.End]))
			}
		}
	}
	return invented, notes
}

// Readers know which words are invented, so that nobody takes them for missed identifiers; the
// files of the candidate do not tell.
func TestReadersSeeWhatIsInvented(t *testing.T) {
	b := newInvented(t)
	invented, notes := b.inventedIn(b.candidate.Number)
	if len(invented) != 4*len(notes) { // two names of the patient, a doctor, a record number
		t.Fatalf("%d surrogates in %d notes", len(invented), len(notes))
	}
	if strings.Contains(b.file("notes.jsonl"), `"surrogate"`) {
		t.Error("the candidate's files say what is invented")
	}
	all, err := b.Passages(b.id, b.candidate.Number)
	b.must(err)
	words := 0
	for _, p := range all {
		words += int(p.Words)
	}
	if want := 18 * len(notes); words != want { // of a note of the bench, without its identifiers
		t.Errorf("%d kept words in passages, want %d", words, want)
	}
	b.draw(review.Sampling{Random: 20})
	b.readAll(func(p review.Passage) []review.Selection {
		for _, name := range invented {
			at := strings.Index(p.Text, name)
			if at >= 0 && !slices.ContainsFunc(p.Places, func(s annotate.Span) bool { return int(s.Start) <= at && at+len(name) <= int(s.End) }) {
				t.Errorf("an invented word is shown as a kept one")
			}
		}
		return nil
	})
}

// A repair keeps all replacements of its parent, and redacts what was found.
func TestARepairKeepsWhatIsInvented(t *testing.T) {
	b := newInvented(t)
	before, _ := b.inventedIn(b.candidate.Number)
	b.draw(review.Sampling{Random: 10, Anytime: true})
	b.answer(firstWord)
	child := b.Froze(b.id, func() error { return b.RepairFound(t.Context(), projecttest.Broker, b.id, b.number) })
	after, notes := b.inventedIn(child.Number)
	slices.Sort(before)
	slices.Sort(after)
	if !slices.Equal(before, after) {
		t.Error("the repair has other surrogates")
	}
	found := 0
	for _, n := range notes {
		for _, r := range n.Redactions {
			if r.Action == "" {
				found++
			}
		}
	}
	if found != 1 {
		t.Errorf("%d placeholders, want 1", found)
	}
	if p := child.Policy; p == nil || p.ID() != b.candidate.Policy.ID() || child.Signed == nil || child.Signed.By != "Ada Broker" {
		t.Errorf("the repair has another policy or signature")
	}
	b.must(b.AdoptCandidate(t.Context(), projecttest.Broker, b.id, b.number, child.Number))
}

// The evidence says by which policy a candidate was made.
func TestEvidenceHasThePolicy(t *testing.T) {
	b := newInvented(t)
	b.draw(review.Sampling{Random: 4})
	b.readAll(nothing)
	b.advance(review.Voting)
	for _, m := range members {
		b.must(b.vote(m, review.Vote{Choice: review.Approve}))
	}
	b.must(b.publish("Dr. Weiss"))
	e := &evidenced{board: b, dir: b.Dir(b.id, b.candidate.Name)}
	e.take()
	var err error
	e.key, err = signing.Key(b.Core)
	b.must(err)
	for name, file := range map[string][]byte{"JSON": e.file, "page": e.page} {
		if problems := e.verified(file, e.public()); problems != "" {
			t.Errorf("the %s is refused: %s", name, problems)
		}
		for _, want := range []string{"safe-harbor-surrogates", "Ada Broker", "no actual knowledge"} {
			if !strings.Contains(string(file), want) {
				t.Errorf("the %s does not say %q", name, want)
			}
		}
	}
	var file struct{ Pack evidence.Pack }
	b.must(json.Unmarshal(e.file, &file))
	for _, l := range file.Pack.Technique.Labels {
		if l.Label == "DOCTOR" && (l.Technique != "surrogate" || l.Redacted != 0) {
			t.Errorf("the pack says %+v", l)
		}
	}
	other := e.altered(func(p *evidence.Pack) { p.Policy.Signed.At = p.Policy.Signed.At.Add(time.Hour) })
	if problems := e.verified(other, e.public()); !strings.Contains(problems, "policy: the manifest of the release says something else") {
		t.Errorf("another signature is accepted: %s", problems)
	}
}
