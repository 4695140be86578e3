// SPDX-License-Identifier: Apache-2.0

package release

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/store"
	"hide/internal/words"
)

// Subset says which notes of a project are released. The zero value is all.
type Subset struct {
	Finished bool     `json:"finished,omitempty"` // only finished notes
	Since    int      `json:"since,omitempty"`    // only notes that were not in this release; 0 for no release
	Cohort   []string `json:"cohort,omitempty"`   // only these notes and the notes of these patients, by name; nil for no cohort
}

// Words say which notes a subset has, without the names of its cohort: "finished notes that
// were not in release-2".
func (s Subset) Words() string {
	out := "all notes"
	if s.Finished {
		out = "finished notes"
	}
	if s.Since > 0 {
		out += " that were not in " + releaseName(s.Since)
	}
	if s.Cohort != nil {
		out += fmt.Sprintf(" of a cohort of %s", words.Count(len(s.Cohort), "name", "names"))
	}
	return out
}

// namesTold limits how many unknown names of a cohort an error lists.
const namesTold = 10

// Chosen lists the notes of a subset, those of a patient beside each other.
func (s *Service) Chosen(ws *project.Workspace, subset Subset) ([]annotate.DocumentID, error) {
	docs := ws.ByGroup()
	if subset.Since > 0 {
		before, err := s.notesIn(ws.ID, subset.Since)
		if err != nil {
			return nil, err
		}
		docs = slices.DeleteFunc(docs, func(doc annotate.DocumentID) bool { return before[doc] })
	}
	known := make([]project.Status, len(docs))
	for i, doc := range docs {
		known[i], _ = ws.Find(doc) // of a note that was deleted meanwhile it is empty
	}
	if subset.Cohort != nil {
		if err := checkCohort(ws, subset.Cohort); err != nil {
			return nil, err
		}
	}
	in := cohort(ws.Links(), subset.Cohort)
	var out []annotate.DocumentID
	for i, doc := range docs {
		st := known[i]
		if st.Name == "" || subset.Finished && st.State != annotate.Done || subset.Cohort != nil && !in[st.Name] && !in[st.Unit()] {
			continue
		}
		out = append(out, doc)
	}
	return out, nil
}

// cohort has the names of notes and the groups of patients, who are in it whichever of their
// linked keys is named. A group begins with a word and a zero byte, so no name is taken for
// one.
func cohort(links *project.Links, names []string) map[string]bool {
	in := map[string]bool{}
	for _, name := range names {
		in[name], in[links.Unit(annotate.Document{Patient: name})] = true, true
	}
	return in
}

// checkCohort refuses names that are neither a note nor a patient: a mistyped name would
// silently be left out.
func checkCohort(ws *project.Workspace, names []string) error {
	there := map[string]bool{}
	for _, doc := range ws.All() {
		if st, err := ws.Find(doc); err == nil {
			there[st.Name], there[st.Group] = true, true
		}
	}
	var unknown []string
	more := 0
	for i, name := range names {
		if name != "" && (there[name] || there[annotate.Document{Patient: name}.Record()]) {
			continue
		}
		if len(unknown) == namesTold {
			more++
			continue
		}
		unknown = append(unknown, strconv.Itoa(i+1))
	}
	switch {
	case len(names) == 0:
		return project.Invalidf("list names of notes or patients, one on each line", "the cohort is empty")
	case len(unknown) == 0:
		return nil
	}
	list := "names " + strings.Join(unknown, ", ")
	if len(unknown) == 1 {
		list = "name " + unknown[0]
	}
	if more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return project.Invalidf("write each name as the import has it, one on each line", "the project has no note and no patient for %s of the cohort", list)
}

// bucketDocs has the notes of releases that were made from a draft: number -> document numbers.
const bucketDocs = "release-notes"

// notesIn are the notes of a release of text.
func (s *Service) notesIn(id project.ID, number int) (map[annotate.DocumentID]bool, error) {
	in := map[annotate.DocumentID]bool{}
	ids, err := s.NumbersOf(id, number)
	for doc := range ids {
		in[doc] = true
	}
	return in, err
}

// NumbersOf are the numbers that notes have in a release of text, from its re-identification
// map. It is for a caller that has entered the project.
func (s *Service) NumbersOf(id project.ID, number int) (map[annotate.DocumentID]string, error) {
	if _, err := s.textRelease(id, number); err != nil {
		return nil, err
	}
	raw, err := project.Read(s.projects, id, func(tx *store.Tx) ([]byte, error) { return tx.Get(bucketMappings, store.Key(uint64(number))) })
	if errors.Is(err, store.ErrNotFound) {
		return nil, project.Invalidf("choose another release", "%s has no re-identification map, so nobody knows which notes it holds", releaseName(number))
	}
	if err != nil {
		return nil, err
	}
	rows, err := mappedRows(raw)
	out := make(map[annotate.DocumentID]string, len(rows))
	for _, row := range rows {
		out[row.Document] = row.ID
	}
	return out, err
}

// textRelease is a release of text.
func (s *Service) textRelease(id project.ID, number int) (Release, error) {
	r, err := s.storedRelease(id, number)
	if err == nil && r.Kind != KindText {
		err = project.Invalidf("choose a release of text", "%s holds %s", cmp.Or(r.Name, releaseName(number)), r.Kind.Words())
	}
	return r, err
}
