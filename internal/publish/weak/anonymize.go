// SPDX-License-Identifier: Apache-2.0

package weak

import (
	"context"
	"fmt"

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
}

// Anonymize generalizes a table as configured. It returns an error that wraps
// [mondrian.ErrImpossible] when the table cannot be published so.
func Anonymize(ctx context.Context, t *table.Table, c table.Config) (*Result, error) {
	conditions, err := privacy.Conditions(t, c)
	if err != nil {
		return nil, err
	}
	c = withDefaults(c)
	r := &Result{Table: t, Conditions: conditions, Parameters: Parameters{
		K: c.Privacy.K, Method: c.Method.Name, Cut: c.Method.Cut, Relaxed: c.Method.Relaxed, Suppression: c.Method.Suppression,
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
	return err
}

// incognito generalizes whole attributes to the levels that lose least.
func (r *Result) incognito(ctx context.Context, c table.Config) error {
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
