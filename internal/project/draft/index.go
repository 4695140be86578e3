// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"cmp"
	"slices"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
	"hide/internal/publish/transform"
)

// index is the places of a draft without text: 24 bytes for each. Once it is complete it never
// changes, see [index.with].
type index struct {
	docs     []annotate.DocumentID
	at       map[annotate.DocumentID]int // index in docs
	notes    [][]entry                   // by index in docs
	patient  []int32                     // by index in docs
	patients []string                    // keys, by number
	labels   []annotate.Label
	problems []transform.Problem // the first is none
}

// entry is a place.
type entry struct {
	start, end uint32
	label      uint16 // index in labels
	problem    uint16 // index in problems
	action     uint8  // index in [policy.Actions]
	by         uint8  // index in sources
	chosen     bool
}

var (
	actions = policy.Actions()
	sources = []transform.Source{transform.ByPerson, transform.ByModel, transform.ByKnown, transform.ByRepeat}
)

func newIndex(docs []annotate.DocumentID) *index {
	x := &index{docs: docs, at: make(map[annotate.DocumentID]int, len(docs)), notes: make([][]entry, len(docs)), patient: make([]int32, len(docs)), problems: []transform.Problem{""}}
	for i, doc := range docs {
		x.at[doc] = i
	}
	return x
}

// with is the index after plans were made again.
func (x *index) with(all []planned) *index {
	out := *x
	out.notes, out.labels, out.problems = slices.Clone(x.notes), slices.Clone(x.labels), slices.Clone(x.problems)
	for _, p := range all {
		for i, n := range p.notes {
			out.set(p.patient.Docs[i], n)
		}
	}
	return &out
}

// set replaces the places of a note.
func (x *index) set(doc annotate.DocumentID, n storedNote) {
	i, found := x.at[doc]
	if !found {
		return
	}
	x.notes[i] = make([]entry, len(n.Decisions))
	for k, d := range n.Decisions {
		x.notes[i][k] = entry{
			start: uint32(d.Start), end: uint32(d.End), label: number(&x.labels, d.Label), problem: number(&x.problems, d.Problem),
			action: uint8(max(0, slices.Index(actions, d.Action))), by: uint8(max(0, slices.Index(sources, d.By))), chosen: d.Chosen,
		}
	}
}

// same reports whether a stored note has the places that the index has.
func (x *index) same(note int, n storedNote) bool {
	return slices.EqualFunc(x.notes[note], n.Decisions, func(e entry, d transform.Decision) bool {
		return int(e.start) == int(d.Start) && int(e.end) == int(d.End)
	})
}

// name gives the key and the notes of a patient.
func (x *index) name(patient int, p storedPatient) {
	for len(x.patients) <= patient {
		x.patients = append(x.patients, "")
	}
	x.patients[patient] = p.Patient
	for _, doc := range p.Docs {
		if i, found := x.at[doc]; found {
			x.patient[i] = int32(patient)
		}
	}
}

// number is the index of one in all, which it joins if it is new.
func number[T comparable](all *[]T, one T) uint16 {
	i := slices.Index(*all, one)
	if i < 0 {
		i = len(*all)
		*all = append(*all, one)
	}
	return uint16(i)
}

// passes reports whether a place passes a filter, apart from its words and its note.
func (x *index) passes(f Filter, e entry) bool {
	return (f.Label == "" || x.labels[e.label] == f.Label) &&
		(f.Action == "" || actions[e.action] == f.Action) &&
		(f.By == "" || sources[e.by] == f.By) &&
		(f.Problem == "" || x.problems[e.problem] == f.Problem) &&
		(!f.Problems || e.problem != 0) &&
		(!f.Chosen || e.chosen)
}

// passesNote reports whether a filter selects places of a note.
func (x *index) passesNote(f Filter, note int) bool {
	return (f.Note == 0 || x.docs[note] == f.Note) && (f.Patient == "" || x.key(note) == f.Patient)
}

// key is the key of the patient of a note.
func (x *index) key(note int) string {
	if p := int(x.patient[note]); p < len(x.patients) {
		return x.patients[p]
	}
	return ""
}

// counts sums up the places.
func (x *index) counts() (places, problems, chosen int, byLabel []Count) {
	type kind struct {
		label  uint16
		action uint8
	}
	all := map[kind]Count{}
	for _, note := range x.notes {
		for _, e := range note {
			k := kind{e.label, e.action}
			c := all[k]
			c.N++
			if e.problem != 0 {
				c.Problems++
				problems++
			}
			if e.chosen {
				chosen++
			}
			places++
			all[k] = c
		}
	}
	for k, c := range all {
		c.Label, c.Action = x.labels[k.label], actions[k.action]
		byLabel = append(byLabel, c)
	}
	slices.SortFunc(byLabel, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(slices.Index(actions, a.Action), slices.Index(actions, b.Action)))
	})
	return places, problems, chosen, byLabel
}
