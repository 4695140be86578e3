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
	for _, r := range slices.Backward(records) {
		docs := ws.OfImport(r.Number)
		if !r.Committed || len(docs) == 0 {
			continue
		}
		first, err := ws.Find(docs[0])
		if err != nil {
			continue // deleted since the list was made
		}
		out = append(out, Imported{
			Number: r.Number, At: r.At, By: s.PersonName(r.By),
			Documents: r.Report.Documents, Left: len(docs), First: first.Name, Annotated: ws.edited(docs),
		})
	}
	return out, nil
}

// OfImport lists the documents of an import.
func (ws *Workspace) OfImport(number uint64) []annotate.DocumentID {
	return ws.which(func(st *Status) bool { return st.Import == number })
}

// OfPerson lists the documents of a person, as [Links.Unit] names it.
func (ws *Workspace) OfPerson(unit string) []annotate.DocumentID {
	return ws.which(func(st *Status) bool { return st.Unit() == unit })
}

// OfPatient lists the documents of a patient's key, as the files have it.
func (ws *Workspace) OfPatient(key string) []annotate.DocumentID {
	record := annotate.Document{Patient: key}.Record()
	return ws.which(func(st *Status) bool { return key != "" && st.Group == record })
}

func (ws *Workspace) which(keep func(*Status) bool) []annotate.DocumentID {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return slices.DeleteFunc(slices.Clone(ws.order), func(doc annotate.DocumentID) bool { return !keep(ws.docs[doc]) })
}

// edited counts the documents that people have changed since their import.
func (ws *Workspace) edited(docs []annotate.DocumentID) (n int) {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	for _, doc := range docs {
		if st := ws.docs[doc]; st != nil && st.Revision > 0 {
			n++
		}
	}
	return n
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
