// SPDX-License-Identifier: Apache-2.0

package privacy

import (
	"fmt"

	"hide/internal/publish/table"
)

// Condition is a model of one column.
type Condition struct {
	Column *table.Column
	Model  Model
}

// Conditions gives what a configuration asks of the sensitive attributes of a
// table.
func Conditions(t *table.Table, c table.Config) ([]Condition, error) {
	var all []Condition
	for _, a := range c.Attributes {
		if a.Role != table.Sensitive {
			continue
		}
		column := t.Column(a.Name)
		if column == nil {
			continue
		}
		models, err := New(column, a.Diversity)
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", a.Name, err)
		}
		for _, m := range models {
			all = append(all, Condition{column, m})
		}
	}
	return all, nil
}

// New gives the models that settings ask for, none to two. c.Codes, which are all
// rows of the table, are what t-closeness compares with.
func New(c *table.Column, d table.Diversity) ([]Model, error) {
	var models []Model
	l, err := diversity(d)
	if err != nil {
		return nil, err
	}
	if l != nil {
		models = append(models, l)
	}
	if d.T == 0 {
		if d.Distance != "" {
			return nil, fmt.Errorf("a distance needs t: it belongs to t-closeness")
		}
		return models, nil
	}
	t, err := closeness(c, d)
	if err != nil {
		return nil, err
	}
	return append(models, t), nil
}

func diversity(d table.Diversity) (Model, error) {
	whole := d.L == float64(int(d.L))
	switch {
	case d.L == 0 && (d.Kind != "" || d.C != 0):
		return nil, fmt.Errorf("diversity needs l")
	case d.L == 0:
		return nil, nil
	case !(d.L >= 1) || d.L > 1e9:
		return nil, fmt.Errorf("l must be at least 1")
	case d.C != 0 && d.Kind != "recursive":
		return nil, fmt.Errorf("c is only for recursive diversity")
	case d.Kind == "entropy":
		return Entropy{d.L}, nil
	case !whole:
		return nil, fmt.Errorf("l must be a whole number, except for entropy diversity")
	case d.Kind == "distinct" || d.Kind == "":
		return Distinct{int(d.L)}, nil
	case d.Kind != "recursive":
		return nil, fmt.Errorf("unknown diversity; it is distinct, entropy or recursive")
	case !(d.C > 0):
		return nil, fmt.Errorf("recursive diversity needs a c above 0")
	}
	return Recursive{d.C, int(d.L)}, nil
}

func closeness(c *table.Column, d table.Diversity) (Model, error) {
	m := Closeness{T: d.T, Distance: Distance(d.Distance), tree: c.Tree, q: shares(c)}
	if m.Distance == "" {
		m.Distance = defaultDistance(c)
	}
	switch {
	case !(d.T > 0 && d.T <= 1):
		return nil, fmt.Errorf("t must be above 0 and at most 1")
	case m.Distance != Equal && m.Distance != Ordered && m.Distance != Hierarchical:
		return nil, fmt.Errorf("unknown distance; it is equal, ordered or hierarchical")
	case m.Distance == Hierarchical && c.Tree == nil:
		return nil, fmt.Errorf("the hierarchical distance needs a hierarchy")
	}
	return m, nil
}

func defaultDistance(c *table.Column) Distance {
	switch {
	case c.Tree != nil:
		return Hierarchical
	case c.Kind == table.Number || c.Kind == table.Date || c.Kind == table.Ordinal:
		return Ordered
	}
	return Equal
}

// shares is how often each value is among the rows that count, 0 to 1.
func shares(c *table.Column) []float64 {
	q, n := make([]float64, len(c.Domain)), 0.0
	for _, code := range c.Codes {
		if code != table.Unseen {
			q[code]++
			n++
		}
	}
	for i := range q {
		q[i] /= n
	}
	return q
}
