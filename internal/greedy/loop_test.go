// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/annotate"
)

// tiny makes at most 12 tokens with one word each, in one to four documents,
// and a class of hypotheses over those words.
func tiny(r *rand.Rand) ([]annotate.Note, finite, fixed) {
	n := 2 + r.IntN(11)
	class, scores := make(finite, 1+r.IntN(8)), fixed{}
	for i := range class {
		class[i] = map[string]bool{}
	}
	docs := make([]annotate.Note, 1+r.IntN(4))
	for i := range docs {
		docs[i].Group = fmt.Sprint(i)
	}
	for x := range n {
		word, d := kindred(x), &docs[r.IntN(len(docs))]
		s := x == 0 || x > 1 && r.IntN(3) == 0
		d.Words, d.Sensitive, d.SpanOf = append(d.Words, word), append(d.Sensitive, s), append(d.SpanOf, -1)
		if s {
			d.SpanOf[len(d.SpanOf)-1] = x
		}
		for _, h := range class {
			h[word] = r.IntN(3) == 0
		}
		scores[word] = float64(r.IntN(6)) / 5
	}
	return docs, class, scores
}

// kindred is a word of its own for each x below 16, of every kind in turn.
func kindred(x int) string {
	return []string{fmt.Sprint(x), []string{",", ".", ";", "("}[x/4], []string{"the", "and", "of", "with"}[x/4], fmt.Sprintf("w%d", x)}[x%4]
}

func loop(docs []annotate.Note, learner Learner) *lab {
	p := Params{Learners: []Learner{learner}, Workers: 1, LC: []float64{1}}
	return newLab(docs, p.withDefaults(), newPool(1))
}

// mostAccurate enumerates the class anew: tkde equation 2 on what masks leave.
func mostAccurate(class finite, docs []annotate.Note, masks [][]bool) Counts {
	var best Counts
	for i, h := range class {
		var c Counts
		for d, v := range views(docs, masks) {
			for x, w := range v.Words {
				switch hit, s := h[w], v.Sensitive[x]; {
				case masks[d][x]:
				case hit && s:
					c.TP++
				case hit:
					c.FP++
				case s:
					c.FN++
				default:
					c.TN++
				}
			}
		}
		if i == 0 || c.FP+c.FN < best.FP+best.FN {
			best = c
		}
	}
	return best
}

func TestPaperLoopEndsInLocalOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	longest := 0
	for range 1500 {
		docs, class, _ := tiny(r)
		l := loop(docs, class)
		for _, lc := range []float64{0.25, 0.5, 1, 2, 3, 10} {
			s, err := l.solve(t.Context(), Paper, lc, 13, ignore)
			if err != nil {
				t.Fatal(err)
			}
			if c := mostAccurate(class, docs, s.last()); !LocalOptimum(lc, c) {
				t.Fatalf("H of %d at L/C %g is no local optimum: h_A has %+v", len(s.h), lc, c)
			}
			longest = max(longest, len(s.h))
		}
	}
	if longest < 2 {
		t.Fatal("no case needed a second classifier: the cases test nothing")
	}
}

func TestTheorem1TerminatesWithinTokens(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for range 1500 {
		docs, class, _ := tiny(r)
		n := 0
		for _, d := range docs {
			n += len(d.Words)
		}
		trace, err := loop(docs, class).exhaust(t.Context(), n+1)
		if err != nil {
			t.Fatal(err)
		}
		last := trace.Counts[len(trace.Counts)-1]
		if len(trace.Counts) > n || last.TP != 0 {
			t.Fatalf("%d iterations over %d tokens, the last finding %d", len(trace.Counts), n, last.TP)
		}
	}
}

func TestTraceAnswersEveryLCAsARunOfItsOwn(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for range 300 {
		docs, class, _ := tiny(r)
		trace, err := loop(docs, class).exhaust(t.Context(), 20)
		if err != nil {
			t.Fatal(err)
		}
		for _, lc := range []float64{0.5, 1, 2, 7} {
			if got, want := trace.At(lc), algorithm1(class, docs, lc); got != want {
				t.Fatalf("At(%g) = %d, Algorithm 1 takes %d", lc, got, want)
			}
		}
	}
}

// algorithm1 is the pseudocode of tkde on token flags; it returns |H|.
func algorithm1(class finite, docs []annotate.Note, lc float64) int {
	masks, size := nothing(docs), 0
	for {
		var best map[string]bool
		fewest := -1
		for _, h := range class {
			c := countHard(byWord(h), views(docs, masks))
			if fewest < 0 || c.FP+c.FN < fewest {
				best, fewest = h, c.FP+c.FN
			}
		}
		before, after := lossOf(docs, masks, lc), [][]bool{}
		for i, v := range views(docs, masks) {
			after = append(after, union(masks[i], byWord(best).Hard(v)))
		}
		if noSensitiveLeft(docs, masks) || lossOf(docs, after, lc)-before >= 0 {
			return size
		}
		masks, size = after, size+1
	}
}

func noSensitiveLeft(docs []annotate.Note, masks [][]bool) bool {
	for _, v := range views(docs, masks) {
		for x := range v.Words {
			if v.Remaining(x) {
				return false
			}
		}
	}
	return true
}

func lossOf(docs []annotate.Note, masks [][]bool, lc float64) float64 {
	fn, fp := 0, 0
	for i, d := range docs {
		fn, fp = fn+fnOf(masks[i:i+1], d.Sensitive), fp+fpOf(masks[i:i+1], d.Sensitive)
	}
	return Loss(lc, 1, float64(fn), float64(fp))
}

// outOfFoldCounts counts every threshold of the learner's scores on what masks
// leave, and its hard labels, by enumeration; a fold that has nothing left to learn
// from marks nothing.
func outOfFoldCounts(l *lab, f opinionated, masks [][]bool) []Counts {
	count := func(h func(annotate.View) []bool, nothing, all bool) Counts {
		var c Counts
		for i, v := range views(l.docs, masks) {
			marks := h(v)
			switch left, gone := l.others(i, masks); {
			case left == 0:
				marks = slices.Repeat([]bool{nothing}, len(marks))
			case gone == 0:
				marks = slices.Repeat([]bool{all}, len(marks))
			}
			c = c.plus(CountOn(marks, masks[i], v.Sensitive))
		}
		return c
	}
	counts := []Counts{count(f.labels.Hard, false, true)}
	for _, t := range f.thresholds() {
		counts = append(counts, count(atThreshold{f.fixed, t}.Hard, t <= 0, t <= 1))
	}
	return counts
}

// others counts the tokens that document i's classifier learns as sensitive and
// as not.
func (l *lab) others(i int, masks [][]bool) (left, gone int) {
	for j, v := range views(l.docs, masks) {
		for x := range v.Words {
			switch {
			case l.fold[j] == l.fold[i]:
			case v.Remaining(x):
				left++
			default:
				gone++
			}
		}
	}
	return left, gone
}

func TestRankRobustStopImpliesLocalOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	redacting, labels := 0, 0
	for range 1500 {
		docs, class, scores := tiny(r)
		learner := opinionated{scores, byWord(class[0])}
		l := loop(docs, learner)
		if l.folds < 2 {
			continue
		}
		for _, lc := range []float64{0.25, 1, 3, 10} {
			s, err := l.solve(t.Context(), Default, lc, 13, ignore)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range outOfFoldCounts(l, learner, s.last()) {
				if !LocalOptimum(lc, c) {
					t.Fatalf("a threshold, or the hard labels, still pay at L/C %g: %+v", lc, c)
				}
			}
			for _, a := range s.h {
				redacting++
				if a.Hard {
					labels++
				}
			}
		}
	}
	if redacting < 500 || labels < 100 {
		t.Fatalf("only %d classifiers redact anything, %d of them by hard labels", redacting, labels)
	}
}

// The scores rank a word that nobody has to hide above the one that everybody does;
// the hard labels mark that one alone.
func TestRobustTakesHardLabelsThatNoThresholdEquals(t *testing.T) {
	var docs []annotate.Note
	for i := range 8 {
		docs = append(docs, text(fmt.Sprint(i), "*a b c"))
	}
	learner := opinionated{fixed{"a": 0.4, "b": 0.6}, byWord{"a": true}}
	p := Params{Learners: []Learner{learner}, LC: []float64{1}, Workers: 1}
	result, err := Sanitize(t.Context(), docs, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := result.Choices[0]
	if len(c.Classifiers) != 1 || !c.Classifiers[0].Hard || !c.Rounds[0].Hard || c.Outcome.Residual.Value != 0 || c.Outcome.FalsePositives.Value != 0 {
		t.Errorf("%d classifiers leave %g and lose %g", len(c.Classifiers), c.Outcome.Residual.Value, c.Outcome.FalsePositives.Value)
	}
	l := loop(docs, learner)
	certificate, err := l.certify(t.Context(), nothing(docs), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := certificate[0]; !got.Pays || !got.Hard || got.Counts != (Counts{TP: 8, TN: 16}) {
		t.Errorf("certificate of untouched documents: %+v", got)
	}
}

func TestRobustLoopNeverRaisesTheLoss(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for range 60 {
		docs := random(r, 12)
		s, err := loop(docs, frequency{}).solve(t.Context(), Default, 3, 10, ignore)
		if err != nil {
			t.Fatal(err)
		}
		for k := 1; k < len(s.masks); k++ {
			if before, after := lossOf(docs, s.masks[k-1], 3), lossOf(docs, s.masks[k], 3); after >= before {
				t.Fatalf("round %d took T(H) from %g to %g", k, before, after)
			}
		}
	}
}
