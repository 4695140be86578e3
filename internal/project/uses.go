// SPDX-License-Identifier: Apache-2.0

package project

import (
	"encoding/binary"
	"iter"

	"hide/internal/annotate"
)

// LabelCount is how many spans of a note have a label.
type LabelCount struct {
	Label annotate.Label `json:"label"`
	Spans int            `json:"spans"`
}

// countSpans counts the spans of a layer by label, in the order in which labels first occur.
func countSpans(l *annotate.Layer) (all []LabelCount) {
next:
	for _, a := range l.Annotations {
		for i := range all {
			if all[i].Label == a.Span.Label {
				all[i].Spans++
				continue next
			}
		}
		all = append(all, LabelCount{a.Span.Label, 1})
	}
	return all
}

// labelUses counts the spans and the notes of each label, under the name that the label had
// when a note was counted. A note is a pair of varints for each of its labels in the index:
// the place of the label here, and its spans.
type labelUses struct {
	labels []annotate.Label
	places map[annotate.Label]int
	spans  []int // by place
	notes  []int // by place

	pairs []byte // of encode
	next  int    // a guess at the next place: notes have similar labels in similar orders
}

// encode makes the pairs of a note. They are valid until the next call.
func (u *labelUses) encode(all []LabelCount) []byte {
	u.pairs, u.next = u.pairs[:0], 0
	for _, c := range all {
		u.pairs = binary.AppendUvarint(u.pairs, uint64(u.place(c.Label)))
		u.pairs = binary.AppendUvarint(u.pairs, uint64(c.Spans))
	}
	return u.pairs
}

func (u *labelUses) place(l annotate.Label) int {
	if u.next < len(u.labels) && u.labels[u.next] == l {
		u.next++
		return u.next - 1
	}
	at, known := u.places[l]
	if known {
		u.next = at + 1
		return at
	}
	if u.places == nil {
		u.places = map[annotate.Label]int{}
	}
	u.places[l] = len(u.labels)
	u.labels, u.spans, u.notes = append(u.labels, l), append(u.spans, 0), append(u.notes, 0)
	return len(u.labels) - 1
}

// each yields the pairs of a note.
func (u *labelUses) each(pairs []byte) iter.Seq2[int, int] {
	return func(yield func(place, spans int) bool) {
		for len(pairs) > 0 {
			place, n := binary.Uvarint(pairs)
			spans, m := binary.Uvarint(pairs[n:])
			pairs = pairs[n+m:]
			if !yield(int(place), int(spans)) {
				return
			}
		}
	}
}

// decode is the reverse of encode.
func (u *labelUses) decode(pairs []byte) (all []LabelCount) {
	for place, spans := range u.each(pairs) {
		all = append(all, LabelCount{u.labels[place], spans})
	}
	return all
}

// count adds a note to the sums, or subtracts it.
func (u *labelUses) count(pairs []byte, by int) {
	for place, spans := range u.each(pairs) {
		u.spans[place] += by * spans
		u.notes[place] += by
	}
}
