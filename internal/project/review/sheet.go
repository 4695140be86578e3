// SPDX-License-Identifier: Apache-2.0

package review

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"hide/internal/annotate"
	"hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/candidate"
	"hide/internal/project/release"
	"hide/internal/store"
)

// sheet is passages of a candidate in memory, as people see them: some with a planted
// identifier.
type sheet struct {
	passages []candidate.Passage // of the candidate
	order    []int               // indices of the passages to read
	text     *candidate.Text
	shown    []audit.Shown // of the first of order
	closed   map[int]bool  // indices of passages in which nothing is planted: people have seen them
}

// sheet reads the passages of a candidate with notes. Nobody reads one before its order is
// chosen.
func (s *Service) sheet(id project.ID, number int) (*sheet, error) {
	passages, err := s.passages(id, number)
	if err != nil {
		return nil, err
	}
	text, err := s.releases.TextOf(id, number)
	return &sheet{passages: passages, text: text}, err
}

// passages are those of a candidate with notes.
func (s *Service) passages(id project.ID, number int) ([]candidate.Passage, error) {
	c, err := s.releases.StoredCandidate(id, number)
	if err != nil {
		return nil, err
	}
	if !c.HasText() {
		return nil, project.Invalidf("look at its files, and vote", "%s has no notes to read: it is %s", c.Title(), c.Kind.Words())
	}
	return s.releases.Passages(id, number)
}

// storedMisses are what the planted identifiers of a draw or a game are like.
func (s *Service) storedMisses(id project.ID, bucket string, number int) ([]audit.Miss, error) {
	misses, err := project.GetJSON[[]audit.Miss](s.projects, id, bucket, store.Key(uint64(number)))
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return misses, err
}

// bytes32 reads 32 bytes in hex, such as a hash, a secret or a seed; what names it in the error.
func bytes32(text, what string) (out [32]byte, err error) {
	if n, err := hex.Decode(out[:], []byte(text)); err != nil || n != len(out) {
		return out, fmt.Errorf("%s is damaged", what)
	}
	return out, nil
}

// doubts are those of all passages of the candidate.
func (o *sheet) doubts() []float64 {
	out := make([]float64, len(o.passages))
	for i, p := range o.passages {
		out[i] = float64(p.Doubt)
	}
	return out
}

// plant shows the first n passages of the order, with up to plants planted identifiers. Equal
// seeds plant the same ones.
func (o *sheet) plant(ctx context.Context, n int, seed [32]byte, plants int, misses []audit.Miss) error {
	targets, err := o.targets(ctx, 0, n)
	if err != nil {
		return err
	}
	taken := takenBy(targets)
	o.shown = audit.Plants(seed, plants, targets, misses, func(word string) bool { return taken[strings.ToLower(word)] })
	return nil
}

// more adds passages to read, without planted identifiers.
func (o *sheet) more(ctx context.Context, n int) error {
	from := len(o.shown)
	targets, err := o.targets(ctx, from, from+n)
	for _, t := range targets {
		o.shown = append(o.shown, audit.Shown{Start: t.Start, Text: t.Text, Placeholders: t.Placeholders})
	}
	return err
}

// takenBy are the words that readers see anyway: planted among them nobody could tell.
func takenBy(targets []audit.Target) map[string]bool {
	taken := map[string]bool{}
	for _, t := range targets {
		for _, token := range annotate.Tokenize(t.Text) {
			taken[strings.ToLower(t.Text[token.Start:token.End])] = true
		}
	}
	return taken
}

// targets are passages to be read, from a place of the order to another.
func (o *sheet) targets(ctx context.Context, from, to int) (out []audit.Target, err error) {
	for _, at := range o.order[from:to] {
		p := o.passages[at]
		note, err := o.text.Note(ctx, int(p.Note))
		if err != nil {
			return nil, err
		}
		t := targetOf(note, p)
		t.Closed = o.closed[at]
		out = append(out, t)
	}
	return out, nil
}

// targetOf is a passage of a note, with its placeholders.
func targetOf(n candidate.Note, p candidate.Passage) audit.Target {
	t := audit.Target{Start: annotate.ByteOff(p.Start), Text: n.Text[p.Start:p.End]}
	offsets := annotate.NewOffsets(n.Text)
	for _, r := range n.Redactions {
		start, err1 := offsets.Byte(annotate.RuneOff(r.Start))
		end, err2 := offsets.Byte(annotate.RuneOff(r.End))
		if err1 != nil || err2 != nil || int32(end) <= p.Start || p.End <= int32(start) {
			continue
		}
		t.Placeholders = append(t.Placeholders, annotate.Span{
			Start: max(0, start-annotate.ByteOff(p.Start)), End: min(annotate.ByteOff(len(t.Text)), end-annotate.ByteOff(p.Start)), Label: annotate.Label(r.Label),
		})
	}
	return t
}

// passage is a passage as its reader sees it, between the text around it.
func (o *sheet) passage(ctx context.Context, at int) (Passage, error) {
	where, shown := o.passages[o.order[at]], o.shown[at]
	note, err := o.text.Note(ctx, int(where.Note))
	if err != nil {
		return Passage{}, err
	}
	before, after := note.Text[:where.Start], note.Text[where.End:]
	return Passage{
		Position: at, Of: len(o.shown), Text: shown.Text, Places: shown.Placeholders, Words: int(where.Words),
		Before: lastBytes(before, contextBytes), After: firstBytes(after, contextBytes),
	}, nil
}

// lastBytes is the end of a text, from a code point on.
func lastBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	from := len(text) - n
	for from < len(text) && text[from]&0xC0 == 0x80 {
		from++
	}
	return text[from:]
}

func firstBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:n]
}

// Selection is a part of a passage as shown that a reader takes for an identifier, in code
// points of [Passage.Text].
type Selection struct {
	Start annotate.RuneOff `json:"start"`
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label,omitempty"` // "" if the reader does not say
}

// fastest is how fast anybody reads, in words per second: 10 words a second is skimming.
const fastest = 10

// hasty reports whether an answer came faster than anybody can read the passage.
func (o *sheet) hasty(at int, seconds float64) bool {
	return float64(o.passages[o.order[at]].Words) > fastest*seconds
}

// mark divides what a reader selected: whether it touches the planted identifier, nil without
// one, and the words of the note.
func (o *sheet) mark(ctx context.Context, at int, found []Selection) (caught *bool, marks []release.Mark, err error) {
	shown, where := o.shown[at], o.passages[o.order[at]]
	if shown.Plant != nil {
		caught = new(bool)
	}
	note, err := o.text.Note(ctx, int(where.Note))
	if err != nil {
		return nil, nil, err
	}
	for _, f := range found {
		touched, spans, err := selected(shown, f)
		if err != nil {
			return nil, nil, err
		}
		if touched {
			*caught = true
		}
		for _, span := range spans {
			marks = append(marks, markOf(note, int(where.Note), span, f.Label))
		}
	}
	return caught, marks, nil
}

// selected divides one selection.
func selected(shown audit.Shown, f Selection) (caught bool, spans []annotate.Span, err error) {
	offsets := annotate.NewOffsets(shown.Text)
	start, err1 := offsets.Byte(f.Start)
	end, err2 := offsets.Byte(f.End)
	if err1 != nil || err2 != nil || start >= end {
		return false, nil, project.Invalidf("select the words again", "a selection is outside the passage")
	}
	caught, spans = shown.Selected(start, end)
	if !caught && len(spans) == 0 {
		return false, nil, project.Invalidf("select words that are readable", "a selection holds no word that is still readable")
	}
	return caught, spans, nil
}

// markOf is a mark in a note of the candidate, in code points.
func markOf(note candidate.Note, place int, s annotate.Span, label annotate.Label) release.Mark {
	start, end := annotate.NewOffsets(note.Text).Range(s)
	return release.Mark{Note: place, Start: start, End: end, Label: label}
}
