// SPDX-License-Identifier: Apache-2.0

package classes

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/crf/intern"
)

// Table maps words in lower case to the codes of their classes. It is immutable and safe
// for concurrent use. Its words may be PHI, so that it has no printed form.
type Table struct {
	words intern.Strings // sorted
	class []uint16       // by word: the index of its code
	codes []string       // sorted, each in use
	tree  bool           // all codes are ways in a tree
}

// Bounds of a table.
const (
	MaxWords   = 1 << 20
	MaxClasses = 1 << 14
	MaxWord    = 64 // bytes of a word
	MaxCode    = 64 // bytes of a code
)

// Entry is a word and the code of its class.
type Entry struct{ Word, Code string }

// String hides the word: it may be PHI.
func (Entry) String() string { return "an entry of a table of word classes" }

// ErrTable is wrapped by errors about the content of a table.
var ErrTable = errors.New("not a usable table of word classes")

// New makes a table. Words are compared in lower case. The first of several entries of a
// word counts. Errors give the index of an entry.
func New(entries []Entry) (*Table, error) {
	code, codes := make(map[string]string, len(entries)), map[string]bool{}
	for i, e := range entries {
		word := lower(e.Word)
		if err := check(word, e.Code); err != nil {
			return nil, fmt.Errorf("%w: entry %d: %w", ErrTable, i+1, err)
		}
		if _, known := code[word]; !known {
			code[strings.Clone(word)], codes[strings.Clone(e.Code)] = e.Code, true
		}
	}
	if len(code) == 0 || len(code) > MaxWords || len(codes) > MaxClasses {
		return nil, fmt.Errorf("%w: it has %d words in %d classes; a table has 1 to %d words in up to %d classes", ErrTable, len(code), len(codes), MaxWords, MaxClasses)
	}
	t := &Table{codes: sorted(codes), class: make([]uint16, 0, len(code))}
	number := make(map[string]uint16, len(codes))
	for i, c := range t.codes {
		number[c] = uint16(i)
	}
	words := sorted(code)
	for _, w := range words {
		t.class = append(t.class, number[code[w]])
	}
	t.words, t.tree = intern.Pack(words), isTree(t.codes)
	return t, nil
}

func check(word, code string) error {
	switch {
	case word == "" || len(word) > MaxWord || !clean(word):
		return fmt.Errorf("a word has 1 to %d bytes of printable characters without a space", MaxWord)
	case code == "" || len(code) > MaxCode || !clean(code):
		return fmt.Errorf("a code has 1 to %d bytes of printable characters without a space", MaxCode)
	}
	return nil
}

func clean(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
}

// lower is the form in which words are compared.
func lower(s string) string { return strings.ToLower(s) }

func sorted[V any](set map[string]V) []string {
	keys := make([]string, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// isTree reports whether sorted codes are of bits, and none begins with another one.
func isTree(codes []string) bool {
	for i, c := range codes {
		if strings.Trim(c, "01") != "" || i > 0 && strings.HasPrefix(c, codes[i-1]) {
			return false
		}
	}
	return true
}

// Code is the code of a word in lower case, "" for an unknown word.
func (t *Table) Code(lower string) string {
	if at := t.words.Find(lower); at >= 0 {
		return t.codes[t.class[at]]
	}
	return ""
}

// Words is the number of words.
func (t *Table) Words() int { return t.words.Len() }

// Classes is the number of classes.
func (t *Table) Classes() int { return len(t.codes) }

// Tree reports whether codes that begin alike are of similar classes.
func (t *Table) Tree() bool { return t.tree }

// Codes lists the codes in increasing order.
func (t *Table) Codes() []string { return slices.Clone(t.codes) }

// All yields the words in increasing order, with their codes.
func (t *Table) All() iter.Seq2[string, string] {
	return func(yield func(word, code string) bool) {
		for i := range t.words.Len() {
			if !yield(t.words.At(i), t.codes[t.class[i]]) {
				return
			}
		}
	}
}

// Sum identifies the content of the table.
func (t *Table) Sum() [sha256.Size]byte { return sha256.Sum256(t.Append(nil)) }

// String hides the words.
func (t *Table) String() string {
	return fmt.Sprintf("%d words in %d classes", t.Words(), t.Classes())
}
