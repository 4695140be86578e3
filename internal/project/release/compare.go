// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/candidate"
)

// Comparison is what one candidate shows and another does not.
type Comparison struct {
	Notes   int          // that both have
	Only    [2]int       // notes that only the first, only the second has
	Differ  int          // notes that differ
	Changed []NoteChange // the first of them, at most [mostChanged]
}

// NoteChange is a note that two candidates show differently.
type NoteChange struct {
	IDs    [2]string // in each candidate
	Pieces []Piece
}

// Piece is a part of a note. Its text is from one of the candidates.
type Piece struct {
	Kind PieceKind
	Text string
}

// PieceKind says which candidates show a piece.
type PieceKind string

// The kinds.
const (
	Same        PieceKind = ""            // both show it
	Removed     PieceKind = "removed"     // only the first shows it
	Added       PieceKind = "added"       // only the second shows it
	Placeholder PieceKind = "placeholder" // of the second
)

// mostChanged is how many notes a comparison shows.
const mostChanged = 50

// CompareCandidates compares the notes of two candidates. Notes belong together if they are
// made from the same one; which that is, is not shown.
func (s *Service) CompareCandidates(ctx context.Context, by account.User, id project.ID, first, second int) (out Comparison, err error) {
	var text [2]*candidate.Text
	var rows [2]map[string]mapped
	for i, number := range []int{first, second} {
		if text[i], err = s.CandidateText(ctx, by, id, number); err != nil {
			return out, err
		}
		c, err := s.StoredCandidate(id, number)
		if err != nil {
			return out, err
		}
		if rows[i], err = s.rowsOf(id, c); err != nil {
			return out, err
		}
	}
	others := map[annotate.DocumentID]int{} // place in the second
	place := 0
	for n, err := range text[1].All(ctx) {
		if err != nil {
			return out, err
		}
		others[rows[1][n.ID].Document] = place
		place++
	}
	for n, err := range text[0].All(ctx) {
		if err != nil {
			return out, err
		}
		a := rows[0][n.ID]
		at, there := others[a.Document]
		if !there {
			out.Only[0]++
			continue
		}
		out.Notes++
		m, err := text[1].Note(ctx, at)
		if err != nil {
			return out, err
		}
		if n.Text == m.Text {
			continue
		}
		if out.Differ++; len(out.Changed) < mostChanged {
			out.Changed = append(out.Changed, NoteChange{[2]string{n.ID, m.ID}, pieces(side{[]rune(n.Text), a}, side{[]rune(m.Text), rows[1][m.ID]})})
		}
	}
	out.Only[1] = len(others) - out.Notes
	return out, nil
}

// side is a note in one of two candidates.
type side struct {
	text []rune
	row  mapped
}

// length is how long the original is.
func (s side) length() annotate.RuneOff {
	n := annotate.RuneOff(len(s.text))
	for _, r := range s.row.Redactions {
		n += (r.End - r.Start) - (r.AtEnd - r.At)
	}
	return n
}

// kept is the text of a part of the original that is redacted whole or not at all.
func (s side) kept(from, to annotate.RuneOff) (string, bool) {
	at, ok := s.row.released(from)
	if !ok {
		return "", false
	}
	return string(s.text[at : at+to-from]), true
}

// placeholder is the one that begins at a place of the original, "" for none.
func (s side) placeholder(from annotate.RuneOff) string {
	for _, r := range s.row.Redactions {
		if r.Start == from {
			return string(s.text[r.At:r.AtEnd])
		}
	}
	return ""
}

// pieces go through the original from one border of a redaction to the next.
func pieces(a, b side) (out []Piece) {
	borders := []annotate.RuneOff{0, max(a.length(), b.length())}
	for _, r := range slices.Concat(a.row.Redactions, b.row.Redactions) {
		borders = append(borders, r.Start, r.End)
	}
	slices.Sort(borders)
	borders = slices.Compact(borders)
	add := func(kind PieceKind, text string) {
		if n := len(out); n > 0 && out[n-1].Kind == kind && kind != Placeholder {
			out[n-1].Text += text
		} else if text != "" {
			out = append(out, Piece{kind, text})
		}
	}
	for i, from := range borders[:len(borders)-1] {
		inA, keptA := a.kept(from, borders[i+1])
		inB, keptB := b.kept(from, borders[i+1])
		switch {
		case keptA && keptB:
			add(Same, inA)
		case keptA:
			add(Removed, inA)
		case keptB:
			add(Added, inB)
		}
		if !keptB {
			add(Placeholder, b.placeholder(from))
		}
	}
	return out
}
