// SPDX-License-Identifier: Apache-2.0

// Package retrieve simulates an attacker who links released notes to patients. She does
// not look for identifiers: she compares the words that remain in a note with what she
// knows of each patient.
//
//	result, err := retrieve.Run(ctx, released, known, retrieve.Params{})
//	best, _ := result.Best(retrieve.Both)
//	fmt.Println(best.Top1.Share, result.Chance1)
//
// For each released note she ranks all patients by [BM25] and by [Bayes]. She knows the
// patient's structured fields, the patient's other notes, or both. The result counts the
// notes whose true patient is ranked first, and among the first ten.
//
// # What does she know?
//
// The words of a note are compared with a profile of each patient. The profile of
// [Siblings] is the mean of the patient's notes in their original form, without the
// original of the note at hand. It is a mean and not a sum, because the true patient would
// otherwise always have one note less than the others, and the number of notes alone would
// decide. All statistics are those of a collection that never held the left-out note.
//
// # How are ties counted?
//
// Patients with equal scores come in random order, and the expectation over that order
// counts: if the true patient shares the first place with three others, the note counts
// as a quarter. Patients of whom she knows no word come last. She cannot name patients who
// are not in her data.
//
// # Caveats
//
// The better of two rankers counts, which she could not know: the figure is an upper
// estimate of these two attackers. It is not an upper bound of all attackers, because a
// reader or a language model may link more. Notes of one patient resemble each other, so
// the interval over notes is too narrow for another set of patients; [Row.Linked] counts
// patients.
//
// The package is pure: it does no I/O and reads no clock, and equal inputs give equal
// results, whatever the number of workers.
package retrieve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"hide/internal/greedy"
)

// Released is a note as published.
type Released struct {
	Patient string
	Note    string   // name of its original among the patient's known notes; "" if it is not among them
	Words   []string // the words that remain, surrogates included, as [Words] gives them

	// Among are the patients who fit what is released beside the note, such as a row of a
	// k-anonymous table; she ranks only these. nil means all.
	Among []string
}

// Known is what the attacker may know of a patient.
type Known struct {
	Patient string
	Table   []string // the words of structured fields, as [Fields] gives them
	Notes   []Note   // in their original form
}

// Note is a note that the attacker knows.
type Note struct {
	Name  string
	Words []string
}

// Params of [Run]. The zero value of each field is its default.
type Params struct {
	Workers  int                   // notes at a time; 0 means 2
	Sample   int                   // notes that are ranked, a random sample; 0 means all, and 5,000 of more than 50,000
	Progress func(done, total int) // called from time to time, one call at a time; may be nil
}

// Ranking a note takes time that grows with the patients. An interval over sampleSize notes
// is at most 1.4 % wide on each side.
const (
	mostNotes  = 50_000
	sampleSize = 5_000
)

// Errors of [Run].
var (
	ErrNoNotes    = errors.New("no note is released, so there is nothing to link")
	ErrOnePatient = errors.New("all notes are of one patient: with fewer than two patients nothing can be confused")
)

// progressEvery is the number of notes between two reports of progress.
const progressEvery = 64

// Run ranks all patients for each released note. It returns ctx's error soon after ctx
// ends, [ErrNoNotes], [ErrOnePatient], and errors about duplicate patients or notes.
func Run(ctx context.Context, released []Released, known []Known, p Params) (Result, error) {
	c, err := newCollection(known)
	if err != nil {
		return Result{}, fmt.Errorf("retrieval attacker: %w", err)
	}
	patients := make([]string, len(released))
	for i, r := range released {
		patients[i] = r.Patient
	}
	return c.attack(ctx, patients, func(i int) (Released, error) { return released[i], nil }, p)
}

// attack ranks the patients for notes, or for a sample of them. patients are those of the
// notes, and note makes the i-th, while it is ranked.
func (c *collection) attack(ctx context.Context, patients []string, note func(i int) (Released, error), p Params) (Result, error) {
	if len(patients) == 0 {
		return Result{}, ErrNoNotes
	}
	c, err := c.with(patients)
	if err != nil {
		return Result{}, fmt.Errorf("retrieval attacker: %w", err)
	}
	if c.patients() < 2 {
		return Result{}, ErrOnePatient
	}
	picks := sampled(len(patients), p.Sample)
	ranks, err := c.rankAll(ctx, picks, note, p)
	if err != nil {
		return Result{}, err
	}
	of := make([]string, len(picks))
	for i, pick := range picks {
		of[i] = patients[pick]
	}
	out := c.result(of, ranks)
	out.Blind = blind(patients)
	if len(picks) < len(patients) {
		out.Released = len(patients)
	}
	return out, nil
}

// sampled are the places of a random sample of notes, in order. Equal numbers give equal
// samples, so that a result can be repeated.
func sampled(notes, size int) []int {
	if size == 0 && notes > mostNotes {
		size = sampleSize
	}
	if size <= 0 || size > notes {
		size = notes
	}
	picks := rand.New(rand.NewPCG(uint64(notes), uint64(size))).Perm(notes)[:size]
	slices.Sort(picks)
	return picks
}

// rankAll ranks the patients for each of the notes. Each worker has its own scratch memory,
// which grows with the patients and not with the notes.
func (c *collection) rankAll(ctx context.Context, picks []int, note func(i int) (Released, error), p Params) ([]ranking, error) {
	out := make([]ranking, len(picks))
	workers := min(max(cmp.Or(p.Workers, 2), 1), len(picks))
	var mu sync.Mutex // guards done, and serializes progress
	done := 0
	told := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		if done += n; p.Progress != nil {
			p.Progress(done, len(picks))
		}
	}
	err := greedy.Parallel(ctx, workers, workers, func(ctx context.Context, w int) error {
		s, since := c.newScratch(), 0
		for i := w; i < len(picks); i += workers {
			if err := ctx.Err(); err != nil {
				return err
			}
			r, err := note(picks[i])
			if err != nil {
				return fmt.Errorf("retrieval attacker: released note %d: %w", picks[i]+1, err)
			}
			out[i] = c.rank(r, s)
			if since++; since == progressEvery || i+workers >= len(picks) {
				told(since)
				since = 0
			}
		}
		return nil
	})
	return out, err
}
