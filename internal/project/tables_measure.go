// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"hide/internal/publish/mondrian"
	"hide/internal/publish/privacy"
	"hide/internal/publish/table"
)

// mostExamples is how many classes a preview shows.
const mostExamples = 6

// tryTable measures a table with one k. That there is none is in the choice; an
// error is that the work was stopped.
func tryTable(ctx context.Context, t *table.Table, set TableSettings) (TableChoice, error) {
	one := TableChoice{K: set.K}
	classes, err := classesOf(ctx, t, set)
	if ctx.Err() != nil {
		return one, ctx.Err()
	}
	if err != nil {
		one.Error = err.Error()
		return one, nil
	}
	g := t.Generalize(classes)
	one.NCP, one.Classes, one.Discernibility = g.NCP(classes), len(classes), classes.Discernibility()
	one.Losses, one.Risk, one.Sizes = lossesOf(g, classes), riskOf(classes), sizesOf(classes)
	one.Least, one.Most, one.Mean = extremes(classes)
	one.Suppressed = t.Rows - people(classes)
	one.Diverse = leastDiverse(t, classes)
	one.Examples = examplesOf(g, classes)
	return one, nil
}

// classesOf puts the rows of a table into classes as they are asked for.
func classesOf(ctx context.Context, t *table.Table, set TableSettings) (table.Classes, error) {
	var conditions []privacy.Condition
	for _, c := range t.With(table.Sensitive) {
		models, err := privacy.New(c, set.Diversity)
		if err != nil {
			return nil, err
		}
		for _, m := range models {
			conditions = append(conditions, privacy.Condition{Column: c, Model: m})
		}
	}
	if set.Diversity != (table.Diversity{}) && len(conditions) == 0 {
		return nil, errors.New("diversity is asked for and no attribute is sensitive")
	}
	return mondrian.Partition(ctx, t, mondrian.Options{K: set.K, Cut: mondrian.Cut(set.Method.Cut), Relaxed: set.Method.Relaxed, Conditions: conditions})
}

func people(classes table.Classes) int {
	n := 0
	for _, c := range classes {
		n += len(c)
	}
	return n
}

// sameValues are the classes of a table as it is: rows with equal quasi-identifiers.
func sameValues(t *table.Table) table.Classes {
	columns, index := t.With(table.Quasi), map[string]int{}
	var classes table.Classes
	var key []byte
	for row := range t.Rows {
		key = key[:0]
		for _, c := range columns {
			key = binary.BigEndian.AppendUint32(key, uint32(c.Codes[row]))
		}
		i, known := index[string(key)]
		if !known {
			i = len(classes)
			index[string(key)] = i
			classes = append(classes, nil)
		}
		classes[i] = append(classes[i], int32(row))
	}
	return classes
}

// riskOf is what classes leave to somebody who knows the quasi-identifiers of a
// patient and that she is in the table: 1/size (El Emam's prosecutor), and the mean
// over all patients, which is classes/patients (marketer).
func riskOf(classes table.Classes) TableRisk {
	var r TableRisk
	n := people(classes)
	if n == 0 {
		return r
	}
	for _, c := range classes {
		risk := 1 / float64(len(c))
		r.Highest = max(r.Highest, risk)
		if risk > AtRiskAbove {
			r.AtRisk += float64(len(c)) / float64(n)
		}
		if len(c) == 1 {
			r.Unique++
		}
	}
	r.Mean = float64(len(classes)) / float64(n)
	return r
}

func lossesOf(g table.Generalized, classes table.Classes) []TableLoss {
	losses, n := make([]TableLoss, len(g.Columns)), float64(max(1, people(classes)))
	for j, c := range g.Columns {
		losses[j].Name = c.Name
		for i, class := range classes {
			losses[j].NCP += g.Cells[i][j].Loss * float64(len(class)) / n
		}
	}
	return losses
}

func extremes(classes table.Classes) (least, most int, mean float64) {
	for i, c := range classes {
		if i == 0 || len(c) < least {
			least = len(c)
		}
		most = max(most, len(c))
	}
	if len(classes) > 0 {
		mean = float64(people(classes)) / float64(len(classes))
	}
	return least, most, mean
}

// sizesOf counts patients by the size of their class: 1, 2, 3-4, 5-9, 10-19, and
// twice as far each.
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

// leastDiverse is the least number of different values that a class has of a
// sensitive attribute.
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

// examplesOf are classes from all over the table.
func examplesOf(g table.Generalized, classes table.Classes) []TableClass {
	n := min(mostExamples, len(classes))
	examples := make([]TableClass, n)
	for i := range examples {
		at := i * len(classes) / n
		examples[i].Size = len(classes[at])
		for _, cell := range g.Cells[at] {
			examples[i].Cells = append(examples[i].Cells, cell.Text)
		}
	}
	return examples
}
