// SPDX-License-Identifier: Apache-2.0

package classes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hide/internal/annotate"
)

// Options say how to learn classes. The zero value is the default.
type Options struct {
	Classes  int    // at most this many; 0 means one for 16 words, up to 512
	MinCount int    // rarer words have no class; 0 means 2, and 1 more for every million tokens up to 10
	Seed     uint64 // of the first vectors and centres
}

// Bounds of learning. With them it needs at most some 1.5 GB, and about 300 MB for ten
// million tokens.
const (
	MaxTokens      = 50_000_000 // of all notes; what follows is left out
	maxVocabulary  = 60_000     // words that get a class: the most frequent
	maxDistinct    = 4_000_000  // words that are counted
	contextWords   = 1_000      // words that count as neighbours: the most frequent
	vectorWidth    = 64
	vectorRounds   = 4
	kmeansRounds   = 15
	mostClasses    = 512
	fewestClasses  = 8
	wordsPerClass  = 16
	tokensPerCount = 1_000_000
)

// ErrTooFew is returned where the notes have too few frequent words.
var ErrTooFew = errors.New("too few words to learn classes from")

// Learner collects the words of notes. It is for one goroutine.
type Learner struct {
	ids    map[string]int32
	words  []string
	counts []int32
	tokens []int32 // of all notes; noWord between two notes
	notes  int
}

// noWord stands between notes, and for words that are not counted.
const noWord = -1

// NewLearner returns a learner without notes.
func NewLearner() *Learner { return &Learner{ids: map[string]int32{}, tokens: []int32{noWord, noWord}} }

// Add adds the words of a note in order. It reports false if there is no more room: the
// note is then left out, and so are all later ones.
func (l *Learner) Add(words []string) bool {
	if len(l.tokens)+len(words)+2 > MaxTokens {
		return false
	}
	for _, w := range words {
		l.tokens = append(l.tokens, l.id(w))
	}
	l.tokens = append(l.tokens, noWord, noWord)
	l.notes++
	return true
}

// AddText adds the words of a text.
func (l *Learner) AddText(text string) bool {
	tokens := annotate.Tokenize(text)
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = text[t.Start:t.End]
	}
	return l.Add(words)
}

func (l *Learner) id(word string) int32 {
	if len(word) > MaxWord {
		return noWord
	}
	word = lower(word)
	id, known := l.ids[word]
	if !known {
		if len(l.words) == maxDistinct || check(word, "0") != nil {
			return noWord
		}
		id, word = int32(len(l.words)), strings.Clone(word)
		l.ids[word], l.words, l.counts = id, append(l.words, word), append(l.counts, 0)
	}
	l.counts[id]++
	return id
}

// Notes is the number of notes.
func (l *Learner) Notes() int { return l.notes }

// Tokens is the number of words of all notes.
func (l *Learner) Tokens() int { return len(l.tokens) - 2 - 2*l.notes }

// Learn makes a table from the notes added so far. Words with similar neighbours get
// similar codes: rows of positive pointwise mutual information between a word and the
// frequent words up to two places before and after it (Levy, Goldberg and Dagan 2015),
// in the space of the largest singular values (Halko, Martinsson and Tropp 2011), in
// clusters by spherical k-means, joined to a tree by Ward's method. Equal notes in the same
// order give equal tables, whatever GOMAXPROCS is. progress gets shares from 0 to 1; it may
// be nil. Errors are ctx's and [ErrTooFew].
func (l *Learner) Learn(ctx context.Context, o Options, progress func(done float64)) (*Table, error) {
	if progress == nil {
		progress = func(float64) {}
	}
	vocabulary := l.vocabulary(o)
	k := min(len(vocabulary)/wordsPerClass, mostClasses)
	if o.Classes > 0 {
		k = min(o.Classes, len(vocabulary)/2)
	}
	if k < fewestClasses && o.Classes == 0 || k < 2 {
		return nil, fmt.Errorf("%w: %d words are frequent enough, at least %d are needed", ErrTooFew, len(vocabulary), fewestClasses*wordsPerClass)
	}
	progress(0)
	m, err := l.associations(ctx, vocabulary)
	if err != nil {
		return nil, err
	}
	progress(0.2)
	vectors, err := m.vectors(ctx, o.Seed)
	if err != nil {
		return nil, err
	}
	progress(0.4)
	code, err := Cluster(ctx, vectors, k, kmeansRounds, o.Seed, func(done float64) { progress(0.4 + 0.6*done) })
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(vocabulary))
	for i, id := range vocabulary {
		entries[i] = Entry{l.words[id], code[i]}
	}
	return New(entries)
}

// vocabulary lists the words that get a class, the most frequent first.
func (l *Learner) vocabulary(o Options) []int32 {
	least := cmp.Or(o.MinCount, min(2+l.Tokens()/tokensPerCount, 10))
	var ids []int32
	for id, n := range l.counts {
		if int(n) >= least {
			ids = append(ids, int32(id))
		}
	}
	slices.SortFunc(ids, func(a, b int32) int {
		return cmp.Or(cmp.Compare(l.counts[b], l.counts[a]), cmp.Compare(l.words[a], l.words[b]))
	})
	return ids[:min(len(ids), maxVocabulary)]
}

// Cluster gives each row the code of its class. It scales the rows to length 1.
func Cluster(ctx context.Context, rows Vectors, k, rounds int, seed uint64, progress func(done float64)) ([]string, error) {
	rows.normalize()
	m := newKmeans(rows, k, seed)
	if err := m.run(ctx, rounds, progress); err != nil {
		return nil, err
	}
	means, weights := m.means()
	code := codes(means.Len(), ward(means, weights))
	out := make([]string, rows.Len())
	for i, c := range m.of {
		out[i] = code[c]
	}
	return out, nil
}
