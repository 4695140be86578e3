// SPDX-License-Identifier: Apache-2.0

package kanonymity

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hide/internal/publish/hierarchy"
	"hide/internal/publish/table"
	"hide/internal/tabular"
)

// patients makes a table of rows drawn at random, as a file.
func patients(rng *rand.Rand, rows int) string {
	var b strings.Builder
	b.WriteString("id,age,sex,zip,born,stage,disease,ward,note\n")
	for i := range rows {
		age := fmt.Sprint(20 + rng.IntN(60))
		if rng.IntN(15) == 0 {
			age = ""
		}
		fmt.Fprintf(&b, "p%d,%s,%s,%05d,%d-%02d-%02d,%s,d%d,w%d,words\n", i, age, []string{"F", "M", "na"}[rng.IntN(3)], 53000+rng.IntN(900),
			1940+rng.IntN(60), 1+rng.IntN(12), 1+rng.IntN(28), []string{"I", "II", "III"}[rng.IntN(3)], rng.IntN(4), rng.IntN(3))
	}
	return b.String()
}

// config configures what patients makes; the last is about the disease.
const config = `
key: id
attributes:
- {name: id, role: direct}
- {name: age, role: quasi, kind: number}
- {name: sex, role: quasi}
- {name: zip, role: quasi, kind: code}
- {name: born, role: quasi, kind: date}
- {name: stage, role: quasi, kind: ordinal, order: [I, II, III]}
- {name: ward, role: insensitive}
- {name: note, role: text}
`

var diseases = []string{
	"{name: disease, role: sensitive}",
	"{name: disease, role: sensitive, l: 2}",
	"{name: disease, role: sensitive, l: 1.8, diversity: entropy}",
	"{name: disease, role: sensitive, l: 2, diversity: recursive, c: 2}",
	"{name: disease, role: sensitive, t: 0.4}",
	"{name: disease, role: sensitive, kind: ordinal, l: 2, t: 0.35}",
	"{name: disease, role: sensitive, hierarchy: d, l: 2, t: 0.35}",
}

func read(t testing.TB, file, config string) (*table.Table, table.Config) {
	t.Helper()
	c, err := table.ReadConfig(strings.NewReader(config))
	if err != nil {
		t.Fatal(err)
	}
	h, err := hierarchy.New([][]string{{"d0", "x", "*"}, {"d1", "x", "*"}, {"d2", "y", "*"}, {"d3", "y", "*"}})
	if err != nil {
		t.Fatal(err)
	}
	c.Hierarchies = map[string]*hierarchy.Hierarchy{"d": h}
	all, err := table.ReadCSV(strings.NewReader(file), c)
	if err != nil {
		t.Fatal(err)
	}
	return all, c
}

// TestEveryReleaseVerifies publishes random tables by all methods and models; what
// publishes refuses a release that its verifier does not find right.
func TestEveryReleaseVerifies(t *testing.T) {
	methods := []string{"{name: mondrian}", "{cut: nearest}", "{cut: lefevre}", "{cut: rxanon}", "{relaxed: true}", "{name: incognito}", "{name: incognito, suppression: 20}"}
	for seed := range uint64(49) {
		rng := rand.New(rand.NewPCG(seed, 3))
		k := 2 + rng.IntN(4)
		text := config + "- " + diseases[int(seed)/len(methods)%len(diseases)] + fmt.Sprintf("\nprivacy: {k: %d}\nmethod: %s\n", k, methods[int(seed)%len(methods)])
		file := patients(rng, 40+rng.IntN(100))
		all, c := read(t, file, text)
		r, err := Anonymize(context.Background(), all, c)
		if c.Method.Suppression > 0 && strings.Contains(text, "t: ") {
			if err == nil {
				t.Errorf("seed %d: suppression with t-closeness", seed)
			}
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		dir := filepath.Join(t.TempDir(), "release")
		if _, err := r.Write(context.Background(), dir, Origin{}, reportOf(t, r)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := checked(os.DirFS(dir))
		if err != nil || !got.OK || got.K != k || got.Smallest < k || got.Rows != all.Rows-len(r.Suppressed) {
			t.Errorf("seed %d: %+v, %v", seed, got, err)
		}
		for _, c := range got.Conditions {
			if !c.Holds {
				t.Errorf("seed %d: %+v", seed, c)
			}
		}
		released, err := os.ReadFile(filepath.Join(dir, "table.csv"))
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Suppressed) == 0 {
			compare(t, file, string(released))
		}
	}
}

// compare holds a release against the original: direct identifiers and texts are
// gone, what is not generalized is there as often, and each generalized age covers
// its own.
func compare(t *testing.T, original, released string) {
	t.Helper()
	before, after := parse(t, original), parse(t, released)
	if want := []string{"age", "sex", "zip", "born", "stage", "disease", "ward"}; !slices.Equal(after[0], want) {
		t.Errorf("columns %q", after[0])
	}
	rest := func(rows [][]string, disease, ward int) []string {
		var all []string
		for _, row := range rows[1:] {
			all = append(all, row[disease]+row[ward])
		}
		slices.Sort(all)
		return all
	}
	if !slices.Equal(rest(before, 6, 7), rest(after, 5, 6)) {
		t.Error("sensitive and insensitive values are not those of the original")
	}
	if strings.Contains(released, "p1") || strings.Contains(released, "words") {
		t.Error("an identifier or a text is released")
	}
}

func parse(t *testing.T, text string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestRowsComeInAnotherOrderEachTime(t *testing.T) {
	all, c := read(t, patients(rand.New(rand.NewPCG(1, 1)), 60), config+"- "+diseases[0]+"\nprivacy: {k: 3}")
	r, err := Anonymize(context.Background(), all, c)
	if err != nil {
		t.Fatal(err)
	}
	var one, other bytes.Buffer
	if err := writeTable(r, &one); err != nil {
		t.Fatal(err)
	}
	if err := writeTable(r, &other); err != nil {
		t.Fatal(err)
	}
	if one.String() == other.String() {
		t.Error("60 rows came in the same order twice")
	}
	a, b := strings.Split(one.String(), "\n"), strings.Split(other.String(), "\n")
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) {
		t.Error("the rows are not the same")
	}
}

// TestEachChangeOfAReleaseIsFound changes one thing at a time, with sums that
// match the change where a forger could make them.
func TestEachChangeOfAReleaseIsFound(t *testing.T) {
	all, c := read(t, patients(rand.New(rand.NewPCG(1, 1)), 60), config+"- "+diseases[6]+"\nprivacy: {k: 3}")
	r, err := Anonymize(context.Background(), all, c)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "release")
	if _, err := r.Write(context.Background(), dir, Origin{}, reportOf(t, r)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(string) error{
		"a row less": func(d string) error {
			return edit(d, "table.csv", func(s string) string { return s[:strings.LastIndex(s[:len(s)-1], "\n")+1] })
		},
		"a byte": func(d string) error {
			return edit(d, "table.csv", func(s string) string { return strings.Replace(s, "d1", "d2", 1) })
		},
		"a report":    func(d string) error { return edit(d, "report.txt", func(s string) string { return s + " " }) },
		"a file more": func(d string) error { return os.WriteFile(filepath.Join(d, "more.txt"), nil, 0o600) },
		"a file less": func(d string) error { return os.Remove(filepath.Join(d, "report.json")) },
		"no sums":     func(d string) error { return os.Remove(filepath.Join(d, "SHA256SUMS")) },
		"a smaller t": func(d string) error {
			return edit(d, "manifest.json", func(s string) string { return strings.Replace(s, `"t": 0.35`, `"t": 0.01`, 1) })
		},
		"a larger l": func(d string) error {
			return edit(d, "manifest.json", func(s string) string { return strings.Replace(s, `"l": 2`, `"l": 5`, 1) })
		},
		"a larger k": func(d string) error {
			return edit(d, "manifest.json", func(s string) string { return strings.Replace(s, `"k": 3`, `"k": 7`, 1) })
		},
		"a released text": func(d string) error {
			return edit(d, "manifest.json", func(s string) string { return strings.Replace(s, `"released": false`, `"released": true`, 1) })
		},
	} {
		copied := filepath.Join(t.TempDir(), "copy")
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		if err := change(copied); err != nil {
			t.Fatal(err)
		}
		if got, err := checked(os.DirFS(copied)); err == nil && got.OK {
			t.Errorf("%s is not found", name)
		}
	}
}

func edit(dir, name string, change func(string) string) error {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	changed := change(string(text))
	if changed == string(text) {
		return fmt.Errorf("%s stays as it is", name)
	}
	return os.WriteFile(filepath.Join(dir, name), []byte(changed), 0o600)
}

func TestReportCountsWhatIsReleased(t *testing.T) {
	all, c := read(t, patients(rand.New(rand.NewPCG(2, 1)), 80), config+"- "+diseases[0]+"\nprivacy: {k: 4}")
	r, err := Anonymize(context.Background(), all, c)
	if err != nil {
		t.Fatal(err)
	}
	rep := reportOf(t, r)
	if got, want := rep.Utility.NCP, r.Generalized.NCP(r.Classes); got < want-1e-12 || got > want+1e-12 {
		t.Errorf("NCP %v by attribute, %v by row", got, want)
	}
	if rep.After.Unique != 0 || rep.After.Prosecutor.Highest > .25 || rep.Before.Rows != 80 || rep.After.Rows != 80 || rep.Utility.LargestClass < 4 {
		t.Errorf("%+v", rep)
	}
}

// reportOf is for tests that nobody cancels.
func reportOf(t *testing.T, r *Result) Report {
	t.Helper()
	rep, err := r.Report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// TestWhatIsCancelledEnds: measuring and writing look at the context, so that nobody
// waits for what nobody wants.
func TestWhatIsCancelledEnds(t *testing.T) {
	all, c := read(t, patients(rand.New(rand.NewPCG(1, 2)), 40), config+"- "+diseases[0])
	c.Privacy.K = 2
	r, err := Anonymize(t.Context(), all, c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, work := range map[string]func() error{
		"Report":         func() error { _, err := r.Report(ctx); return err },
		"sizes":          func() error { _, _, err := r.sizes(ctx); return err },
		"rawSizes":       func() error { _, _, err := r.rawSizes(ctx); return err },
		"estimate":       func() error { return r.estimate(ctx, 1000) },
		"QueryPrecision": func() error { _, err := r.Table.QueryPrecision(ctx, r.Classes, nil, 10, 1); return err },
		"Write": func() error {
			_, err := r.Write(ctx, filepath.Join(t.TempDir(), "r"), Origin{}, Report{})
			return err
		},
	} {
		if err := work(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// writeTable writes table.csv alone.
func writeTable(r *Result, w io.Writer) error {
	out := tabular.NewWriter(w)
	return errors.Join(r.WriteTable(context.Background(), out), out.Flush())
}
