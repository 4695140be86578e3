// SPDX-License-Identifier: Apache-2.0

package query

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
)

type still struct{}

func (still) Add(count, _ int64, _ float64) (int64, error) { return count, nil }

var domain = cube.Domain{
	{Name: "sex", Values: []string{"F", "M", "it's"}, Other: true},
	{Name: "age", Min: 0, Max: 9, Width: 1, Other: true},
	{Name: "length of stay", Min: 0, Max: 39, Width: 10},
}

type person struct {
	sex  string
	age  int
	stay int
}

func some(t *testing.T) ([]person, *cube.Counts) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var people []person
	for range 300 {
		people = append(people, person{[]string{"F", "M", "it's", "?"}[rng.IntN(4)], rng.IntN(12), rng.IntN(40)})
	}
	c, err := cube.Count(func(yield func(cube.Row, error) bool) {
		for _, p := range people {
			if !yield(cube.Row{Values: []string{p.sex, strconv.Itoa(p.age), strconv.Itoa(p.stay)}}, nil) {
				return
			}
		}
	}, domain, 0)
	if err != nil {
		t.Fatal(err)
	}
	return people, c
}

func answer(t *testing.T, c *cube.Counts, text string) []int64 {
	t.Helper()
	q, err := Parse(text, domain)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	a, err := q.Answer(t.Context(), c, ledger.One, still{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return a.Counts
}

// TestQuestionsCountWhatTheyAskFor compares with conditions in Go.
func TestQuestionsCountWhatTheyAskFor(t *testing.T) {
	people, c := some(t)
	for where, holds := range map[string]func(person) bool{
		`sex = 'F'`:                          func(p person) bool { return p.sex == "F" },
		`sex=F`:                              func(p person) bool { return p.sex == "F" },
		`sex <> 'F'`:                         func(p person) bool { return p.sex != "F" },
		`sex = 'it''s'`:                      func(p person) bool { return p.sex == "it's" },
		`sex = '(other)'`:                    func(p person) bool { return p.sex == "?" },
		`sex IN ('F', 'M')`:                  func(p person) bool { return p.sex == "F" || p.sex == "M" },
		`not sex in (F,M)`:                   func(p person) bool { return p.sex != "F" && p.sex != "M" },
		`age < 5`:                            func(p person) bool { return p.age < 5 },
		`age <= 5`:                           func(p person) bool { return p.age <= 5 },
		`age > 5`:                            func(p person) bool { return p.age > 5 && p.age < 10 },
		`age >= 5`:                           func(p person) bool { return p.age >= 5 && p.age < 10 },
		`age = 5`:                            func(p person) bool { return p.age == 5 },
		`age BETWEEN 2 AND 4`:                func(p person) bool { return p.age >= 2 && p.age <= 4 },
		`age BETWEEN 4 AND 2`:                func(person) bool { return false },
		`"length of stay" < 20`:              func(p person) bool { return p.stay < 20 },
		`"length of stay" >= 20`:             func(p person) bool { return p.stay >= 20 },
		`"length of stay" < 100`:             func(person) bool { return true },
		`sex=F OR sex=M AND age<3`:           func(p person) bool { return p.sex == "F" || p.sex == "M" && p.age < 3 },
		`(sex=F OR sex=M) AND age<3`:         func(p person) bool { return (p.sex == "F" || p.sex == "M") && p.age < 3 },
		`NOT (sex=F OR age<3) AND NOT age=5`: func(p person) bool { return !(p.sex == "F" || p.age < 3) && p.age != 5 },
	} {
		want := int64(0)
		for _, p := range people {
			if holds(p) {
				want++
			}
		}
		if got := answer(t, c, "SELECT COUNT(*) FROM people WHERE "+where); got[0] != want {
			t.Errorf("%s: %d, want %d", where, got[0], want)
		}
	}
	if got := answer(t, c, "select count(*)"); got[0] != 300 {
		t.Errorf("all: %d", got[0])
	}
}

func TestGroupsAreAllOfThePublicDomain(t *testing.T) {
	people, c := some(t)
	q, err := Parse(`SELECT COUNT(*) WHERE age < 3 GROUP BY "length of stay", sex`, domain)
	if err != nil {
		t.Fatal(err)
	}
	a, err := q.Answer(t.Context(), c, ledger.One, still{})
	if err != nil || len(a.Counts) != 16 || a.Phase.Counts != 16 {
		t.Fatalf("%+v, %v", a, err)
	}
	want := map[string]int64{}
	for _, p := range people {
		if p.age < 3 {
			sex := p.sex
			if sex == "?" {
				sex = cube.Other
			}
			want[fmt.Sprintf("[%d, %d) %s", p.stay/10*10, p.stay/10*10+10, sex)]++
		}
	}
	for at, got := range a.Counts {
		if label := strings.Join(q.Labels(at), " "); got != want[label] {
			t.Errorf("%s: %d, want %d", label, got, want[label])
		}
	}
}

func TestQuestionsThatMakeNoSenseAreRefusedWhereTheyGoWrong(t *testing.T) {
	for text, at := range map[string]int{
		"": 0, "SELECT *": 7, "SELECT SUM(age)": 7, "SELECT COUNT(*) WHERE": 21, "SELECT COUNT(*) WHERE ward = 1": 22, "SELECT COUNT(*) WHERE sex": 25,
		"SELECT COUNT(*) WHERE sex = 'X'": 28, "SELECT COUNT(*) WHERE sex < 3": 28, "SELECT COUNT(*) WHERE sex IN 'F'": 29, "SELECT COUNT(*) WHERE (sex = 'F'": 32,
		`SELECT COUNT(*) WHERE "length of stay" < 15`: 41, `SELECT COUNT(*) WHERE "length of stay" = 15`: 41, `SELECT COUNT(*) WHERE "length of stay" <= 20`: 42,
		"SELECT COUNT(*) GROUP sex": 22, "SELECT COUNT(*) GROUP BY sex, sex": 30, "SELECT COUNT(*) GROUP BY": 24, "SELECT COUNT(*) ; DROP TABLE": 16, "SELECT COUNT(*) WHERE sex = 'F": 28,
		"SELECT COUNT(*) sex": 16, "SELECT COUNT(*) WHERE age BETWEEN 1": 35, "SELECT COUNT(*) WHERE age < NaN": 28, "SELECT COUNT(*) WHERE sex = '\xff'": 28,
	} {
		_, err := Parse(text, domain)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.At != at {
			t.Errorf("%q: %v, want byte %d", text, err, at+1)
		}
	}
	if _, err := Parse("SELECT COUNT(*) WHERE "+strings.Repeat("(", 200)+"sex=F"+strings.Repeat(")", 200), domain); err == nil {
		t.Error("200 parentheses were taken")
	}
	wide := cube.Domain{}
	for _, n := range []string{"a", "b", "c"} {
		wide = append(wide, cube.Dimension{Name: n, Max: 999, Width: 1})
	}
	if q, err := Parse("SELECT COUNT(*) GROUP BY a, b, c", wide); err != nil || q.Check() == nil {
		t.Errorf("1e9 groups were taken: %v", err)
	}
}

func TestEqualQuestionsAreWrittenTheSame(t *testing.T) {
	a, err := Parse("select  count(*) from x where sex in ('M','F','M') group by age", domain)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Parse(`SELECT COUNT( * ) WHERE "sex" IN (F, M) GROUP BY "age"`, domain)
	if err != nil || a.String() != b.String() {
		t.Errorf("%v: %s and %s", err, a, b)
	}
}

func TestAnswersSayHowFarOffTheyAre(t *testing.T) {
	_, c := some(t)
	q, err := Parse("SELECT COUNT(*) GROUP BY age", domain)
	if err != nil {
		t.Fatal(err)
	}
	truth := answer(t, c, "SELECT COUNT(*) GROUP BY age")
	far := 0
	for range 400 {
		a, err := q.Answer(t.Context(), c, ledger.One/2, noise.Secure{})
		if err != nil {
			t.Fatal(err)
		}
		if d := float64(a.Counts[0] - truth[0]); d > a.Within || d < -a.Within {
			far++
		}
	}
	if far > 45 {
		t.Errorf("%d of 400 were further off than 5 %% may be", far)
	}
}

// FuzzParse: whatever is asked, nothing panics, and what is understood is written
// the same when it is read twice.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`SELECT COUNT(*) FROM x WHERE (sex = 'F' OR NOT age BETWEEN 2 AND 4) GROUP BY "length of stay", sex`, "select count(*)", `SELECT COUNT(*) WHERE age >= 3`, "'", `"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := Parse(s, domain)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.At < 0 || syntax.At > len(s) {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		again, err := Parse(" "+s+"\n", domain)
		if err != nil || again.String() != q.String() {
			t.Fatalf("%q: %v, %s and %s", s, err, q, again)
		}
	})
}
