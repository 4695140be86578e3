// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"hide/internal/annotate"
)

// unit is the person of a document.
func (l linear) unit(doc annotate.DocumentID) string {
	return cmp.Or(l.links[l.docs[doc].Group], l.docs[doc].Group)
}

// which lists documents.
func (l linear) which(keep func(annotate.DocumentID, Status) bool) []annotate.DocumentID {
	return slices.DeleteFunc(l.order(), func(doc annotate.DocumentID) bool { return !keep(doc, l.docs[doc]) })
}

// byGroup sorts the documents by the first document of their person.
func (l linear) byGroup() []annotate.DocumentID {
	order, first := l.order(), map[string]int{}
	for i, doc := range slices.Backward(order) {
		first[l.unit(doc)] = i
	}
	slices.SortStableFunc(order, func(a, b annotate.DocumentID) int { return first[l.unit(a)] - first[l.unit(b)] })
	return order
}

// uses counts the spans and the notes of labels: of A, and of B, which C is part of since.
func (l linear) uses() (c [4]int) {
	for _, st := range l.docs {
		has := [2]int{}
		for _, n := range st.Labels {
			at := 0
			if n.Label != "A" {
				at = 1
			}
			c[2*at], has[at] = c[2*at]+n.Spans, 1
		}
		c[1], c[3] = c[1]+has[0], c[3]+has[1]
	}
	return c
}

// compareDocuments compares each document, and the lists of documents.
func compareDocuments(t *testing.T, random *rand.Rand, ws *Workspace, l linear) {
	t.Helper()
	for doc, want := range l.docs {
		got, err := ws.Find(doc)
		if unit := got.Unit(); err != nil || unit != l.unit(doc) {
			t.Errorf("document %d is of %q, %v; want %q", doc, unit, err, l.unit(doc))
		}
		if got.linked = ""; !reflect.DeepEqual(got, want) {
			t.Errorf("document %d: %+v, want %+v", doc, got, want)
		}
	}
	if got, want := ws.All(), l.order(); !slices.Equal(got, want) {
		t.Errorf("documents %v, want %v", got, want)
	}
	if got, want := ws.ByGroup(), l.byGroup(); !slices.Equal(got, want) {
		t.Errorf("by group %v, want %v", got, want)
	}
	finished, all := sha256.New(), sha256.New()
	for _, doc := range l.order() {
		st := l.docs[doc]
		hashNumbers(all, int(doc), st.Revision, len(st.State))
		if st.State == annotate.Done {
			hashRevision(finished, doc, st.content(st.Revision))
		}
	}
	hashLinks(finished, ws.Links())
	hashLinks(all, ws.Links())
	if ws.Revisions() != hex.EncodeToString(finished.Sum(nil)) || ws.NotesMark() != hex.EncodeToString(all.Sum(nil)) {
		t.Error("a fingerprint is not that of the documents")
	}
	number, some := uint64(random.IntN(30)), annotate.DocumentID(random.IntN(200))
	unit := l.unit(some)
	for what, lists := range map[string][2][]annotate.DocumentID{
		"import":    {ws.OfImport(number), l.which(func(_ annotate.DocumentID, st Status) bool { return st.Import == number })},
		"person":    {ws.OfPerson(unit), l.which(func(doc annotate.DocumentID, _ Status) bool { return l.unit(doc) == unit })},
		"uncounted": {ws.uncounted(), l.which(func(_ annotate.DocumentID, st Status) bool { return !st.Counted })},
		"patient": {ws.OfPatient("9"), l.which(func(_ annotate.DocumentID, st Status) bool {
			return st.Group == annotate.Document{Patient: "9"}.Record()
		})},
	} {
		if !slices.Equal(lists[0], lists[1]) {
			t.Errorf("%s: %v, want %v", what, lists[0], lists[1])
		}
	}
	unfinished := l.which(func(_ annotate.DocumentID, st Status) bool { return st.State != annotate.Done })
	window, drawn := ws.SomeUnfinished(3, 1_000)
	if slices.Sort(drawn); !slices.Equal(window, unfinished[:min(3, len(unfinished))]) || !slices.Equal(drawn, unfinished) {
		t.Errorf("unfinished: %v first, %v at random; want those of %v", window, drawn, unfinished)
	}
	for doc, st := range l.docs {
		if got, err := ws.Summaries([]annotate.DocumentID{doc}); err != nil || got[0] != (Summary{l.unit(doc), st.Tokens, st.Revision}) {
			t.Errorf("document %d: %+v, %v", doc, got, err)
		}
	}
	used := map[string]bool{}
	for doc, st := range l.docs {
		used[st.Group], used[l.unit(doc)] = true, true
	}
	for name := range ws.groups.numbers {
		if !used[name] {
			t.Errorf("the index remembers %q, which has no notes", name)
		}
	}
	names := newNames(Project{Renamed: []LabelChange{{From: "C", To: "B", Merge: true}}})
	var got [4]int
	got[0], got[1] = ws.usesOf(names, "A")
	got[2], got[3] = ws.usesOf(names, "B")
	if got != l.uses() {
		t.Errorf("spans and notes of labels %v, want %v", got, l.uses())
	}
}

// TestSomeUnfinishedDrawsEachAlike: every number below n is drawn, and none twice.
func TestSomeUnfinishedDrawsEachAlike(t *testing.T) {
	seen := map[int]int{}
	const n, k, rounds = 7, 3, 4_000
	for range rounds {
		places := somePlaces(n, k)
		for _, place := range places {
			seen[place]++
		}
		if slices.Sort(places); len(slices.Compact(places)) != k {
			t.Fatalf("%v are not %d places", places, k)
		}
	}
	for place := range n {
		if share := float64(seen[place]) / rounds; share < .39 || share > .47 { // 3/7, and five deviations of 0.0078
			t.Errorf("place %d is drawn in %.3f of the rounds, want %.3f", place, share, 3.0/7)
		}
	}
	if len(somePlaces(2, 5)) != 2 || len(somePlaces(0, 5)) != 0 {
		t.Error("more places are drawn than there are")
	}
}
