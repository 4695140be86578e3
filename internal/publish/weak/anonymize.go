// SPDX-License-Identifier: Apache-2.0

package weak

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hide/internal/publish/incognito"
	"hide/internal/publish/mondrian"
	"hide/internal/publish/privacy"
	"hide/internal/publish/table"
)

// Names of the methods.
const (
	Mondrian  = "mondrian"
	Incognito = "incognito"
)

// Result is a table with its quasi-identifiers generalized.
type Result struct {
	Table       *table.Table
	Classes     table.Classes
	Generalized table.Generalized
	Suppressed  []int32           // rows that are left out
	Lattice     *incognito.Result // of incognito
	Conditions  []privacy.Condition
	Parameters  Parameters

	sample []bool // [row] is released; nil when all are
	people []int  // [class] rows of the population, nil when that is the table
}

// Anonymize generalizes a table as configured. It returns an error that wraps
// [mondrian.ErrImpossible] when the table cannot be published so.
func Anonymize(ctx context.Context, t *table.Table, c table.Config) (*Result, error) {
	c = withDefaults(c)
	var in []bool
	if c.Sample.Column != "" {
		if t, in = t.In(c.Sample); !slices.Contains(in, true) {
			return nil, errors.New("no row is in the sample")
		}
	}
	conditions, err := privacy.Conditions(t, c)
	if err != nil {
		return nil, err
	}
	r := &Result{Table: t, Conditions: conditions, sample: in, Parameters: Parameters{
		K: c.Privacy.K, Map: in != nil, Method: c.Method.Name, Cut: c.Method.Cut, Relaxed: c.Method.Relaxed, Suppression: c.Method.Suppression,
	}}
	switch c.Method.Name {
	case Mondrian:
		err = r.mondrian(ctx, c)
	case Incognito:
		err = r.incognito(ctx, c)
	default:
		err = fmt.Errorf("method is %s or %s", Mondrian, Incognito)
	}
	return r, err
}

// withDefaults says what was left open.
func withDefaults(c table.Config) table.Config {
	m := &c.Method
	if m.Name == "" {
		m.Name = Mondrian
	}
	if m.Cut == "" && m.Name == Mondrian {
		m.Cut = string(mondrian.NCP)
		if m.Relaxed {
			m.Cut = string(mondrian.Nearest)
		}
	}
	return c
}

func (r *Result) mondrian(ctx context.Context, c table.Config) (err error) {
	if c.Method.Suppression != 0 {
		return fmt.Errorf("suppression goes with method %s", Incognito)
	}
	r.Classes, err = mondrian.Partition(ctx, r.Table, mondrian.Options{
		K: c.Privacy.K, Cut: mondrian.Cut(c.Method.Cut), Relaxed: c.Method.Relaxed, Conditions: r.Conditions,
	})
	r.Generalized = r.Table.Generalize(r.Classes)
	r.keepSample()
	return err
}

// keepSample drops what is in the classes only to be counted. The values of the
// classes still cover all of their people.
func (r *Result) keepSample() {
	if r.sample == nil {
		return
	}
	classes, cells := r.Classes, r.Generalized.Cells
	r.Classes, r.Generalized.Cells = nil, nil
	for i, class := range classes {
		var kept []int32
		for _, row := range class {
			if r.sample[row] {
				kept = append(kept, row)
			}
		}
		if len(kept) > 0 {
			r.Classes, r.Generalized.Cells, r.people = append(r.Classes, kept), append(r.Generalized.Cells, cells[i]), append(r.people, len(class))
		}
	}
}

// incognito generalizes whole attributes to the levels that lose least.
func (r *Result) incognito(ctx context.Context, c table.Config) error {
	if r.sample != nil {
		return fmt.Errorf("a sample goes with method %s", Mondrian)
	}
	if c.Method.Cut != "" || c.Method.Relaxed {
		return fmt.Errorf("cut and relaxed go with method %s", Mondrian)
	}
	share := c.Method.Suppression / 100
	for _, condition := range r.Conditions {
		if _, ok := condition.Model.(privacy.Closeness); ok && share > 0 {
			return fmt.Errorf("suppression does not go with t-closeness: rows left out would change what classes are compared with")
		}
	}
	r.Table = r.Table.WithTrees()
	found, err := incognito.Search(ctx, r.Table, incognito.Options{K: c.Privacy.K, Suppression: share, Conditions: r.Conditions})
	if err != nil {
		return err
	}
	r.Lattice, r.Parameters.Levels = &found, found.Best
	r.Classes, r.Suppressed = incognito.Classes(r.Table, found.Best, c.Privacy.K, r.Conditions)
	r.Generalized = r.Table.GeneralizeTo(found.Best, r.Classes)
	return nil
}
