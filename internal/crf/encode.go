// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"

	"hide/internal/crf/kernel"
	"hide/internal/parallel"
)

// The file of a model, version 3. Integers are unsigned varints; a string is its
// length and its bytes; floats are float32, little endian. Names are in strictly
// increasing order, each as the number of bytes it shares with the one before and
// the rest as a string. No weight is 0, and one model has one file.
//
//	magic "HIDECRF\n", version
//	card: a string, JSON
//	number of models: 1, or 2, the second reads the output of the first
//	each: families, flags (1: binary, 2: naive Bayes)
//	  labels: count, names
//	  dictionaries: names: count, strings; sets of them: count, each: count, numbers;
//	    phrases: count; each: a name, the number of its set
//	  with word classes: tables: count; each: 0 and the hash of the program's own, or 1 and
//	    the table as package classes writes it, both as strings
//	  of a chain: floats of the transitions; of naive Bayes: of the priors, of the unseen
//	  attributes: count; each: a name, its set of states, a float per state
//	SHA-256 of everything before it, 32 bytes
//
// Sets of states are numbered in order of appearance. The number of a new set is
// followed by its size, its first state and, for each next one, the number of states
// skipped in between.
const (
	magic   = "HIDECRF\n"
	version = 3
)

// The flags.
const (
	binaryFlag = 1 << iota
	bayesFlag
	allFlags = 1<<iota - 1
)

// Encode writes the model with its card. Equal models give equal bytes.
func (m *Model) Encode(w io.Writer) error {
	card, err := m.card.encode()
	if err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	e := newEncoder(&bounded{w, maxFile - sha256.Size})
	_, _ = e.w.WriteString(magic)
	e.number(version)
	e.text(string(card))
	e.models(m)
	if err := e.w.Flush(); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	if _, err := w.Write(e.hash.Sum(nil)); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	return nil
}

// Hash identifies the model's behaviour: it does not depend on the card.
func (m *Model) Hash() [sha256.Size]byte {
	e := newEncoder(io.Discard)
	e.models(m)
	_ = e.w.Flush() // neither of the writers below can fail
	return [sha256.Size]byte(e.hash.Sum(nil))
}

// bounded is a writer with a limit, so that no written model is refused by [Decode].
type bounded struct {
	w    io.Writer
	room int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.room -= len(p); b.room < 0 {
		return 0, fmt.Errorf("it needs more than %d bytes, the limit for reading: train with fewer features or a higher minimum count", maxFile)
	}
	return b.w.Write(p)
}

// encoder relies on bufio remembering the first error until Flush.
type encoder struct {
	w    *bufio.Writer
	hash hash.Hash
	buf  [binary.MaxVarintLen64]byte
}

func newEncoder(w io.Writer) *encoder {
	e := &encoder{hash: sha256.New()}
	e.w = bufio.NewWriter(io.MultiWriter(w, e.hash))
	return e
}

func (e *encoder) number(n int) {
	_, _ = e.w.Write(e.buf[:binary.PutUvarint(e.buf[:], uint64(n))])
}

func (e *encoder) text(s string) {
	e.number(len(s))
	_, _ = e.w.WriteString(s)
}

// name writes s prefix-coded against the previous name.
func (e *encoder) name(before, s string) {
	shared := commonPrefix(before, s)
	e.number(shared)
	e.text(s[shared:])
}

// list writes names, sorted, each of them once.
func (e *encoder) list(names []string) {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	e.number(len(names))
	before := ""
	for _, s := range names {
		e.name(before, s)
		before = s
	}
}

func (e *encoder) floats(values []float32) {
	for _, v := range values {
		binary.LittleEndian.PutUint32(e.buf[:4], math.Float32bits(v))
		_, _ = e.w.Write(e.buf[:4])
	}
}

func (e *encoder) models(m *Model) {
	if m.first == nil {
		e.number(1)
	} else {
		e.number(2)
		e.model(m.first)
	}
	e.model(m)
}

func (e *encoder) model(m *Model) {
	e.number(int(m.families))
	flags := 0
	if m.binary {
		flags |= binaryFlag
	}
	if m.bayes != nil {
		flags |= bayesFlag
	}
	e.number(flags)
	labels := make([]string, len(m.states.labels))
	for k, l := range m.states.labels {
		labels[k] = string(l)
	}
	e.list(labels)
	e.gazetteer(m.gazette)
	if m.families&Classes != 0 {
		e.classes(m.gazette.classes)
	}
	if m.bayes != nil {
		e.floats(m.bayes.prior)
		e.floats(m.bayes.unseen)
	} else {
		e.floats(m.weights[:m.states.transitions()])
	}
	e.attributes(m)
}

func (e *encoder) attributes(m *Model) {
	e.number(m.attrs.Len())
	before, sets := "", map[string]int{}
	for a := range m.attrs.Len() {
		name, from, to := m.attrs.At(a), m.rows[a], m.rows[a+1]
		e.name(before, name)
		before = name
		e.set(sets, m.pairs[from:to])
		e.floats(m.weights[from:to])
	}
}

// set writes the number of a set of states and, if it is new, the set.
func (e *encoder) set(known map[string]int, states []uint16) {
	key := setKey(states)
	n, old := known[key]
	if old {
		e.number(n)
		return
	}
	e.number(len(known))
	known[key] = len(known)
	e.number(len(states))
	next := uint16(0)
	for _, s := range states {
		e.number(int(s - next))
		next = s + 1
	}
}

// setKey is a set of states as a key of a map.
func setKey(states []uint16) string {
	key := make([]byte, 0, 2*len(states))
	for _, s := range states {
		key = binary.LittleEndian.AppendUint16(key, s)
	}
	return string(key)
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// table is a ragged array: row i is items[start[i]:start[i+1]].
type table struct {
	start []int32
	items []int32
}

func newTable(rows, items int) table {
	return table{start: append(make([]int32, 0, rows+1), 0), items: make([]int32, 0, items)}
}

func (t table) row(i int) []int32 { return t.items[t.start[i]:t.start[i+1]] }
func (t table) len() int          { return len(t.start) - 1 }

// lists are the rows for the kernel. They must not change afterwards.
func (t table) lists() kernel.Lists { return kernel.NewLists(t.start, t.items) }

// inPieces is the same for workers that claim bundlePiece rows at a time.
func (t table) inPieces() kernel.Lists {
	return t.lists().Ordered(kernel.Windows(t.len(), bundlePiece))
}

// end closes the row that is being appended to.
func (t *table) end() { t.start = append(t.start, int32(len(t.items))) }

// without returns the table without some rows.
func (t table) without(skip []bool) table {
	if !slices.Contains(skip, true) {
		return t
	}
	kept := newTable(t.len(), len(t.items))
	for i, skipped := range skip {
		if !skipped {
			kept.items = append(kept.items, t.row(i)...)
			kept.end()
		}
	}
	return kept
}

// inverse lists, for each item below n, the rows that contain it, in order.
func (t table) inverse(ctx context.Context, n, workers int) (table, error) {
	cut := blocksOf(t.start, max(workers, 1))
	next := make([][]int32, len(cut)-1) // of each range of rows: first the count of each item, then its next position
	err := parallel.Do(ctx, workers, len(next), func(_, i int) {
		next[i] = make([]int32, n)
		for _, item := range t.items[t.start[cut[i]]:t.start[cut[i+1]]] {
			next[i][item]++
		}
	})
	if err != nil {
		return table{}, err
	}
	start, at := make([]int32, n+1), int32(0)
	for item := range n {
		for _, part := range next {
			part[item], at = at, at+part[item]
		}
		start[item+1] = at
	}
	rows := make([]int32, len(t.items))
	return table{start, rows}, parallel.Do(ctx, workers, len(next), func(_, i int) {
		part := next[i]
		for row := cut[i]; row < cut[i+1]; row++ {
			for _, item := range t.row(row) {
				rows[part[item]] = int32(row)
				part[item]++
			}
		}
	})
}

// census holds the statistics for the choice of weights, by the corpus's number of an
// attribute.
type census struct {
	counts []int32   // tokens that have the attribute
	seen   stateSets // states that it may have weights for: at least those of these tokens
	groups []int32   // documents or patients that have it; nil if not needed
}

// grow makes room for n attributes.
func (s *census) grow(n int) {
	s.counts = append(s.counts, make([]int32, n-len(s.counts))...)
	s.seen.bits = append(s.seen.bits, make([]uint64, n*s.seen.words-len(s.seen.bits))...)
	if s.groups != nil {
		s.groups = append(s.groups, make([]int32, n-len(s.groups))...)
	}
}

// often reports whether an attribute is frequent enough to have weights.
func (s *census) often(a int32, o Options) bool {
	return int(s.counts[a]) >= o.MinCount && (s.groups == nil || int(s.groups[a]) >= o.MinDocuments)
}

// add counts a document's tokens, and appends their attributes.
func (s *census) add(c *collector, d keptDoc, had []int32) []int32 {
	lines := d.lines()
	for i, state := range d.gold {
		for _, b := range lines.row(i) {
			for _, a := range c.bundles.row(int(b)) {
				s.counts[a]++
				s.seen.add(int(a), int(state))
				had = append(had, a)
			}
		}
	}
	return had
}

// addGroups counts the documents from first on, for those of their attributes that no
// earlier document of their group has.
func (s *census) addGroups(c *collector, docs []keptDoc, groups [][]int, first int) {
	marks := newMarks(c)
	for _, members := range groups {
		late, _ := slices.BinarySearch(members, first)
		if late == len(members) {
			continue
		}
		marks.next()
		for i, doc := range members {
			marks.add(docs[doc].lines().items, func(a int32) {
				if i >= late {
					s.groups[a]++
				}
			})
		}
	}
}

// keptDoc identifies a document beyond its words: labels, skipped tokens and group.
type keptDoc struct {
	seen  *occurrences
	gold  []uint16 // states of the tokens that are not skipped
	skip  []bool   // nil for none
	group string
}

func (d keptDoc) lines() table { return d.seen.bundles.without(d.skip) }

func (d keptDoc) equals(e keptDoc) bool {
	return d.seen == e.seen && d.group == e.group && slices.Equal(d.gold, e.gold) && slices.Equal(d.skip, e.skip)
}
