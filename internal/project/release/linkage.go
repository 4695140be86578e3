// SPDX-License-Identifier: Apache-2.0

package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/links"
	"hide/internal/publish/idview"
	"hide/internal/publish/ledger"
	"hide/internal/publish/release"
	"hide/internal/publish/risk"
	"hide/internal/publish/table"
)

// Counted says how a project's records are counted as patients.
type Counted struct {
	Agreement links.Agreement
	Linkage   release.Linkage // of all notes
	Since     int             // notes that were imported or restored after the linkage
	Waiting   int             // pairs that wait for a decision
}

// Counted is shown before anything is published.
func (s *Service) Counted(ctx context.Context, by account.User, id project.ID) (Counted, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return Counted{}, err
	}
	c, err := s.counting(ctx, ws)
	if err != nil {
		return Counted{}, err
	}
	out := Counted{Agreement: c.agreement, Linkage: *c.linkage(ws.All())}
	if c.figures != nil {
		out.Since, out.Waiting = c.figures.ImportedSince(ws.Workspace), c.figures.Review
	}
	return out, nil
}

// LinkedOrSaid refuses a release while records look like the same people and are counted as
// different patients, unless a person said so. What the person said goes into the audit trail.
func (s *Service) LinkedOrSaid(ctx context.Context, ws *project.Workspace, by account.User, unlinked bool) error {
	a, err := s.agreeing(ctx, s.of(ws))
	if err != nil || a.Records == 0 {
		return err
	}
	if !unlinked {
		return unlinkedError(a)
	}
	return s.projects.Record(ws.ID, project.EventBy(by, "publish unlinked", ws.ID.Object(), a.Words()))
}

func unlinkedError(a links.Agreement) error {
	return project.Obstructed(project.Unlinked, "link the records first, or say that they are published unlinked", "%s", strings.TrimSuffix(a.Words(), "."))
}

// agreeing is the agreement of the project's records, found again when notes, links or decisions
// have changed.
func (s *Service) agreeing(ctx context.Context, ws *workspace) (links.Agreement, error) {
	ws.agreement.Lock()
	defer ws.agreement.Unlock()
	mark, err := links.AgreementMark(ws.Workspace)
	if err != nil || mark == ws.agreedMark {
		return ws.agreed, err
	}
	a, err := links.Agreeing(ctx, ws.Workspace)
	if err == nil {
		ws.agreed, ws.agreedMark = a, mark
	}
	return a, err
}

// counting is how the records of a project are counted now.
type counting struct {
	ws        *workspace
	links     *project.Links
	figures   *links.Figures // nil if the records were never linked
	agreement links.Agreement
	unlinked  bool // a person said to publish without linking
}

func (s *Service) counting(ctx context.Context, ws *workspace) (*counting, error) {
	agreement, err := s.agreeing(ctx, ws)
	figures, err2 := links.FiguresOf(ws.Workspace)
	return &counting{ws: ws, links: ws.Links(), figures: figures, agreement: agreement}, errors.Join(err, err2)
}

// countingFor is the counting of a release, which a person may have said to publish unlinked.
// Notes that were imported since the person was asked may need another answer.
func (s *Service) countingFor(ctx context.Context, ws *workspace, unlinked bool) (*counting, error) {
	c, err := s.counting(ctx, ws)
	if err != nil {
		return nil, err
	}
	if c.unlinked = unlinked; c.agreement.Records > 0 && !unlinked {
		return nil, unlinkedError(c.agreement)
	}
	return c, nil
}

// LinkageOf is what a release of all notes says of linkage.
func (s *Service) LinkageOf(ctx context.Context, ws *project.Workspace, unlinked bool) (*release.Linkage, error) {
	c, err := s.countingFor(ctx, s.of(ws), unlinked)
	if err != nil {
		return nil, err
	}
	return c.linkage(ws.All()), nil
}

// unchanged refuses a release if records were linked or separated since it was begun: its rows
// may be of other patients.
func (c *counting) unchanged() error {
	if c.ws.Links().Version == c.links.Version {
		return nil
	}
	return &project.Error{Kind: project.Stale, Message: "records were linked or separated while the release was made", Hint: "check the new figures, and publish again"}
}

// linkage is what a release of some notes says of linkage.
func (c *counting) linkage(docs []annotate.DocumentID) *release.Linkage {
	records, row := map[string]bool{}, map[string]int{}
	for _, doc := range docs {
		st, err := c.ws.Find(doc)
		if err != nil {
			continue // deleted meanwhile
		}
		records[st.Group] = true
		unit := cmp.Or(c.links.Of[st.Group], st.Group)
		if _, ok := row[unit]; !ok {
			row[unit] = len(row)
		}
	}
	return c.linkageOf(len(records), row)
}

// counts says how the records of some notes are counted in a release of text, and has
// [Service.write] refuse it if they are linked or separated before it is written.
func (m *Making) counts(c *counting, docs []annotate.DocumentID) {
	m.counted, m.Linkage = c, c.linkage(docs)
}

// linkageOf is what a release says of linkage that has these rows, by the record that stands for
// each patient.
func (c *counting) linkageOf(records int, row map[string]int) *release.Linkage {
	l := &release.Linkage{Linked: c.links.Version > 0, Agreeing: c.agreement.Records, Unlinked: c.unlinked, Records: records, Patients: len(row)}
	if f := c.figures; f != nil && l.Linked {
		l.LinkageError = &release.LinkageError{Links: f.Links, Decided: f.Decided, Missed: f.Missed, False: f.False, Precision: f.Precision, Recall: f.Recall}
		twice := c.figures.Duplicates(c.links, row).Expected()
		l.Duplicates = &twice
	}
	return l
}

// classRisk is what missed links mean for classes of rows; nil if nothing is estimated.
func classRisk[C ~[]I, I ~int | ~int32](c *counting, row map[string]int, classes []C, k int) *release.LinkageRisk {
	if c.figures == nil || c.links.Version == 0 || len(classes) == 0 {
		return nil
	}
	r := risk.Classes(c.figures.Duplicates(c.links, row), classes, k)
	return &release.LinkageRisk{K: k, People: r.Least, Risk: 1 / r.Least, BelowK: r.Below}
}

// tableRisk is the risk of the classes of a table of all patients; nil if k counts people of a
// population, which has everybody once.
func (c *counting) tableRisk(people *idview.People, classes table.Classes, set TableSettings) *release.LinkageRisk {
	if set.Map {
		return nil
	}
	return classRisk(c, people.Groups(), classes, set.K)
}

// jointRisk is the risk of the classes of notes with a table.
func (c *counting) jointRisk(made *jointMade, k int) *release.LinkageRisk {
	return classRisk(c, made.persons(), made.parts.Classes, k)
}

// persons are the places of the persons of a view, by the record that stands for each.
func (made *jointMade) persons() map[string]int {
	row := map[string]int{}
	for person := range made.origin.Persons() {
		row[made.rows[made.origin.RowsOf(person)[0]].Values[jointPerson]] = person
	}
	return row
}

// linkInto writes what a release says of linkage into the manifest of its folder.
func (m *Making) linkInto(kept Kept) error {
	if m.Linkage == nil {
		return nil
	}
	l, was := *m.Linkage, m.SHA256
	if m.Kind.Strong() {
		l = m.Linkage.Public()
	}
	var err error
	if m.SHA256, err = release.SetLinkage(m.Dir, l); err == nil && kept[bucketMappings] != nil {
		kept[bucketMappings] = release.Remap(kept[bucketMappings], was, m.SHA256)
	}
	return err
}

// LinkageWords say how the release counts patients, and what a patient who counts twice means
// for it.
func (r Release) LinkageWords() []string {
	out := r.Linkage.Words()
	if r.Linkage == nil || r.Linkage.Duplicates == nil {
		return out
	}
	switch {
	case r.Strong != nil && r.Strong.Asked != nil && r.Strong.Asked.Unjoined > 1:
		return append(out, TwiceBoundWords)
	case r.Strong != nil:
		return append(out, TwiceEpsilonWords(r.Strong.Epsilon))
	case r.Policy != nil:
		return append(out, TwiceTextWords)
	}
	return out
}

// LinkageSaid is what the release itself says of linkage: without counts, if it costs epsilon.
func (r Release) LinkageSaid() []string {
	if r.Linkage == nil || !r.Kind.Strong() {
		return r.LinkageWords()
	}
	l := r.Linkage.Public()
	return l.Words()
}

// TwiceTextWords say what a missed link means for replaced text.
const TwiceTextWords = "A patient who counts twice has two shifts of dates and two sets of invented values."

// TwiceBoundWords say what a missed link means where one patient may count several times.
const TwiceBoundWords = "The noise covers a patient who counts several times, up to the number in the settings."

// TwiceEpsilonWords say what a missed link means for a release that costs epsilon: group privacy
// (Dwork and Roth 2014, theorem 2.2).
func TwiceEpsilonWords(epsilon ledger.Micro) string {
	return fmt.Sprintf("A patient who counts twice spends epsilon %v, and not %v: the noise covers one count.", 2*epsilon, epsilon)
}
