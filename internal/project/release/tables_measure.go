// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"errors"
	"slices"

	"hide/internal/project"
	"hide/internal/publish/incognito"
	"hide/internal/publish/kanonymity"
	"hide/internal/publish/mondrian"
	"hide/internal/publish/table"
)

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
	one.Sizes = sizesOf(r.Classes)
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
