// SPDX-License-Identifier: Apache-2.0

package review_test

import (
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/review"
)

// sample are the indices of the passages of the present draw.
func (b *board) sample(n int) (out []int) {
	b.T.Helper()
	for at := range n {
		i, err := b.SamplePassage(b.id, b.number, at)
		b.must(err)
		out = append(out, i)
	}
	return out
}

// A person who has read a passage in an abandoned draw could tell what is planted in it later.
func TestNothingIsPlantedInPassagesOfAnotherDraw(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	ctx := t.Context()
	b.draw(review.Sampling{Random: 20, Plants: 10})
	before := b.sample(20)
	b.must(b.AbandonDraw(ctx, projecttest.Broker, b.id, b.number, "a test"))
	projecttest.WantKind(t, b.StartGame(ctx, projecttest.Broker, b.id, b.number, 22, 0), project.Invalid) // 20 of the 40 are left
	if d := b.draw(review.Sampling{Random: 40, Plants: 40}); d.Planted != 20 {
		t.Errorf("%d are planted in 40 passages of which an earlier draw has shown 20", d.Planted)
	}
	check := func() {
		t.Helper()
		for at, i := range b.sample(40) {
			if planted, err := b.SamplePlanted(b.id, b.number, at); err != nil || planted == slices.Contains(before, i) {
				t.Errorf("passage %d: planted %v, shown before %v, %v", i, planted, slices.Contains(before, i), err)
			}
		}
	}
	check()
	b.Reopen()
	check()
	b.must(b.AbandonDraw(ctx, projecttest.Broker, b.id, b.number, "a test"))
	_, err := b.CommitDraw(ctx, projecttest.Broker, b.id, b.number, review.Sampling{Random: 10, Plants: 5})
	b.must(err)
	_, err = b.GiveNumber(ctx, members[0], b.id, b.number, "4711")
	projecttest.WantKind(t, err, project.Invalid) // readers who cannot be measured would count as perfect
}

// The notes of a repaired candidate are in another order.
func TestAGameOfARepairShowsNoNoteOfTheSample(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	ctx := t.Context()
	documents := func(candidate int, passages []int) (out []annotate.DocumentID) {
		t.Helper()
		notes, err := b.NotesOf(ctx, b.id, candidate)
		b.must(err)
		all, err := b.Passages(b.id, candidate)
		b.must(err)
		for _, i := range passages {
			out = append(out, notes[all[i].Note])
		}
		return out
	}
	b.draw(review.Sampling{Random: 20})
	b.readAll(firstWord)
	read := documents(b.candidate.Number, b.sample(20))
	child := b.Froze(b.id, func() error { return b.RepairFound(ctx, projecttest.Broker, b.id, b.number) })
	b.must(b.AdoptCandidate(ctx, projecttest.Broker, b.id, b.number, child.Number))
	b.must(b.StartGame(ctx, projecttest.Broker, b.id, b.number, 20, 0))
	passages, _, err := b.GamePassages(b.id, b.number)
	b.must(err)
	for _, d := range documents(child.Number, passages) {
		if slices.Contains(read, d) {
			t.Errorf("note %d is in the sample and in the game", d)
		}
	}
}

// firstWord marks the first readable word.
func firstWord(p review.Passage) []review.Selection {
	w, _ := wordsOf(&p, p.Text)
	start, end := annotate.NewOffsets(p.Text).Range(w[0].span)
	return []review.Selection{{Start: start, End: end}}
}
