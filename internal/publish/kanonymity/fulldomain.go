// SPDX-License-Identifier: Apache-2.0

package kanonymity

import (
	"context"
	"fmt"

	"hide/internal/publish/incognito"
	"hide/internal/publish/privacy"
	"hide/internal/publish/table"
)

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
