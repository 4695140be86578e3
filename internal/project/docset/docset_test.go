// SPDX-License-Identifier: Apache-2.0

package docset

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/annotate"
)

// model is a set as a sorted list.
type model []annotate.DocumentID

func (m model) put(doc annotate.DocumentID, is bool) (model, bool) {
	at, has := slices.BinarySearch(m, doc)
	switch {
	case has == is:
		return m, false
	case is:
		return slices.Insert(m, at, doc), true
	}
	return slices.Delete(m, at, at+1), true
}

func (m model) but(t model) (out model) {
	for _, doc := range m {
		if !slices.Contains(t, doc) {
			out = append(out, doc)
		}
	}
	return out
}

// TestSetAgreesWithASortedList makes random changes and compares all answers with those of a
// sorted list.
func TestSetAgreesWithASortedList(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 2))
		top := []uint64{3, 70, 600, 5_000}[seed%4]
		var sets [2]Set
		var models [2]model
		for range 300 {
			i := r.IntN(2)
			doc, is := annotate.DocumentID(r.Uint64N(top)), r.IntN(3) > 0
			var changes bool
			models[i], changes = models[i].put(doc, is)
			if sets[i].Put(doc, is) != changes {
				t.Fatalf("seed %d: put %d, %v: changes are wrong", seed, doc, is)
			}
			same(t, r, &sets[i], models[i], top)
		}
		same(t, r, sets[0].But(&sets[1]), models[0].but(models[1]), top)
		same(t, r, sets[0].And(&sets[1]), models[0].but(models[0].but(models[1])), top)
	}
}

func same(t *testing.T, r *rand.Rand, s *Set, m model, top uint64) {
	t.Helper()
	doc, place := annotate.DocumentID(r.Uint64N(2*top)), r.IntN(len(m)+2)
	rank, has := slices.BinarySearch(m, doc)
	if s.Len() != len(m) || s.Has(doc) != has || s.Rank(doc) != rank {
		t.Fatalf("%d documents, %d: %v at %d; want %d, %v at %d", s.Len(), doc, s.Has(doc), s.Rank(doc), len(m), has, rank)
	}
	if got := slices.Collect(s.From(doc)); !slices.Equal(got, m[rank:]) {
		t.Fatalf("from %d: %v, want %v", doc, got, m[rank:])
	}
	if !slices.Equal(s.Slice(), m) || cap(s.Slice()) != len(m) {
		t.Fatalf("%v, want %v", s.Slice(), m)
	}
	from := min(place, len(m))
	if got := s.Window(place, 3); !slices.Equal(got, m[from:min(from+3, len(m))]) {
		t.Fatalf("3 from place %d: %v of %v", place, got, m)
	}
	if place < len(m) && s.At(place) != m[place] {
		t.Fatalf("at %d: %d, want %d", place, s.At(place), m[place])
	}
}

func TestNoDocumentAtAPlace(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a place beyond the end has a document")
		}
	}()
	var s Set
	s.Put(7, true)
	s.At(1)
}
