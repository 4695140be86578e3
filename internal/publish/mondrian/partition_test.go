// SPDX-License-Identifier: Apache-2.0

package mondrian

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hide/internal/publish/hierarchy"
	"hide/internal/publish/privacy"
	"hide/internal/publish/table"
)

// read makes a table of lines of words.
func read(t testing.TB, attributes []table.Attribute, lines ...string) *table.Table {
	t.Helper()
	b, err := table.NewBuilder(attributes, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if err := b.Add(strings.Fields(line)); err != nil {
			t.Fatal(err)
		}
	}
	return b.Table()
}

func quasi(kind table.Kind, names ...string) []table.Attribute {
	var all []table.Attribute
	for _, name := range names {
		all = append(all, table.Attribute{Name: name, Role: table.Quasi, Kind: kind})
	}
	return all
}

// partition gives the classes with rows and classes sorted.
func partition(t testing.TB, all *table.Table, o Options) table.Classes {
	t.Helper()
	classes, err := Partition(context.Background(), all, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range classes {
		slices.Sort(class)
	}
	slices.SortFunc(classes, slices.Compare)
	return classes
}

// The rows and results are those of the tests of a published Mondrian
// (qiyuangong/Mondrian), whose NCP is in per cent.
func TestPublishedExamplesLoseWhatTheyDidThere(t *testing.T) {
	eight := read(t, quasi(table.Number, "a", "b"), "6 1", "6 1", "8 2", "8 2", "4 1", "4 2", "4 3", "4 4")
	nine := read(t, quasi(table.Number, "a", "b"), "6 1", "8 1", "8 1", "8 1", "8 1", "4 1", "4 2", "4 3", "4 4")
	for _, test := range []struct {
		name string
		all  *table.Table
		o    Options
		want float64
	}{
		{"strict", eight, Options{K: 2, Cut: LeFevre}, 100. / 12},
		{"strict", nine, Options{K: 2, Cut: LeFevre}, 2300. / 108},
		{"nearest", eight, Options{K: 2, Cut: Nearest}, 100. / 12},
		{"nearest", nine, Options{K: 2, Cut: Nearest}, 2300. / 108},
		{"relaxed", nine, Options{K: 2, Relaxed: true}, 700. / 54},
	} {
		classes := partition(t, test.all, test.o)
		if got := 100 * test.all.Generalize(classes).NCP(classes); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s, %d rows: NCP %.3f %%, want %.3f %%", test.name, test.all.Rows, got, test.want)
		}
	}
}

func TestCutsDifferWhereTheMedianIsAtAnEnd(t *testing.T) {
	all := read(t, quasi(table.Number, "a"), "1", "1", "1", "2", "3")
	for cut, want := range map[Cut]int{LeFevre: 2, Nearest: 2, NCP: 2, RxAnon: 1} {
		if got := len(partition(t, all, Options{K: 2, Cut: cut})); got != want {
			t.Errorf("%s: %d classes, want %d", cut, got, want)
		}
	}
	all = read(t, quasi(table.Number, "a"), "1", "1", "2", "2", "2", "2", "2")
	for cut, want := range map[Cut]int{LeFevre: 1, RxAnon: 2, Nearest: 2, NCP: 2} {
		if got := len(partition(t, all, Options{K: 2, Cut: cut})); got != want {
			t.Errorf("%s: %d classes, want %d", cut, got, want)
		}
	}
}

// table21 is Table 2.1 of the dissertation, names left out.
func table21(t *testing.T) (*table.Table, []privacy.Condition) {
	attributes := append(quasi(table.Number, "age"), append(quasi(table.Nominal, "gender"), append(quasi(table.Number, "zip"),
		table.Attribute{Name: "diagnosis", Role: table.Sensitive})...)...)
	all := read(t, attributes, "25 M 53710 Influenza", "28 F 53712 Lymphoma", "28 M 53711 Bronchitis", "26 F 53712 Influenza")
	return all, []privacy.Condition{{Column: all.Column("diagnosis"), Model: privacy.Distinct{L: 2}}}
}

func TestDissertationTable21IsTwoDiverse(t *testing.T) {
	all, conditions := table21(t)
	want := table.Classes{{0, 2}, {1, 3}}
	for _, cut := range []Cut{NCP, Nearest, LeFevre} {
		if got := partition(t, all, Options{K: 2, Cut: cut, Conditions: conditions}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: classes %v, want %v", cut, got, want)
		}
	}
	// by age alone one class would have influenza twice
	for _, c := range all.Columns {
		if c.Name == "gender" || c.Name == "zip" {
			c.Role = table.Insensitive
		}
	}
	if got := partition(t, all, Options{K: 2}); !reflect.DeepEqual(got, table.Classes{{0, 3}, {1, 2}}) {
		t.Errorf("without diversity: %v", got)
	}
	if got := partition(t, all, Options{K: 2, Conditions: conditions}); len(got) != 1 {
		t.Errorf("with diversity: %v", got)
	}
}

func TestATreeIsCutIntoItsChildren(t *testing.T) {
	h, err := hierarchy.New([][]string{{"a", "x", "*"}, {"b", "x", "*"}, {"c", "y", "*"}, {"d", "z", "*"}})
	if err != nil {
		t.Fatal(err)
	}
	attributes := []table.Attribute{{Name: "q", Role: table.Quasi, Hierarchy: h}}
	all := read(t, attributes, "a", "b", "c", "c", "d", "d", "a", "b")
	if got := partition(t, all, Options{K: 2, Cut: Nearest}); !reflect.DeepEqual(got, table.Classes{{0, 6}, {1, 7}, {2, 3}, {4, 5}}) {
		t.Errorf("classes %v", got)
	}
	if got := partition(t, all, Options{K: 3, Cut: Nearest}); len(got) != 1 {
		t.Errorf("a child with two rows is left alone: %v", got)
	}
	if got := partition(t, all, Options{K: 3}); !reflect.DeepEqual(got, table.Classes{{0, 1, 6, 7}, {2, 3, 4, 5}}) {
		t.Errorf("by loss: %v", got)
	}
}

// random makes a table of different kinds.
func random(t testing.TB, rng *rand.Rand, rows int) *table.Table {
	h, err := hierarchy.New([][]string{{"0", "x", "*"}, {"1", "x", "*"}, {"2", "y", "*"}, {"3", "y", "*"}, {"4", "y", "*"}})
	if err != nil {
		t.Fatal(err)
	}
	attributes := []table.Attribute{
		{Name: "n", Role: table.Quasi, Kind: table.Number}, {Name: "c", Role: table.Quasi, Kind: table.Nominal},
		{Name: "h", Role: table.Quasi, Hierarchy: h}, {Name: "o", Role: table.Quasi, Kind: table.Ordinal}, {Name: "s", Role: table.Sensitive},
	}
	lines := make([]string, rows)
	for i := range lines {
		lines[i] = fmt.Sprintf("%d %d %d %d %d", rng.IntN(200), rng.IntN(4), rng.IntN(5), rng.IntN(3), rng.IntN(4))
		if rng.IntN(10) == 0 {
			lines[i] = fmt.Sprintf("na na na na %d", rng.IntN(4))
		}
	}
	return read(t, attributes, lines...)
}

// TestEveryClassIsAsAskedFor holds partitions of random tables against what they
// must be: every row once, k rows or more, the model kept, strict classes apart,
// and none that could be cut again.
func TestEveryClassIsAsAskedFor(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		all := random(t, rng, 10+rng.IntN(120))
		model := []privacy.Model{privacy.Distinct{L: 2}, privacy.Entropy{L: 1.7}, privacy.Recursive{C: 3, L: 2}}[seed%3]
		for _, cut := range Cuts {
			o := Options{K: 2 + rng.IntN(4), Cut: cut, Relaxed: cut == Nearest && seed%2 == 0}
			if seed%4 != 0 {
				o.Conditions = []privacy.Condition{{Column: all.Column("s"), Model: model}}
			}
			checkClasses(t, all, o, partition(t, all, o))
		}
	}
}

func checkClasses(t *testing.T, all *table.Table, o Options, classes table.Classes) {
	t.Helper()
	seen := make([]bool, all.Rows)
	home := map[string]int{}
	for i, class := range classes {
		if len(class) < o.K {
			t.Errorf("%+v: a class of %d", o, len(class))
		}
		counts := make([]int32, len(all.Column("s").Domain))
		for _, row := range class {
			if seen[row] {
				t.Fatalf("row %d is in two classes", row)
			}
			seen[row] = true
			counts[all.Column("s").Codes[row]]++
			key := ""
			for _, c := range all.With(table.Quasi) {
				key += fmt.Sprint(c.Codes[row], " ")
			}
			if at, known := home[key]; known && at != i && !o.Relaxed {
				t.Errorf("%+v: equal rows in two classes", o)
			}
			home[key] = i
		}
		for _, c := range o.Conditions {
			if !c.Model.Holds(counts) {
				t.Errorf("a class fails %s", c.Model)
			}
		}
		if o.Cut == NCP || o.Cut == Nearest && !o.Relaxed && o.Conditions == nil {
			checkWhole(t, all, o, class)
		}
	}
	if slices.Contains(seen, false) {
		t.Errorf("%+v: a row is in no class", o)
	}
}

// checkWhole finds a cut of a class that would have been allowed, by trying all.
func checkWhole(t *testing.T, all *table.Table, o Options, class []int32) {
	t.Helper()
	for _, c := range all.With(table.Quasi) {
		if o.Cut == Nearest && c.Tree != nil {
			continue // is cut into all children or not at all
		}
		for code := range c.Domain {
			var sides [2][]int32
			for _, row := range class {
				side := 0
				if int(c.Codes[row]) > code {
					side = 1
				}
				sides[side] = append(sides[side], row)
			}
			if len(sides[0]) >= o.K && len(sides[1]) >= o.K && holds(o, sides[0]) && holds(o, sides[1]) {
				t.Fatalf("%s: a class of %d could be cut at %s", o.Cut, len(class), c.Name)
			}
		}
	}
}

func holds(o Options, rows []int32) bool {
	for _, c := range o.Conditions {
		counts := make([]int32, len(c.Column.Domain))
		for _, row := range rows {
			counts[c.Column.Codes[row]]++
		}
		if !c.Model.Holds(counts) {
			return false
		}
	}
	return true
}

// TestFirstCutIsTheBestOfAll tries every cut of small tables by recoding both
// sides.
func TestFirstCutIsTheBestOfAll(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 2))
		all := random(t, rng, 8)
		o := Options{K: 3} // eight rows are cut once at most
		classes := partition(t, all, o)
		best := math.Inf(1)
		for _, c := range all.With(table.Quasi) {
			for code := range c.Domain {
				var sides [2][]int32
				for row := range int32(all.Rows) {
					side := 0
					if int(c.Codes[row]) > code {
						side = 1
					}
					sides[side] = append(sides[side], row)
				}
				if len(sides[0]) >= 3 && len(sides[1]) >= 3 {
					best = min(best, weigh(all, sides[:]))
				}
			}
		}
		if len(classes) == 1 && math.IsInf(best, 1) {
			continue
		}
		if got := weigh(all, classes); math.Abs(got-best) > 1e-9 {
			t.Errorf("seed %d: loss %v, the best is %v", seed, got, best)
		}
	}
}

func weigh(all *table.Table, classes table.Classes) float64 {
	g, sum := all.Generalize(classes), 0.0
	for i, class := range classes {
		for _, cell := range g.Cells[i] {
			sum += math.Pow(float64(len(class)), .8) * cell.Loss
		}
	}
	return sum
}

func TestImpossibleTablesAreRefused(t *testing.T) {
	all, conditions := table21(t)
	for _, test := range []struct {
		name string
		o    Options
		want string
	}{
		{"k above n", Options{K: 5}, "k is 5 and there are 4 rows"},
		{"k of 1", Options{K: 1}, "k must be at least 2"},
		{"k of 0", Options{}, "k must be at least 2"},
		{"an unknown cut", Options{K: 2, Cut: "sideways"}, "unknown cut"},
		{"relaxed by loss", Options{K: 2, Cut: NCP, Relaxed: true}, "relaxed partitioning is for cut nearest"},
		{"too diverse", Options{K: 2, Conditions: []privacy.Condition{{Column: conditions[0].Column, Model: privacy.Distinct{L: 4}}}}, "not even all rows together satisfy distinct 4-diversity"},
	} {
		_, err := Partition(context.Background(), all, test.o)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
	none := read(t, []table.Attribute{{Name: "a", Role: table.Insensitive}}, "1", "2")
	if _, err := Partition(context.Background(), none, Options{K: 2}); !errors.Is(err, ErrImpossible) {
		t.Errorf("no quasi-identifier: %v", err)
	}
}

func TestOneValueAndNoValueAreOneClass(t *testing.T) {
	for _, value := range []string{"7", "na"} {
		all := read(t, quasi(table.Number, "a"), value, value, value, value)
		for _, cut := range Cuts {
			classes := partition(t, all, Options{K: 2, Cut: cut})
			if g := all.Generalize(classes); len(classes) != 1 || g.Cells[0][0] != (table.Cell{Text: value}) {
				t.Errorf("%s: %v, %v", cut, classes, g.Cells)
			}
		}
	}
}

func TestTenThousandColumnsAreCut(t *testing.T) {
	var names []string
	for i := range 10000 {
		names = append(names, fmt.Sprint("c", i))
	}
	rng := rand.New(rand.NewPCG(1, 1))
	lines := make([]string, 6)
	for i := range lines {
		words := make([]string, len(names))
		for j := range words {
			words[j] = fmt.Sprint(rng.IntN(3))
		}
		lines[i] = strings.Join(words, " ")
	}
	if classes := partition(t, read(t, quasi(table.Nominal, names...), lines...), Options{K: 2, Cut: Nearest}); len(classes) < 2 {
		t.Errorf("%d classes", len(classes))
	}
}

func TestACancelledPartitionEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	all, _ := table21(t)
	if _, err := Partition(ctx, all, Options{K: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
