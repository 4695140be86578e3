// SPDX-License-Identifier: Apache-2.0

package compare_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"hide/internal/publish/link/compare"
)

// slowJaroWinkler is the textbook algorithm. Like the fast one it starts from the value that is
// first in the alphabet, because Jaro's greedy matching is not symmetric.
func slowJaroWinkler(s, t string) float64 {
	if t < s {
		s, t = t, s
	}
	a, b := []rune(s), []rune(t)
	reach := max(max(len(a), len(b))/2-1, 0)
	inA, inB := make([]bool, len(a)), make([]bool, len(b))
	m := 0.0
	for j, c := range b {
		for i := max(0, j-reach); i <= min(len(a)-1, j+reach); i++ {
			if !inA[i] && a[i] == c {
				inA[i], inB[j] = true, true
				m++
				break
			}
		}
	}
	if m == 0 {
		return 0
	}
	moved, j := 0, 0
	for i := range a {
		if !inA[i] {
			continue
		}
		for !inB[j] {
			j++
		}
		if a[i] != b[j] {
			moved++
		}
		j++
	}
	jaro := (m/float64(len(a)) + m/float64(len(b)) + (m-float64(moved/2))/m) / 3
	if jaro <= 0.7 {
		return jaro
	}
	prefix := 0
	for prefix < min(4, len(a), len(b)) && a[prefix] == b[prefix] {
		prefix++
	}
	return jaro + 0.1*float64(prefix)*(1-jaro)
}

// slowEdits is the optimal string alignment distance by its full table.
func slowEdits(s, t string) int {
	a, b := []rune(s), []rune(t)
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// randomPair is a word and a second one, which is independent or differs by a few edits.
func randomPair(r *rand.Rand, alphabet string, longest int) (a, b string) {
	letters := []rune(alphabet)
	word := func(n int) []rune {
		w := make([]rune, n)
		for i := range w {
			w[i] = letters[r.IntN(len(letters))]
		}
		return w
	}
	x := word(1 + r.IntN(longest))
	if r.IntN(3) == 0 {
		return string(x), string(word(1 + r.IntN(longest)))
	}
	y := append([]rune(nil), x...)
	for range r.IntN(4) {
		i := r.IntN(len(y))
		switch r.IntN(4) {
		case 0:
			y[i] = letters[r.IntN(len(letters))]
		case 1:
			y = append(y[:i], append(word(1), y[i:]...)...)
		case 2:
			if len(y) > 1 {
				y = append(y[:i], y[i+1:]...)
			}
		default:
			j := min(i+1, len(y)-1)
			y[i], y[j] = y[j], y[i]
		}
	}
	return string(x), string(y)
}

func TestSurnamesAgainstTextbookJaroWinkler(t *testing.T) {
	c := compare.Surname.NewComparer()
	r := rand.New(rand.NewPCG(1, 2))
	var seen [5]int
	for range 30000 {
		alphabet := []string{"ab", "abcdefgh", "abcdefghijklmnopqrstuvwxyz", "абвгдежзиклмн", "אבגדab"}[r.IntN(5)]
		a, b := randomPair(r, alphabet, []int{4, 8, 20, 60}[r.IntN(4)])
		want := 4
		switch s := slowJaroWinkler(a, b); {
		case a == b:
			want = 0
		case min(len([]rune(a)), len([]rune(b))) == 1 && []rune(a)[0] == []rune(b)[0]:
			want = 1
		case s >= 0.92:
			want = 2
		case s >= 0.8:
			want = 3
		}
		if got := c.Level(a, b); got != want {
			t.Fatalf("Level(%q, %q) = %d, want %d", a, b, got, want)
		}
		seen[want]++
	}
	for level, n := range seen {
		if n < 100 {
			t.Errorf("only %d pairs are at level %d", n, level)
		}
	}
}

func TestIdentifiersAgainstTextbookEdits(t *testing.T) {
	c := compare.Identifier.NewComparer()
	r := rand.New(rand.NewPCG(3, 4))
	var seen [4]int
	for range 30000 {
		alphabet := []string{"12", "0123456789", "абвгд12", "0123456789abcdefghijklmnop"}[r.IntN(4)]
		a, b := randomPair(r, alphabet, []int{7, 10, 20}[r.IntN(3)])
		shortest := min(len([]rune(a)), len([]rune(b)))
		want := 3
		switch d := slowEdits(a, b); {
		case a == b:
			want = 0
		case d == 1 && shortest >= 3:
			want = 1
		case d == 2 && shortest >= 5:
			want = 2
		}
		if got := c.Level(a, b); got != want {
			t.Fatalf("Level(%q, %q) = %d, want %d", a, b, got, want)
		}
		seen[want]++
	}
	for level, n := range seen {
		if n < 100 {
			t.Errorf("only %d pairs are at level %d", n, level)
		}
	}
}

// TestDatesAgainstTheirDefinition takes dates of few digits, so that all levels are frequent.
func TestDatesAgainstTheirDefinition(t *testing.T) {
	c := compare.BirthDate.NewComparer()
	r := rand.New(rand.NewPCG(5, 6))
	date := func() string {
		return []string{"1971", "1917", "1972", "2003"}[r.IntN(4)] + []string{"00", "01", "10", "11", "12"}[r.IntN(5)] +
			[]string{"00", "01", "10", "11", "12", "31"}[r.IntN(6)]
	}
	for range 20000 {
		a, b := date(), date()
		if got, want := c.Level(a, b), dateLevel(a, b); got != want {
			t.Fatalf("Level(%q, %q) = %d, want %d", a, b, got, want)
		}
	}
}

func dateLevel(a, b string) int {
	agree := func(from, to int) bool { return a[from:to] == b[from:to] && !strings.HasSuffix(a[from:to], "00") }
	has := func(s string) bool { return s[4:6] != "00" && s[6:] != "00" }
	count := 0
	for _, same := range []bool{a[:4] == b[:4], agree(4, 6), agree(6, 8)} {
		if same {
			count++
		}
	}
	full := has(a) && has(b)
	switch {
	case full && a == b:
		return 0
	case full && (slowEdits(a, b) == 1 || a[:4] == b[:4] && a[4:6] == b[6:] && a[6:] == b[4:6]):
		return 1
	case full && count == 2, !full && a[:4] == b[:4] && agree(4, 6):
		return 2
	case a[:4] == b[:4]:
		return 3
	}
	return 4
}
