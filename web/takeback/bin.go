// SPDX-License-Identifier: Apache-2.0

package takeback

import (
	"time"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/web/ui"
)

// undone is an undone import with notes in the bin.
type undone struct {
	number uint64
	first  project.Binned // of its notes
	notes  int
	until  time.Time // when the first of them is erased
}

// undone groups the notes of the bin by the import that they were undone with, the newest
// removal first.
func (v view) undone() []undone {
	var all []undone
	at := map[uint64]int{}
	for _, b := range v.Bin { // newest first
		if b.Import == 0 {
			continue
		}
		i, known := at[b.Import]
		if !known {
			i = len(all)
			at[b.Import], all = i, append(all, undone{number: b.Import, first: b})
		}
		all[i].notes++
		all[i].until = b.Until()
	}
	return all
}

// listed are the notes of the bin that the page lists one by one.
func (v view) listed() []project.Binned {
	var all []project.Binned
	for _, b := range v.Bin {
		if b.Import == v.only {
			all = append(all, b)
		}
	}
	return all
}

// undoneWith is the import that a note of the bin was undone with, 0 for none.
func (v view) undoneWith(doc annotate.DocumentID) uint64 {
	for _, b := range v.Bin {
		if b.Document == doc {
			return b.Import
		}
	}
	return 0
}

// mostListed is how many notes of the bin the page lists.
const mostListed = 200

// unlistedWords is about the notes that come after the listed ones; "" without any.
func unlistedWords(notes int) string {
	if notes <= mostListed {
		return ""
	}
	return ui.Count(notes-mostListed, "older note is", "older notes are") + " not listed here. You see more when you have restored or erased some of these."
}

// contentWords counts what is destroyed with the project: "9 notes and 23 in the bin".
func (v view) contentWords() string {
	notes := ui.Count(v.project.Documents, "note", "notes")
	if len(v.Bin) == 0 {
		return notes
	}
	return notes + " and " + ui.Number(len(v.Bin)) + " in the bin"
}
