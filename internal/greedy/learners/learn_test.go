// SPDX-License-Identifier: Apache-2.0

package learners

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// text makes a document of words, of which those with a star are sensitive.
func text(group, words string) *annotate.Note {
	d := &annotate.Note{Group: group}
	spans := 0
	for _, w := range strings.Fields(words) {
		name, sensitive := strings.CutPrefix(w, "*")
		span := -1
		if sensitive {
			span, spans = spans, spans+1
		}
		d.Words, d.Sensitive, d.SpanOf = append(d.Words, name), append(d.Sensitive, sensitive), append(d.SpanOf, span)
	}
	return d
}

// notes are documents of names, of which those after "the" are not sensitive.
func notes(n int) []annotate.View {
	r := rand.New(rand.NewPCG(9, 9))
	views := make([]annotate.View, n)
	for i := range views {
		var words []string
		for range 12 {
			name := fmt.Sprintf("N%c%c%c", 'a'+rune(r.IntN(26)), 'a'+rune(r.IntN(26)), 'a'+rune(r.IntN(26)))
			switch r.IntN(4) {
			case 0:
				words = append(words, "dr", "*"+name)
			case 1:
				words = append(words, "the", name)
			default:
				words = append(words, fmt.Sprintf("w%d", r.IntN(30)))
			}
		}
		views[i] = annotate.View{Note: text(fmt.Sprint("g", i), strings.Join(words, " "))}
	}
	return views
}

// rule marks by a fixed rule and notes which groups it was trained on.
type rule struct {
	name  string
	marks func(word string) bool
	seen  *[][]string
	err   error
}

func (r rule) Name() string { return r.name }

func (r rule) Train(_ context.Context, views []annotate.View) (greedy.Classifier, error) {
	if r.seen != nil {
		*r.seen = append(*r.seen, groups(views))
	}
	return r, r.err
}

func (r rule) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	for x, marked := range r.Hard(v) {
		if marked {
			out[x] = 0.75
		}
	}
	return out
}

func (r rule) Hard(v annotate.View) []bool {
	out := make([]bool, len(v.Words))
	for x := range out {
		out[x] = r.marks(v.Word(x))
	}
	return out
}

var (
	capitals = rule{name: "capitals", marks: func(w string) bool { return w[0] == 'N' }}
	nothing  = rule{name: "nothing", marks: func(string) bool { return false }}
	all      = rule{name: "all", marks: func(string) bool { return true }}
)

func TestSelectionTakesTheLearnerThatErrsLeastAndCountsRight(t *testing.T) {
	views := notes(20)
	sensitive, capital, tokens := 0, 0, 0
	for _, v := range views {
		for x, w := range v.Words {
			tokens++
			if v.Sensitive[x] {
				sensitive++
			}
			if w[0] == 'N' {
				capital++
			}
		}
	}
	for _, weight := range []float64{1, 20, 0.01} {
		h, err := Selection{Learners: []greedy.Learner{all, nothing, capitals, capitals}}.Weighted(weight).Train(t.Context(), views)
		if err != nil {
			t.Fatal(err)
		}
		want := []float64{float64(tokens - sensitive), weight * float64(sensitive), float64(capital - sensitive), float64(capital - sensitive)}
		best := slices.Index(want, slices.Min(want))
		got := h.(*Chosen)
		for i := range want {
			if math.Abs(got.Errors[i]-want[i]) > 1e-9 {
				t.Errorf("weight %g: errors %v, want %v", weight, got.Errors, want)
			}
		}
		if got.Learner != []string{"all", "nothing", "capitals", "capitals"}[best] {
			t.Errorf("weight %g: chose %s, with errors %v", weight, got.Learner, want)
		}
	}
}

func TestSelectionCountsOnDocumentsHeldOut(t *testing.T) {
	var seen [][]string
	l := capitals
	l.seen = &seen
	if _, err := (Selection{Learners: []greedy.Learner{l}, Folds: 4}).Train(t.Context(), notes(12)); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 5 {
		t.Fatalf("%d trainings, want 4 folds and the whole", len(seen))
	}
	held := map[string]int{}
	for _, groups := range seen[:4] {
		for i := range 12 {
			if g := fmt.Sprint("g", i); !slices.Contains(groups, g) {
				held[g]++
			}
		}
	}
	for g, n := range held {
		if n != 1 {
			t.Errorf("group %s was held out %d times", g, n)
		}
	}
	if len(held) != 12 || len(seen[4]) != 12 {
		t.Errorf("%d groups held out, %d learnt from at the end", len(held), len(seen[4]))
	}
}

func TestSelectionIgnoresRedactedTokens(t *testing.T) {
	views := notes(6)
	for i := range views { // only what is sensitive is there
		views[i].Redacted = make([]bool, len(views[i].Words))
		for x := range views[i].Redacted {
			views[i].Redacted[x] = x > 0
		}
		d := *views[i].Note
		d.Sensitive, d.SpanOf = make([]bool, len(d.Words)), slices.Repeat([]int{-1}, len(d.Words))
		if i%2 == 0 {
			d.Sensitive[0], d.SpanOf[0] = true, 0
		}
		views[i].Note = &d
	}
	h, err := Selection{Learners: []greedy.Learner{all, nothing}}.Train(t.Context(), views)
	if err != nil {
		t.Fatal(err)
	}
	if got := h.(*Chosen).Errors; !slices.Equal(got, []float64{3, 3}) {
		t.Errorf("errors %v, want 3 and 3", got)
	}
}

func TestSelectionOfNothingAndOfOneGroup(t *testing.T) {
	if _, err := (Selection{}).Train(t.Context(), notes(4)); err == nil {
		t.Error("no learner, no error")
	}
	views := notes(3)
	for i := range views {
		views[i].Group = "one"
	}
	h, err := Selection{Learners: []greedy.Learner{all, capitals}}.Train(t.Context(), views)
	if err != nil {
		t.Fatal(err)
	}
	if got := h.(*Chosen); got.Learner != "all" || got.Errors != nil {
		t.Errorf("got %s with errors %v", got.Learner, got.Errors)
	}
}

func TestSelectionPassesErrorsOn(t *testing.T) {
	broken := capitals
	broken.err = errors.New("broken")
	if _, err := (Selection{Learners: []greedy.Learner{all, broken}}).Train(t.Context(), notes(6)); !errors.Is(err, broken.err) {
		t.Errorf("got %v", err)
	}
}

func TestEnsembleTakesBackWhatWasMarkedWrongly(t *testing.T) {
	views := notes(60)
	h, err := Ensemble{First: capitals}.Train(t.Context(), views[:40])
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range views[40:] {
		if got := h.Hard(v); !slices.Equal(got, v.Sensitive) {
			t.Errorf("document %d: %v, want %v", i, got, v.Sensitive)
		}
		for x, p := range h.Scores(v) {
			if marked := capitals.marks(v.Words[x]); !marked && p != 0 || marked && (p > 0.5) != v.Sensitive[x] {
				t.Errorf("document %d, token %d: P = %g", i, x, p)
			}
		}
	}
}

func TestEnsembleMarksNothingThatItsFirstLearnerFindsImprobable(t *testing.T) {
	views := notes(30)
	few := rule{name: "few", marks: func(w string) bool { return w[0] == 'N' && w[1] < 'k' }}
	h, err := Ensemble{First: few}.Train(t.Context(), views)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range views {
		for x, marked := range h.Hard(v) {
			if marked && !few.marks(v.Words[x]) {
				t.Fatal("a token is marked that the first learner leaves")
			}
		}
	}
}

// timid marks nothing but finds capitals probable enough.
type timid struct{ rule }

func (timid) Name() string { return "timid" }

func (l timid) Train(context.Context, []annotate.View) (greedy.Classifier, error) { return l, nil }

func (l timid) Hard(v annotate.View) []bool { return make([]bool, len(v.Words)) }

func (l timid) Scores(v annotate.View) []float64 {
	out := l.rule.Scores(v)
	for x := range out {
		out[x] /= 3
	}
	return out
}

func TestEnsembleMarksWhatItsFirstLearnerFindsProbableEnough(t *testing.T) {
	views := notes(60)
	for least, want := range map[float64]bool{0.1: true, 0.3: false} {
		h, err := Ensemble{First: timid{capitals}, Least: least}.Train(t.Context(), views[:40])
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(h.Hard(views[50]), true); got != want {
			t.Errorf("least %g: marks something: %v", least, got)
		}
	}
}

func TestEnsembleWithNothingToCorrectIsItsFirstLearner(t *testing.T) {
	views := notes(6)
	one := notes(2)
	one[1].Group = one[0].Group
	for name, tc := range map[string]struct {
		first rule
		views []annotate.View
	}{"never marks": {nothing, views}, "one group": {capitals, one}} {
		h, err := Ensemble{First: tc.first}.Train(t.Context(), tc.views)
		if err != nil {
			t.Fatal(err)
		}
		if got, is := h.(rule); !is || got.name != tc.first.name {
			t.Errorf("%s: got a %T", name, h)
		}
	}
}

func TestEveryLearnerOfTheTableLearnsAndKeepsItsWord(t *testing.T) {
	views := notes(16)
	for i := range views {
		views[i].Redacted = make([]bool, len(views[i].Words))
		views[i].Redacted[4] = true
	}
	changed := *views[15].Note
	changed.Words = slices.Clone(changed.Words)
	changed.Words[4] = "Otherwise"
	for _, e := range Table() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			if e.About == "" {
				t.Error("nothing is said about it")
			}
			l, err := New(e.Name, Options{Seed: 1})
			if err != nil || l.Name() != e.Name {
				t.Fatalf("learner %v, error %v", l, err)
			}
			h, err := greedy.Fit(t.Context(), l, views[:12])
			if err != nil {
				t.Fatal(err)
			}
			right, wrong := 0, 0
			for _, v := range views[12:] {
				hard := h.Hard(v)
				for x, p := range h.Scores(v) {
					if !(p >= 0 && p <= 1) {
						t.Errorf("a score is %g", p)
					}
					if hard[x] == v.Remaining(x) {
						right++
					} else if !v.Hidden(x) {
						wrong++
					}
				}
			}
			if wrong*4 > right {
				t.Errorf("%d right, %d wrong", right, wrong)
			}
			if !slices.Equal(h.Scores(views[15]), h.Scores(annotate.View{Note: &changed, Redacted: views[15].Redacted})) {
				t.Error("scores depend on a redacted word")
			}
		})
	}
}

func TestLearnersOfTheTableEndWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range Names() {
		l, err := New(name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Train(ctx, notes(6)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestNewNamesTheLearnersThatThereAre(t *testing.T) {
	_, err := New("oracle", Options{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range Names() {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%q does not name %s", err, name)
		}
	}
	if sorted := slices.Compact(slices.Sorted(slices.Values(Names()))); len(sorted) != len(Names()) {
		t.Error("a name is there twice")
	}
}

// doubtfulNotes are notes whose names are sensitive in every third note only, and nothing
// tells when.
func doubtfulNotes(n int) []annotate.View {
	var out []annotate.View
	for i := range n {
		a := annotate.Annotated{Document: annotate.Document{Name: fmt.Sprint(i), Text: "today we saw Lia and Bo at home"}}
		if i%3 == 0 {
			a.Spans = []annotate.Span{{Start: 13, End: 16, Label: "NAME"}, {Start: 21, End: 23, Label: "NAME"}}
		}
		d := annotate.NewNote(a)
		out = append(out, d.View())
	}
	return out
}

// The papers' baselines weigh tokens: with a large weight each marks more.
func TestThePapersLearnersWeighTokens(t *testing.T) {
	views := doubtfulNotes(40)
	for _, name := range []string{"crf", "crf-hide", "svm", "adaboost", "trees", "ensemble", "selection"} {
		l, err := New(name, Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		marked := map[float64]int{}
		for _, weight := range []float64{0.01, 50} {
			weighted := l.(greedy.CostSensitive).Weighted(weight)
			if weighted.Name() != name {
				t.Errorf("%s becomes %s", name, weighted.Name())
			}
			h, err := greedy.Fit(t.Context(), weighted, views)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range doubtfulNotes(6) {
				for _, m := range h.Hard(v) {
					if m {
						marked[weight]++
					}
				}
			}
		}
		if marked[50] <= marked[0.01] {
			t.Errorf("%s marks %d tokens with weight 50 and %d with weight 0.01", name, marked[50], marked[0.01])
		}
	}
}
