// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"hide/internal/annotate"
)

// text makes a document of words; a word that starts with "*" is sensitive, and
// neighbouring sensitive words share a span unless one starts with "**".
func text(group, words string) annotate.Note {
	d := annotate.Note{Group: group}
	span := -1
	for _, w := range strings.Fields(words) {
		name := strings.TrimLeft(w, "*")
		d.Words = append(d.Words, name)
		if name == w {
			d.Sensitive, d.SpanOf = append(d.Sensitive, false), append(d.SpanOf, -1)
			continue
		}
		n := len(d.SpanOf)
		if n == 0 || d.SpanOf[n-1] < 0 || strings.HasPrefix(w, "**") {
			span++
		}
		d.Sensitive, d.SpanOf = append(d.Sensitive, true), append(d.SpanOf, span)
	}
	return d
}

// random makes n documents, of groups g0, g1, ..., whose names are drawn from a
// long-tailed list and sometimes are ordinary words.
func random(r *rand.Rand, n int) []annotate.Note {
	docs := make([]annotate.Note, n)
	for i := range docs {
		var words []string
		for range 5 + r.IntN(30) {
			switch {
			case r.IntN(6) > 0:
				words = append(words, fmt.Sprintf("w%d", r.IntN(40)))
			default:
				words = append(words, fmt.Sprintf("*w%d", 30+int(r.ExpFloat64()*20)))
			}
		}
		docs[i] = text(fmt.Sprintf("g%d", i), strings.Join(words, " "))
	}
	return docs
}

// finite is a learner over an enumerated class: a hypothesis says for each word
// whether it is marked. Training picks the first with the fewest errors.
type finite []map[string]bool

func (finite) Name() string { return "finite" }

func (f finite) Train(_ context.Context, all []annotate.View) (Classifier, error) {
	best, fewest := 0, -1
	for i, h := range f {
		c := countHard(byWord(h), all)
		if n := c.FP + c.FN; fewest < 0 || n < fewest {
			best, fewest = i, n
		}
	}
	return byWord(f[best]), nil
}

type byWord map[string]bool

func (h byWord) Hard(v annotate.View) []bool {
	out := make([]bool, len(v.Words))
	for i := range out {
		out[i] = h[v.Word(i)]
	}
	return out
}

func (h byWord) Scores(v annotate.View) []float64 { return asScores(h.Hard(v)) }

func asScores(marks []bool) []float64 {
	out := make([]float64, len(marks))
	for i, m := range marks {
		if m {
			out[i] = 1
		}
	}
	return out
}

// fixed is a learner with one scoring function, whatever the data: its class is
// all thresholds on it, and its hard labels are those of the most accurate.
type fixed map[string]float64

func (fixed) Name() string { return "fixed" }

func (f fixed) Train(_ context.Context, all []annotate.View) (Classifier, error) {
	best, fewest := 2.0, -1
	for _, t := range f.thresholds() {
		c := countHard(atThreshold{f, t}, all)
		if n := c.FP + c.FN; fewest < 0 || n < fewest {
			best, fewest = t, n
		}
	}
	return atThreshold{f, best}, nil
}

func (f fixed) thresholds() []float64 { return []float64{2, 0.9, 0.7, 0.5, 0.3, 0.1, 0} }

type atThreshold struct {
	scores    fixed
	threshold float64
}

func (h atThreshold) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	for i := range out {
		out[i] = h.scores[v.Word(i)]
	}
	return out
}

func (h atThreshold) Hard(v annotate.View) []bool { return atLeast(h.Scores(v), h.threshold) }

// opinionated has hard labels that have nothing to do with its scores.
type opinionated struct {
	fixed
	labels byWord
}

func (f opinionated) Train(context.Context, []annotate.View) (Classifier, error) { return f, nil }

func (f opinionated) Scores(v annotate.View) []float64 { return atThreshold{scores: f.fixed}.Scores(v) }

func (f opinionated) Hard(v annotate.View) []bool { return f.labels.Hard(v) }

// frequency learns how often each word was sensitive; it knows the word and the
// word before.
type frequency struct {
	onTrain func([]annotate.View)
	weight  float64 // of a sensitive token; 0 means 1
}

func (frequency) Name() string { return "frequency" }

func (f frequency) Weighted(w float64) Learner {
	f.weight = w
	return f
}

func (f frequency) Train(ctx context.Context, all []annotate.View) (Classifier, error) {
	if f.onTrain != nil {
		f.onTrain(all)
	}
	h := rates{map[string][2]float64{}, map[string]bool{}, f.weight}
	if f.weight == 0 {
		h.weight = 1
	}
	for _, v := range all {
		h.trainedOn[v.Group] = true
		for i := range v.Words {
			n := h.seen[v.Word(i)]
			n[1]++
			if v.Remaining(i) {
				n[0]++
			}
			h.seen[v.Word(i)] = n
		}
	}
	return h, ctx.Err()
}

type rates struct {
	seen      map[string][2]float64 // times sensitive, times at all
	trainedOn map[string]bool       // groups
	weight    float64
}

func (h rates) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	for i := range out {
		n := h.seen[v.Word(i)]
		out[i] = (n[0] + 0.2) / (n[1] + 1)
	}
	return out
}

func (h rates) Hard(v annotate.View) []bool { return atLeast(h.Scores(v), 1/(1+h.weight)) }

// diary remembers which words were ever sensitive and marks those: it never errs
// on what it trained on when names are unique, as a CRF hardly does.
type diary struct{}

func (diary) Name() string { return "diary" }

func (diary) Train(_ context.Context, all []annotate.View) (Classifier, error) {
	h := byWord{}
	for _, v := range all {
		for i := range v.Words {
			if v.Remaining(i) {
				h[v.Word(i)] = true
			}
		}
	}
	return h, nil
}
