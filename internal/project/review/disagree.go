// SPDX-License-Identifier: Apache-2.0

package review

import (
	"context"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/candidate"
	"hide/internal/project/release"
)

// Disagreement is a passage in which one of two readers found something that the other did
// not. Its text is the candidate's. It changes no bound: a passage counts as found if any
// reader found something in it.
type Disagreement struct {
	Position int // in the order of reading, from 0
	Views    [2]ReaderView
}

// ReaderView is a passage as one reader answered it.
type ReaderView struct {
	Reader string // account
	Pieces []MarkedPiece
}

// MarkedPiece is a part of a passage.
type MarkedPiece struct {
	Text   string
	Marked bool
}

// mostDisagreements is how many of them are listed.
const mostDisagreements = 100

// Disagreements lists the passages about which two readers disagree, for the broker, once all
// passages are read; none before, and with one reader for each passage.
func (s *Service) Disagreements(ctx context.Context, by account.User, id project.ID, number int) ([]Disagreement, error) {
	ws, session, err := s.run(by, account.Sanitize, id, number)
	if err != nil {
		return nil, err
	}
	p, err := s.progress(ctx, ws, &session)
	if err != nil || p == nil || !p.Complete || p.Draw.Readers != 2 {
		return nil, err
	}
	o, err := s.reading(ctx, ws, &session)
	if err != nil {
		return nil, err
	}
	ws.mu.Lock()
	answers := o.byPosition(o.reads)
	ws.mu.Unlock()
	var out []Disagreement
	for at := range o.shown {
		two := answers[at]
		if len(two) != 2 || two[0].covers(two[1]) && two[1].covers(two[0]) {
			continue
		}
		one, err := o.disagreement(ctx, at, two)
		if err != nil || len(out) == mostDisagreements {
			return out, err
		}
		out = append(out, one)
	}
	return out, nil
}

// covers reports whether a reader found at least a part of everything that another found.
func (r read) covers(other read) bool {
	return !slices.ContainsFunc(other.Marks, func(m release.Mark) bool {
		return !slices.ContainsFunc(r.Marks, func(own release.Mark) bool { return overlap(own, m) })
	})
}

func (o *sheet) disagreement(ctx context.Context, at int, two []read) (Disagreement, error) {
	where := o.passages[o.order[at]]
	note, err := o.text.Note(ctx, int(where.Note))
	if err != nil {
		return Disagreement{}, err
	}
	out := Disagreement{Position: at}
	for i, r := range two {
		out.Views[i] = ReaderView{r.Reader, r.pieces(note, where)}
	}
	return out, nil
}

// pieces divides a passage at the marks of a reader.
func (r read) pieces(n candidate.Note, p candidate.Passage) (out []MarkedPiece) {
	offsets, done := annotate.NewOffsets(n.Text), annotate.ByteOff(p.Start)
	add := func(to annotate.ByteOff, marked bool) {
		if to = min(to, annotate.ByteOff(p.End)); to > done {
			out, done = append(out, MarkedPiece{n.Text[done:to], marked}), to
		}
	}
	marks := slices.Clone(r.Marks)
	slices.SortFunc(marks, func(a, b release.Mark) int { return int(a.Start - b.Start) })
	for _, m := range marks {
		start, err1 := offsets.Byte(m.Start)
		end, err2 := offsets.Byte(m.End)
		if err1 == nil && err2 == nil { // they were checked when they were stored
			add(start, false)
			add(end, true)
		}
	}
	add(annotate.ByteOff(p.End), false)
	return out
}
