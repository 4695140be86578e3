// SPDX-License-Identifier: Apache-2.0

// Package wordclasses learns word classes from files of notes and describes tables of them,
// for commands.
//
//	table, summary, err := wordclasses.Learn(ctx, "notes/", classes.Options{}, nil)
//	summary.Write(os.Stdout)
package wordclasses

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/crf/classes"
	"hide/internal/outfile"
	"hide/internal/words"
)

// Summary describes a table without its words.
type Summary struct {
	Words   int    `json:"words"`
	Classes int    `json:"classes"`
	Tree    bool   `json:"tree"`            // codes have parts
	Largest int    `json:"largest_class"`   // words
	SHA256  string `json:"sha256"`          // of the table's file
	Notes   int    `json:"notes,omitempty"` // that it was learnt from
	Tokens  int    `json:"tokens,omitempty"`
}

// Summarize describes a table.
func Summarize(t *classes.Table) Summary {
	sizes := map[string]int{}
	for _, code := range t.All() {
		sizes[code]++
	}
	sum, largest := t.Sum(), 0
	for _, n := range sizes {
		largest = max(largest, n)
	}
	return Summary{Words: t.Words(), Classes: t.Classes(), Tree: t.Tree(), Largest: largest, SHA256: hex.EncodeToString(sum[:])}
}

// Write prints the description.
func (s Summary) Write(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if s.Notes > 0 {
		fmt.Fprintf(t, "learnt from\t%s, %s\n", words.Count(s.Notes, "note", "notes"), words.Count(s.Tokens, "token", "tokens"))
	}
	fmt.Fprintf(t, "words\t%d\nclasses\t%d, the largest has %s\n", s.Words, s.Classes, words.Count(s.Largest, "word", "words"))
	codes := "flat: codes have no parts"
	if s.Tree {
		codes = "a tree: codes that begin with the same bits are of similar classes"
	}
	fmt.Fprintf(t, "codes\t%s\nidentity\t%s\n", codes, s.SHA256)
	_ = t.Flush() // a write error shows in the next write
}

// Class is the class of a word.
type Class struct {
	Code  string   `json:"code"`
	Size  int      `json:"size"`            // words of the class
	Words []string `json:"words,omitempty"` // where they were asked for
}

// Of finds the class of a word. It lists the words of the class if list is true: those of a
// learnt table come from notes.
func Of(t *classes.Table, word string, list bool) (c Class, known bool) {
	if c.Code = t.Code(strings.ToLower(word)); c.Code == "" {
		return c, false
	}
	for w, code := range t.All() {
		if code != c.Code {
			continue
		}
		c.Size++
		if list {
			c.Words = append(c.Words, w)
		}
	}
	return c, true
}

// Write prints the class.
func (c Class) Write(w io.Writer) {
	fmt.Fprintf(w, "%s, %s\n", c.Code, words.Count(c.Size, "word", "words"))
	for _, word := range c.Words {
		fmt.Fprintln(w, word)
	}
}

// Learn learns a table from the texts of all notes of a file or folder. Their annotations do
// not count.
func Learn(ctx context.Context, path string, o classes.Options, progress func(done float64)) (*classes.Table, Summary, error) {
	files, done, err := format.FromPaths([]string{path})
	if err != nil {
		return nil, Summary{}, fmt.Errorf("read %s: %w", path, outfile.Cause(err))
	}
	defer done() // only read
	learner := classes.NewLearner()
	_, err = format.Read(ctx, files, format.Options{}, func(d annotate.Annotated) error {
		if !learner.AddText(d.Text) {
			return errFull
		}
		return nil
	})
	if err != nil && !errors.Is(err, errFull) {
		return nil, Summary{}, fmt.Errorf("read %s: %w", path, err)
	}
	t, err := learner.Learn(ctx, o, progress)
	if err != nil {
		return nil, Summary{}, err
	}
	s := Summarize(t)
	s.Notes, s.Tokens = learner.Notes(), learner.Tokens()
	return t, s, nil
}

// errFull ends reading when there are enough words.
var errFull = errors.New("enough words")
