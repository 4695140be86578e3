// SPDX-License-Identifier: Apache-2.0

package table

import (
	"context"
	"fmt"
	"testing"
)

// ages are a hundred, as in Figure 5.1 of the dissertation.
func ages(t *testing.T) *Table {
	c := column(t, Attribute{Kind: Number}, func() (all []string) {
		for i := range 100 {
			all = append(all, fmt.Sprint(20+i*i%61))
		}
		return all
	}()...)
	return &Table{Rows: 100, Columns: []*Column{c}}
}

// inClasses puts rows into classes of k by age.
func inClasses(t *Table, k int) Classes {
	var byAge []int32
	for code := range t.Columns[0].Domain {
		for row, c := range t.Columns[0].Codes {
			if int(c) == code {
				byAge = append(byAge, int32(row))
			}
		}
	}
	var classes Classes
	for len(byAge) >= 2*k {
		classes, byAge = append(classes, byAge[:k]), byAge[k:]
	}
	return append(classes, byAge)
}

func TestQueryPrecisionFallsWithK(t *testing.T) {
	all := ages(t)
	last := 1.0
	for _, k := range []int{1, 5, 10, 20, 50} {
		p := precisionOf(all, inClasses(all, k), nil, 10000, 1)[0]
		if k == 1 && p.Released != 1 {
			t.Errorf("ages as they are: %v", p.Released)
		}
		if k > 1 && !(p.Released < last) {
			t.Errorf("k = %d: %v, not below %v", k, p.Released, last)
		}
		if !(p.Without < p.Released) {
			t.Errorf("k = %d: %v without ages, %v with", k, p.Without, p.Released)
		}
		last = p.Released
	}
	if p := precisionOf(all, inClasses(all, 100), nil, 10000, 1)[0]; p.Released-p.Without > .02 {
		t.Errorf("one class: %+v", p)
	}
}

// TestQueryPrecisionCountsRows asks all queries of a small table by hand.
func TestQueryPrecisionCountsRows(t *testing.T) {
	c := column(t, Attribute{Kind: Number}, "1", "2", "3", "4")
	all := &Table{Rows: 4, Columns: []*Column{c}}
	got := precisionOf(all, Classes{{0, 1}, {2, 3}}, nil, 100000, 3)[0].Released
	// v > 1: 3 of 4; v > 2: 2 of 2; v > 3: 1 of 2; v > 4: none returned, and the
	// same from above
	if want := (.75 + 1 + .5) / 3; got < want-.01 || got > want+.01 {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestQueryPrecisionGoesByTheLevelReleased(t *testing.T) {
	c := column(t, Attribute{Kind: Number, Auto: true}, "1", "2", "3", "4", "5", "6", "7", "90")
	all := &Table{Rows: 8, Columns: []*Column{c}}
	var alone Classes
	for row := range int32(8) {
		alone = append(alone, []int32{row})
	}
	last := 2.0
	for level := range c.Tree.Nodes {
		p := precisionOf(all, alone, []int{level}, 5000, 1)[0]
		if p.Released > last {
			t.Errorf("level %d: %v, above %v of the level below", level, p.Released, last)
		}
		last = p.Released
		if level == len(c.Tree.Nodes)-1 && p.Released-p.Without > .01 {
			t.Errorf("at the top: %+v", p)
		}
	}
}

// precisionOf is for tests that nobody cancels.
func precisionOf(t *Table, classes Classes, levels []int, queries int, seed uint64) []Precision {
	all, err := t.QueryPrecision(context.Background(), classes, levels, queries, seed)
	if err != nil {
		panic(err)
	}
	return all
}
