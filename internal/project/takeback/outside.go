// SPDX-License-Identifier: Apache-2.0

package takeback

import (
	"context"
	"slices"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/store"
)

// Outside lists the copies that a removal cannot reach, from the records.
type Outside struct {
	Releases []release.Release // oldest first
	Taken    []Taken           // files that people took out, newest first
	Backups  []time.Time       // newest first
	Secrets  []time.Time       // when the secrets of all projects were exported, newest first
	More     bool              // there are older rows than are listed
}

// Taken is a file that somebody has taken out of a project.
type Taken struct {
	At     time.Time
	Who    string
	What   string // "notes with their annotations"
	Number string // of the model, redaction model or release; "" without one
}

// takenWords are the actions of the audit trail that hand out identified data.
var takenWords = map[string]string{
	"export":          "the notes with their annotations",
	"download model":  "model",
	"download bundle": "redaction model",
	"take mapping":    "re-identification map of release",
	"take originals":  "originals of release",
}

// mostTaken is how many rows of the audit trail a page lists.
const mostTaken = 500

// Outside lists the releases, files and backups that were made at or after a time.
func (s *Service) Outside(ctx context.Context, by account.User, id project.ID, since time.Time) (Outside, error) {
	var o Outside
	if _, err := s.projects.Enter(by, account.ManageWork, id); err != nil {
		return o, err
	}
	all, err := s.release.Recorded(id)
	if err != nil {
		return o, err
	}
	o.Releases = slices.DeleteFunc(all, func(r release.Release) bool { return r.Created.Before(since) })
	rows, err := s.projects.Store().AuditRowsSince(since, mostTaken, func(r store.AuditRow) bool {
		return r.Action == "backup" || r.Action == "export secrets" || takenWords[r.Action] != "" && id.Owns(r.Object)
	})
	o.More = len(rows) == mostTaken
	for _, r := range rows {
		switch r.Action {
		case "backup":
			o.Backups = append(o.Backups, r.Time)
			continue
		case "export secrets":
			o.Secrets = append(o.Secrets, r.Time)
			continue
		}
		_, number, _ := strings.Cut(strings.TrimPrefix(r.Object, string(id)+"/"), "/")
		o.Taken = append(o.Taken, Taken{At: r.Time, Who: s.projects.PersonName(r.Actor), What: takenWords[r.Action], Number: number})
	}
	return o, err
}

// State is what the page “Delete and undo” shows of a project.
type State struct {
	Bin     []project.Binned   // newest first; By holds names
	Imports []project.Imported // newest first
	Removed []Removed          // newest first, without those of the bin; By holds names
}

// State reads it.
func (s *Service) State(ctx context.Context, by account.User, id project.ID) (State, error) {
	var st State
	if _, err := s.projects.Enter(by, account.ManageWork, id); err != nil {
		return st, err
	}
	var err error
	if st.Bin, err = s.projects.Bin(id); err != nil {
		return st, err
	}
	slices.SortStableFunc(st.Bin, func(a, b project.Binned) int { return b.At.Compare(a.At) })
	for i := range st.Bin {
		st.Bin[i].By = s.projects.PersonName(st.Bin[i].By)
	}
	if st.Imports, err = s.projects.Imports(id); err != nil {
		return st, err
	}
	removed, err := project.ListJSON[Removed](s.projects, id, bucketRemovals)
	for _, r := range slices.Backward(removed) {
		if r.erases() {
			r.By = s.projects.PersonName(r.By)
			st.Removed = append(st.Removed, r)
		}
	}
	return st, err
}

// NoteName is the name of a note, to confirm its deletion with.
func (s *Service) NoteName(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID) (string, error) {
	ws, err := s.projects.Enter(by, account.ManageWork, id)
	if err != nil {
		return "", err
	}
	st, err := ws.Find(doc)
	return st.Name, err
}

// Patient describes what the removal of a patient would delete.
type Patient struct {
	Removed
	Outside Outside
	// Linked are the other keys of the same patient, and the names of notes without a key, by
	// the links of the project. Their notes are removed too. Who doubts a link decides that
	// first.
	Linked []string
}

// Patient finds the notes of a patient by the key in the files.
func (s *Service) Patient(ctx context.Context, by account.User, id project.ID, key string) (Patient, error) {
	ws, err := s.projects.Enter(by, account.ManageWork, id)
	if err != nil {
		return Patient{}, err
	}
	var p Patient
	if p.Removed, err = s.ofPatient(ws, key); err != nil {
		return p, err
	}
	links, own := ws.Links(), annotate.Document{Patient: key}.Record()
	for record, person := range links.Of {
		if record != own && person == links.Of[own] {
			p.Linked = append(p.Linked, project.RecordKey(record))
		}
	}
	slices.Sort(p.Linked)
	p.Outside, err = s.Outside(ctx, by, id, p.Since)
	return p, err
}
