// SPDX-License-Identifier: Apache-2.0

package trade

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/hospital"
)

// hideFeatures are few, so that training is quick.
var hideFeatures, _ = crf.Preset("hide")

// notes are a few generated ones.
func notes(t *testing.T, n int) []annotate.Annotated {
	t.Helper()
	var all []annotate.Annotated
	for d := range hospital.Generate(hospital.Options{Patients: n, Seed: 7}) {
		if all = append(all, d); len(all) == n {
			break
		}
	}
	return all
}

func lines(t *testing.T, texts ...string) []Line {
	t.Helper()
	var all []Line
	for _, text := range texts {
		l, err := ParseLine(text, 1)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	return all
}

func TestLineExpandsEveryValueAndBeginsWithAllWords(t *testing.T) {
	cases := []struct {
		text   string
		name   string
		labels []string
		texts  []string
	}{
		{"o=.5,.2", "o", []string{"all", ".5", ".2"}, []string{"", "o=0.5+seed=1", "o=0.2+seed=1"}},
		{"o=1,.5", "o", []string{"all", ".5"}, []string{"", "o=0.5+seed=1"}}, // 1 leaves nothing out
		{"o=.5,.2+window=4", "o+window", []string{"all", ".5 4", ".2 4"}, []string{"", "o=0.5+window=4+seed=1", "o=0.2+window=4+seed=1"}},
		{"cost=O:.5/O:.2,DATE:3", "cost", []string{"all", "O:.5", "O:.2,DATE:3"}, []string{"", "cost=O:0.5+seed=1", "cost=DATE:3,O:0.2+seed=1"}},
		{"window=8+seed=9", "window+seed", []string{"all", "8 9"}, []string{"", "window=8+seed=9"}},
	}
	for _, c := range cases {
		l := lines(t, c.text)[0]
		var texts []string
		for _, s := range l.Samplings {
			texts = append(texts, s.String())
		}
		if l.Name != c.name || !slices.Equal(l.Labels, c.labels) || !slices.Equal(texts, c.texts) {
			t.Errorf("%s: %q %q %q, want %q %q %q", c.text, l.Name, l.Labels, texts, c.name, c.labels, c.texts)
		}
	}
	for _, bad := range []string{"", "o", "o=0", "o=2", "p=.5", "window=-1", "o=.5+o=.2", "cost=O", "o=.5,"} {
		if l, err := ParseLine(bad, 1); err == nil && len(l.Samplings) > 1 {
			t.Errorf("%q was read as %v", bad, l.Samplings)
		}
	}
}

func TestEverySettingIsMeasuredOnceAndAsCrossValidationHasIt(t *testing.T) {
	docs := notes(t, 6)
	var begun []string
	o := Options{Options: crf.Options{Learner: crf.Bayes, Features: hideFeatures}, Folds: 3, Seed: 5}
	o.Begin = func(done, of int, s crf.Sampling) {
		if done != len(begun) || of != 3 {
			t.Errorf("begins %d of %d, want %d of 3", done, of, len(begun))
		}
		begun = append(begun, s.String())
	}
	all := lines(t, "o=.5,.2", "o=.2")
	c, err := Measure(t.Context(), docs, all, o)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"", "o=0.5+seed=1", "o=0.2+seed=1"}; !slices.Equal(begun, want) {
		t.Errorf("measured %q, want %q", begun, want)
	}
	if Count(all) != 3 || len(c.Settings) != 3 {
		t.Errorf("%d settings, %d measured, want 3", Count(all), len(c.Settings))
	}
	if got := c.Lines[1].Points; !reflect.DeepEqual(got, []Point{{"all", 0}, {".2", 2}}) {
		t.Errorf("the second curve is %v", got)
	}
	if c.Settings[0].WordsKept != 1 || c.Settings[2].WordsKept >= c.Settings[1].WordsKept {
		t.Errorf("words kept: %g, %g, %g", c.Settings[0].WordsKept, c.Settings[1].WordsKept, c.Settings[2].WordsKept)
	}
	checkByHand(t, docs, c, o)
}

// checkByHand counts exact spans independently.
func checkByHand(t *testing.T, docs []annotate.Annotated, c Curves, o Options) {
	t.Helper()
	views, groups := annotate.Views(annotate.NewNotes(docs)), make([]string, len(docs))
	for i, d := range docs {
		groups[i] = d.Group()
	}
	for _, set := range c.Settings {
		opts := o.Options
		opts.Sampling = set.Sampling
		seen, err := crf.CrossValidate(t.Context(), views, groups, o.Folds, o.Seed, opts)
		if err != nil {
			t.Fatal(err)
		}
		said, right, gold := 0, 0, 0
		for i, d := range docs {
			said, gold = said+len(seen.Tags[i]), gold+len(d.Spans)
			for _, s := range crf.SpansOf(seen.Tags[i]) {
				if slices.Contains(d.Spans, s) {
					right++
				}
			}
		}
		if p, r := float64(right)/float64(said), float64(right)/float64(gold); p != set.Entity.Precision || r != set.Entity.Recall {
			t.Errorf("%q: precision %g, recall %g, by hand %g, %g", set.Sampling, set.Entity.Precision, set.Entity.Recall, p, r)
		}
	}
}

// A learner without labels is scored by runs of words, from the same folds.
func TestAMarkerIsScoredByRunsOfSensitiveWords(t *testing.T) {
	docs := notes(t, 6)
	for i := range docs {
		docs[i].Text, docs[i].Patient = "Dr Ana Ruiz 3 / 4 well", string(rune('a'+i))
		docs[i].Spans = []annotate.Span{{Start: 3, End: 6, Label: "FIRST"}, {Start: 7, End: 11, Label: "LAST"}, {Start: 12, End: 17, Label: "DATE"}}
	}
	groups := []string{"a", "b", "c", "d", "e", "f"}
	folds, err := crf.Folds(groups, 3, 5)
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	m := &Marker{Name: "finger", Marks: func(_ context.Context, s crf.Sampling, fold []int, k int) ([][]bool, error) {
		if asked = append(asked, s.String()); !slices.Equal(fold, folds) || k != 3 {
			t.Errorf("folds %v of %d, want %v", fold, k, folds)
		}
		marks := make([][]bool, len(docs))
		for i := range marks { // Ana Ruiz 3 / 4 as one, and "well" when sampling
			marks[i] = []bool{false, true, true, true, true, true, s.O > 0}
		}
		marks[0] = make([]bool, 7)
		return marks, nil
	}}
	c, err := Measure(t.Context(), docs, lines(t, "o=.5"), Options{Marker: m, Folds: 3, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	if c.Learner != "finger" || !c.Folded || !slices.Equal(asked, []string{"", "o=0.5+seed=1"}) {
		t.Errorf("%q, folded %v, asked %q", c.Learner, c.Folded, asked)
	}
	all, half := c.Settings[0], c.Settings[1]
	if all.Entity.Precision != 1 || all.Entity.Recall != 5.0/6 || all.Token.Recall != 5.0/6 || all.DocumentsWithLeak != 1 {
		t.Errorf("all words: %+v", all)
	}
	if half.Entity.Recall != 0 || half.Token.Precision != 25.0/30 || half.Token.Recall != 5.0/6 {
		t.Errorf("half of them: %+v", half)
	}
}

func TestNotesWithoutASpanAreRefused(t *testing.T) {
	docs := notes(t, 4)
	for i := range docs {
		docs[i].Spans = nil
	}
	if _, err := Measure(t.Context(), docs, lines(t, "o=.5"), Options{Folds: 2}); !errors.Is(err, ErrNothing) {
		t.Errorf("error is %v, want ErrNothing", err)
	}
}

func TestMeasuringIsTheSameForAnyNumberOfProcessors(t *testing.T) {
	docs := notes(t, 4)
	var first []byte
	for _, procs := range []int{1, 2, 8} {
		was := runtime.GOMAXPROCS(procs)
		c, err := Measure(t.Context(), docs, lines(t, "o=.3"), Options{Options: crf.Options{Features: hideFeatures, MaxIterations: 5}, Folds: 2, Seed: 1})
		runtime.GOMAXPROCS(was)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if string(got) != string(first) {
			t.Errorf("with %d processors: %s, want %s", procs, got, first)
		}
	}
}

func TestMeasuringStopsWhenItIsNotWanted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := Options{Folds: 2, Begin: func(int, int, crf.Sampling) { cancel() }}
	if _, err := Measure(ctx, notes(t, 6), lines(t, "o=.5"), o); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want that it was cancelled", err)
	}
}

func TestUsualLinesCanBeRead(t *testing.T) {
	if got := Count(lines(t, Usual()...)); got != 9 {
		t.Errorf("%s are %d settings, want 9", strings.Join(Usual(), " "), got)
	}
}
