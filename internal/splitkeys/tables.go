// SPDX-License-Identifier: Apache-2.0

package splitkeys

import (
	"context"
	"errors"

	"hide/internal/annotate"
	"hide/internal/project/links"
	"hide/internal/publish/idview"
	"hide/internal/publish/kanonymity"
	"hide/internal/publish/mondrian"
	"hide/internal/publish/risk"
	"hide/internal/publish/table"
)

// Class is a k-anonymous table, with its classes by rows and by people.
type Class struct {
	Linked      bool    `json:"linked"`
	Rows        int     `json:"rows"`
	Classes     int     `json:"classes"`
	Claimed     int     `json:"claimed_k"`           // rows of the smallest class
	True        int     `json:"true_k"`              // people of the class with the fewest people
	Below       int     `json:"classes_below_k"`     // with fewer than k people
	Exposed     int     `json:"people_below_k"`      // in these classes
	Duplicates  int     `json:"duplicates"`          // rows of a person who has another row
	Expected    float64 `json:"expected_duplicates"` // by the linkage; 0 without one
	Least       float64 `json:"expected_k"`          // expected people of the smallest class; 0 without linkage
	Probability float64 `json:"probability_below_k"` // that some class has fewer than k people, estimated; 0 without linkage
}

// quasi are the attributes of the table, as far as notes have them.
var quasi = []idview.Attribute{
	{Key: idview.Key{Source: idview.Field, Name: "birth_date"}, Role: table.Quasi, Kind: table.Date, Take: idview.Most},
	{Key: idview.Key{Source: idview.Field, Name: "sex"}, Role: table.Quasi, Kind: table.Nominal, Take: idview.Most},
	{Key: idview.Key{Source: idview.Field, Name: "zip"}, Role: table.Quasi, Kind: table.Code, Take: idview.Most},
}

// tables publishes one row per record, and one row per linked patient. Without fields of
// patients there are no tables.
func (t *trial) tables(ctx context.Context) ([]Class, error) {
	docs, ws, err := t.documents(ctx)
	if err != nil {
		return nil, err
	}
	figures, err := links.FiguresOf(ws)
	if err != nil {
		return nil, err
	}
	out := []Class{}
	for _, linked := range []bool{false, true} {
		rows := make([]annotate.Document, len(docs))
		for i, d := range docs {
			rows[i] = d.Document
			if !linked {
				rows[i].Linked, rows[i].Also = "", nil
			}
		}
		c, people, classes, err := t.table(ctx, rows)
		if errors.Is(err, mondrian.ErrImpossible) || errors.Is(err, errNoFields) {
			return []Class{}, nil
		}
		if err != nil {
			return nil, err
		}
		if c.Linked = linked; linked && figures != nil {
			c.estimate(figures.Duplicates(ws.Links(), people.Groups()), classes, t.options.K)
		}
		out = append(out, c)
	}
	return out, nil
}

var errNoFields = errors.New("the notes have no fields for a table")

// estimate says what the linkage expects of the classes, without the truth.
func (c *Class) estimate(d risk.Duplicates, classes table.Classes, k int) {
	if d.Rows > 0 {
		r := risk.Classes(d, classes, k)
		c.Expected, c.Least, c.Probability = d.Expected(), r.Least, r.Below
	}
}

// table publishes a table of notes, and counts the people of its classes.
func (t *trial) table(ctx context.Context, docs []annotate.Document) (c Class, people *idview.People, classes table.Classes, err error) {
	people = idview.NewPeople()
	persons := map[string]map[string]bool{} // of each group
	for _, d := range docs {
		people.Add(d, nil, false)
		if persons[d.Group()] == nil {
			persons[d.Group()] = map[string]bool{}
		}
		persons[d.Group()][t.truth[d.Name]] = true
	}
	found := map[idview.Key]bool{}
	for _, f := range people.Found() {
		found[f.Key] = true
	}
	var columns []idview.Attribute
	for _, a := range quasi {
		if found[a.Key] {
			columns = append(columns, a)
		}
	}
	if len(columns) == 0 {
		return c, nil, nil, errNoFields
	}
	view, err := people.View(columns)
	if err != nil {
		return c, nil, nil, err
	}
	made, err := kanonymity.Anonymize(ctx, view.Table, table.Config{Privacy: table.Privacy{K: t.options.K}})
	if err != nil {
		return c, nil, nil, err
	}
	of := make([]map[string]bool, people.Rows())
	for group, row := range people.Groups() {
		of[row] = persons[group]
	}
	return counted(made.Classes, of, t.options.K), people, made.Classes, nil
}

// counted counts the people of classes of rows. A row may have several people.
func counted(classes table.Classes, of []map[string]bool, k int) Class {
	c := Class{Rows: len(of), Classes: len(classes)}
	everybody := map[string]bool{}
	for i, class := range classes {
		people := map[string]bool{}
		for _, row := range class {
			for person := range of[row] {
				people[person] = true
				everybody[person] = true
			}
		}
		if i == 0 || len(class) < c.Claimed {
			c.Claimed = len(class)
		}
		if i == 0 || len(people) < c.True {
			c.True = len(people)
		}
		if len(people) < k {
			c.Below++
			c.Exposed += len(people)
		}
	}
	c.Duplicates = max(0, c.Rows-len(everybody))
	return c
}
