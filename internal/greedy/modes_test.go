// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"hide/internal/annotate"
)

// tinyLab is a random case of at most 12 tokens with a loss per category and one
// to three learners of one scoring function each; nil when there is one document
// only.
func tinyLab(r *rand.Rand) (*lab, []fixed) {
	docs, _, first := tiny(r)
	scores := []fixed{first}
	for range r.IntN(3) {
		other := fixed{}
		for _, w := range slices.Sorted(maps.Keys(first)) {
			other[w] = float64(r.IntN(6)) / 5
		}
		scores = append(scores, other)
	}
	l := loop(categorised(r, docs), scores[0])
	l.learners = nil
	for _, f := range scores {
		l.learners = append(l.learners, f)
	}
	l.tariff = randomTariff(r)
	if l.folds < 2 {
		return nil, nil
	}
	return l, scores
}

// pays enumerates the thresholds of every learner and its hard labels on what masks leave, and says
// whether one lowers T(H), counting category by category. A fold that has nothing
// sensitive to train on scores 0, one that has nothing else 1.
func pays(l *lab, scores []fixed, masks [][]bool, lc float64) []bool {
	now := totalLoss(l.docs, masks, lc, l.tariff)
	out := make([]bool, len(scores))
	for i, f := range scores {
		for _, marks := range thresholds(l, f, masks, true) {
			after := make([][]bool, len(masks))
			for d, v := range views(l.docs, masks) {
				after[d] = union(v.Redacted, marks[d])
			}
			out[i] = out[i] || totalLoss(l.docs, after, lc, l.tariff) < now
		}
		after := make([][]bool, len(masks))
		for d, v := range views(l.docs, masks) {
			after[d] = union(v.Redacted, labelsLearnt(l, f, d, masks))
		}
		out[i] = out[i] || totalLoss(l.docs, after, lc, l.tariff) < now
	}
	return out
}

// thresholds are what every threshold on priced scores marks and, with plain, every one
// on the scores themselves.
func thresholds(l *lab, f fixed, masks [][]bool, plain bool) [][][]bool {
	scores := make([][]float64, len(l.docs))
	for d := range l.docs {
		scores[d] = asLearnt(l, f, d, masks)
	}
	rankings := [][][]float64{l.tariff.prices.pricedAll(l.docs, scores)}
	if plain {
		rankings = append(rankings, scores)
	}
	var out [][][]bool
	for _, ranking := range rankings {
		for _, threshold := range slices.Concat(ranking...) {
			out = append(out, allAtLeast(ranking, threshold))
		}
	}
	return out
}

// labelsLearnt are the hard labels of document d by the threshold that errs least on
// the other folds, which is another one for every fold.
func labelsLearnt(l *lab, f fixed, d int, masks [][]bool) []bool {
	var others []annotate.View
	for j, v := range views(l.docs, masks) {
		if l.fold[j] != l.fold[d] && len(v.Words) > 0 {
			others = append(others, v)
		}
	}
	h, v := Classifier(always(false)), annotate.View{Note: &l.docs[d], Redacted: nil}
	switch left, gone := l.others(d, masks); {
	case left == 0:
	case gone == 0:
		h = always(true)
	default:
		h, _ = f.Train(context.Background(), others)
	}
	return h.Hard(v)
}

func asLearnt(l *lab, f fixed, d int, masks [][]bool) []float64 {
	switch left, gone := l.others(d, masks); {
	case left == 0:
		return always(false).Scores(annotate.View{Note: &l.docs[d], Redacted: nil})
	case gone == 0:
		return always(true).Scores(annotate.View{Note: &l.docs[d], Redacted: nil})
	}
	return atThreshold{scores: f}.Scores(annotate.View{Note: &l.docs[d], Redacted: nil})
}

// tinyCases is how many cases are enumerated: GREEDY_TEST_CASES, or few, as the race
// detector makes each take long.
func tinyCases() int {
	if more, err := strconv.Atoi(os.Getenv("GREEDY_TEST_CASES")); err == nil {
		return more
	}
	return 2000
}

func TestRankRobustCertificateIsRightByExhaustion(t *testing.T) {
	r := rand.New(rand.NewPCG(50, 1))
	redacting, cases, untouched := 0, 0, 0
	for cases < tinyCases() {
		l, scores := tinyLab(r)
		if l == nil {
			continue
		}
		cases++
		lc := []float64{0.25, 1, 3, 10}[r.IntN(4)]
		s, err := l.solve(t.Context(), Default, lc, 13, ignore)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.h) > 0 {
			redacting++
		}
		for _, masks := range [][][]bool{s.last(), s.masks[0]} {
			certificate, err := l.certify(t.Context(), masks, lc)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range pays(l, scores, masks, lc) {
				if certificate[i].Pays != want || want != (certificate[i].Cost < certificate[i].Gain) {
					t.Fatalf("learner %d at L/C %g: certified %+v, by enumeration something pays: %v", i, lc, certificate[i], want)
				}
			}
		}
		if slices.Contains(pays(l, scores, s.last(), lc), true) {
			t.Fatalf("the loop ends at L/C %g though something pays", lc)
		}
		if slices.Contains(pays(l, scores, s.masks[0], lc), true) == (len(s.h) == 0) {
			untouched++
		}
	}
	if redacting < cases/4 || untouched > 0 {
		t.Fatalf("%d cases redact; %d redact nothing though it pays", redacting, untouched)
	}
}

func TestPaperLoopEndsInLocalOptimumByExhaustion(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 1))
	longest := 0
	for range tinyCases() {
		docs, class, _ := tiny(r)
		l := loop(categorised(r, docs), class)
		l.tariff = randomTariff(r)
		lc := []float64{0.25, 1, 3, 10}[r.IntN(4)]
		s, err := l.solve(t.Context(), Paper, lc, 13, ignore)
		if err != nil {
			t.Fatal(err)
		}
		best, fewest := byWord(nil), -1
		for _, h := range class { // tkde equation 2
			c := countHard(byWord(h), views(docs, s.last()))
			if n := c.FP + c.FN; fewest < 0 || n < fewest {
				best, fewest = h, n
			}
		}
		after := redactMore(views(docs, s.last()), Accepted{Classifier: best, Hard: true})
		if totalLoss(docs, after, lc, l.tariff) < totalLoss(docs, s.last(), lc, l.tariff) {
			t.Fatalf("H of %d at L/C %g is no local optimum (definition 4.1)", len(s.h), lc)
		}
		longest = max(longest, len(s.h))
	}
	if longest < 2 {
		t.Fatal("no case needed a second classifier")
	}
}

func TestPaperHoldoutIsAlgorithm1OnDocumentsHeldOut(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 1))
	longest := 0
	for range 1500 {
		docs, class, _ := tiny(r)
		l := loop(docs, class)
		if l.folds < 2 {
			continue
		}
		for _, lc := range []float64{0.5, 2, 10} {
			s, err := l.solve(t.Context(), PaperHoldout, lc, 13, ignore)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := s.last(), heldOutAlgorithm1(l, class, lc); !reflect.DeepEqual(got, want) {
				t.Fatalf("redacts %v at L/C %g, Algorithm 1 on documents held out %v", got, lc, want)
			}
			longest = max(longest, len(s.h))
		}
	}
	if longest < 2 {
		t.Fatal("no case needed a second classifier")
	}
}

// heldOutAlgorithm1 is the pseudocode of tkde with the labels of each document by
// the hypothesis that is most accurate on the other folds.
func heldOutAlgorithm1(l *lab, class finite, lc float64) [][]bool {
	masks := nothing(l.docs)
	for {
		after := make([][]bool, len(masks))
		for d := range l.docs {
			var others []annotate.View
			for j, v := range views(l.docs, masks) {
				if l.fold[j] != l.fold[d] {
					others = append(others, v)
				}
			}
			best, fewest := byWord(nil), -1
			for _, h := range class {
				c := countHard(byWord(h), others)
				if n := c.FP + c.FN; fewest < 0 || n < fewest {
					best, fewest = h, n
				}
			}
			marks := best.Hard(annotate.View{Note: &l.docs[d], Redacted: masks[d]})
			switch left, gone := l.others(d, masks); {
			case left == 0:
				marks = make([]bool, len(marks))
			case gone == 0:
				marks = always(true).Hard(annotate.View{Note: &l.docs[d], Redacted: nil})
			}
			after[d] = union(masks[d], marks)
		}
		if totalLoss(l.docs, after, lc, tariff{}) >= totalLoss(l.docs, masks, lc, tariff{}) {
			return masks
		}
		masks = after
	}
}

func TestGreedyUnionTakesTheCheapestStepUntilNonePays(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 1))
	mixed := 0
	for range 2000 {
		l, scores := tinyLab(r)
		if l == nil {
			continue
		}
		lc := []float64{0.5, 2, 10}[r.IntN(3)]
		s, err := l.solve(t.Context(), GreedyUnion, lc, 0, ignore)
		if err != nil {
			t.Fatal(err)
		}
		for k := range len(s.masks) - 1 {
			checkCheapest(t, l, scores, s, k, lc)
		}
		if payingStep(l, scores, s, len(s.masks)-1, lc) {
			t.Fatalf("the union ends after %d rounds at L/C %g though a threshold pays", len(s.rounds), lc)
		}
		if len(s.h) > 1 {
			mixed++
		}
	}
	if mixed < 50 {
		t.Fatalf("only %d unions have more than one learner", mixed)
	}
}

// checkCheapest: no threshold that pays on the scores on untouched documents has
// a lower cost per worth than round k+1, counting on what k rounds left.
func checkCheapest(t *testing.T, l *lab, scores []fixed, s *solution, k int, lc float64) {
	t.Helper()
	took := s.rounds[k]
	if !took.Accepted || !(Priced{took.Counts, took.Worth, took.Cost}).Pays(lc) {
		t.Fatalf("round %d: %+v", k+1, took)
	}
	all, _ := l.tariff.sum(l.docs, true)
	least := all / unionSteps
	for _, p := range steps(l, scores, s, k) {
		if p.Pays(lc) && p.Worth >= least && p.Cost*took.Worth < took.Cost*p.Worth {
			t.Fatalf("round %d costs %g for %g; there is %g for %g", k+1, took.Cost, took.Worth, p.Cost, p.Worth)
		}
	}
}

func payingStep(l *lab, scores []fixed, s *solution, k int, lc float64) bool {
	return slices.ContainsFunc(steps(l, scores, s, k), func(p Priced) bool { return p.Pays(lc) })
}

// steps are all thresholds of all learners, counted on what k rounds left.
func steps(l *lab, scores []fixed, s *solution, k int) []Priced {
	var out []Priced
	for _, f := range scores {
		for _, marks := range thresholds(l, f, s.masks[0], false) {
			var c Counts
			for d := range l.docs {
				c = c.plus(CountOn(marks[d], s.masks[k][d], l.docs[d].Sensitive))
			}
			out = append(out, l.tariff.priced(c, l.docs, s.masks[k], marks))
		}
	}
	return out
}

func TestUnionRedactsAsItsStepsDid(t *testing.T) {
	r := rand.New(rand.NewPCG(54, 1))
	used := 0
	for range 500 {
		l, _ := tinyLab(r)
		if l == nil || slices.ContainsFunc(l.fold, func(f int) bool {
			left, gone := l.others(slices.Index(l.fold, f), nothing(l.docs))
			return left == 0 || gone == 0
		}) {
			continue
		}
		s, err := l.solve(t.Context(), GreedyUnion, 3, 0, ignore)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range l.docs {
			if got := s.h.Redact(d); !slices.Equal(got, s.last()[i]) {
				t.Fatalf("redacts %v, its %d steps %v", got, len(s.rounds), s.last()[i])
			}
		}
		used += len(s.h)
	}
	if used < 100 {
		t.Fatalf("only %d classifiers used", used)
	}
}

// named is a learner by another name.
type named struct {
	Learner
	name string
}

func (n named) Name() string { return n.name }

func TestTheDetectorRedactsFirstAndTheClassAttacks(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(55, 1)), 40)
	p := params(Default, 10)
	p.First = named{frequency{}, "detector"}
	p.Learners = []Learner{named{diary{}, "diary"}, frequency{}}
	result, err := Sanitize(t.Context(), docs, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := result.Choices[0]
	if c.Rounds[0].Learner != "detector" || !c.Rounds[0].Accepted || c.Classifiers[0].Learner != "detector" {
		t.Errorf("round 1 is %+v", c.Rounds[0])
	}
	for _, round := range c.Rounds[1:] {
		if round.Learner == "detector" {
			t.Errorf("round %d is the detector's", round.Number)
		}
	}
	if len(c.Certificate) != 2 || c.Certificate[0].Learner != "diary" || c.Certificate[1].Learner != "frequency" {
		t.Errorf("certificate %+v", c.Certificate)
	}
	for _, a := range c.Certificate {
		if a.Pays || a.Counts.TP+a.Counts.FN != int(c.Outcome.Residual.Value) {
			t.Errorf("%+v with %g left", a, c.Outcome.Residual.Value)
		}
	}
}

func TestADetectorThatDoesNotPayIsPassedOver(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(56, 1)), 40)
	p := params(Default, 3)
	p.First = named{finite{{}}, "blind"}
	result, err := Sanitize(t.Context(), docs, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.First = nil
	without, err := Sanitize(t.Context(), docs, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := result.Choices[0], without.Choices[0]; got.Rounds[0].Learner != "frequency" || !reflect.DeepEqual(got, want) {
		t.Errorf("round 1 is %+v", got.Rounds[0])
	}
}

func TestACertificateSaysWhenRoundsRanOut(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(57, 1)), 40)
	p := params(Default, 3)
	p.MaxRounds = 1
	p.First = named{finite{{"w45": true}}, "narrow"}
	result, err := Sanitize(t.Context(), docs, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c := result.Choices[0]; len(c.Classifiers) != 1 || !c.Certificate[0].Pays {
		t.Errorf("%d classifiers, certificate %+v", len(c.Classifiers), c.Certificate)
	}
}

// A learner whose hard labels, with sensitive tokens w times as heavy, are those
// of the threshold 1/(1+w) makes both baselines one.
func TestWeighingInstancesIsAThresholdForALearnerThatCounts(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(58, 1)), 40)
	byMode := map[Mode]*Result{}
	for _, mode := range []Mode{Cost, CostWeight} {
		result, err := Sanitize(t.Context(), docs, params(mode, 0.7, 3, 30), nil)
		if err != nil {
			t.Fatal(err)
		}
		byMode[mode] = result
	}
	for i, c := range byMode[Cost].Choices {
		w := byMode[CostWeight].Choices[i]
		if !reflect.DeepEqual(c.Outcome, w.Outcome) || len(w.Classifiers) != 1 || !w.Classifiers[0].Hard {
			t.Errorf("L/C %g: %g and %g left", c.LC, c.Outcome.Residual.Value, w.Outcome.Residual.Value)
		}
	}
}

func TestCostWeightNeedsALearnerThatWeighs(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(59, 1)), 12)
	p := params(CostWeight, 1)
	p.Learners = []Learner{diary{}}
	if _, err := Sanitize(t.Context(), docs, p, nil); !errors.Is(err, ErrNoWeights) {
		t.Errorf("error %v", err)
	}
}

func TestExperimentRunsEveryMode(t *testing.T) {
	docs := patients(60, 30)
	trial := Trial{Params: params("", 10), Modes: Modes()}
	results, err := Experiment(t.Context(), docs, trial, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range results {
		if m.Mode != Modes()[i] || m.Outcome.Documents != 30 {
			t.Errorf("result %d: %s of %d documents", i, m.Mode, m.Outcome.Documents)
		}
	}
	trial.Modes, trial.Together = []Mode{GreedyUnion, Default}, true
	trial.Learners = []Learner{frequency{}, diary{}}
	results, err = Experiment(t.Context(), docs, trial, nil)
	if err != nil || len(results) != 2 || results[0].Learner != "frequency+diary" {
		t.Errorf("together: %d results, %v", len(results), err)
	}
}
