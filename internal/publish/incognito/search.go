// SPDX-License-Identifier: Apache-2.0

// Package incognito finds full-domain generalizations: one level of the hierarchy of each
// quasi-identifier, the same for all rows, so that the equivalence classes satisfy the
// requirements (LeFevre, DeWitt, Ramakrishnan, SIGMOD 2005; HIDE dissertation, 5.1.1, with
// l-diversity added).
//
//	result, err := incognito.Search(ctx, t, incognito.Options{K: 5})
//	result.Minimal // all nodes in which no attribute can be generalized less
//	result.Best    // the one with the least information loss
//	result.Losses  // the information loss of each, to choose another by Options.Levels
//
// A node is a vector of levels, 0 for unchanged values. The search goes through sets of
// attributes from small to large and keeps the nodes that satisfy the requirements. A node
// that fails for some attributes fails for more of them (the subset property), and a node
// that satisfies them does so when it is generalized further, so that most nodes need not
// be evaluated.
//
// With suppression, rows of classes that fail may be suppressed up to a share. Then
// generalizing can break entropy and recursive l-diversity and t-closeness, when a class
// is merged with suppressed rows. With such a model the search evaluates every node.
package incognito

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"hide/internal/publish/privacy"
	"hide/internal/publish/table"
)

// Options are the requirements.
type Options struct {
	K           int                 // rows of a class at least; 2 or more
	Suppression float64             // share of all rows that may be suppressed, 0 to below 1
	Conditions  []privacy.Condition // on the sensitive values of each class
	Levels      []int               // node to choose, by quasi-identifier; default: the one with the least information loss
}

// Result is what a search found.
type Result struct {
	Nodes     int     // of the lattice
	Evaluated int     // nodes, of all sets of attributes, whose classes were counted
	Holding   int     // nodes of the lattice that satisfy the requirements
	Minimal   [][]int // holding nodes with no holding node below them, in order
	Best      []int   // the holding node with the least NCP; of equal ones the first
	NCP       float64 // of Best, 0 to 1; suppressed rows count 1
	Taken     []int   // Best, or the node of Options.Levels
	Losses    []Loss  // of the minimal nodes, [MostLosses] at most, and of Taken; least NCP first
}

// ErrImpossible is wrapped when no node satisfies the requirements.
var ErrImpossible = errors.New("no combination of generalization levels satisfies the requirements")

// ErrLevels is wrapped when the node of Options.Levels does not satisfy them.
var ErrLevels = errors.New("these levels do not satisfy the requirements")

// maxNodes bounds the nodes over all sets of attributes.
const maxNodes = 20_000_000

// mostNamed is how many attributes an error names.
const mostNamed = 3

// Search finds all minimal nodes of a table's lattice. Each quasi-identifier must
// have a tree ([table.Table.WithTrees]).
func Search(ctx context.Context, t *table.Table, o Options) (Result, error) {
	l, err := newLattice(t, o)
	if err != nil {
		return Result{}, err
	}
	holding, err := l.holding(ctx)
	if err != nil {
		return Result{}, err
	}
	if len(holding) == 0 {
		return Result{}, fmt.Errorf("%w: %s", ErrImpossible, o.words())
	}
	minimal, err := l.minimal(ctx, holding)
	if err != nil {
		return Result{}, err
	}
	r := Result{Nodes: l.nodes(), Evaluated: l.evaluated, Holding: len(holding), Minimal: minimal}
	best, err := l.best(ctx, holding)
	if err != nil {
		return r, err
	}
	r.Best, r.NCP, r.Taken = best.Levels, best.NCP, best.Levels
	if o.Levels != nil {
		r.Taken = slices.Clone(o.Levels)
	}
	if r.Losses, err = l.losses(ctx, r.Minimal, r.Taken); err != nil {
		return r, err
	}
	return r, l.refuse(o.Levels, r.Losses)
}

// refuse says why the node of Options.Levels, which is among the losses, cannot be chosen,
// and which nodes can.
func (l *lattice) refuse(levels []int, losses []Loss) error {
	if levels == nil {
		return nil
	}
	out := losses[slices.IndexFunc(losses, func(one Loss) bool { return slices.Equal(one.Levels, levels) })].Suppressed
	if out <= l.allowed() {
		return nil
	}
	var instead []string
	for _, one := range losses {
		if one.Minimal && len(instead) < 3 {
			instead = append(instead, l.named(one.Levels))
		}
	}
	return fmt.Errorf("%w: at %s %d of %d rows are in equivalence classes that fail (%s), and %d may be suppressed; the requirements are satisfied at %s", ErrLevels,
		l.named(levels), out, l.rows, l.words(), l.allowed(), strings.Join(instead, " or "))
}

func (l *lattice) named(levels []int) string {
	names := make([]string, len(l.columns))
	for i, c := range l.columns {
		names[i] = c.Name
	}
	return Named(names, levels)
}

// Named writes a node as for --levels: "age=1,sex=0".
func Named(attributes []string, levels []int) string {
	words := make([]string, len(levels))
	for i, level := range levels {
		words[i] = fmt.Sprintf("%s=%d", attributes[i], level)
	}
	return strings.Join(words, ",")
}

// words are the requirements in words.
func (o Options) words() string {
	words := fmt.Sprintf("k is %d", o.K)
	for _, c := range o.Conditions {
		words += fmt.Sprintf(", %s of %s", c.Model, c.Column.Name)
	}
	return words
}

// lattice is the search's state.
type lattice struct {
	Options
	rows      int
	trees     []*table.Tree // [attribute]
	columns   []*table.Column
	base      *group
	models    [][]privacy.Model // [sensitive attribute]
	tagging   bool              // what holds, holds when generalized
	evaluated int
	scratch   scratch
}

func newLattice(t *table.Table, o Options) (*lattice, error) {
	l := &lattice{Options: o, rows: t.Rows, columns: t.With(table.Quasi), tagging: true}
	switch {
	case o.K < 2:
		return nil, errors.New("k must be at least 2: a class of one row is that row")
	case o.K > t.Rows:
		return nil, fmt.Errorf("%w: k is %d and there are %d rows", ErrImpossible, o.K, t.Rows)
	case !(o.Suppression >= 0 && o.Suppression < 1):
		return nil, errors.New("suppression must be at least 0 and below 100 %")
	case len(l.columns) == 0:
		return nil, fmt.Errorf("%w: no attribute is a quasi-identifier", ErrImpossible)
	}
	for _, c := range l.columns {
		if c.Tree == nil {
			return nil, fmt.Errorf("attribute %q has no hierarchy", c.Name)
		}
		l.trees = append(l.trees, c.Tree)
	}
	if err := checkNodes(l.columns); err != nil {
		return nil, err
	}
	if err := l.checkLevels(); err != nil {
		return nil, err
	}
	l.gather(o.Conditions)
	return l, nil
}

// checkNodes refuses too many nodes over all sets of attributes. In each of them an
// attribute has one of its levels or is not in the set. The error names the attributes with
// most levels, without which there are few enough.
func checkNodes(columns []*table.Column) error {
	size := func(c *table.Column) float64 { return math.Log(float64(len(c.Tree.Nodes) + 1)) } // the product may overflow
	most, left := math.Log(maxNodes), 0.0
	for _, c := range columns {
		left += size(c)
	}
	if left <= most {
		return nil
	}
	tallest := slices.SortedStableFunc(slices.Values(columns), func(a, b *table.Column) int { return len(b.Tree.Nodes) - len(a.Tree.Nodes) })
	var names []string
	n := 0
	for ; left > most && n < len(tallest); n++ {
		left -= size(tallest[n])
		if n < mostNamed {
			names = append(names, fmt.Sprintf("%q, which has %d levels", tallest[n].Name, len(tallest[n].Tree.Nodes)))
		}
	}
	if n > mostNamed {
		names = append(names, fmt.Sprintf("%d more", n-mostNamed))
	}
	return fmt.Errorf("there are more than %d combinations of levels: remove or shorten the hierarchy of %s", maxNodes, strings.Join(names, "; of "))
}

// checkLevels refuses a node that is not in the lattice.
func (l *lattice) checkLevels() error {
	if l.Levels == nil {
		return nil
	}
	if len(l.Levels) != len(l.trees) {
		return fmt.Errorf("there are %d levels for %d quasi-identifiers: each needs one", len(l.Levels), len(l.trees))
	}
	for i, level := range l.Levels {
		if last := len(l.trees[i].Nodes) - 1; level < 0 || level > last {
			return fmt.Errorf("attribute %q has no level %d: levels go from 0, values unchanged, to %d", l.columns[i].Name, level, last)
		}
	}
	return nil
}

// all are the places of all quasi-identifiers.
func (l *lattice) all() []int {
	all := make([]int, len(l.trees))
	for i := range all {
		all[i] = i
	}
	return all
}

// gather groups the models by attribute and the rows by quasi-identifiers and sensitive values.
func (l *lattice) gather(conditions []privacy.Condition) {
	columns := slices.Clone(l.columns)
	for _, c := range conditions {
		at := slices.Index(columns[len(l.columns):], c.Column)
		if at < 0 {
			at = len(l.models)
			columns, l.models = append(columns, c.Column), append(l.models, nil)
		}
		l.models[at] = append(l.models[at], c.Model)
		if l.Suppression > 0 && !c.Model.AfterSuppression() {
			l.tagging = false
		}
	}
	l.base = newGroup(columns, len(l.columns), l.rows)
}

// nodes is the size of the lattice.
func (l *lattice) nodes() int {
	n := 1
	for _, tree := range l.trees {
		n *= len(tree.Nodes)
	}
	return n
}

// holding gives all nodes of the whole lattice that satisfy the requirements.
func (l *lattice) holding(ctx context.Context) ([]node, error) {
	all := l.all()
	if !l.tagging {
		return l.walk(ctx, all, func(node) bool { return true })
	}
	survivors := map[uint64]map[string]bool{} // by set of attributes: its holding nodes
	var last []node
	for set := uint64(1); set < 1<<len(all); set++ { // a set's subsets are smaller numbers
		var members []int
		for i := range all {
			if set>>i&1 == 1 {
				members = append(members, i)
			}
		}
		found, err := l.walk(ctx, members, func(n node) bool { return survives(survivors, set, members, n) })
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, nil // no set that holds this one has a node
		}
		survivors[set] = map[string]bool{}
		for _, n := range found {
			survivors[set][string(n)] = true
		}
		last = found
	}
	return last, nil
}

// survives says whether all subsets of a node, each without one attribute, hold.
func survives(survivors map[uint64]map[string]bool, set uint64, members []int, n node) bool {
	if len(members) == 1 {
		return true
	}
	for i, attribute := range members {
		below := append(slices.Clone(n[:i]), n[i+1:]...)
		if !survivors[set&^(1<<attribute)][string(below)] {
			return false
		}
	}
	return true
}

// walk evaluates the nodes over some attributes from the least general to the most, and
// gives those that satisfy the requirements.
func (l *lattice) walk(ctx context.Context, members []int, candidate func(node) bool) ([]node, error) {
	g := l.base.of(members)
	var found []node
	holds := map[string]bool{}
	for _, n := range l.byHeight(members) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !candidate(n) {
			continue
		}
		if !(l.tagging && anyBelow(n, holds)) && l.failing(g, members, n) > l.allowed() {
			continue
		}
		holds[string(n)] = true
		found = append(found, n)
	}
	return found, nil
}

// allowed is how many rows may be suppressed.
func (l *lattice) allowed() int { return int(l.Suppression*float64(l.rows) + 1e-9) }

// anyBelow says whether a direct specialization of a node holds.
func anyBelow(n node, holds map[string]bool) bool {
	below := slices.Clone(n)
	for i := range below {
		if below[i] > 0 {
			below[i]--
			if holds[string(below)] {
				return true
			}
			below[i]++
		}
	}
	return false
}
