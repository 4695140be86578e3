// SPDX-License-Identifier: Apache-2.0

package project

import (
	"slices"
	"strings"
	"time"

	"hide/internal/annotate"
	"hide/internal/store"
)

// Imported describes an import and what became of its notes.
type Imported struct {
	Number    uint64
	At        time.Time
	By        string // name of the person
	Documents int    // that it brought
	Left      int    // of these, still in the project
	First     string // name of the first that is left
	Annotated int    // of these, changed by people since
}

// Imports lists the imports of a project that have notes in it, newest first.
func (s *Service) Imports(id ID) ([]Imported, error) {
	ws, err := s.Workspace(id)
	if err != nil {
		return nil, err
	}
	records, err := ListJSON[importRecord](s, id, bucketImports)
	if err != nil {
		return nil, err
	}
	var out []Imported
	left := ws.leftOfImports()
	for _, r := range slices.Backward(records) {
		now := left[r.Number]
		if !r.Committed || now == nil {
			continue
		}
		now.Number, now.At, now.By, now.Documents = r.Number, r.At, s.PersonName(r.By), r.Report.Documents
		out = append(out, *now)
	}
	return out, nil
}

// leftOfImports says what became of the notes of each import. It looks at each note once.
func (ws *Workspace) leftOfImports() map[uint64]*Imported {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	left := map[uint64]*Imported{}
	for doc := range ws.all.All() {
		b, at := ws.at(doc)
		of := left[uint64(b.rows[at].imported)]
		if of == nil {
			of = &Imported{First: string(b.names.get(at))}
			left[uint64(b.rows[at].imported)] = of
		}
		of.Left++
		if b.rows[at].revision > 0 {
			of.Annotated++
		}
	}
	return left
}

// OfImport lists the documents of an import.
func (ws *Workspace) OfImport(number uint64) []annotate.DocumentID {
	return ws.which(func(_ annotate.DocumentID, r *row) bool { return uint64(r.imported) == number })
}

// OfPerson lists the documents of a person, as [Links.Unit] names it.
func (ws *Workspace) OfPerson(unit string) []annotate.DocumentID {
	return ws.which(func(doc annotate.DocumentID, _ *row) bool { return ws.unit(doc) == unit })
}

// OfPatient lists the documents of a patient's key, as the files have it.
func (ws *Workspace) OfPatient(key string) []annotate.DocumentID {
	record := annotate.Document{Patient: key}.Record()
	return ws.which(func(doc annotate.DocumentID, _ *row) bool { return key != "" && ws.record(ws.at(doc)) == record })
}

func (ws *Workspace) which(keep func(annotate.DocumentID, *row) bool) (docs []annotate.DocumentID) {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	for doc := range ws.all.All() {
		if keep(doc, ws.row(doc)) {
			docs = append(docs, doc)
		}
	}
	return docs
}

// EverFinished reports whether models may have been trained on the note.
func (st *Status) EverFinished() bool { return st.State == annotate.Done || len(st.Finals) > 0 }

// ImportedAt is when an import brought its notes.
func ImportedAt(tx *store.Tx, number uint64) (time.Time, error) {
	r, err := store.GetJSON[importRecord](tx, bucketImports, store.Key(number))
	return r.At, err
}

// Owns reports whether an object of the audit trail belongs to the project.
func (id ID) Owns(object string) bool {
	return object == string(id) || strings.HasPrefix(object, string(id)+"/")
}
