// SPDX-License-Identifier: Apache-2.0

package links

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/publish/risk"
	"hide/internal/store"
)

// Figures are what a linkage found and how far it may be wrong. They are stored with it, and
// stay right after decisions and new thresholds. Releases keep them.
type Figures struct {
	Version int       `json:"version"` // of [project.Links]
	At      time.Time `json:"at"`      // when the run ended
	Newest  uint64    `json:"newest"`  // the note imported last before the run
	// Unread are the notes up to Newest that the run did not read, ascending: they were in the bin.
	Unread   []annotate.DocumentID `json:"unread,omitempty"`
	Records  int                   `json:"records"`  // patients' keys, and notes without a key
	Patients int                   `json:"patients"` // persons that they are of
	Links    int                   `json:"links"`    // pairs of records that are linked
	Review   int                   `json:"review"`   // pairs that a person should still decide about
	Decided  int                   `json:"decided"`  // pairs that people decided about

	Link  float64 `json:"link"`  // probability from which pairs are linked
	Floor float64 `json:"floor"` // probability from which pairs are to be reviewed

	// Missed is the expected number of links that are missing: two patients that are one person
	// count once. False is the expected number of links between two persons. What people decided
	// counts as right.
	Missed    float64 `json:"missed"`
	False     float64 `json:"false"`
	Unseen    float64 `json:"unseen"` // the part of Missed that no rule compared
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`

	// Near are the pairs of patients that may be one person: for each two patients the records
	// that are most alike, with a probability of at least [NearFrom], best first, at most
	// [MostNear]. Patients that people said are different are left out.
	Near []Near `json:"near,omitempty"`
}

// NearFrom is the lowest probability of a near pair, MostNear how many there are at most.
const (
	NearFrom = .05
	MostNear = 10_000
)

// Near is a pair of records that may be one person. A and B are records as
// [annotate.Document.Record] names them.
type Near struct {
	A           string  `json:"a"`
	B           string  `json:"b"`
	Probability float64 `json:"p"`
}

// String names no record: keys are identifiers.
func (n Near) String() string { return fmt.Sprintf("a pair with probability %.3f", n.Probability) }

// GoString is String: %#v must not show keys either.
func (n Near) GoString() string { return n.String() }

// ImportedSince is how many notes came after the run: they were imported, or were in the bin then
// and were restored.
func (f *Figures) ImportedSince(ws *project.Workspace) int {
	n := ws.ImportedAfter(annotate.DocumentID(f.Newest))
	for _, doc := range f.Unread {
		if ws.Has(doc) {
			n++
		}
	}
	return n
}

// compared reports whether the run read a note.
func (f *Figures) compared(doc annotate.DocumentID) bool {
	_, unread := slices.BinarySearch(f.Unread, doc)
	return uint64(doc) <= f.Newest && !unread
}

// Duplicates are the rows of a publication that may be one person. row gives the row of each
// patient, by the record that stands for the patient in l. The missed links that are not near
// are spread over the patients of the project.
func (f *Figures) Duplicates(l *project.Links, row map[string]int) risk.Duplicates {
	d := risk.Duplicates{Rows: len(row), Beyond: f.Missed}
	at := func(record string) (int, bool) {
		i, ok := row[cmp.Or(l.Of[record], record)]
		return i, ok
	}
	for _, n := range f.Near {
		d.Beyond -= n.Probability
		a, ok1 := at(n.A)
		b, ok2 := at(n.B)
		if ok1 && ok2 && a != b {
			d.Near = append(d.Near, risk.Near{A: a, B: b, Probability: n.Probability})
		}
	}
	share := float64(len(row)) / float64(max(1, f.Patients))
	d.Beyond = max(0, d.Beyond) * min(1, share)
	return d
}

// FiguresOf reads the figures of the newest linkage of a project, nil if there was none.
func FiguresOf(ws *project.Workspace) (*Figures, error) {
	var f Figures
	err := ws.View(func(tx *store.Tx) (err error) {
		f, err = store.GetJSON[Figures](tx, bucketLinkage, figuresKey)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the figures of the linkage of %s: %w", ws.ID, err)
	}
	return &f, nil
}
