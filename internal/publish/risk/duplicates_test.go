// SPDX-License-Identifier: Apache-2.0

package risk_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"hide/internal/publish/risk"
)

// people counts the connected parts of rows under the pairs whose bit is set.
func people(rows int, near []risk.Near, set int) int {
	of := make([]int, rows)
	for i := range of {
		of[i] = i
	}
	n := rows
	for i, p := range near {
		a, b := of[p.A], of[p.B]
		if set>>i&1 == 0 || a == b {
			continue
		}
		n--
		for j := range of {
			if of[j] == b {
				of[j] = a
			}
		}
	}
	return n
}

// worlds calls fn for every set of true pairs with its probability.
func worlds(near []risk.Near, fn func(set int, p float64)) {
	for set := range 1 << len(near) {
		p := 1.0
		for i, n := range near {
			if set>>i&1 == 1 {
				p *= n.Probability
			} else {
				p *= 1 - n.Probability
			}
		}
		fn(set, p)
	}
}

// TestDuplicatesAreNoFewerThanAllWorldsSay counts the people of a class in every set of true
// pairs. The figures may err towards more risk, and are exact where no pairs form a loop.
func TestDuplicatesAreNoFewerThanAllWorldsSay(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	loops := 0
	for range 300 {
		rows, k := 2+random.IntN(5), 2+random.IntN(3)
		var near []risk.Near
		for a := range rows {
			for b := range a {
				if random.IntN(3) == 0 && len(near) < 8 {
					near = append(near, risk.Near{A: a, B: b, Probability: random.Float64()})
				}
			}
		}
		class := make([]int, rows)
		for i := range class {
			class[i] = i
		}
		wantLeast, wantBelow := 0.0, 0.0
		worlds(near, func(set int, p float64) {
			n := people(rows, near, set)
			wantLeast += p * float64(n)
			if n < k {
				wantBelow += p
			}
		})
		d := risk.Duplicates{Rows: rows, Near: near}
		got := risk.Classes(d, [][]int{class}, k)
		if rows-people(rows, near, 1<<len(near)-1) == len(near) { // no loop
			if math.Abs(got.Least-wantLeast) > 1e-9 || math.Abs(got.Below-wantBelow) > 1e-9 || math.Abs(d.Expected()-(float64(rows)-wantLeast)) > 1e-9 {
				t.Fatalf("%d rows, k %d, pairs %v: %+v, want %v people, below %v", rows, k, near, got, wantLeast, wantBelow)
			}
			continue
		}
		loops++
		if got.Least > wantLeast+1e-9 || got.Least < 1 || got.Below < wantBelow-1e-9 || got.Below > 1 || d.Expected() > float64(rows-1) {
			t.Fatalf("%d rows, k %d, pairs %v: %+v is safer than %v people, below %v", rows, k, near, got, wantLeast, wantBelow)
		}
	}
	if loops < 20 {
		t.Errorf("only %d cases with a loop", loops)
	}
}

func TestDuplicatesInClasses(t *testing.T) {
	near := []risk.Near{{A: 0, B: 1, Probability: 0.5}, {A: 1, B: 5, Probability: 1}}
	classes := [][]int32{{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9, 10}}
	for _, test := range []struct {
		name         string
		d            risk.Duplicates
		k            int
		least, below float64
	}{
		{"no pairs", risk.Duplicates{Rows: 11}, 5, 5, 0},
		{"a pair inside, one across", risk.Duplicates{Rows: 11, Near: near}, 5, 4.5, 0.5},
		{"a smaller k", risk.Duplicates{Rows: 11, Near: near}, 4, 4.5, 0},
		{"a greater k", risk.Duplicates{Rows: 11, Near: near}, 6, 4.5, 1},
		// 1.1 missed pairs: .5 in five rows, .6 in six; k is lost by one or by two.
		{"pairs beyond", risk.Duplicates{Rows: 11, Beyond: 1.1}, 5, 4.5, 1 - math.Exp(-.5)*math.Exp(-.6)*1.6},
		{"more pairs than rows", risk.Duplicates{Rows: 11, Beyond: 1000}, 5, 1, 1},
		{"no rows", risk.Duplicates{}, 5, 4.999, 0},
	} {
		in := classes
		if test.d.Rows == 0 {
			in, test.least = nil, math.Inf(1)
		}
		got := risk.Classes(test.d, in, test.k)
		if got.Least != test.least && !(math.Abs(got.Least-test.least) < 1e-9) || math.Abs(got.Below-test.below) > 1e-9 {
			t.Errorf("%s: %+v, want %v and %v", test.name, got, test.least, test.below)
		}
	}
}
