// SPDX-License-Identifier: Apache-2.0

package review_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/review"
	"hide/internal/project/signing"
)

// jointBoard is an open review of notes with their fields.
func jointBoard(t *testing.T) *board {
	t.Helper()
	b := &board{Bench: projecttest.New(t)}
	b.id = b.FinishedProject(projecttest.Cohort(12))
	for _, m := range members {
		_, err := b.SetMember(t.Context(), projecttest.Broker, b.id, m.ID, account.Reviewer)
		b.must(err)
	}
	b.must(b.SetRule(t.Context(), projecttest.Broker, b.id, project.DefaultRule()))
	b.candidate = b.Froze(b.id, func() error {
		return b.StartPublishJoint(t.Context(), projecttest.Broker, b.id, release.Freeze, release.JointChoice{K: 3, Lambda: .5, Known: true, Found: 1, Threshold: .5}, 24, 0)
	})
	b.open()
	return b
}

// readJoint reads all passages: it finds all planted identifiers, and one real one. Of the
// originals it sees only what the candidate's file holds, and planted identifiers.
func (b *board) readJoint() {
	b.T.Helper()
	notes, file, found := b.texts(), b.file("rows.jsonl"), false
	b.readAll(func(p review.Passage) []review.Selection {
		all := planted(notes, p)
		shown := p.Before + p.Text + p.After
		for _, plant := range all {
			shown = strings.ReplaceAll(shown, string([]rune(p.Text)[plant.Start:plant.End]), "")
		}
		for _, d := range projecttest.Cohort(12) {
			for _, span := range d.Spans {
				if original := span.Surface(d.Text); strings.Contains(shown, original) && !strings.Contains(file, original) {
					b.T.Errorf("a passage shows %q", original)
				}
			}
		}
		if len(all) > 0 || found {
			return all
		}
		found = true
		return []review.Selection{lastWord(p)}
	})
}

func (b *board) file(name string) string {
	b.T.Helper()
	var out bytes.Buffer
	b.must(b.WriteCandidateFile(b.T.Context(), members[0], b.id, b.candidate.Number, name, &out))
	return out.String()
}

// Notes with their fields are read, bounded, decided about and published like others.
func TestNotesWithTheirFieldsAreReadBoundedAndPublished(t *testing.T) {
	b := jointBoard(t)
	if _, err := b.CommitDraw(t.Context(), projecttest.Broker, b.id, b.number, review.Sampling{Random: 5, Doubtful: 2}); project.KindOf(err) != project.Invalid {
		t.Errorf("doubtful passages without a model: %v", err)
	}
	b.draw(review.Sampling{Random: 24, Plants: 20})
	b.readJoint()
	p := b.progress()
	if !p.Complete || p.Refusal != "" || p.Found != 1 || p.Recall == nil || p.Recall.Caught != p.Recall.Read {
		t.Fatalf("%+v", p)
	}
	if err := b.RepairFound(t.Context(), projecttest.Broker, b.id, b.number); project.KindOf(err) != project.Invalid || !strings.Contains(err.Error(), "share a class") {
		t.Errorf("a repair: %v", err)
	}
	b.advance(review.Voting)
	tooFew := p.Bound - 1
	b.must(b.vote(members[0], review.Vote{Choice: review.Approve, Conditions: review.Conditions{AtMost: &tooFew}}))
	b.advance(review.Decided)
	if d := b.review().Decision; d.Outcome != review.Approved || d.Certificate == "" || !strings.Contains(d.Forecast, "shared by all patients") {
		t.Fatalf("%+v", d)
	}
	if err := b.publish("Dr. Weiss"); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("published above the bound of the approval: %v", err)
	}
	b.open()
	b.draw(review.Sampling{Random: 24}) // all passages were read before: nothing can be planted in them
	b.readJoint()
	b.advance(review.Voting)
	b.must(b.vote(members[0], review.Vote{Choice: review.Approve, Conditions: review.Conditions{AtMost: &p.Bound}}))
	b.advance(review.Decided)
	b.publishedAsItWasFrozen()
	added, skipped, err := b.AddReviewFindings(t.Context(), projecttest.Broker, b.id, b.number)
	if err != nil || added != 1 || skipped != 0 {
		t.Errorf("%d added, %d skipped, %v", added, skipped, err)
	}
}

// publishedAsItWasFrozen publishes the candidate, compares its files with those that were
// frozen, and verifies the evidence.
func (b *board) publishedAsItWasFrozen() {
	b.T.Helper()
	before := map[string]string{}
	for _, f := range b.candidate.Files {
		before[f.Path] = b.file(f.Path)
	}
	b.must(b.publish("Dr. Weiss"))
	e := &evidenced{board: b, dir: b.Dir(b.id, b.candidate.Name)}
	for name, was := range before {
		is, err := os.ReadFile(filepath.Join(e.dir, name))
		b.must(err)
		if name != "manifest.json" && name != "SHA256SUMS" && string(is) != was {
			b.T.Errorf("%s differs from what was approved", name)
		}
	}
	e.take()
	var err error
	e.key, err = signing.Key(b.Core)
	b.must(err)
	if problems := e.verified(e.file, e.public()); problems != "" {
		b.T.Errorf("the evidence does not verify: %s", problems)
	}
}
