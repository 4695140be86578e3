// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"strings"

	"hide/internal/annotate"
	"hide/internal/project/docset"
)

// index is the documents of a project in the orders in which pages and choices need them. It
// has no pointer per document, and a document takes about 130 bytes. A change of one document
// costs O(log n). All changes go through put and drop, so that no count and no order is ever
// computed anew.
type index struct {
	blocks []*block // by the number of a document / blockDocs; nil where none is

	all    docset.Set    // their ascending order is that of import
	states [3]docset.Set // by place in stateNames
	begun  docset.Set    // unfinished documents that somebody has edited
	fresh  docset.Set    // the other unfinished documents
	random docset.Set    // imported as part of a random sample
	unread docset.Set    // documents whose labels are not counted
	drawn  drawnOrder    // without random; those of fresh are open

	links          map[string]string // see Links.Of
	groups         groups
	uses           labelUses
	annotations    int // of all documents
	finishedSpans  int
	finishedGroups int
	blindDone      int    // documents with HelpBlind
	assistedDone   int    // finished documents with HelpShown
	changes        uint64 // of documents and links so far; see marks
}

// The places of the states and of [Help] in rows and in the store. Do not change them.
var (
	stateNames = [...]annotate.State{annotate.New, annotate.InProgress, annotate.Done}
	helpNames  = [...]Help{HelpNone, HelpShown, HelpBlind, HelpMixed}
)

const (
	stateNew = iota
	stateInProgress
	stateDone
)

// placeOf is the place of a name in a list. Another name has the first place: documents of
// older projects may have no state, and are new.
func placeOf[T comparable](names []T, name T) uint8 {
	for i, n := range names {
		if n == name {
			return uint8(i)
		}
	}
	return 0
}

func newIndex(draw uint64) index { return index{drawn: newDrawnOrder(draw), groups: newGroups()} }

// at finds the block of a document and its place there. It needs a document of the index.
func (x *index) at(doc annotate.DocumentID) (*block, int) {
	return x.blocks[doc/blockDocs], int(doc % blockDocs)
}

// row is what the index knows of a document, nil if it does not have it. It is valid until the
// next change.
func (x *index) row(doc annotate.DocumentID) *row {
	if !x.all.Has(doc) {
		return nil
	}
	b, at := x.at(doc)
	return &b.rows[at]
}

// get builds the status of a document.
func (x *index) get(doc annotate.DocumentID) (st Status, found bool) {
	if !x.all.Has(doc) {
		return Status{}, false
	}
	b, at := x.at(doc)
	b.fill(at, &st)
	r := &b.rows[at]
	st.Group = x.record(b, at)
	if r.unit != r.record {
		st.linked = x.groups.all[r.unit].name
	}
	st.Labels = x.uses.decode(b.labels.get(at))
	return st, true
}

// record is the Group of a document.
func (x *index) record(b *block, at int) string {
	if n := b.rows[at].record; n != 0 {
		return x.groups.all[n].name
	}
	return aloneRecord + string(b.names.get(at))
}

// unit is the Unit of a document.
func (x *index) unit(doc annotate.DocumentID) string {
	b, at := x.at(doc)
	if n := b.rows[at].unit; n != 0 {
		return x.groups.all[n].name
	}
	return x.record(b, at)
}

// aloneRecord stands before the name of a note that has no patient's key, in its record.
var aloneRecord = annotate.Document{}.Record()

// alone reports whether the record of a note follows from its name.
func (st *Status) alone() bool {
	return len(st.Group) == len(aloneRecord)+len(st.Name) && strings.HasPrefix(st.Group, aloneRecord) && strings.HasSuffix(st.Group, st.Name)
}

// put adds a document or replaces its status.
func (x *index) put(doc annotate.DocumentID, st *Status) {
	if x.all.Has(doc) {
		x.count(doc, -1)
	}
	for uint64(len(x.blocks)) <= uint64(doc)/blockDocs {
		x.blocks = append(x.blocks, nil)
	}
	if x.blocks[doc/blockDocs] == nil {
		x.blocks[doc/blockDocs] = new(block)
	}
	b, at := x.at(doc)
	b.take(at, st)
	b.labels.set(at, x.uses.encode(st.Labels))
	x.join(&b.rows[at], st)
	x.count(doc, 1)
	x.place(doc, &b.rows[at])
	x.changes++
}

// join gives a document the numbers of its record and its unit.
func (x *index) join(r *row, st *Status) {
	linked := x.links[st.Group]
	if linked == "" && st.alone() {
		return
	}
	r.record = x.groups.hold(st.Group)
	r.unit = r.record
	if linked != "" {
		r.unit = x.groups.hold(linked)
	} else {
		x.groups.holdAgain(r.record)
	}
}

// drop removes documents.
func (x *index) drop(docs ...annotate.DocumentID) {
	for _, doc := range docs {
		if !x.all.Has(doc) {
			continue
		}
		x.count(doc, -1)
		b, at := x.at(doc)
		b.clear(at)
		for _, set := range x.sets() {
			set.Put(doc, false)
		}
		x.drawn.drop(doc)
		x.changes++
	}
}

func (x *index) sets() [8]*docset.Set {
	return [...]*docset.Set{&x.all, &x.states[0], &x.states[1], &x.states[2], &x.begun, &x.fresh, &x.random, &x.unread}
}

// relink puts documents into the groups that links say.
func (x *index) relink(links map[string]string) {
	x.links = links
	for doc := range x.all.All() {
		st, _ := x.get(doc)
		b, at := x.at(doc)
		numbered := b.rows[at].record != 0
		if linked := links[st.Group]; cmp.Or(linked, st.Group) == st.Unit() && (numbered || linked == "") {
			continue
		}
		x.count(doc, -1)
		x.join(&b.rows[at], &st)
		x.count(doc, 1)
	}
	x.changes++
}

// count adds a document to the sums, or subtracts it. It gives back the groups of a document
// that it subtracts.
func (x *index) count(doc annotate.DocumentID, by int) {
	b, at := x.at(doc)
	r := &b.rows[at]
	done := r.state == stateDone
	x.annotations += by * int(r.annotations)
	x.uses.count(b.labels.get(at), by)
	if helpNames[r.help] == HelpBlind {
		x.blindDone += by
	}
	if done {
		x.finishedSpans += by * int(r.annotations)
		x.countFinished(r.unit, by)
	}
	if done && helpNames[r.help] == HelpShown {
		x.assistedDone += by
	}
	if by < 0 {
		x.groups.release(r.record)
		x.groups.release(r.unit)
		r.record, r.unit = 0, 0
	}
}

// countFinished counts the groups with finished documents.
func (x *index) countFinished(unit uint32, by int) {
	if unit == 0 {
		x.finishedGroups += by
		return
	}
	g := &x.groups.all[unit]
	had := g.finished > 0
	g.finished += uint32(by) // wraps around for -1
	if has := g.finished > 0; has != had {
		x.finishedGroups += by
	}
}

// place puts a document into the sets it belongs to, and takes it out of the others.
func (x *index) place(doc annotate.DocumentID, r *row) {
	done := r.state == stateDone
	begun := r.state == stateInProgress && r.revision > 0
	x.all.Put(doc, true)
	for state := range x.states {
		x.states[state].Put(doc, state == int(r.state))
	}
	x.begun.Put(doc, begun)
	x.fresh.Put(doc, !done && !begun)
	x.random.Put(doc, r.random)
	x.unread.Put(doc, !r.counted)
	if !r.random {
		x.drawn.put(doc, !done && !begun)
	}
}

// set is the documents in a state, "" for any.
func (x *index) set(state annotate.State) *docset.Set {
	if state == "" {
		return &x.all
	}
	return &x.states[placeOf(stateNames[:], state)]
}

// finished and unfinished count documents.
func (x *index) finished() int   { return x.states[stateDone].Len() }
func (x *index) unfinished() int { return x.all.Len() - x.finished() }

// find lists at most limit documents in a state whose folded names contain part, from a
// place, and how many there are. It reads all names, so nothing on the way of an edit may call
// it.
func (x *index) find(state annotate.State, part string, offset, limit int) (docs []annotate.DocumentID, matching int) {
	in, words := x.set(state), []byte(part)
	for i, b := range x.blocks {
		if b == nil {
			continue
		}
		for at := range b.searched().containing(words) {
			doc := annotate.DocumentID(i*blockDocs + at)
			if !in.Has(doc) {
				continue
			}
			if matching >= offset && len(docs) < limit {
				docs = append(docs, doc)
			}
			matching++
		}
	}
	return docs, matching
}

// around is the place in the order of import at which a window of limit documents begins
// that has the document in its middle half. Neighbours share a window.
func (x *index) around(doc annotate.DocumentID, limit int) int {
	half := max(1, limit/2)
	return max(0, x.all.Rank(doc)/half*half-half/2)
}

// firstBut is the first document of a set that is not to be skipped, 0 if there is none.
func firstBut(set *docset.Set, skip map[annotate.DocumentID]bool) annotate.DocumentID {
	if set.Len() == 0 {
		return 0
	}
	for doc := range set.From(set.At(0)) {
		if !skip[doc] {
			return doc
		}
	}
	return 0
}

// importedAfter counts the documents after one in the order of import.
func (x *index) importedAfter(doc annotate.DocumentID) int {
	return x.all.Len() - x.all.Rank(doc+1)
}
