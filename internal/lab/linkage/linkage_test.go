// SPDX-License-Identifier: Apache-2.0

package linkage

import (
	"encoding/csv"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hide/internal/publish/link/score"
)

func collect(o Options) []Record { return slices.Collect(People(o)) }

func TestEqualSeedsGiveEqualRecords(t *testing.T) {
	o := Options{People: 300, Seed: 7, Rates: Stated}
	if !reflect.DeepEqual(collect(o), collect(o)) {
		t.Error("the same options gave other records")
	}
	other := o
	other.Seed = 8
	if reflect.DeepEqual(collect(o), collect(other)) {
		t.Error("another seed gave the same records")
	}
}

func TestPeopleHaveOneToFourRecordsUnderOneNumber(t *testing.T) {
	counts, ids := map[int]int{}, map[string]bool{}
	for _, r := range collect(Options{People: 2000, Seed: 1, Rates: Stated}) {
		counts[r.Person]++
		ids[r.ID] = true
		if len(r.Values) != identifier {
			t.Fatalf("%d values, want %d", len(r.Values), identifier)
		}
	}
	sizes, all := [5]int{}, 0
	for _, n := range counts {
		sizes[n]++
		all += n
	}
	if len(counts) != 2000 || len(ids) != all || sizes[0] > 0 {
		t.Errorf("%d people, %d numbers of %d records", len(counts), len(ids), all)
	}
	for i, share := range recordShares {
		near(t, strconv.Itoa(i+1)+" records", float64(sizes[i+1])/2000, share, 0.03)
	}
}

func TestPeopleCanHaveOneRecordEach(t *testing.T) {
	seen := map[int]bool{}
	for _, r := range collect(Options{People: 500, Seed: 1, Once: true}) {
		if seen[r.Person] {
			t.Fatalf("person %d has two records", r.Person)
		}
		seen[r.Person] = true
	}
	if len(seen) != 500 {
		t.Errorf("%d people", len(seen))
	}
}

// TestErrorsHaveTheStatedRates compares records with errors and the same records without.
func TestErrorsHaveTheStatedRates(t *testing.T) {
	o := Options{People: 4000, Seed: 3, Identifier: true, Rates: Rates{Typo: Stated.Typo}}
	clean := collect(Options{People: 4000, Seed: 3, Identifier: true})
	typos := rate(collect(o), clean, func(a, b []string, k int) bool { return typed[k] != "" }, func(a, b string) bool { return a != b })
	near(t, "typing errors", typos, Stated.Typo, 0.005)
	o.Rates = Rates{Missing: Stated.Missing}
	missing := rate(collect(o), clean, func(a, b []string, k int) bool { return true }, func(a, b string) bool { return a == "" })
	near(t, "missing fields", missing, Stated.Missing, 0.005)
	o.Rates = Rates{Swapped: Stated.Swapped}
	swapped := rate(collect(o), clean, func(a, b []string, k int) bool { return k == given && b[given] != b[surname] }, func(a, b string) bool { return a != b })
	near(t, "swapped names", swapped, Stated.Swapped, 0.005)
}

// rate is the share of the values that count for which is holds.
func rate(got, clean []Record, counts func(a, b []string, k int) bool, is func(a, b string) bool) float64 {
	n, all := 0, 0
	for i := range got {
		for k := range got[i].Values {
			if counts(got[i].Values, clean[i].Values, k) {
				all++
				if is(got[i].Values[k], clean[i].Values[k]) {
					n++
				}
			}
		}
	}
	return float64(n) / float64(all)
}

func TestPeopleMoveAndChangeNamesBetweenRecords(t *testing.T) {
	last := map[int][]string{}
	steps, moved, renamed := 0.0, 0.0, 0.0
	for _, r := range collect(Options{People: 6000, Seed: 5, Rates: Rates{Surname: Stated.Surname, Moved: Stated.Moved}}) {
		if before := last[r.Person]; before != nil {
			steps++
			if !slices.Equal(before[number:postcode+1], r.Values[number:postcode+1]) {
				moved++
			}
			if before[surname] != r.Values[surname] {
				renamed++
			}
			for _, k := range []int{given, birth, sex} {
				if before[k] != r.Values[k] {
					t.Fatalf("field %d changed without an error", k)
				}
			}
		}
		last[r.Person] = r.Values
	}
	near(t, "moves", moved/steps, Stated.Moved, 0.015)
	near(t, "changes of surname", renamed/steps, Stated.Surname, 0.01)
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s: %.4f, want %.4f", what, got, want)
	}
}

func TestFamiliesShareNamesAndTwinsShareBirthDates(t *testing.T) {
	homes := map[string][][]string{}
	surnames := map[string]int{}
	first := map[int]bool{}
	for _, r := range collect(Options{People: 5000, Seed: 2}) {
		if !first[r.Person] {
			first[r.Person] = true
			home := strings.Join(r.Values[number:postcode+1], "\n")
			homes[home] = append(homes[home], r.Values)
			surnames[r.Values[surname]]++
		}
	}
	families, twins := 0, 0
	for _, people := range homes {
		for i, a := range people {
			for _, b := range people[:i] {
				if a[surname] == b[surname] {
					families++
					if a[birth] == b[birth] && a[given] != b[given] {
						twins++
					}
				}
			}
		}
	}
	if families < 2000 || twins < 20 || twins > 200 {
		t.Errorf("%d pairs of a family, %d of twins", families, twins)
	}
	if top := float64(surnames["Smith"]) / 5000; top < 0.005 || top > 0.02 {
		t.Errorf("Smith has a share of %.4f", top)
	}
}

func TestBirthDatesStayDates(t *testing.T) {
	for _, r := range collect(Options{People: 500, Seed: 4, Rates: Rates{Typo: 1}}) {
		if !isDate(r.Values[birth]) {
			t.Fatalf("record %s has no date of birth", r.ID)
		}
	}
}

func TestAFileHasNumberFieldsAndTruth(t *testing.T) {
	o := Options{People: 50, Seed: 1, Rates: Stated, Identifier: true}
	var b strings.Builder
	n, err := WriteCSV(&b, o)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(rows) != n+1 {
		t.Fatalf("%d rows of %d records, %v", len(rows), n, err)
	}
	want := "record_id given_name surname birth_date sex street_number street city postcode state phone social_security truth"
	if got := strings.Join(rows[0], " "); got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	for i, r := range collect(o) {
		if got := strings.Join(rows[i+1], "\n"); got != r.ID+"\n"+strings.Join(r.Values, "\n")+"\n"+strconv.Itoa(r.Person) {
			t.Fatalf("row %d differs from its record", i+1)
		}
	}
}

func TestSimilarityOfPublishedExamples(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want float64
	}{
		{"martha", "marhta", 0.961}, {"dwayne", "duane", 0.840}, {"dixon", "dicksonx", 0.813}, // Winkler 1990
		{"a", "b", 0}, {"", "a", 0}, {"same", "same", 1}, {"ab", "ba", 0},
	} {
		for _, got := range []float64{similarity(test.a, test.b), similarity(test.b, test.a)} {
			near(t, test.a+" "+test.b, got, test.want, 0.0005)
		}
	}
}

// TestTheBaselineIsTheBestOfAllPairs tries all pairs of records with every rule and threshold.
func TestTheBaselineIsTheBestOfAllPairs(t *testing.T) {
	all := collect(Options{People: 60, Seed: 6, Rates: Stated, Identifier: true})
	truth := make([]int, len(all))
	var pairs []pair
	for i, r := range all {
		truth[i] = r.Person
		for j := range i {
			pairs = append(pairs, compared(all, j, i))
		}
	}
	best := int64(math.MaxInt64)
	for _, t := range thresholds {
		for set := 1; set < 1<<len(rules); set++ {
			var linked [][2]int
			for _, p := range pairs {
				for k, r := range rules {
					if set&(1<<k) != 0 && r.met(p, t) {
						linked = append(linked, [2]int{p.a, p.b})
						break
					}
				}
			}
			best = min(best, score.Linked(truth, linked).Errors(), score.Clusters(truth, score.Components(len(truth), linked)).Errors())
		}
	}
	got := BestBaseline(all)
	if got.Score.Errors() != best || len(got.Rules) == 0 || got.Score.Right == 0 {
		t.Errorf("got %+v, want %d errors", got, best)
	}
}
