// SPDX-License-Identifier: Apache-2.0

package fulltext_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/fulltext"
)

// shelf keeps the pages of one segment.
type shelf struct {
	fulltext.Segment
	pages map[uint32][]byte
}

func (s *shelf) page(id uint32) ([]byte, error) {
	if p, ok := s.pages[id]; ok {
		return p, nil
	}
	return nil, fmt.Errorf("there is no page %d", id)
}

func merge(t testing.TB, inputs ...fulltext.Input) *shelf {
	t.Helper()
	s := &shelf{pages: map[uint32][]byte{}}
	var err error
	if s.Segment, err = fulltext.Merge(inputs, func(id uint32, page []byte) error {
		s.pages[id] = slices.Clone(page)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return s
}

// without erases documents, as its callers do.
func (s *shelf) without(t *testing.T, gone fulltext.Set) {
	t.Helper()
	for _, id := range s.Directory.IDs() {
		kept, word, changed, err := fulltext.Without(s.pages[id], s.Segment, gone)
		if err != nil {
			t.Fatal(err)
		}
		if !changed {
			continue
		}
		s.pages[id] = kept
		s.Directory.Change(id, word)
	}
	stored, err := fulltext.ReadDirectory(s.Directory.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	s.Directory = stored
}

// model is the documents with their words.
type model map[uint64]map[string]bool

func (m model) match(q fulltext.Query) (docs []uint64) {
	for doc, words := range m {
		all := true
		for _, term := range q.Terms {
			for i, w := range term.Words {
				prefix := term.Prefix && i == len(term.Words)-1
				has := words[w]
				for other := range words {
					has = has || prefix && strings.HasPrefix(other, w)
				}
				all = all && has
			}
		}
		if all {
			docs = append(docs, doc)
		}
	}
	slices.Sort(docs)
	return docs
}

// random makes texts of frequent and rare words. Word 0 is in nearly all of them.
type random struct{ *rand.Rand }

func (r random) word() string {
	n := int(r.ExpFloat64() * r.ExpFloat64() * 150)
	return []string{"Ä", "b", "C"}[n%3] + fmt.Sprintf("%xé", n)
}

func (r random) text() string {
	text := "Ä0é"
	for range r.IntN(4) {
		text += ", " + r.word()
	}
	return text
}

func (r random) query() fulltext.Query {
	var typed []string
	for range 1 + r.IntN(3) {
		w := r.word()
		if r.IntN(4) == 0 {
			letters := []rune(w)
			w = string(letters[:1+r.IntN(len(letters))]) + "*"
		}
		typed = append(typed, w)
	}
	return fulltext.Parse(strings.Join(typed, " "))
}

// TestIndexFindsWhatAModelFinds adds documents, merges neighbouring segments and erases
// documents in a random order. After each step the index finds what a plain search finds.
func TestIndexFindsWhatAModelFinds(t *testing.T) {
	for seed := range uint64(3) {
		r := random{rand.New(rand.NewPCG(seed, 1))}
		var all []*shelf
		left, doc := model{}, uint64(r.IntN(3))
		for range 12 {
			switch at := r.IntN(max(1, len(all))); {
			case len(all) < 2 || r.IntN(3) == 0:
				run := fulltext.NewRun()
				for range 1 + r.IntN(6000) {
					doc += 1 + uint64(r.ExpFloat64()*r.ExpFloat64())
					text := r.text()
					run.Add(doc, text)
					left[doc] = words(text)
				}
				all = append(all, merge(t, run))
			case at+1 < len(all) && r.IntN(2) == 0:
				a, b := all[at], all[at+1]
				all = slices.Replace(all, at, at+2, merge(t, fulltext.Stored{Segment: a.Segment, Page: a.page}, fulltext.Stored{Segment: b.Segment, Page: b.page}))
			default:
				erase(t, r, all[at], left)
			}
			compare(t, r, all, left)
		}
	}
}

func words(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range wordsOf(text) {
		all[w] = true
	}
	return all
}

// erase takes documents out of a segment and shows that no page has them any more.
func erase(t *testing.T, r random, s *shelf, left model) {
	t.Helper()
	var gone []uint64
	few := r.IntN(2) == 0
	for _, doc := range slices.Sorted(maps.Keys(left)) {
		if doc >= s.First && doc <= s.Last && r.IntN(1000) < 600 && (!few || r.IntN(500) == 0) {
			gone = append(gone, doc)
			delete(left, doc)
		}
	}
	s.without(t, s.Set(gone))
	for id, page := range s.pages {
		if _, _, changed, err := fulltext.Without(page, s.Segment, s.Set(gone)); changed || err != nil {
			t.Fatalf("page %d has erased documents, %v", id, err)
		}
	}
}

func compare(t *testing.T, r random, all []*shelf, left model) {
	t.Helper()
	pages := 0
	for range 6 {
		q := r.query()
		var got []uint64
		for _, s := range all {
			docs, err := s.Match(q, s.page)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, docs...)
			pages = max(pages, len(s.pages))
		}
		if want := left.match(q); !slices.Equal(got, want) {
			t.Fatalf("%+v: %d documents, want %d, in %d segments", q, len(got), len(want), len(all))
		}
	}
}

// TestFrequentWordsTakeSeveralPages has a word with more documents than a page can hold,
// between two others.
func TestFrequentWordsTakeSeveralPages(t *testing.T) {
	run := fulltext.NewRun()
	for doc := uint64(1); doc <= 100_000; doc++ {
		text := "the"
		if doc%10_000 == 0 {
			text = "a the zone"
		}
		run.Add(doc, text)
	}
	s := merge(t, run)
	if len(s.pages) < 3 || !slices.Equal(s.Directory.IDs(), slices.Sorted(maps.Keys(s.pages))) {
		t.Errorf("%d pages, directory %v", len(s.pages), s.Directory.IDs())
	}
	for typed, want := range map[string]int{"the": 100_000, "a": 10, "zone the": 10, "t*": 100_000, "zon": 0, "zones": 0, "the*": 100_000} {
		docs, err := s.Match(fulltext.Parse(typed), s.page)
		if err != nil || len(docs) != want {
			t.Errorf("%s: %d documents, %v; want %d", typed, len(docs), err, want)
		}
	}
}

// TestDamageIsFound hands damaged pages and directories to the readers.
func TestDamageIsFound(t *testing.T) {
	s := fulltext.Segment{First: 10, Last: 20}
	for what, page := range map[string][]byte{
		"a shared part of nothing": {1, 1, 'a', 1, 0},
		"an empty word":            {0, 0, 1, 0},
		"no documents":             {0, 1, 'a', 0},
		"a document after the end": {0, 1, 'a', 1, 11},
		"a padded document":        {0, 1, 'a', 2, 0x80, 0},
		"a cut document":           {0, 1, 'a', 1, 0x80},
		"documents after the last": {0, 1, 'a', 2, 10, 0},
		"a word twice":             {0, 1, 'a', 1, 0, 0, 1, 'a', 1, 0},
		"words in a wrong order":   {0, 1, 'b', 1, 0, 0, 1, 'a', 1, 0},
		"a word that ends early":   {0, 1, 'b', 1, 0, 1, 0, 1, 0},
		"a cut entry":              {0, 1, 'a', 1, 0, 0},
	} {
		if _, _, _, err := fulltext.Without(page, s, s.Set(nil)); err == nil {
			t.Errorf("%s: not found", what)
		}
	}
	for what, directory := range map[string][]byte{
		"nothing":             {},
		"more than it says":   {0, 0},
		"fewer than it says":  {2, 0, 1, 'a'},
		"a page twice":        {2, 0, 1, 'a', 0, 1, 'b'},
		"words in disorder":   {2, 0, 1, 'b', 1, 1, 'a'},
		"a page without word": {1, 0, 0},
	} {
		if _, err := fulltext.ReadDirectory(directory); err == nil {
			t.Errorf("a directory with %s: not found", what)
		}
	}
	run := fulltext.NewRun()
	run.Add(1, "a")
	late := merge(t, run)
	again := fulltext.NewRun()
	again.Add(1, "a")
	if _, err := fulltext.Merge([]fulltext.Input{fulltext.Stored{Segment: late.Segment, Page: late.page}, again}, func(uint32, []byte) error { return nil }); err == nil {
		t.Error("a document in two inputs is not found")
	}
	if _, err := late.Match(fulltext.Parse("a"), func(uint32) ([]byte, error) { return []byte{9}, nil }); err == nil {
		t.Error("a damaged page is not found by a search")
	}
}

// FuzzPage reads any bytes as a page and as a directory. What is read is written the same.
func FuzzPage(f *testing.F) {
	run := fulltext.NewRun()
	run.Add(5, "anna müller ulm")
	run.Add(900, "anna ulmer")
	s := merge(f, run)
	f.Add(s.pages[0])
	f.Add(s.Directory.Append(nil))
	f.Add([]byte{0, 1, 'a', 2, 0x81, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		s := fulltext.Segment{First: 5, Last: 1000}
		if kept, _, changed, err := fulltext.Without(b, s, s.Set(nil)); err == nil && (changed || string(kept) != string(b)) {
			t.Errorf("a page of %d bytes has %d without nothing", len(b), len(kept))
		}
		gone := s.Set([]uint64{6})
		kept, _, changed, err := fulltext.Without(b, s, gone)
		if err == nil && changed {
			if again, _, still, err := fulltext.Without(kept, s, gone); still || err != nil || string(again) != string(kept) {
				t.Errorf("a document is in the page after its erasure, %v", err)
			}
		}
		if d, err := fulltext.ReadDirectory(b); err == nil && string(d.Append(nil)) != string(b) {
			t.Errorf("a directory of %d bytes is written differently", len(b))
		}
		s.Directory, err = fulltext.ReadDirectory([]byte{1, 0, 1, 'a'})
		if err != nil {
			t.Fatal(err)
		}
		docs, _ := s.Match(fulltext.Parse("a* an*"), func(uint32) ([]byte, error) { return b, nil })
		if len(docs) > 0 && (docs[0] < s.First || docs[len(docs)-1] > s.Last || !slices.IsSorted(docs)) {
			t.Errorf("documents %v", docs)
		}
	})
}
