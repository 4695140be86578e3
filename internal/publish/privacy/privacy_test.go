// SPDX-License-Identifier: Apache-2.0

package privacy

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hide/internal/publish/hierarchy"
	"hide/internal/publish/table"
)

// sensitive makes a sensitive column of values.
func sensitive(t *testing.T, a table.Attribute, values ...string) *table.Column {
	t.Helper()
	a.Name, a.Role = "s", table.Sensitive
	b, err := table.NewBuilder([]table.Attribute{a}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range values {
		if err := b.Add([]string{value}); err != nil {
			t.Fatal(err)
		}
	}
	return b.Table().Columns[0]
}

func TestDiversityOfKnownCounts(t *testing.T) {
	for _, test := range []struct {
		m      Model
		counts []int32
		want   bool
	}{
		{Distinct{2}, []int32{3, 0}, false},
		{Distinct{2}, []int32{3, 1}, true},
		{Entropy{2}, []int32{5, 5}, true},
		{Entropy{2}, []int32{5, 4}, false},
		{Entropy{3}, []int32{2, 2, 2, 0}, true},
		{Recursive{2, 2}, []int32{3, 2}, true},     // 3 < 2*2
		{Recursive{1.5, 2}, []int32{3, 2}, false},  // 3 < 3
		{Recursive{3, 3}, []int32{5, 4, 1}, false}, // 5 < 3
		{Recursive{9, 3}, []int32{5, 4}, false},
	} {
		if got := test.m.Holds(test.counts); got != test.want {
			t.Errorf("%s of %v: %v", test.m, test.counts, got)
		}
	}
}

// The salaries, 3k to 11k, and the distances of two classes are those of
// Li, Li, Venkatasubramanian, t-Closeness, section 4.2: .375 and .167.
func TestOrderedDistanceIsThatOfThePaper(t *testing.T) {
	c := sensitive(t, table.Attribute{Kind: table.Number}, strings.Fields("3 4 5 6 7 8 9 10 11")...)
	models, err := New(c, table.Diversity{T: .2})
	if err != nil {
		t.Fatal(err)
	}
	m := models[0].(Closeness)
	if got := m.EMD([]int32{1, 1, 1, 0, 0, 0, 0, 0, 0}); math.Abs(got-.375) > 1e-9 {
		t.Errorf("{3,4,5}: %v", got)
	}
	if got := m.EMD([]int32{0, 0, 0, 1, 0, 1, 0, 0, 1}); math.Abs(got-1./6) > 1e-9 {
		t.Errorf("{6,8,11}: %v", got)
	}
}

func TestHierarchicalDistanceGoesByLevels(t *testing.T) {
	h, err := hierarchy.New([][]string{{"a", "x", "*"}, {"b", "x", "*"}, {"c", "y", "*"}, {"d", "y", "*"}})
	if err != nil {
		t.Fatal(err)
	}
	c := sensitive(t, table.Attribute{Hierarchy: h}, "a", "b", "c", "d")
	models, err := New(c, table.Diversity{T: .2})
	if err != nil {
		t.Fatal(err)
	}
	m := models[0].(Closeness)
	// {a, c}: in each half 1/4 moves by half the height
	if got := m.EMD([]int32{1, 0, 1, 0}); math.Abs(got-.25) > 1e-9 {
		t.Errorf("{a,c}: %v", got)
	}
	// {a}: 1/4 moves by half, 1/2 by all of the height
	if got := m.EMD([]int32{1, 0, 0, 0}); math.Abs(got-.625) > 1e-9 {
		t.Errorf("{a}: %v", got)
	}
}

// TestMergingKeepsWhatHolds checks at random that distances are 0 for the table
// itself and at most 1, and that the union of classes that hold does.
func TestMergingKeepsWhatHolds(t *testing.T) {
	h, err := hierarchy.New([][]string{{"0", "x", "*"}, {"1", "x", "*"}, {"2", "y", "*"}, {"3", "y", "*"}})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	c := sensitive(t, table.Attribute{Hierarchy: h}, strings.Fields("0 0 0 1 1 2 3 3")...)
	for range 2000 {
		a, b, both := make([]int32, 4), make([]int32, 4), make([]int32, 4)
		for i := range a {
			a[i], b[i] = int32(rng.IntN(4)), int32(rng.IntN(4))
			both[i] = a[i] + b[i]
		}
		a[0]++
		b[1]++
		both[0], both[1] = a[0]+b[0], a[1]+b[1]
		for _, d := range []table.Diversity{{L: 2}, {L: 2.2, Kind: "entropy"}, {L: 2, Kind: "recursive", C: 2}, {T: .3, Distance: "equal"}, {T: .2, Distance: "ordered"}, {T: .3}} {
			models, err := New(c, d)
			if err != nil {
				t.Fatal(err)
			}
			m := models[0]
			if m.Holds(a) && m.Holds(b) && !m.Holds(both) {
				t.Fatalf("%s holds of %v and %v and not of both", m, a, b)
			}
			if closeness, ok := m.(Closeness); ok {
				if e := closeness.EMD(a); e < -1e-12 || e > 1+1e-12 {
					t.Fatalf("%s: %v", m, e)
				}
				if e := closeness.EMD([]int32{3, 2, 1, 2}); math.Abs(e) > 1e-12 {
					t.Fatalf("%s: the table is %v from itself", m, e)
				}
			}
		}
	}
}

func TestSettingsThatMeanNothingAreRefused(t *testing.T) {
	c := sensitive(t, table.Attribute{}, "a", "b")
	for _, d := range []table.Diversity{
		{L: .5}, {L: 2.5}, {L: 2, Kind: "vast"}, {L: 2, Kind: "recursive"}, {L: 2, C: 3}, {C: 3}, {Kind: "entropy"}, {L: math.NaN()},
		{T: 2}, {T: -1}, {T: math.NaN()}, {T: .2, Distance: "far"}, {T: .2, Distance: "hierarchical"}, {Distance: "equal"},
	} {
		if models, err := New(c, d); err == nil {
			t.Errorf("%+v gives %v", d, models)
		}
	}
}
