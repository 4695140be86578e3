// SPDX-License-Identifier: Apache-2.0

package project

import (
	"slices"
	"strings"

	"github.com/tidwall/btree"

	"hide/internal/annotate"
)

// index is the documents of a project in the orders in which pages and choices need
// them. A change of one document costs O(log n). All changes go through put and drop, so
// that no count and no order is ever computed anew.
type index struct {
	docs  map[annotate.DocumentID]*Status
	order []annotate.DocumentID // ascending: the order of import

	states map[annotate.State]*documents
	begun  documents          // unfinished documents that somebody has edited
	fresh  documents          // the other unfinished documents
	drawn  *btree.BTreeG[lot] // see sample; without documents that were imported as a random sample
	lots   *btree.BTreeG[lot] // drawn, but only the documents of fresh
	draw   uint64             // key of the drawn order

	links          map[string]string // see Links.Of
	groups         map[string]*group // by Status.Unit
	annotations    int               // of all documents
	finishedSpans  int
	finishedGroups int
	blindDone      int // documents with HelpBlind
	assistedDone   int // finished documents with HelpShown
}

type documents = btree.Set[annotate.DocumentID]

// lot is a document with its place in the drawn order.
type lot struct {
	rank uint64
	doc  annotate.DocumentID
}

func lessLot(a, b lot) bool { return a.rank < b.rank || a.rank == b.rank && a.doc < b.doc }

// group is the documents of one patient.
type group struct {
	docs     documents
	finished int
}

func newIndex() index {
	x := index{
		docs:   map[annotate.DocumentID]*Status{},
		states: map[annotate.State]*documents{},
		groups: map[string]*group{},
	}
	for _, state := range []annotate.State{annotate.New, annotate.InProgress, annotate.Done} {
		x.states[state] = new(documents)
	}
	x.drawn, x.lots = newLots(), newLots()
	return x
}

func newLots() *btree.BTreeG[lot] {
	return btree.NewBTreeGOptions(lessLot, btree.Options{NoLocks: true})
}

// put adds a document or replaces its status. The index owns st from then on.
func (x *index) put(doc annotate.DocumentID, st *Status) {
	old := x.docs[doc]
	if old != nil {
		x.count(old, -1)
		st.folded = old.folded
	} else {
		x.enter(doc)
		st.folded = strings.ToLower(st.Name)
	}
	st.linked = x.links[st.Group]
	x.docs[doc] = st
	x.count(st, 1)
	x.place(doc, st)
}

// enter gives a new document its place in the order of import.
func (x *index) enter(doc annotate.DocumentID) {
	if n := len(x.order); n == 0 || x.order[n-1] < doc {
		x.order = append(x.order, doc)
		return
	}
	at, _ := slices.BinarySearch(x.order, doc)
	x.order = slices.Insert(x.order, at, doc)
}

// drop removes documents.
func (x *index) drop(docs ...annotate.DocumentID) {
	for _, doc := range docs {
		st := x.docs[doc]
		if st == nil {
			continue
		}
		x.count(st, -1)
		delete(x.docs, doc)
		x.state(st.State).Delete(doc)
		x.begun.Delete(doc)
		x.fresh.Delete(doc)
		x.drawn.Delete(x.lot(doc))
		x.lots.Delete(x.lot(doc))
		x.leave(doc, st)
	}
	x.order = slices.DeleteFunc(x.order, func(doc annotate.DocumentID) bool { return x.docs[doc] == nil })
}

// leave takes a document out of its group.
func (x *index) leave(doc annotate.DocumentID, st *Status) {
	g := x.groups[st.Unit()]
	if g.docs.Delete(doc); g.docs.Len() == 0 {
		delete(x.groups, st.Unit())
	}
}

// relink puts documents into the groups that links say.
func (x *index) relink(links map[string]string) {
	x.links = links
	for doc, st := range x.docs {
		if links[st.Group] == st.linked {
			continue
		}
		x.count(st, -1)
		x.leave(doc, st)
		moved := *st // readers may hold the old one
		moved.linked = links[st.Group]
		x.docs[doc] = &moved
		x.count(&moved, 1)
		x.groups[moved.Unit()].docs.Insert(doc)
	}
}

func (x *index) lot(doc annotate.DocumentID) lot { return lot{mix(x.draw, uint64(doc)), doc} }

// state is the documents in a state. Documents of older projects may have none: they are
// new.
func (x *index) state(s annotate.State) *documents {
	if d := x.states[s]; d != nil {
		return d
	}
	return x.states[annotate.New]
}

// count adds a document to the sums, or subtracts it.
func (x *index) count(st *Status, by int) {
	g := x.groups[st.Unit()]
	if g == nil {
		g = new(group)
		x.groups[st.Unit()] = g
	}
	x.annotations += by * st.Annotations
	if st.Help == HelpBlind {
		x.blindDone += by
	}
	if st.State != annotate.Done {
		return
	}
	if st.Help == HelpShown {
		x.assistedDone += by
	}
	x.finishedSpans += by * st.Annotations
	had := g.finished > 0
	g.finished += by
	if has := g.finished > 0; has != had {
		x.finishedGroups += by
	}
}

// place puts a document into the sets it belongs to, and takes it out of the others.
func (x *index) place(doc annotate.DocumentID, st *Status) {
	here := x.state(st.State)
	for _, set := range x.states {
		member(set, doc, set == here)
	}
	done := st.State == annotate.Done
	begun := st.State == annotate.InProgress && st.Revision > 0
	member(&x.begun, doc, begun)
	member(&x.fresh, doc, !done && !begun)
	x.groups[st.Unit()].docs.Insert(doc)
	if st.Random {
		return
	}
	x.drawn.Set(x.lot(doc))
	if done || begun {
		x.lots.Delete(x.lot(doc))
	} else {
		x.lots.Set(x.lot(doc))
	}
}

func member(set *documents, doc annotate.DocumentID, is bool) {
	if is {
		set.Insert(doc)
	} else {
		set.Delete(doc)
	}
}

// finished and unfinished count documents.
func (x *index) finished() int   { return x.states[annotate.Done].Len() }
func (x *index) unfinished() int { return len(x.order) - x.finished() }

// window lists at most limit documents in a state from a place, and how many there are.
// "" stands for any state.
func (x *index) window(state annotate.State, offset, limit int) (docs []annotate.DocumentID, matching int) {
	if state == "" {
		from := min(offset, len(x.order))
		return x.order[from:min(from+limit, len(x.order))], len(x.order)
	}
	set := x.state(state)
	first, some := set.GetAt(offset)
	if offset >= set.Len() || !some {
		return nil, set.Len()
	}
	set.Ascend(first, func(doc annotate.DocumentID) bool {
		docs = append(docs, doc)
		return len(docs) < limit
	})
	return docs, set.Len()
}

// find is window among the documents whose folded names contain part. It reads all names,
// so nothing on the way of an edit may call it.
func (x *index) find(state annotate.State, part string, offset, limit int) (docs []annotate.DocumentID, matching int) {
	for _, doc := range x.order {
		st := x.docs[doc]
		if state != "" && st.State != state || !strings.Contains(st.folded, part) {
			continue
		}
		if matching >= offset && len(docs) < limit {
			docs = append(docs, doc)
		}
		matching++
	}
	return docs, matching
}

// around is the place in the order of import at which a window of limit documents begins
// that has the document in its middle half. Neighbours share a window.
func (x *index) around(doc annotate.DocumentID, limit int) int {
	at, _ := slices.BinarySearch(x.order, doc)
	half := max(1, limit/2)
	return max(0, at/half*half-half/2)
}

// firstBut is the first document of a set that is not to be skipped, 0 if there is none.
func firstBut(set *documents, skip map[annotate.DocumentID]bool) (first annotate.DocumentID) {
	set.Scan(func(doc annotate.DocumentID) bool {
		if skip[doc] {
			return true
		}
		first = doc
		return false
	})
	return first
}

// firstLot is the first open document of the drawn order that is not to be skipped, 0 if
// there is none.
func (x *index) firstLot(skip map[annotate.DocumentID]bool) (first annotate.DocumentID) {
	x.lots.Scan(func(l lot) bool {
		if skip[l.doc] {
			return true
		}
		first = l.doc
		return false
	})
	return first
}

// importedAfter counts the documents after one in the order of import.
func (x *index) importedAfter(doc annotate.DocumentID) int {
	at, found := slices.BinarySearch(x.order, doc)
	if found {
		at++
	}
	return len(x.order) - at
}
