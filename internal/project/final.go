// SPDX-License-Identifier: Apache-2.0

package project

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"hide/internal/annotate"
)

// Whoever opens a finished note, changes it and takes that back has changed
// nothing that figures are about. So what is compared is not the revision of a
// layer, which only rises, but the first revision that had the same spans.

// final is what a document held when it was done.
type final struct {
	Revision int    `json:"revision"`
	Spans    uint64 `json:"spans"` // fingerprint
}

// mostFinals is how many of them are remembered of a document.
const mostFinals = 4

// turn makes st that of the layer, whose spans were others before.
func (st *Status) turn(was []annotate.Span, now *annotate.Layer) {
	if st.State == annotate.Done && len(st.Finals) == 0 {
		st.Finals = []final{{st.Revision, spansMark(was)}}
	}
	st.State, st.Annotations, st.Revision, st.Same = now.State, len(now.Annotations), now.Revision, 0
	if st.State != annotate.Done {
		return
	}
	mark := spansMark(now.Spans())
	if at := slices.IndexFunc(st.Finals, func(f final) bool { return f.Spans == mark }); at >= 0 {
		st.Same = 1 + st.Finals[at].Revision
		return
	}
	st.Finals = append(slices.Clone(st.Finals[max(0, len(st.Finals)+1-mostFinals):]), final{st.Revision, mark})
}

// content tells states of a document with other spans apart; revision is the one
// they were read at. What is not of that revision is not known to be the same.
func (st *Status) content(revision int) int {
	if st.Same > 0 && revision == st.Revision {
		return st.Same - 1
	}
	return revision
}

func spansMark(spans []annotate.Span) uint64 {
	h := sha256.New()
	hashContent(h, annotate.Annotated{Spans: spans})
	return binary.BigEndian.Uint64(h.Sum(nil))
}
