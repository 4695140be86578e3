// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// rising marks what it is told to, raises odds by a factor of its own, and counts how often
// it is asked.
type rising struct {
	scores map[string]float64 // by word
	rise   float64
	asked  *int
}

func (h *rising) Hard(v annotate.View) []bool { return atLeast(h.Scores(v), .5) }

func (h *rising) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	for i, w := range v.Words {
		if !v.Hidden(i) {
			out[i] = h.scores[w]
		}
	}
	return out
}

func (h *rising) Rise(_ context.Context, views []annotate.View) (float64, error) {
	*h.asked++
	if len(views) == 0 {
		return 1, context.Canceled
	}
	return h.rise, nil
}

func (h *rising) Raised(r float64) Classifier {
	scores := map[string]float64{}
	for w, p := range h.scores {
		scores[w] = r * p / (r*p + 1 - p)
	}
	return &rising{scores, h.rise, h.asked}
}

// roomy is a document of words, and as many others that nothing marks as it takes for the
// limit of [MostMore] to be a number of words.
func roomy(room int, words ...string) annotate.Note {
	for len(words) < int(float64(room)/MostMore)+1 {
		words = append(words, "and")
	}
	return annotate.Note{Words: words, Sensitive: make([]bool, len(words))}
}

// redacted are the words that H redacts.
func redacted(e Ensemble, d annotate.Note) string {
	var out []string
	for i, marked := range e.Redact(d) {
		if marked {
			out = append(out, d.Words[i])
		}
	}
	return strings.Join(out, " ")
}

func mustAdapt(t *testing.T, r *Result, differs bool, docs ...annotate.Note) Adapted {
	t.Helper()
	a, err := r.AdaptTo(t.Context(), Publication{docs, differs})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestOddsAreRaisedOnceForAllChoices(t *testing.T) {
	asked := 0
	h := &rising{map[string]float64{"Ana": .9, "May": .4}, 2, &asked}
	one := Ensemble{{Classifier: h, Threshold: .5}}
	r := &Result{Choices: []Choice{{At: 1, Classifiers: one}, {At: 1, Classifiers: append(one, Accepted{Classifier: afterDate{}, Threshold: .5})}}}
	d := roomy(9, "Ana", "in", "May", "1990")
	if a := mustAdapt(t, r, false, d); asked != 1 || a.Raised != 2 || a.Limited || a.More != 1/float64(len(d.Words)) {
		t.Errorf("asked %d times: %+v", asked, a)
	}
	if got := redacted(r.Choices[0].Classifiers, d); got != "Ana May" {
		t.Errorf("redacted %q", got)
	}
	if got := redacted(r.Choices[1].Classifiers, d); got != "Ana May 1990" {
		t.Errorf("redacted %q; want the name, the date, and what follows it, which is found only where the date can be read", got)
	}
	if got := redacted(one, d); got != "Ana" {
		t.Errorf("the ensemble that was given redacts %q", got)
	}
}

// TestRaisedOddsRedactAtMostTheLimit raises odds so that six words would be redacted, two of
// which have equal scores, where there is room for some.
func TestRaisedOddsRedactAtMostTheLimit(t *testing.T) {
	asked := 0
	scores := map[string]float64{"a": .45, "b": .4, "c": .35, "d": .35, "e": .3, "f": .25}
	for room, want := range []string{"", "a", "a b", "a b", "a b c d", "a b c d e", "a b c d e f"} {
		r := &Result{Choices: []Choice{{Classifiers: Ensemble{{Classifier: &rising{scores, 4, &asked}, Threshold: .5}}}}}
		d := roomy(max(room, 1), "a", "b", "c", "d", "e", "f")
		if room == 0 {
			d.Words, d.Sensitive = d.Words[:49], d.Sensitive[:49] // 2 % of these are less than a word
		}
		a := mustAdapt(t, r, false, d)
		if got := redacted(r.Choices[0].Classifiers, d); got != want || a.Limited != (room < 6) || a.More > MostMore {
			t.Errorf("room for %d: redacted %q, want %q; %+v", room, got, want, a)
		}
	}
}

// TestDocumentsThatDifferGetPlainThresholds marks what has odds of C/L in documents that
// differ, and keeps the tuned thresholds elsewhere and where losses depend on labels.
func TestDocumentsThatDifferGetPlainThresholds(t *testing.T) {
	for _, test := range []struct {
		differs, byLabel bool
		want             string
	}{{false, false, "a b"}, {true, false, "a"}, {true, true, "a b"}} {
		h := &rising{map[string]float64{"a": .2, "b": .08}, 1, new(int)}
		r := &Result{lossByLabel: test.byLabel, Choices: []Choice{{At: 10, Classifiers: Ensemble{{Classifier: h, Threshold: .05}}}}}
		d := roomy(1, "a", "b")
		if a := mustAdapt(t, r, test.differs, d); a != (unchanged) {
			t.Errorf("%+v", a)
		}
		if got := redacted(r.Choices[0].Classifiers, d); got != test.want {
			t.Errorf("differs %v, losses by label %v: redacted %q, want %q", test.differs, test.byLabel, got, test.want)
		}
	}
}

// TestLaterRoundsAreLimitedInDocumentsThatDiffer has a second round of six words, by
// thresholds or hard labels.
func TestLaterRoundsAreLimitedInDocumentsThatDiffer(t *testing.T) {
	first := Accepted{Classifier: &rising{map[string]float64{"x": 1}, 1, new(int)}, Threshold: .5}
	scores := map[string]float64{"a": .9, "b": .8, "c": .7, "d": .7, "e": .6, "f": .6}
	for _, hard := range []bool{false, true} {
		for room, want := range map[int]string{1: "x a", 3: "x a b", 4: "x a b c d", 9: "x a b c d e f"} {
			e := Ensemble{first, {Classifier: &rising{scores, 1, new(int)}, Threshold: .5, Hard: hard}}
			d := roomy(room, "x", "a", "b", "c", "d", "e", "f")
			r := &Result{Choices: []Choice{{At: 1, Classifiers: e}}}
			a := mustAdapt(t, r, true, d)
			if got := redacted(r.Choices[0].Classifiers, d); got != want || a.Limited != (room < 6) || a.More > MostMore {
				t.Errorf("room for %d: redacted %q, want %q; %+v", room, got, want, a)
			}
			if got, words := r.Choices[0].Applied, strings.Fields(want); got == nil || *got != (Applied{1, len(d.Words), len(words)}) {
				t.Errorf("room for %d: counted %+v, want %d words", room, got, len(words))
			}
			same := &Result{Choices: []Choice{{At: 1, Classifiers: e}}}
			mustAdapt(t, same, false, d)
			if same.Choices[0].Applied != nil {
				t.Error("documents alike are counted")
			}
			if got := redacted(same.Choices[0].Classifiers, d); got != "x a b c d e f" {
				t.Errorf("documents alike: redacted %q", got)
			}
		}
	}
}

// TestARoundThatMarksNothingIsNotRaised has a second round of two equal words with room for
// one, so that it marks nothing. No factor of its odds changes that or takes the room.
func TestARoundThatMarksNothingIsNotRaised(t *testing.T) {
	scores := map[string]float64{"a": .9, "b": .9}
	d := roomy(1, "x", "a", "b")
	for i := 3; i < len(d.Words); i++ {
		d.Words[i] = fmt.Sprint("and", i)
		scores[d.Words[i]] = .01 + .001*float64(i)
	}
	first := Accepted{Classifier: &rising{map[string]float64{"x": 1}, 1, new(int)}, Threshold: .5}
	r := &Result{Choices: []Choice{{At: 1, Classifiers: Ensemble{first, {Classifier: &rising{scores, 4, new(int)}, Threshold: .5, Whole: true}}}}}
	a := mustAdapt(t, r, true, d)
	if got := redacted(r.Choices[0].Classifiers, d); got != "x" || a.More != 0 || a.Raised != 1 || !a.Limited {
		t.Errorf("redacted %q; %+v", got, a)
	}
}

// cautious marks less when it is wary.
type cautious struct{ rising }

func (h *cautious) Wary(_ context.Context, views []annotate.View) (Classifier, float64, error) {
	*h.asked++
	return &rising{map[string]float64{"a": .9}, 1, new(int)}, .5, nil
}

func TestAWaryClassifierReadsDocumentsThatDiffer(t *testing.T) {
	for _, differs := range []bool{false, true} {
		h := &cautious{rising{map[string]float64{"a": .9, "b": .9}, 1, new(int)}}
		e := Ensemble{{Classifier: h, Threshold: .5}}
		r := &Result{Choices: []Choice{{At: 1, Classifiers: e}, {At: 1, Classifiers: e}}}
		d, want, trust := roomy(1, "a", "b"), "a b", 1.
		asked := 1 // once for its rise
		if differs {
			want, trust = "a", .5
		}
		if a := mustAdapt(t, r, differs, d); a.Trust != trust || *h.asked != asked {
			t.Errorf("differs %v: %+v, asked %d times", differs, a, *h.asked)
		}
		if got := redacted(r.Choices[1].Classifiers, d); got != want {
			t.Errorf("differs %v: redacted %q, want %q", differs, got, want)
		}
	}
}

func TestWithoutDocumentsNothingIsAdapted(t *testing.T) {
	asked := 0
	h := &rising{rise: 2, asked: &asked}
	r := &Result{Choices: []Choice{{At: 1, Classifiers: Ensemble{{Classifier: h, Threshold: .3}}}}}
	if a := mustAdapt(t, r, true); asked != 0 || a != (unchanged) || r.Choices[0].Classifiers[0].Threshold != .3 {
		t.Errorf("asked %d times, %+v", asked, a)
	}
}

// afterDate marks what follows a date that it can read.
type afterDate struct{}

func (afterDate) Hard(v annotate.View) []bool {
	out := make([]bool, len(v.Words))
	for i := 1; i < len(out); i++ {
		out[i] = v.Words[i-1] == "May" && !v.Hidden(i-1)
	}
	return out
}

func (h afterDate) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	for i, hard := range h.Hard(v) {
		if hard {
			out[i] = 1
		}
	}
	return out
}

// unwilling fails to be corrected.
type unwilling struct{ always }

func (unwilling) Rise(context.Context, []annotate.View) (float64, error) { return 1, context.Canceled }

func (h unwilling) Raised(float64) Classifier { return h }

func TestWhatCannotBeAdaptedLeavesAResultAsItWas(t *testing.T) {
	h := &rising{map[string]float64{"a": .4}, 2, new(int)}
	r := &Result{Choices: []Choice{{At: 9, Classifiers: Ensemble{{Classifier: h, Threshold: .5}}}, {At: 9, Classifiers: Ensemble{{Classifier: unwilling{true}, Threshold: .5}}}}}
	d := roomy(1, "a")
	if _, err := r.AdaptTo(t.Context(), Publication{[]annotate.Note{d}, true}); !errors.Is(err, context.Canceled) || redacted(r.Choices[0].Classifiers, d) != "" || r.Choices[0].Classifiers[0].Threshold != .5 {
		t.Errorf("%v, %v", err, r.Choices)
	}
}
