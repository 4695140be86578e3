// SPDX-License-Identifier: Apache-2.0

// Package kanonymity publishes k-anonymous tables (weak privacy; HIDE dissertation, 2.3.1 and
// 5.1): each row is one record, whose quasi-identifiers are generalized until at least k
// records share them.
//
//	r, err := kanonymity.Anonymize(ctx, t, config)
//	report, err := r.Report(ctx)
//	sum, err := r.Write(ctx, dir, kanonymity.Origin{...}, report)
//
// [Anonymize] finds the equivalence classes, [Result.Report] measures risk and utility
// before and after, and [Result.Write] writes a folder that package verify checks before
// it appears.
//
// # Caveats
//
// K-anonymity protects against an attacker who knows the quasi-identifiers and nothing
// more. The statement in each release says so.
package kanonymity

import (
	"cmp"
	"context"
	"errors"
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
	Suppressed  []int32  // suppressed rows
	Lattice     *Lattice // of incognito
	Conditions  []privacy.Condition
	Parameters  Parameters

	population *table.Table // with the released rows first; nil without one
	people     []int        // [class] people of the population in it, nil without one
	estimated  *Estimated   // nil when the size of the population is unknown
}

// Anonymize generalizes a table as configured. It returns an error that wraps
// [mondrian.ErrImpossible] when the table cannot satisfy the requirements.
func Anonymize(ctx context.Context, t *table.Table, c table.Config) (*Result, error) {
	c = withDefaults(c)
	r := &Result{Parameters: Parameters{
		K: c.Privacy.K, Map: c.Privacy.Counts == table.CountPeople, Method: c.Method.Name, Cut: c.Method.Cut, Relaxed: c.Method.Relaxed, Suppression: c.Method.Suppression,
	}}
	err := r.place(t, c)
	if err != nil {
		return nil, err
	}
	if r.Conditions, err = privacy.Conditions(r.Table, c); err != nil {
		return nil, err
	}
	switch c.Method.Name {
	case Mondrian:
		err = r.mondrian(ctx, c)
	case Incognito:
		err = r.incognito(ctx, c)
	default:
		err = fmt.Errorf("unknown method; it is %s or %s", Mondrian, Incognito)
	}
	if err == nil && r.population != nil && !r.Parameters.Map {
		r.people, err = r.population.PeopleByClass(ctx, r.Classes, r.Parameters.Levels)
	}
	if err == nil && c.People > 0 {
		err = r.estimate(ctx, c.People)
	}
	return r, err
}

// place finds the rows that are partitioned: all, those to release, or all people of
// the population when k counts people.
func (r *Result) place(t *table.Table, c table.Config) (err error) {
	r.Table = t
	if c.Sample.Column != "" {
		if t, err = t.In(c.Sample); err != nil {
			return err
		}
	}
	switch {
	case t.Sample == 0 && r.Parameters.Map:
		return errors.New("k counts people of a population: give the population, too")
	case t.Sample == 0:
		return nil
	case c.Method.Name == Incognito:
		t = t.WithTrees()
	}
	r.population, r.Table = t, t
	if !r.Parameters.Map {
		r.Table = t.Released()
	}
	return nil
}

// withDefaults fills in defaults.
func withDefaults(c table.Config) table.Config {
	m := &c.Method
	if c.Sample.Column != "" && c.Privacy.Counts == "" {
		c.Privacy.Counts = table.CountPeople
	}
	m.Name = cmp.Or(m.Name, Mondrian)
	if m.Cut == "" && m.Name == Mondrian {
		m.Cut = string(mondrian.NCP)
		if m.Relaxed {
			m.Cut = string(mondrian.Nearest)
		}
	}
	return c
}

func (r *Result) mondrian(ctx context.Context, c table.Config) (err error) {
	if c.Method.Suppression != 0 || c.Method.Levels != nil {
		return fmt.Errorf("suppression and levels are for method %s", Incognito)
	}
	r.Classes, err = mondrian.Partition(ctx, r.Table, mondrian.Options{
		K: c.Privacy.K, Cut: mondrian.Cut(c.Method.Cut), Relaxed: c.Method.Relaxed, Conditions: r.Conditions,
	})
	r.Generalized = r.Table.Generalize(r.Classes)
	if r.Parameters.Map {
		r.keepSample()
	}
	return err
}

// keepSample removes people who are in the classes only to be counted. The values of the
// classes still cover all of their people.
func (r *Result) keepSample() {
	classes, cells := r.Classes, r.Generalized.Cells
	r.Classes, r.Generalized.Cells = nil, nil
	for i, class := range classes {
		var kept []int32
		people := 0
		for _, row := range class {
			if int(row) < r.Table.Sample {
				kept = append(kept, row)
			}
			if !r.Table.Absent(row) {
				people++
			}
		}
		if len(kept) > 0 {
			r.Classes, r.Generalized.Cells, r.people = append(r.Classes, kept), append(r.Generalized.Cells, cells[i]), append(r.people, people)
		}
	}
}

// Lattice are the combinations of levels of a full-domain generalization.
type Lattice struct {
	Attributes []string         `json:"attributes"` // quasi-identifiers, in the order of levels
	Top        []int            `json:"top"`        // most general level of each, where all values are equal
	Nodes      int              `json:"nodes"`
	Holding    int              `json:"holding"` // nodes that satisfy the requirements
	Minimal    int              `json:"minimal"` // of these, without a less general one
	Taken      []int            `json:"taken"`
	Best       []int            `json:"best"`   // least information loss; may be above a minimal node that suppresses more rows
	Losses     []incognito.Loss `json:"losses"` // of minimal nodes and the chosen one, least NCP first
}

// incognito generalizes whole attributes to the configured levels, or to those with the
// least information loss.
func (r *Result) incognito(ctx context.Context, c table.Config) error {
	if r.Parameters.Map {
		return fmt.Errorf("k can count people only with method %s", Mondrian)
	}
	if c.Method.Cut != "" || c.Method.Relaxed {
		return fmt.Errorf("cut and relaxed are for method %s", Mondrian)
	}
	share := c.Method.Suppression / 100
	for _, condition := range r.Conditions {
		if _, ok := condition.Model.(privacy.Closeness); ok && share > 0 {
			return fmt.Errorf("suppression cannot be combined with t-closeness: suppressed rows would change the distribution that classes are compared with")
		}
	}
	r.Table = r.Table.WithTrees()
	levels, err := levelsOf(r.Table, c.Method.Levels)
	if err != nil {
		return err
	}
	found, err := incognito.Search(ctx, r.Table, incognito.Options{K: c.Privacy.K, Suppression: share, Conditions: r.Conditions, Levels: levels})
	if err != nil {
		return err
	}
	r.Lattice, r.Parameters.Levels = latticeOf(r.Table, found), found.Taken
	r.Classes, r.Suppressed = incognito.Classes(r.Table, found.Taken, c.Privacy.K, r.Conditions)
	r.Generalized = r.Table.GeneralizeTo(found.Taken, r.Classes)
	return nil
}

// levelsOf puts levels in the order of the quasi-identifiers, each of which must
// have one.
func levelsOf(t *table.Table, named map[string]int) ([]int, error) {
	if named == nil {
		return nil, nil
	}
	var levels []int
	for _, c := range t.With(table.Quasi) {
		level, there := named[c.Name]
		if !there {
			return nil, fmt.Errorf("the levels lack attribute %q: each quasi-identifier needs one", c.Name)
		}
		levels = append(levels, level)
	}
	if len(levels) < len(named) {
		return nil, fmt.Errorf("there are levels for %d attributes and %d quasi-identifiers: only quasi-identifiers have a level", len(named), len(levels))
	}
	return levels, nil
}

func latticeOf(t *table.Table, found incognito.Result) *Lattice {
	l := &Lattice{Nodes: found.Nodes, Holding: found.Holding, Minimal: len(found.Minimal), Taken: found.Taken, Best: found.Best, Losses: found.Losses}
	for _, c := range t.With(table.Quasi) {
		l.Attributes, l.Top = append(l.Attributes, c.Name), append(l.Top, len(c.Tree.Nodes)-1)
	}
	return l
}

// Levels are the levels of a node by attribute, as in a configuration.
func (l *Lattice) Levels(node []int) map[string]int {
	named := make(map[string]int, len(node))
	for i, level := range node {
		named[l.Attributes[i]] = level
	}
	return named
}

// Named writes the levels of a node as for --levels: "age=1,sex=0".
func (l *Lattice) Named(node []int) string { return incognito.Named(l.Attributes, node) }
