// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"errors"
	"slices"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/publish/incognito"
	"hide/internal/publish/kanonymity"
	"hide/internal/publish/mondrian"
	"hide/internal/publish/release"
	"hide/internal/publish/risk"
	"hide/internal/publish/table"
	"hide/internal/words"
)

// StartPublishTable starts to release a table of the project's patients. people is the
// number of rows that the caller saw: another number is refused, and so is a second
// publication at the same time.
func (s *Service) StartPublishTable(ctx context.Context, by account.User, id project.ID, ending Ending, set TableSettings, people int) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	if err := set.check(); err != nil {
		return err
	}
	if err := s.LinkedOrSaid(ctx, ws.Workspace, by, set.Unlinked); err != nil {
		return err
	}
	if set.Among {
		if err := s.populationFits(ctx, ws); err != nil {
			return err
		}
	}
	there, err := s.People(ctx, ws.Workspace)
	if err != nil {
		return err
	}
	if there.Rows() != people {
		return &project.Error{Kind: project.Stale, Message: "the table would have " + words.Count(there.Rows(), "patient", "patients") + " by now", Hint: "check the new figures, and confirm"}
	}
	return s.Start(ws.Workspace, ending, Status{Kind: KindTable, Total: people}, func(ctx context.Context) error { return s.releaseTable(ctx, ws, by, ending, set) })
}

// releaseTable writes a table, verifies it before it appears, and records it.
func (s *Service) releaseTable(ctx context.Context, ws *workspace, by account.User, ending Ending, set TableSettings) error {
	counting, err := s.countingFor(ctx, ws, set.Unlinked)
	if err != nil {
		return err
	}
	v, err := s.tableView(ctx, ws, set.Among)
	if err != nil {
		return err
	}
	if err := counting.unchanged(); err != nil {
		return err
	}
	result, err := set.anonymize(ctx, v.Table)
	if err != nil {
		return err
	}
	report, err := result.Report(ctx)
	if err != nil {
		return err
	}
	r, err := s.Begin(ws.Workspace, by, KindTable, ending)
	if err != nil {
		return err
	}
	r.Linkage = counting.linkageOf(v.People.Counted(), v.People.Groups())
	r.Linkage.Classes = counting.tableRisk(v.People, result.Classes, set)
	r.Table = &TableRelease{Settings: set, Alone: v.Alone, Report: report}
	for _, c := range v.Table.Columns {
		if c.Role != table.Text {
			r.Table.Columns = append(r.Table.Columns, c.Name)
		}
	}
	if r.SHA256, err = result.Write(ctx, r.Dir, kanonymity.Origin{Tool: s.projects.Version(), Created: r.Created, Warnings: r.EarlierWords}, r.Table.Report); err != nil {
		return err
	}
	return s.Keep(ctx, ws.Workspace, by, r, Kept{})
}

// Kept is what the store keeps about a release, by bucket. It is as sensitive as the
// notes.
type Kept map[string][]byte

// TableSettings say how a table of a project's patients is published. The roles of
// its attributes are those of [Service.Identifiers].
type TableSettings struct {
	K      int          `json:"k"`      // smallest number of patients in a class, 2 or more
	Method table.Method `json:"method"` // the zero value is Mondrian with the cut of the least information loss
	// Diversity applies to every sensitive attribute; the zero value requires nothing.
	Diversity table.Diversity `json:"diversity"`
	People    int             `json:"people,omitempty"` // size of the population that the patients come from; 0 if unknown
	// Among compares with the population that was uploaded, in which k counts people
	// when Map says so.
	Among bool `json:"among,omitempty"`
	Map   bool `json:"map,omitempty"`
	// Unlinked says to publish although records look like the same people, see
	// [Service.LinkedOrSaid]. A preview ignores it.
	Unlinked bool `json:"unlinked,omitempty"`
}

// TablePreview is the information loss and risk of tables with several k, and the state
// of the computation.
type TablePreview struct {
	Tried []TableSettings // nil before the first preview
	PreviewStatus

	Rows      int           // patients, and notes without one
	Columns   []TableColumn // published columns
	Before    *risk.Figures // of the original values; nil before the first choice
	Choices   []TableChoice // in the order in which they are computed
	Remaining int           // settings of Tried not tried yet
}

// Version changes when other tables, or other patients, are previewed. Publishing refers
// to the version that was seen.
func (p TablePreview) Version() string { return p.version(p.Tried) }

// TableColumn is an attribute that would be published.
type TableColumn struct {
	Name string
	Role table.Role
}

// TableChoice is the result of one setting.
type TableChoice struct {
	TableSettings
	Error   string // why there is no such table; "" if there is one
	TooMuch bool   // k or the diversity is too high for these patients
	kanonymity.Report
	Least    int // patients of the smallest class
	Diverse  int // smallest number of different sensitive values in a class; 0 without sensitive attributes
	Sizes    []TableSizes
	Examples []TableClass // a few classes as they would be published
	// Missed is what missed links between records mean for the classes; nil if the records were
	// never linked.
	Missed *release.LinkageRisk

	classes table.Classes
}

// TableSizes is how many patients are in classes of From to To patients.
type TableSizes struct{ From, To, People int }

// TableClass is the generalized quasi-identifiers of a class.
type TableClass struct {
	Size  int
	Cells []string
}

// TableRelease is the record of a release of a table.
type TableRelease struct {
	Settings TableSettings     `json:"settings"`
	Columns  []string          `json:"columns"`
	Alone    int               `json:"alone"` // rows for notes without a patient
	Report   kanonymity.Report `json:"report"`
}

// mostExamples is how many classes a preview shows.
const mostExamples = 6

// config is the settings for a table.
func (set TableSettings) config(t *table.Table) table.Config {
	c := table.Config{Privacy: table.Privacy{K: set.K}, Method: set.Method, People: set.People}
	if set.Map {
		c.Privacy.Counts = table.CountPeople
	}
	for _, column := range t.With(table.Sensitive) {
		c.Attributes = append(c.Attributes, table.AttributeConfig{Name: column.Name, Role: table.Sensitive, Diversity: set.Diversity})
	}
	return c
}

// anonymize generalizes a table.
func (set TableSettings) anonymize(ctx context.Context, t *table.Table) (*kanonymity.Result, error) {
	if set.Diversity != (table.Diversity{}) && len(t.With(table.Sensitive)) == 0 {
		return nil, project.Invalidf("choose a sensitive attribute, or ask for no diversity", "diversity needs a sensitive attribute")
	}
	return kanonymity.Anonymize(ctx, t, set.config(t))
}

// tryTable measures a table with one setting. If no such table exists, the choice says
// so; an error means that the work was stopped.
func tryTable(ctx context.Context, t *table.Table, set TableSettings) (TableChoice, error) {
	one := TableChoice{TableSettings: set}
	r, err := set.anonymize(ctx, t)
	if ctx.Err() != nil {
		return one, ctx.Err()
	}
	if err != nil {
		one.Error, one.TooMuch = err.Error(), tooMuch(t, err)
		return one, nil
	}
	if one.Report, err = r.Report(ctx); err != nil {
		return one, err
	}
	one.Sizes, one.classes = sizesOf(r.Classes), r.Classes
	one.Diverse, one.Examples = leastDiverse(t, r.Classes), examplesOf(r)
	for _, c := range r.Classes {
		if one.Least == 0 || len(c) < one.Least {
			one.Least = len(c)
		}
	}
	return one, nil
}

// tooMuch reports whether there is no table because k or the diversity is too high.
func tooMuch(t *table.Table, err error) bool {
	impossible := errors.Is(err, mondrian.ErrImpossible) || errors.Is(err, incognito.ErrImpossible)
	return impossible && len(t.With(table.Quasi)) > 0
}

// sizesOf counts patients by the size of their class: 1, 2, 3-4, 5-9, 10-19, and so on,
// doubling.
func sizesOf(classes table.Classes) []TableSizes {
	sizes := []TableSizes{{1, 1, 0}, {2, 2, 0}, {3, 4, 0}, {5, 9, 0}}
	for _, c := range classes {
		for sizes[len(sizes)-1].To < len(c) {
			from := sizes[len(sizes)-1].To + 1
			sizes = append(sizes, TableSizes{from, 2*from - 1, 0})
		}
		i := slices.IndexFunc(sizes, func(s TableSizes) bool { return len(c) <= s.To })
		sizes[i].People += len(c)
	}
	return sizes
}

// leastDiverse is the smallest number of different values of a sensitive attribute in any
// class.
func leastDiverse(t *table.Table, classes table.Classes) int {
	least := 0
	for _, c := range t.With(table.Sensitive) {
		for _, class := range classes {
			different := map[int32]bool{}
			for _, row := range class {
				different[c.Codes[row]] = true
			}
			if n := len(different); least == 0 || n < least {
				least = n
			}
		}
	}
	return least
}

// examplesOf picks classes from all over the table.
func examplesOf(r *kanonymity.Result) []TableClass {
	n := min(mostExamples, len(r.Classes))
	examples := make([]TableClass, n)
	for i := range examples {
		at := i * len(r.Classes) / n
		examples[i].Size = len(r.Classes[at])
		for _, cell := range r.Generalized.Cells[at] {
			examples[i].Cells = append(examples[i].Cells, cell.Text)
		}
	}
	return examples
}
