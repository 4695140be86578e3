// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"iter"
	"slices"

	"hide/internal/annotate"
	"hide/internal/project/docset"
)

// drawnOrder is documents in the drawn order (see sample.go): by a hash of their numbers.
// Hashes are evenly spread, so their first bits sort the documents into buckets of similar
// sizes. A change costs one bucket.
type drawnOrder struct {
	key     uint64
	shift   int        // of a hash, to the number of its bucket
	buckets [][]uint32 // numbers of documents, each bucket in order
	size    int

	open  docset.Set // the documents that can be drawn
	opens []uint16   // how many of them are in each bucket
}

// bucketDocs is how many documents a bucket has on average when their number is doubled.
const bucketDocs = 64

func newDrawnOrder(key uint64) drawnOrder {
	return drawnOrder{key: key, shift: 64, buckets: make([][]uint32, 1), opens: make([]uint16, 1)}
}

func (d *drawnOrder) rank(doc uint32) uint64 { return mix(d.key, uint64(doc)) }

// place is where a document is, or belongs.
func (d *drawnOrder) place(doc uint32) (bucket, at int, found bool) {
	rank := d.rank(doc)
	bucket = int(rank >> d.shift) // Go shifts by 64 to 0
	at, found = slices.BinarySearchFunc(d.buckets[bucket], doc, func(e, doc uint32) int {
		return cmp.Or(cmp.Compare(d.rank(e), rank), cmp.Compare(e, doc))
	})
	return bucket, at, found
}

// put adds a document or changes whether it is open.
func (d *drawnOrder) put(doc annotate.DocumentID, open bool) {
	bucket, at, found := d.place(uint32(doc))
	if !found {
		d.buckets[bucket] = slices.Insert(d.buckets[bucket], at, uint32(doc))
		d.size++
	}
	d.setOpen(bucket, doc, open)
	if d.size > bucketDocs*len(d.buckets) {
		d.split()
	}
}

// drop removes a document.
func (d *drawnOrder) drop(doc annotate.DocumentID) {
	if bucket, at, found := d.place(uint32(doc)); found {
		d.buckets[bucket] = slices.Delete(d.buckets[bucket], at, at+1)
		d.size--
		d.setOpen(bucket, doc, false)
	}
}

func (d *drawnOrder) setOpen(bucket int, doc annotate.DocumentID, open bool) {
	switch {
	case !d.open.Put(doc, open):
	case open:
		d.opens[bucket]++
	default:
		d.opens[bucket]--
	}
}

// split doubles the number of buckets. One more bit of the hash divides each.
func (d *drawnOrder) split() {
	old := d.buckets
	d.shift--
	d.buckets, d.opens = make([][]uint32, 2*len(old)), make([]uint16, 2*len(old))
	for b, docs := range old {
		half := len(docs)
		if i := slices.IndexFunc(docs, func(doc uint32) bool { return d.rank(doc)>>d.shift&1 == 1 }); i >= 0 {
			half = i
		}
		d.buckets[2*b], d.buckets[2*b+1] = slices.Clone(docs[:half]), slices.Clone(docs[half:])
	}
	for b, docs := range d.buckets {
		for _, doc := range docs {
			if d.open.Has(annotate.DocumentID(doc)) {
				d.opens[b]++
			}
		}
	}
}

// all yields the documents in the drawn order.
func (d *drawnOrder) all() iter.Seq[annotate.DocumentID] {
	return func(yield func(annotate.DocumentID) bool) {
		for _, docs := range d.buckets {
			for _, doc := range docs {
				if !yield(annotate.DocumentID(doc)) {
					return
				}
			}
		}
	}
}

// first is the first open document that is not to be skipped, 0 if there is none.
func (d *drawnOrder) first(skip map[annotate.DocumentID]bool) annotate.DocumentID {
	for b, n := range d.opens {
		if n == 0 {
			continue
		}
		for _, n := range d.buckets[b] {
			if doc := annotate.DocumentID(n); d.open.Has(doc) && !skip[doc] {
				return doc
			}
		}
	}
	return 0
}
