// SPDX-License-Identifier: Apache-2.0

package candidate

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"hide/internal/publish/release"
	"hide/internal/store"
)

// Note is a note of a candidate, as it would be published. All places are in code points.
type Note struct {
	ID         string `json:"id"`
	Text       string `json:"text"`
	Redactions []At   `json:"redactions"`
}

// At is the place of a placeholder in a note, or of another replacement, see
// [Note.WithHidden]. In notes with their fields it may also be the place of a term that is
// generalized, or kept because everybody in its class has it.
type At struct {
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Label  string `json:"label"`
	Action string `json:"action,omitempty"` // of a release by a policy; "" for a placeholder
}

// RowID names a note that has no name in its release: by its row, from 1.
func RowID(row int) string { return fmt.Sprintf("row-%d", row) }

// UnmarshalJSON reads a line of [NotesFile] or of [RowsFile]. A row holds one note.
func (n *Note) UnmarshalJSON(line []byte) error {
	type place struct {
		Start int    `json:"start"`
		End   int    `json:"end"`
		Type  string `json:"type"`
	}
	var read struct {
		ID         string `json:"id"`
		Text       string `json:"text"`
		Redactions []At   `json:"redactions"`
		Row        int    `json:"row"`
		Texts      []struct {
			Text   string  `json:"text"`
			Places []place `json:"places"`
		} `json:"texts"`
	}
	if err := json.Unmarshal(line, &read); err != nil {
		return err
	}
	*n = Note{read.ID, read.Text, read.Redactions}
	if read.Row == 0 {
		return nil
	}
	if len(read.Texts) != 1 {
		return fmt.Errorf("row %d has %d notes", read.Row, len(read.Texts))
	}
	n.ID, n.Text = RowID(read.Row), read.Texts[0].Text
	for _, p := range read.Texts[0].Places {
		n.Redactions = append(n.Redactions, At{Start: p.Start, End: p.End, Label: p.Type})
	}
	return nil
}

// ErrNoText is returned for a candidate that has no notes.
var ErrNoText = errors.New("this candidate has no notes: it is a table or counts")

// Text is the notes of a candidate. Its methods may be called concurrently.
type Text struct {
	shelf  Shelf
	number int
	files  []release.File
	starts []int64 // of each note, and the end of the last
}

// open opens the file with the notes.
func (t *Text) open(ctx context.Context) (*io.SectionReader, error) {
	i := slices.IndexFunc(t.files, func(f release.File) bool { return hasNotes(f.Path) })
	if i < 0 {
		return nil, ErrNoText
	}
	return t.shelf.open(ctx, t.number, i, t.files[i].Bytes), nil
}

// Text opens the notes of a candidate, or fails with [ErrNoText].
func (s Shelf) Text(number int, files []release.File) (*Text, error) {
	t := &Text{shelf: s, number: number, files: files}
	err := s.View(func(tx *store.Tx) error {
		return tx.Scan(bucketLines, store.Key(uint64(number)), func(_, b []byte) error {
			for ; len(b) >= 8; b = b[8:] {
				t.starts = append(t.starts, int64(binary.BigEndian.Uint64(b)))
			}
			return nil
		})
	})
	if err == nil && len(t.starts) == 0 {
		err = ErrNoText
	}
	return t, err
}

// Len is the number of notes.
func (t *Text) Len() int { return len(t.starts) - 1 }

// Note reads a note by its place, from 0.
func (t *Text) Note(ctx context.Context, i int) (n Note, err error) {
	if i < 0 || i >= t.Len() {
		return n, fmt.Errorf("there is no note %d", i+1)
	}
	in, err := t.open(ctx)
	if err != nil {
		return n, err
	}
	line := make([]byte, t.starts[i+1]-t.starts[i])
	if _, err := in.ReadAt(line, t.starts[i]); err != nil && !errors.Is(err, io.EOF) {
		return n, err
	}
	if err := json.Unmarshal(line, &n); err != nil {
		return n, fmt.Errorf("note %d cannot be read", i+1)
	}
	places, err := t.hidden(i)
	return n.WithHidden(places), err
}

// All reads all notes in their order.
func (t *Text) All(ctx context.Context) iter.Seq2[Note, error] {
	return func(yield func(Note, error) bool) {
		in, err := t.open(ctx)
		if err != nil {
			yield(Note{}, err)
			return
		}
		hidden, err := t.allHidden()
		if err != nil {
			yield(Note{}, err)
			return
		}
		dec := json.NewDecoder(bufio.NewReaderSize(in, partBytes))
		for i := 0; ; i++ {
			var n Note
			err := dec.Decode(&n)
			if errors.Is(err, io.EOF) || !yield(n.WithHidden(hidden[i]), err) || err != nil {
				return
			}
		}
	}
}

// Hit is where a note holds what was searched for.
type Hit struct {
	Note       int    // its place, from 0
	ID         string // in the release
	Start, End int    // code points of the note's text
	Before     string
	Found      string
	After      string
}

// hitContext is how many characters a hit shows on each side.
const hitContext = 60

// Search finds words in the notes, regardless of case, in order: at most limit hits. all is
// the number of notes with a hit.
func (t *Text) Search(ctx context.Context, words string, limit int) (hits []Hit, all int, err error) {
	words = strings.ToLower(strings.TrimSpace(words))
	if words == "" {
		return nil, 0, nil
	}
	place := 0
	for n, err := range t.All(ctx) {
		if err != nil {
			return hits, all, err
		}
		found := inNote(n, place, words, limit-len(hits))
		if found.any {
			all++
		}
		hits = append(hits, found.hits...)
		place++
	}
	return hits, all, nil
}

type searched struct {
	any  bool
	hits []Hit
}

// inNote searches one note. Folding may change the length of a text, so places are counted
// in the folded text only if it has as many code points.
func inNote(n Note, place int, words string, limit int) (s searched) {
	runes, folded := []rune(n.Text), []rune(strings.ToLower(n.Text))
	if len(folded) != len(runes) {
		folded = runes
	}
	rest, from := string(folded), 0
	for {
		i := strings.Index(rest, words)
		if i < 0 {
			return s
		}
		s.any = true
		if len(s.hits) >= limit {
			return s
		}
		start := from + utf8.RuneCountInString(rest[:i])
		end := start + utf8.RuneCountInString(words)
		s.hits = append(s.hits, Hit{
			Note: place, ID: n.ID, Start: start, End: end, Found: string(runes[start:end]),
			Before: string(runes[max(0, start-hitContext):start]), After: string(runes[end:min(len(runes), end+hitContext)]),
		})
		rest, from = string(folded[end:]), end
	}
}
