// SPDX-License-Identifier: Apache-2.0

package kanonymity

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// population is people of whom one in four is in the sample.
func population(rng *rand.Rand, people int) string {
	var b strings.Builder
	b.WriteString("study,age,sex,disease\n")
	for range people {
		fmt.Fprintf(&b, "%s,%d,%s,d%d\n", []string{"in", "out", "out", ""}[rng.IntN(4)], 20+rng.IntN(30), []string{"F", "M"}[rng.IntN(2)], rng.IntN(3))
	}
	return b.String()
}

const mapConfig = `
attributes:
- {name: age, role: quasi, kind: number}
- {name: sex, role: quasi}
- {name: disease, role: sensitive, l: 2}
sample: {column: study, value: in}
`

// covers says whether a released value can be a person's.
func covers(released, value string) bool {
	switch {
	case released == value || released == "*":
		return true
	case strings.HasPrefix(released, "{"):
		return slices.Contains(strings.Split(strings.Trim(released, "{}"), ", "), value)
	case strings.HasPrefix(released, "["):
		lo, hi, _ := strings.Cut(strings.Trim(released, "[]"), "-")
		from, _ := strconv.Atoi(lo)
		to, _ := strconv.Atoi(hi)
		v, _ := strconv.Atoi(value)
		return from <= v && v <= to
	}
	return false
}

// TestEachRowOfASampleIsLikeKPeople counts for every released row who in the
// population could be meant.
func TestEachRowOfASampleIsLikeKPeople(t *testing.T) {
	smaller := false
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 9))
		file, k := population(rng, 150), 4+rng.IntN(6)
		all, c := read(t, file, mapConfig+fmt.Sprintf("privacy: {k: %d}\nmethod: {cut: %s}\n", k, []string{"ncp", "nearest"}[seed%2]))
		r, err := Anonymize(context.Background(), all, c)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := writeTable(r, &b); err != nil {
			t.Fatal(err)
		}
		people, released := parse(t, file)[1:], parse(t, b.String())[1:]
		if want := strings.Count(file, "in,"); len(released) != want {
			t.Errorf("%d rows released, the sample has %d", len(released), want)
		}
		for _, row := range released {
			meant := 0
			for _, p := range people {
				if covers(row[0], p[1]) && covers(row[1], p[2]) {
					meant++
				}
			}
			if meant < k {
				t.Errorf("seed %d: a row can be %d people, k is %d", seed, meant, k)
			}
		}
		rep := reportOf(t, r)
		if rep.After.Journalist == nil || rep.After.Journalist.Highest > 1/float64(k)+1e-12 || *rep.After.Marketer > *rep.Before.Marketer {
			t.Errorf("seed %d: %+v", seed, rep.After)
		}
		dir := filepath.Join(t.TempDir(), "release")
		if _, err := r.Write(context.Background(), dir, Origin{}, rep); err != nil {
			t.Fatal(err)
		}
		got, err := checked(os.DirFS(dir))
		if err != nil || !got.OK || !got.Map || got.Rows != len(released) {
			t.Errorf("seed %d: %+v, %v", seed, got, err)
		}
		smaller = smaller || got.Smallest < k
	}
	if !smaller {
		t.Error("no class of a sample was smaller than k: nothing came of the population")
	}
}

func TestSamplesThatAreNoneAreRefused(t *testing.T) {
	file := population(rand.New(rand.NewPCG(1, 1)), 30)
	for _, change := range [][2]string{{"value: in", "value: nobody"}, {"privacy:", "method: {name: incognito}\nprivacy:"}} {
		all, c := read(t, file, strings.Replace(mapConfig+"privacy: {k: 2}\n", change[0], change[1], 1))
		if _, err := Anonymize(context.Background(), all, c); err == nil {
			t.Errorf("%q is taken", change[1])
		}
	}
}
