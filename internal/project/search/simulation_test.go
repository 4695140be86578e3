// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/search"
)

// simulation is a project beside a plain model of it.
type simulation struct {
	*rand.Rand
	t    *testing.T
	b    *projecttest.Bench
	id   project.ID
	last annotate.DocumentID
	here map[annotate.DocumentID]string // texts
	bin  map[annotate.DocumentID]string
}

func (s *simulation) text() string {
	var words []string
	for range 3 + s.IntN(5) {
		words = append(words, fmt.Sprintf("w%d", int(s.ExpFloat64()*20)))
	}
	return strings.Join(words, " ")
}

func name(doc annotate.DocumentID) string { return fmt.Sprintf("note %d", doc) }

func (s *simulation) imports() {
	var docs []annotate.Annotated
	for range 1 + s.IntN(12) {
		s.last++
		s.here[s.last] = s.text()
		docs = append(docs, annotate.Annotated{Document: annotate.Document{Name: name(s.last), Text: s.here[s.last]}})
	}
	s.b.MustImport(s.id, docs, false)
}

func (s *simulation) any(of map[annotate.DocumentID]string) (annotate.DocumentID, bool) {
	if len(of) == 0 {
		return 0, false
	}
	return slices.Sorted(maps.Keys(of))[s.IntN(len(of))], true
}

// step does one thing to the project and its model.
func (s *simulation) step() {
	switch do := s.IntN(10); {
	case do < 3:
		s.imports()
	case do < 6:
		if doc, ok := s.any(s.here); ok {
			must(s.t, s.b.DeleteNote(s.t.Context(), projecttest.Broker, s.id, doc, name(doc)))
			s.bin[doc] = s.here[doc]
			delete(s.here, doc)
		}
	case do < 7:
		if doc, ok := s.any(s.bin); ok {
			must(s.t, s.b.RestoreNote(s.t.Context(), projecttest.Broker, s.id, doc))
			s.here[doc] = s.bin[doc]
			delete(s.bin, doc)
		}
	case do < 9:
		if doc, ok := s.any(s.bin); ok {
			must(s.t, s.b.EraseNote(s.t.Context(), projecttest.Broker, s.id, doc, name(doc)))
			delete(s.bin, doc)
			if got := holding(s.t, s.b, s.id, uint64(doc)); got != "[]" {
				s.t.Fatalf("erased note %d: the index has %s", doc, got)
			}
		}
	default:
		s.b.Reopen()
	}
}

// check compares a search with one in the model.
func (s *simulation) check() {
	words := strings.Fields(s.text())[:1+s.IntN(2)]
	typed := strings.Join(words, " ")
	ordered := len(words) == 2 && s.IntN(2) == 0
	if ordered {
		typed = `"` + typed + `"`
	}
	var want []annotate.DocumentID
	for _, doc := range slices.Sorted(maps.Keys(s.here)) {
		has := func(w string) bool { return strings.Contains(" "+s.here[doc]+" ", " "+w+" ") }
		if ordered && has(words[0]+" "+words[1]) || !ordered && has(words[0]) && has(words[len(words)-1]) {
			want = append(want, doc)
		}
	}
	f := find(s.t, s.b, s.id, search.Query{Words: typed})
	if got := documents(f); !f.Complete() || f.Next() == 0 && !slices.Equal(got, want) || !slices.Equal(got, want[:min(len(got), len(want))]) {
		s.t.Fatalf("%s: notes %v, want %v; %d of %d indexed", typed, got, want, f.Notes, f.Total)
	}
}

// TestSearchFindsWhatAModelFinds imports, deletes, restores and erases notes and opens the
// project anew, in random order.
func TestSearchFindsWhatAModelFinds(t *testing.T) {
	s := &simulation{Rand: rand.New(rand.NewPCG(7, 7)), t: t, b: projecttest.New(t), here: map[annotate.DocumentID]string{}, bin: map[annotate.DocumentID]string{}}
	s.id = s.b.NewProject(nil, false)
	most := 0
	for range 60 {
		s.step()
		for range 1 + s.IntN(3)/2 {
			s.check()
		}
		notes, stored, err := s.b.Segments(s.id)
		must(t, err)
		if most = max(most, len(notes)); len(stored) > len(notes) {
			t.Fatalf("segments of %v notes, pages of %v", notes, stored)
		}
	}
	if most < 3 {
		t.Errorf("at most %d segments: the test shows little", most)
	}
}
