// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"hide/internal/parallel"
)

// corpus is the extracted features of documents. Attributes and bundles are numbered in
// order of appearance; numbers never change, so weights and documents stay valid between
// trainings.
type corpus struct {
	collector collector
	extract   *extractor
	documents map[fingerprint]*occurrences
	round     int
	extracted int     // occurrences of bundles in all documents so far
	workers   int     // that compute fingerprints; one when 0
	sorted    []int32 // attributes in order of names, as far as requested
}

// fingerprint identifies everything that features see of a document.
type fingerprint [sha256.Size]byte

// occurrences are the bundles of a document's tokens.
type occurrences struct {
	bundles table
	round   int // of the last training that used the document
}

func newCorpus(f Families, g *gazetteer) *corpus {
	c := &corpus{documents: map[fingerprint]*occurrences{}}
	c.collector = collector{ids: map[string]int32{}, bundles: newTable(0, 0)}
	c.extract = newExtractor(f, g, &c.collector)
	return c
}

// named holds the names of attributes, which only a corpus has.
func (c *corpus) named() *corpus { return &corpus{collector: collector{names: c.collector.names}} }

// collector is the sink of training: it numbers attributes and bundles in order of
// appearance.
type collector struct {
	ids     map[string]int32
	names   []string
	bundles table
	values  []float32 // parallel to bundles.items
}

func (c *collector) number(a *attributes, to []int32) { a.each(to, c.bundle) }

func (c *collector) bundle(a *attributes) int32 {
	for i := range a.ends {
		name := a.name(i)
		id, ok := c.ids[string(name)]
		if !ok {
			id = int32(len(c.names))
			c.names = append(c.names, string(name))
			c.ids[c.names[id]] = id
		}
		c.bundles.items = append(c.bundles.items, id)
		c.values = append(c.values, float32(a.values[i]))
	}
	c.bundles.end()
	return int32(c.bundles.len() - 1)
}

// inOrder is all attributes in order of names.
func (c *corpus) inOrder() []int32 {
	names := c.collector.names
	added := make([]int32, 0, len(names)-len(c.sorted))
	for a := len(c.sorted); a < len(names); a++ {
		added = append(added, int32(a))
	}
	slices.SortFunc(added, func(a, b int32) int { return strings.Compare(names[a], names[b]) })
	old, all := c.sorted, make([]int32, 0, len(names))
	for _, a := range added {
		n, _ := slices.BinarySearchFunc(old, names[a], func(b int32, name string) int { return strings.Compare(names[b], name) })
		all, old = append(append(all, old[:n]...), a), old[n:]
	}
	c.sorted = append(all, old...)
	return c.sorted
}

// look returns the occurrences of every document, and drops documents that are gone.
func (c *corpus) look(ctx context.Context, docs []sequence) ([]*occurrences, error) {
	found, err := c.recall(ctx, docs)
	if err == nil {
		c.dropUnusedSince(c.round)
	}
	return found, err
}

// recall returns the occurrences of every document, and extracts new ones.
func (c *corpus) recall(ctx context.Context, docs []sequence) ([]*occurrences, error) {
	c.round++
	found, prints := make([]*occurrences, len(docs)), make([]fingerprint, len(docs))
	if err := parallel.Do(ctx, c.workers, len(docs), func(_, i int) { prints[i] = docs[i].fingerprint() }); err != nil {
		return nil, err
	}
	for i, d := range docs {
		o := c.documents[prints[i]]
		if o == nil {
			if o = c.occurrencesOf(ctx, d); ctx.Err() != nil {
				return nil, ctx.Err()
			}
			c.documents[prints[i]] = o
			c.extracted += len(o.bundles.items)
		}
		o.round, found[i] = c.round, o
	}
	return found, nil
}

// dropUnusedSince drops documents not requested since a round.
func (c *corpus) dropUnusedSince(since int) {
	for print, o := range c.documents {
		if o.round < since {
			delete(c.documents, print)
		}
	}
}

// occurrencesOf returns the occurrences of a document, incomplete once ctx is cancelled.
func (c *corpus) occurrencesOf(ctx context.Context, d sequence) *occurrences {
	c.extract.stopped = func() bool { return ctx.Err() != nil }
	o := &occurrences{bundles: newTable(len(d.words), 12*len(d.words))}
	c.extract.extract(d, func(_ int, bundles []int32) {
		o.bundles.items = append(o.bundles.items, bundles...)
		o.bundles.end()
	})
	return o
}

// stale reports whether most extracted data belong to documents that are gone, so that
// the corpus should be rebuilt.
func (c *corpus) stale() bool {
	live := 0
	for _, o := range c.documents {
		live += len(o.bundles.items)
	}
	return c.extracted > 2*live+1<<20
}

// fingerprint covers words, the white space between them and what is known.
func (d sequence) fingerprint() fingerprint {
	b := binary.AppendUvarint(make([]byte, 0, 10*len(d.words)), uint64(len(d.words)))
	for _, said := range [][]string{d.words, d.known} {
		for _, s := range said {
			b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
		}
	}
	for _, i := range d.people {
		b = append(append(append(b, i.Label...), 0), i.Value...)
	}
	for _, h := range d.firstPass {
		b = h.append(b)
	}
	for _, g := range gapsOf(d, make([]gap, 0, len(d.words))) {
		b = append(b, byte(g))
	}
	return sha256.Sum256(b)
}
