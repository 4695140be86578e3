// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/linear"
)

// text makes a document of words; a star makes one sensitive, a minus redacts it.
func text(group, words string) annotate.View {
	d := &annotate.Note{Group: group}
	v := annotate.View{Note: d}
	for i, w := range strings.Fields(words) {
		w, hidden := strings.CutPrefix(w, "-")
		name, sensitive := strings.CutPrefix(w, "*")
		span := -1
		if sensitive {
			span = i
		}
		d.Words, d.Sensitive, d.SpanOf = append(d.Words, name), append(d.Sensitive, sensitive), append(d.SpanOf, span)
		v.Redacted = append(v.Redacted, hidden)
	}
	return v
}

// notes have names, of which most are redacted.
func notes(n int) []annotate.View {
	r := rand.New(rand.NewPCG(4, 2))
	views := make([]annotate.View, n)
	for i := range views {
		var words []string
		for range 15 {
			name := fmt.Sprintf("N%c%c", 'a'+rune(r.IntN(26)), 'a'+rune(r.IntN(26)))
			switch r.IntN(8) {
			case 0:
				words = append(words, "dr", "*"+name)
			case 1, 2:
				words = append(words, "dr", "-*"+name)
			default:
				words = append(words, fmt.Sprintf("w%d", r.IntN(30)))
			}
		}
		views[i] = text(fmt.Sprint("g", i/2), strings.Join(words, " "))
	}
	return views
}

// diary scores words by how often they were sensitive and keeps who taught it.
type diary struct {
	name string
	kept *sync.Map // group of a document that was scored -> groups trained on
}

func (d diary) Name() string { return d.name }

func (d diary) Train(_ context.Context, views []annotate.View) (greedy.Classifier, error) {
	h := remembered{diary: d, rate: map[string]float64{}}
	for _, v := range views {
		h.from = append(h.from, v.Group)
		for x := range v.Words {
			if v.Remaining(x) {
				h.rate[v.Word(x)] = 0.9
			}
		}
	}
	return h, nil
}

type remembered struct {
	diary
	rate map[string]float64
	from []string
}

func (h remembered) Scores(v annotate.View) []float64 {
	if h.kept != nil {
		if _, twice := h.kept.LoadOrStore(v.Note, h.from); twice {
			h.kept.Store("twice", []string{})
		}
	}
	out := make([]float64, len(v.Words))
	for x := range out {
		out[x] = h.rate[v.Word(x)]
	}
	return out
}

func (h remembered) Hard(v annotate.View) []bool {
	out := make([]bool, len(v.Words))
	for x := range out {
		out[x] = h.rate[v.Word(x)] > 0.5
	}
	return out
}

// stubborn says the same of every token with the letter.
type stubborn struct {
	name, letter string
	p            float64
}

func (s stubborn) Name() string { return s.name }

func (s stubborn) Train(context.Context, []annotate.View) (greedy.Classifier, error) { return s, nil }

func (s stubborn) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	for x := range out {
		if strings.HasPrefix(v.Word(x), s.letter) {
			out[x] = s.p
		}
	}
	return out
}

func (s stubborn) Hard(v annotate.View) []bool {
	out := make([]bool, len(v.Words))
	for x, p := range s.Scores(v) {
		out[x] = p > 0.5
	}
	return out
}

func run(t *testing.T, views []annotate.View, p Params) []Result {
	t.Helper()
	results, err := Run(t.Context(), views, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func TestUniformFindsItsShare(t *testing.T) {
	views := notes(10)
	tokens, sensitive := 0, 0
	for _, v := range views {
		for x := range v.Words {
			if !v.Hidden(x) {
				tokens++
				if v.Remaining(x) {
					sensitive++
				}
			}
		}
	}
	r := run(t, views, Params{Kinds: []Kind{Uniform}, Budgets: []int{10, 1e6}})[0]
	if want := 10 * float64(sensitive) / float64(tokens); math.Abs(r.Points[0].Found-want) > 1e-9 || r.Points[1].Found != float64(sensitive) {
		t.Errorf("found %+v, want %g and %d", r.Points, want, sensitive)
	}
	if r.Tokens != tokens || r.Sensitive != sensitive || r.Marked != (greedy.Counts{}) {
		t.Errorf("%d of %d tokens sensitive, marked %+v", r.Sensitive, r.Tokens, r.Marked)
	}
}

func TestEveryDocumentIsAttackedOnceByWhoNeverSawItsGroup(t *testing.T) {
	views := notes(40) // 20 groups of two
	for share, want := range map[float64][2]int{0.5: {20, 20}, 0.25: {10, 10}, 0.1: {4, 4}} {
		kept := &sync.Map{}
		run(t, views, Params{Kinds: []Kind{Ranked}, Learners: []greedy.Learner{diary{"diary", kept}}, Share: share, Seed: 5})
		attacked := 0
		kept.Range(func(key, from any) bool {
			d, is := key.(*annotate.Note)
			if !is {
				t.Errorf("share %g: a document is attacked twice", share)
				return false
			}
			attacked++
			if slices.Contains(from.([]string), d.Group) {
				t.Errorf("share %g: group %s is attacked by who labelled it", share, d.Group)
			}
			if n := len(from.([]string)); n < want[0] || n > want[1] {
				t.Errorf("share %g: %d documents labelled, want %v", share, n, want)
			}
			return true
		})
		if attacked != len(views) {
			t.Errorf("share %g: %d of %d documents attacked", share, attacked, len(views))
		}
	}
}

func TestClassifierIsTheLearnerThatErrsLeast(t *testing.T) {
	views := []annotate.View{text("a", "*N1 w *N2 x -*N3"), text("b", "*N4 w w w")}
	learners := []greedy.Learner{stubborn{"all", "", 1}, stubborn{"names", "N", 1}, stubborn{"words", "w", 1}}
	r := run(t, views, Params{Kinds: []Kind{Classifier}, Learners: learners, Budgets: []int{1, 3, 4}})[0]
	if r.Learner != "names" || r.Marked != (greedy.Counts{TP: 3, TN: 5}) || r.Documents != 2 || r.Groups != 2 {
		t.Errorf("%s marked %+v in %d documents of %d groups", r.Learner, r.Marked, r.Documents, r.Groups)
	}
	for k, want := range []float64{1, 3, 3} {
		if r.Points[k].Found != want {
			t.Errorf("with %d she finds %g, want %g", r.Points[k].Budget, r.Points[k].Found, want)
		}
	}
}

// tkde section 3: h_A's positives come first, in no order.
func TestClassifierLooksAtPositivesFirstAndInNoOrder(t *testing.T) {
	views := []annotate.View{text("a", "*N1 Nx Ny w *q"), text("b", "w *w")}
	r := run(t, views, Params{Kinds: []Kind{Classifier}, Learners: []greedy.Learner{stubborn{"names", "N", 1}}, Budgets: []int{1, 2, 3, 5, 7}})[0]
	for k, want := range []float64{1. / 3, 2. / 3, 1, 2, 3} {
		if math.Abs(r.Points[k].Found-want) > 1e-12 {
			t.Errorf("with %d she finds %g, want %g", r.Points[k].Budget, r.Points[k].Found, want)
		}
	}
}

func TestBestIsTheBestOfRankedForEachBudget(t *testing.T) {
	views := []annotate.View{text("a", "*N1 *N2 Nx Ny"), text("b", "w *w1 w w *w2 *w3 w w")}
	learners := []greedy.Learner{stubborn{"names", "N", 0.8}, stubborn{"words", "w", 0.9}}
	results := run(t, views, Params{Kinds: []Kind{Ranked, Best}, Learners: learners, Budgets: []int{1, 4, 8, 12}})
	best := results[2]
	for k, p := range best.Points {
		a, b := results[0].Points[k], results[1].Points[k]
		if p.Found != max(a.Found, b.Found) || p.Learner != a.Learner && p.Learner != b.Learner {
			t.Errorf("with %d the best of %g and %g is %g by %s", p.Budget, a.Found, b.Found, p.Found, p.Learner)
		}
	}
}

func TestStackedIsTheMeanOfLogOdds(t *testing.T) {
	views := []annotate.View{text("a", "*N w"), text("b", "*Nw q")}
	learners := []greedy.Learner{stubborn{"names", "N", 0.9}, stubborn{"both", "Nw", 0.8}}
	a := newAttack(views, Params{Learners: learners}.withDefaults())
	if err := a.train(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	o := stack(a.labelled)
	floor := greedy.LogOdds(0, finiteOdds)
	for _, tc := range []struct {
		view, token int
		want        float64
	}{{0, 0, (math.Log(9) + floor) / 2}, {0, 1, floor}, {1, 0, (math.Log(9) + math.Log(4)) / 2}} {
		if got := o.scores[tc.view][tc.token]; math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("document %d, token %d: %g, want %g", tc.view, tc.token, got, tc.want)
		}
	}
	if o.marks[0][0] || !o.marks[1][0] {
		t.Errorf("marks %v", o.marks)
	}
}

func TestTransferLearnsFromTheOtherCorpusAlone(t *testing.T) {
	kept := &sync.Map{}
	other := []annotate.View{text("elsewhere", "*N1 w")}
	results := run(t, []annotate.View{text("a", "*N1 w -*N1"), text("b", "*N2 w")},
		Params{Kinds: []Kind{Transfer}, Learners: []greedy.Learner{diary{"diary", kept}}, Other: other, Budgets: []int{1}})
	if len(results) != 1 || results[0].Points[0].Found != 1 || results[0].Marked.TP != 1 || results[0].Sensitive != 2 {
		t.Errorf("got %+v", results)
	}
	kept.Range(func(_, from any) bool {
		if !slices.Equal(from.([]string), []string{"elsewhere"}) {
			t.Errorf("learnt from %v", from)
		}
		return true
	})
}

func TestDictionaryFindsPatternsAndListedNamesWithoutTraining(t *testing.T) {
	r := run(t, []annotate.View{text("a", "seen on 3/14/2019 by Maria , stable .")}, Params{Kinds: []Kind{Dictionary}})[0]
	if r.Marked.TP+r.Marked.FP == 0 {
		t.Error("nothing is marked")
	}
	views := []annotate.View{text("a", "Dr . -*Smith saw -*Maria today Maria")}
	changed := text("a", "Dr . -*Other saw -*Thing today Maria")
	if a, b := listScores(views), listScores([]annotate.View{changed}); !reflect.DeepEqual(a, b) {
		t.Error("scores depend on redacted words")
	}
	if s := listScores(views)[0]; s[6] == 0 || s[5] != 0 {
		t.Errorf("scores %v: the name stands alone at 6", s)
	}
}

func TestRepeatKnowsWhatWasRedacted(t *testing.T) {
	views := []annotate.View{
		text("a", "seen by -*Ana -*Ruiz today"),
		text("b", "*ana *ruiz came ; *Ruiz left ; *Lia -*Bo . w"),
	}
	if got := Redacted(views); !slices.Equal(got, []string{"Ana Ruiz", "Bo"}) {
		t.Fatalf("redacted: %q", got)
	}
	s := repeat(views, Redacted(views))[1]
	for x, want := range []struct{ low, high float64 }{{2, 3}, {2, 3}, {0, 0}, {0, 0}, {1, 2}, {0, 0}, {0, 0}, {0.1, 1}} {
		if s[x] < want.low || s[x] > want.high {
			t.Errorf("token %d has %g, want %g to %g", x, s[x], want.low, want.high)
		}
	}
	r := run(t, views, Params{Kinds: []Kind{Repeat}, Budgets: []int{2, 3}})[0]
	if r.Points[0].Found != 2 || r.Points[1].Found != 3 {
		t.Errorf("found %+v", r.Points)
	}
}

func TestRepeatWithNothingKnownSeesWhatAdjoinsPlaceholders(t *testing.T) {
	views := []annotate.View{text("a", "w *Lia -*Bo . w")}
	s := repeat(views, []string{})[0]
	if s[1] <= 0 || s[0] != 0 || s[3] != 0 {
		t.Errorf("scores %v", s)
	}
}

func TestRunIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	views := notes(20)
	var first []Result
	for _, n := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(n)
		results := run(t, views, Params{Learners: []greedy.Learner{linear.SVM{}, diary{"diary", nil}}, Other: views[:4], Workers: n})
		runtime.GOMAXPROCS(old)
		if first == nil {
			first = results
		}
		if !reflect.DeepEqual(results, first) {
			t.Errorf("%d workers give other results", n)
		}
	}
	if len(first) != 10 {
		t.Errorf("%d results, want uniform, classifier, 2 ranked, best, stacked, 2 transfer, dictionary, repeat", len(first))
	}
	for _, r := range first {
		if r.Tokens != first[0].Tokens || r.Sensitive != first[0].Sensitive {
			t.Errorf("%s attacks %d tokens, %d sensitive", r.Kind, r.Tokens, r.Sensitive)
		}
		for k, p := range r.Points {
			if p.Found > float64(min(p.Budget, r.Sensitive)) || k > 0 && p.Found < r.Points[k-1].Found-1e-9 || p.Groups > p.Documents {
				t.Errorf("%s: %+v", r.Kind, p)
			}
		}
	}
}

func TestRunTellsProgressAndEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := Params{Kinds: []Kind{Ranked}, Learners: []greedy.Learner{diary{"a", nil}, diary{"b", nil}}}
	var told [][2]int
	if _, err := Run(ctx, notes(8), p, func(done, total int) { told = append(told, [2]int{done, total}) }); err != nil {
		t.Fatal(err)
	}
	if want := [][2]int{{1, 4}, {2, 4}, {3, 4}, {4, 4}}; !slices.Equal(told, want) {
		t.Errorf("told %v", told)
	}
	_, err := Run(ctx, notes(8), p, func(int, int) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestRunRefusesWhatMeansNothing(t *testing.T) {
	views, learners := notes(4), []greedy.Learner{diary{"diary", nil}}
	one := []annotate.View{text("a", "*N w")}
	for name, tc := range map[string]struct {
		views []annotate.View
		p     Params
		want  error
	}{
		"one group":        {one, Params{Learners: learners}, ErrFewDocuments},
		"no documents":     {nil, Params{Learners: learners}, ErrFewDocuments},
		"no learners":      {views, Params{}, nil},
		"unknown attacker": {views, Params{Learners: learners, Kinds: []Kind{"oracle"}}, nil},
		"budget 0":         {views, Params{Learners: learners, Budgets: []int{0}}, nil},
		"share too small":  {views, Params{Learners: learners, Share: 0.01}, nil},
		"share NaN":        {views, Params{Learners: learners, Share: math.NaN()}, nil},
		"workers":          {views, Params{Learners: learners, Workers: -1}, nil},
		"no other corpus":  {views, Params{Learners: learners, Kinds: []Kind{Transfer}}, nil},
		"mask too short":   {[]annotate.View{{Note: one[0].Note, Redacted: []bool{true}}}, Params{Kinds: []Kind{Uniform}}, nil},
	} {
		_, err := Run(t.Context(), tc.views, tc.p, nil)
		if err == nil || tc.want != nil && !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestRunOnNothingPublishedFindsNothing(t *testing.T) {
	views := []annotate.View{text("a", "-*N -w"), text("b", ""), text("c", "-w")}
	for _, r := range run(t, views, Params{Learners: []greedy.Learner{diary{"diary", nil}}}) {
		if r.Tokens != 0 || r.Points[0].Found != 0 || r.Marked != (greedy.Counts{}) {
			t.Errorf("%s: %+v", r.Kind, r)
		}
	}
}

// reader notes what it is told of patients.
type reader struct {
	diary
	told *sync.Map
}

func (r reader) Train(ctx context.Context, views []annotate.View) (greedy.Classifier, error) {
	for _, v := range views {
		for _, known := range v.Known {
			r.told.Store(known, true)
		}
	}
	return r.diary.Train(ctx, views)
}

func TestAttackersAreNotToldWhatIsNotPublished(t *testing.T) {
	told := &sync.Map{}
	views := []annotate.View{text("a", "*N1 w"), text("b", "*N2 w"), text("c", "*N3 w")}
	for i := range views {
		views[i].Known = []string{"N1"}
	}
	run(t, views, Params{Kinds: []Kind{Classifier, Transfer}, Learners: []greedy.Learner{reader{diary{"diary", &sync.Map{}}, told}}, Other: views[:1], Budgets: []int{1}})
	told.Range(func(known, _ any) bool {
		t.Errorf("told of %v", known)
		return true
	})
	if views[0].Known == nil {
		t.Error("the publisher's documents are changed")
	}
}

func TestWorthPricesWhatIsFoundByItsLabel(t *testing.T) {
	v := text("g", "Dr *Weiss saw *Ann on *Monday -*Tuesday")
	v.Labels = []annotate.Label{"", "NAME", "", "NAME", "", "DATE", "DATE"}
	everything := [][]bool{{true, true, true, true, true, true, true}}
	for want, byLabel := range map[float64]map[annotate.Label]float64{3: nil, 6.5: {"NAME": 3, "DATE": 0.5}, 1: {"NAME": 0}} {
		r := newAttack([]annotate.View{v}, Params{LossByLabel: byLabel}).order(Ranked, "", asScores(everything), everything)
		if r.Worth != want || r.Marked.TP != 3 {
			t.Errorf("by %v: worth %g of %d, want %g", byLabel, r.Worth, r.Marked.TP, want)
		}
	}
}

func TestCostPricesWhatIsMarkedWronglyByItsKind(t *testing.T) {
	v := text("g", "Dr *Weiss , saw *the 3 of")
	everything := [][]bool{{true, true, true, true, true, true, true}}
	for want, byKind := range map[float64]greedy.Prices{5: nil, 7.5: {greedy.Punctuation: 0.5, greedy.Number: 4}, 14: {greedy.CommonWord: 10}} {
		r := newAttack([]annotate.View{v}, Params{CostByKind: byKind}).order(Ranked, "", asScores(everything), everything)
		if r.Cost != want || r.Marked.FP != 5 || r.Worth != 2 {
			t.Errorf("by %v: %d marked wrongly for %g, want %g; worth %g", byKind, r.Marked.FP, r.Cost, want, r.Worth)
		}
	}
}
