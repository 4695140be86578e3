// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// recoded is what one column of values becomes in one class.
func recoded(t *testing.T, attribute string, values ...string) string {
	t.Helper()
	config := "attributes:\n  id: {anonymization_type: direct_identifier}\n  a: {anonymization_type: quasi_identifier, " + attribute + "}\n"
	c, err := ReadConfig(strings.NewReader(config))
	if err != nil {
		t.Fatal(err)
	}
	var rows []Row
	for i, value := range values {
		rows = append(rows, Row{Values: []string{fmt.Sprint(i), value}})
	}
	v, err := NewView(context.Background(), c, rows)
	if err != nil {
		t.Fatal(err)
	}
	return recode(v, Partition{Classes: [][]int{v.everybody()}}).Cells[0][0].Text
}

// TestRecodingCasesOfTheProgram are the values of rx-anon's own tests of recoding.
// Its ranges of numbers are rounded outwards; ours are not.
func TestRecodingCasesOfTheProgram(t *testing.T) {
	for _, c := range []struct {
		attribute string
		values    []string
		want      string
	}{
		{"type: numerical", []string{"2", "5", "27", "12", "3"}, "[2-27]"},
		{"type: numerical", []string{"8.7", "4.12", "27.3", "18"}, "[4.12-27.3]"},
		{"type: date", []string{"2020-09-28T12:32:00", "2020-09-28T15:27:48"}, "2020-09-28"},
		{"type: date", []string{"2020-09-27T12:32:00", "2020-09-28T15:27:48"}, "2020-09"},
		{"type: date", []string{"2020-10-27T12:32:00", "2020-09-28T15:27:48"}, "2020"},
		{"type: date", []string{"2021-10-27T12:32:00", "2020-09-28T15:27:48"}, "[2020-2021]"},
		{"type: nominal", []string{"B", "A", "B", "C", "A"}, "{A, B, C}"},
		{"type: nominal", []string{"A", "A"}, "A"},
		{"type: nominal, recoding_strategy: string_reduction", []string{"HP2 7PW", "HP2 7PF"}, "HP2 7P*"},
		{"type: nominal, recoding_strategy: string_reduction", []string{"HP2 7PW", "HP2 4DY"}, "HP2 *"},
		{"type: nominal, recoding_strategy: string_reduction", []string{"HP2 7PW", "CF470JD"}, "*"},
	} {
		if got := recoded(t, c.attribute, c.values...); got != c.want {
			t.Errorf("%s: %q becomes %q, want %q", c.attribute, c.values, got, c.want)
		}
	}
}

// oneOf invents a dataset of persons for the tests against simple models.
func invented(t testing.TB, seed uint64, persons int) *View {
	rng := rand.New(rand.NewPCG(seed, 7))
	var lines []string
	for p := range persons {
		city, age := fmt.Sprint("c", rng.IntN(4)), fmt.Sprint(20+rng.IntN(9))
		for range 1 + rng.IntN(3) {
			text := "Note."
			for range rng.IntN(4) {
				text += fmt.Sprintf(" <T%d:x%d>,", rng.IntN(2), rng.IntN(4))
			}
			lines = append(lines, fmt.Sprintf("p%03d|%s|%s|2004-0%d-1%d|%s", p, city, age, 1+rng.IntN(3), rng.IntN(3), text))
		}
	}
	return viewOf(t, leakConfig, lines)
}

var everySetting = []Settings{
	{Lambda: 0}, {Lambda: .3}, {Lambda: .5}, {Lambda: .8}, {Lambda: 1}, {Lambda: 0, Cut: Presence}, {Lambda: .4, Cut: Presence}, {Lambda: .5, Cut: Least}, {Lambda: 0, Cut: Least},
	{Strategy: GDF}, {Strategy: GDF, Published: true}, {Lambda: .3, Published: true}, {Lambda: .5, Published: true},
}

// TestClassesAreAPartitionOfAtLeastK, whatever the setting.
func TestClassesAreAPartitionOfAtLeastK(t *testing.T) {
	for seed := range uint64(30) {
		v := invented(t, seed, 25)
		for _, s := range everySetting {
			for _, s.K = range []int{2, 3, 7, 25} {
				seen := map[int]int{}
				for _, class := range partition(t, v, s).Classes {
					if len(class) < s.K {
						t.Fatalf("seed %d, %+v: a class of %d", seed, s, len(class))
					}
					for _, who := range class {
						seen[who]++
					}
				}
				for who := range v.people {
					if seen[who] != 1 {
						t.Fatalf("seed %d, %+v: person %d is in %d classes", seed, s, who, seen[who])
					}
				}
			}
		}
	}
}

// TestNoClassCanBeCutFurther: by the definitions of Mondrian and GDF, tried one by
// one.
func TestNoClassCanBeCutFurther(t *testing.T) {
	for seed := range uint64(20) {
		v := invented(t, seed, 25)
		for _, k := range []int{2, 4} {
			for _, class := range partition(t, v, Settings{Strategy: GDF, K: k}).Classes {
				for term := range int32(len(v.terms)) {
					with, without := part(class, func(p int) bool { return v.people[p].has(term) })
					if len(with) >= k && len(without) >= k {
						t.Fatalf("seed %d, k %d: GDF left a class of %d that a term parts", seed, k, len(class))
					}
				}
			}
			for _, class := range partition(t, v, Settings{K: k, Lambda: .5}).Classes {
				for _, a := range v.axes(.5) {
					for _, at := range a.keys {
						left, right := part(class, func(p int) bool { return a.keys[p] <= at })
						if len(left) >= k && len(right) >= k {
							t.Fatalf("seed %d, k %d: Mondrian left a class of %d that %s parts", seed, k, len(class), a.name)
						}
					}
				}
			}
		}
	}
}

// TestLossOfAClassIsThatOfItsRecoding, which [leastLoss] relies on.
func TestLossOfAClassIsThatOfItsRecoding(t *testing.T) {
	for seed := range uint64(20) {
		v := invented(t, seed, 20)
		for _, s := range everySetting {
			s.K = 3
			p := partition(t, v, s)
			relational, textual := 0.0, 0.0
			for _, class := range p.Classes {
				a, x := v.lossOf(class)
				relational, textual = relational+a/20, textual+x/20
			}
			l := recode(v, p).Loss()
			near(t, "NCP_A", relational, l.Relational, 1e-12)
			near(t, "NCP_X", textual, l.Textual, 1e-12)
		}
	}
}

// TestLeastLossTakesTheBestOfAllCuts: of a class that can be cut once, no cut at an
// attribute or a term leaves less.
func TestLeastLossTakesTheBestOfAllCuts(t *testing.T) {
	for seed := range uint64(40) {
		v := invented(t, seed, 8)
		for _, lambda := range []float64{0, .5, 1} {
			p := partition(t, v, Settings{K: 3, Lambda: lambda, Cut: Least})
			l := recode(v, p).Loss()
			got := lambda*l.Relational + (1-lambda)*l.Textual
			try := func(goesLeft func(int) bool) {
				left, right := part(v.everybody(), goesLeft)
				if len(left) < 3 || len(right) < 3 {
					return
				}
				l := recode(v, Partition{Classes: [][]int{left, right}}).Loss()
				if other := lambda*l.Relational + (1-lambda)*l.Textual; other < got-1e-12 {
					t.Fatalf("seed %d, lambda %g: loses %.6f, another cut %.6f", seed, lambda, got, other)
				}
			}
			for term := range int32(len(v.terms)) {
				try(func(p int) bool { return v.people[p].has(term) })
			}
			for _, a := range v.relationalAxes() {
				for _, at := range a.keys {
					try(func(p int) bool { return a.keys[p] <= at })
				}
			}
		}
	}
}

// TestLossMatchesCountingTheReleasedTexts: NCP_X from the places of the release
// alone, against the measure.
func TestLossMatchesCountingTheReleasedTexts(t *testing.T) {
	for seed := range uint64(20) {
		v := invented(t, seed, 20)
		for _, s := range everySetting {
			s.K = 3
			r := recode(v, partition(t, v, s))
			sum := 0.0
			for who, p := range v.people {
				fate := map[Term]How{}
				for _, row := range p.rows {
					original := v.rows[row].Texts[0]
					_, places := r.Rewrite(row, 0, r.of[who])
					for i, place := range places {
						fate[Term{0, place.Type, Normalize(original.Terms[i].Surface(original.Text))}] = place.How
					}
				}
				gone := 0
				for _, how := range fate {
					gone += one(how == Suppressed)
				}
				if len(fate) > 0 {
					sum += float64(gone) / float64(len(fate))
				}
			}
			near(t, fmt.Sprintf("seed %d, %+v: NCP_X", seed, s), r.Loss().Textual, sum/float64(len(v.people)), 1e-12)
		}
	}
}

func TestSweepIsTheSameWithAnyNumberOfWorkers(t *testing.T) {
	v := invented(t, 4, 30)
	o := SweepOptions{K: []int{2, 3, 40, 10}, Lambda: []float64{0, .5, 1}}
	want, err := v.Sweep(t.Context(), o, nil)
	if err != nil || len(want) != 3*(2+3*4) {
		t.Fatalf("%d points, %v", len(want), err)
	}
	for _, o.Workers = range []int{2, 8} {
		calls := 0
		got, err := v.Sweep(t.Context(), o, func(n, all int) {
			if calls++; n != calls || all != len(want) {
				t.Errorf("call %d says %d of %d", calls, n, all)
			}
		})
		if err != nil || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("%d workers give other points: %v", o.Workers, err)
		}
	}
}

// TestPublishedGDFForgetsTermsFromOneKToTheNext is the defect by which the paper's
// baseline loses most: asked for k = 3 after k = 2, it finds fewer classes than
// asked for k = 3 alone.
func TestPublishedGDFForgetsTermsFromOneKToTheNext(t *testing.T) {
	fewer := 0
	for seed := range uint64(20) {
		v := invented(t, seed, 60)
		inTurn := v.PublishedGDF()
		if _, err := inTurn.Partition(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		after, err := inTurn.Partition(t.Context(), 3)
		if err != nil {
			t.Fatal(err)
		}
		alone := partition(t, v, Settings{Strategy: GDF, K: 3, Published: true})
		ours := partition(t, v, Settings{Strategy: GDF, K: 3})
		if len(after.Classes) > len(alone.Classes) || len(alone.Classes) > len(ours.Classes) {
			t.Errorf("seed %d: %d classes after k = 2, %d alone, %d of ours", seed, len(after.Classes), len(alone.Classes), len(ours.Classes))
		}
		fewer += one(len(after.Classes) < len(alone.Classes))
	}
	if fewer == 0 {
		t.Error("nothing was ever forgotten: the test shows nothing")
	}
}

func TestRiskJoinsTableAndText(t *testing.T) {
	v := paperView(t)
	r := recode(v, partition(t, v, Settings{Strategy: GDF, K: 2}))
	risk, err := r.Risk(Exposure{Leak: .5, Found: .2, Threshold: .6})
	if err != nil {
		t.Fatal(err)
	}
	// One note of a class of two: 1 - (1 - 1/2) * .9; two notes: .9^2; three: .9^3.
	var got []float64
	for _, p := range risk.Persons {
		got = append(got, p.Joint)
	}
	want := []float64{1 - .5*.9*.9*.9, 1 - .5*.9*.9, .55, .55, .55, .55}
	for i := range want {
		near(t, fmt.Sprintf("risk %d", i), got[i], want[i], 1e-12)
	}
	near(t, "the greatest", risk.Max, want[0], 1e-12)
	near(t, "the table's", risk.MeanTable, .5, 1e-12)
	if risk.OverLimits != 1 {
		t.Errorf("%d are over .6, want 1", risk.OverLimits)
	}
}

func TestNormalizeKnowsNoLanguage(t *testing.T) {
	same := [][]string{{"Köln", "KO\u0308LN", " köln, "}, {"Straße", "STRASSE"}, {"New\n York", "new york"}, {"東京"}, {"Σίσυφος", "ΣΊΣΥΦΟΣ"}, {"--"}, {"the"}, {"a"}}
	seen := map[string]int{}
	for i, forms := range same {
		for _, form := range forms {
			got := Normalize(form)
			if at, known := seen[got]; known && at != i {
				t.Errorf("%q is %q, as are other words", form, got)
			}
			if got != Normalize(forms[0]) || got != Normalize(got) {
				t.Errorf("%q becomes %q", form, got)
			}
			seen[got] = i
		}
	}
	if keys := slices.Sorted(func(yield func(string) bool) {
		for k := range seen {
			if !yield(k) {
				return
			}
		}
	}); slices.Contains(keys, "") {
		t.Error("a term has no form")
	}
}
