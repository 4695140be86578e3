// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf/sampling"
)

// valued is a sink that remembers names and values.
type valued struct{ bundles []map[string]float64 }

func (v *valued) number(a *attributes, to []int32) { a.each(to, v.bundle) }

func (v *valued) bundle(a *attributes) int32 {
	values := map[string]float64{}
	for i := range a.ends {
		values[string(a.name(i))] += a.values[i]
	}
	v.bundles = append(v.bundles, values)
	return int32(len(v.bundles) - 1)
}

// vectors gives each word's attributes with their values.
func vectors(d sequence, f Families) []map[string]float64 {
	sink, out := &valued{}, make([]map[string]float64, len(d.words))
	newExtractor(f, Options{Features: f}.gazetteer(), sink).extract(d, func(t int, bundles []int32) {
		out[t] = map[string]float64{}
		for _, b := range bundles {
			for name, v := range sink.bundles[b] {
				out[t][name] += v
			}
		}
	})
	return out
}

// bayesOracle counts as the definition says, attribute by attribute.
type bayesOracle struct {
	states states
	alpha  float64
	seen   map[string]float64 // tokens with each attribute
	value  map[string][]float64
	total  []float64
	words  []float64
}

func newBayesOracle(docs []sequence, o Options) *bayesOracle {
	s := states{labels: labelsOf(docs)}
	b := &bayesOracle{s, o.Alpha, map[string]float64{}, map[string][]float64{}, make([]float64, s.count()), make([]float64, s.count())}
	for _, d := range docs {
		path := s.gold(d)
		for t, x := range vectors(d, o.Features) {
			if d.skips(t) {
				continue
			}
			b.words[path[t]]++
			for name, v := range x {
				if b.value[name] == nil {
					b.value[name] = make([]float64, s.count())
				}
				b.seen[name]++
				b.value[name][path[t]] += v
			}
		}
	}
	for name, values := range b.value {
		if b.seen[name] < float64(o.MinCount) {
			delete(b.value, name)
			continue
		}
		for s, v := range values {
			b.total[s] += v
		}
	}
	return b
}

// posterior is P(state | x) of one word.
func (b *bayesOracle) posterior(x map[string]float64) []float64 {
	log, sum := make([]float64, len(b.words)), 0.0
	for s, n := range b.words {
		if n == 0 {
			log[s] = math.Inf(-1)
			continue
		}
		log[s] = math.Log(n + b.alpha)
		for name, v := range x {
			if counts := b.value[name]; counts != nil {
				log[s] += v * math.Log((counts[s]+b.alpha)/(b.total[s]+b.alpha*float64(len(b.value))))
			}
		}
	}
	top := slices.Max(log)
	for s := range log {
		log[s] = math.Exp(log[s] - top)
		sum += log[s]
	}
	for s := range log {
		log[s] /= sum
	}
	return log
}

func TestBayesIsItsFormula(t *testing.T) {
	docs, _ := notes(21, 12)
	unseen, _ := notes(22, 6)
	docs[3].skip = skips(Sampling{O: 0.3}, docs[3])
	for _, o := range []Options{
		{Features: HIDE, MinCount: 1, Alpha: 1},
		{Features: Regex, MinCount: 1, Alpha: 0.5},
		{Features: Default, MinCount: 2, MinDocuments: 1, Alpha: 0.01},
	} {
		o.Learner = Bayes
		m, stats := train(t, docs, o)
		want := newBayesOracle(docs, o)
		if stats.Status != Counted || stats.Attributes != len(want.value) || m.Learner() != Bayes {
			t.Errorf("%s, %d attributes, want %d", stats.Status, stats.Attributes, len(want.value))
		}
		for i, d := range slices.Concat(docs, unseen) {
			p, labels := m.Marginals(d.view())
			for w, x := range vectors(d, o.Features) {
				posterior := want.posterior(x)
				for k := range labels {
					// Float32 sums of hundreds: the odds are right to some ten thousandths.
					if q := posterior[1+k] + posterior[want.states.inside(k)]; math.Abs(p[w][k]-q) > 2e-4 {
						t.Fatalf("features %d, document %d, word %d: P(%s) = %g, want %g", o.Features, i, w, labels[k], p[w][k], q)
					}
				}
			}
		}
	}
}

func TestBayesDecidesWordByWord(t *testing.T) {
	s := states{labels: []annotate.Label{"A", "B"}} // O, B-A, B-B, I-A, I-B
	tests := []struct{ most, want []int }{
		{[]int{0, 1, 3, 0}, []int{0, 1, 3, 0}},
		{[]int{3, 3, 0, 3}, []int{1, 3, 0, 1}}, // I that goes on from nothing begins
		{[]int{1, 4, 4, 3}, []int{1, 2, 4, 1}}, // and so does I of another label
		{[]int{1, 1, 4, 2}, []int{1, 1, 2, 2}},
	}
	for _, test := range tests {
		psi := make([]float64, 5*len(test.most))
		for t, state := range test.most {
			psi[5*t+state] = 1
		}
		var got []int
		for _, state := range s.best(psi) {
			got = append(got, int(state))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v becomes %v, want %v", test.most, got, test.want)
		}
	}
}

func TestBayesNeverChoosesAStateWithoutWords(t *testing.T) {
	docs, _ := notes(23, 10)
	for i := range docs {
		for w := range docs[i].begins {
			docs[i].begins[w] = docs[i].labels[w] != "" // no I at all
		}
	}
	m, _ := train(t, docs, Options{Learner: Bayes})
	for _, d := range docs {
		for _, s := range m.Tag(d.view()) {
			if from, to := annotate.Covered(d.tokens, s.Span); to != from+1 {
				t.Fatalf("a span of %d words", to-from)
			}
		}
	}
}

func TestBayesFindsWhatIsPlain(t *testing.T) {
	docs, _ := notes(24, 60)
	unseen, gold := notes(25, 30)
	m, _ := train(t, docs, Options{Learner: Bayes})
	found, wanted := 0, 0
	for i, tags := range predictions(m, unseen) {
		wanted += len(gold[i])
		for _, s := range tags {
			if slices.Contains(gold[i], s) {
				found++
			}
		}
	}
	if found*100 < wanted*90 {
		t.Errorf("found %d of %d spans", found, wanted)
	}
	for _, s := range m.Tag(unseen[0].view()) {
		if !(s.Score > 0 && s.Score <= 1) {
			t.Errorf("score %g", s.Score)
		}
	}
}

func TestBayesIsTheSameForAnyNumberOfWorkersAndOrderOfWarmth(t *testing.T) {
	docs, _ := notes(26, 15)
	chain, _ := train(t, docs, Options{MaxIterations: 3})
	first, _ := train(t, docs, Options{Learner: Bayes, Workers: 1})
	was := runtime.GOMAXPROCS(2)
	defer runtime.GOMAXPROCS(was)
	again, _ := train(t, docs, Options{Learner: Bayes, Workers: 3, Warm: chain})
	if !slices.Equal(encoded(t, first), encoded(t, again)) {
		t.Error("the models differ")
	}
	// A chain does not start from logarithms of counts.
	cold, _ := train(t, docs, Options{MaxIterations: 3})
	warm, _ := train(t, docs, Options{MaxIterations: 3, Warm: again})
	if !slices.Equal(encoded(t, cold), encoded(t, warm)) {
		t.Error("a chain that starts from naive Bayes differs from one that starts from nothing")
	}
}

func TestBayesEndsWithItsContext(t *testing.T) {
	docs, _ := notes(27, 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Train(ctx, views(docs), Options{Learner: Bayes}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestTrainRefusesAnUnknownLearnerAndAlpha(t *testing.T) {
	docs, _ := notes(28, 2)
	for _, o := range []Options{{Learner: "oracle"}, {Alpha: -1}, {Alpha: math.NaN()}, {Alpha: math.Inf(1)}} {
		if _, _, err := Train(t.Context(), views(docs), o); err == nil {
			t.Errorf("%s, alpha %g: no error", o.Learner, o.Alpha)
		}
	}
}

// skips is what a sampling leaves out of a document.
func skips(s Sampling, d sequence) []bool {
	return s.Rejects(sampling.Document{Words: d.words, Labels: d.labels, Begins: d.begins, Skip: d.skip})
}

func TestSamplingIsSkippingOfTheSameWords(t *testing.T) {
	docs, _ := notes(29, 12)
	s := Sampling{O: 0.4, Cost: map[annotate.Label]float64{"NAME": 2}, Seed: 3}
	skipping := slices.Clone(docs)
	left := 0
	for i, d := range docs {
		skipping[i].skip = skips(s, d)
		for t := range d.words {
			if !skipping[i].skips(t) {
				left++
			}
		}
	}
	for _, learner := range []Learner{Chain, Bayes} {
		sampled, stats := train(t, docs, Options{Learner: learner, Sampling: s, MaxIterations: 4})
		skipped, _ := train(t, skipping, Options{Learner: learner, MaxIterations: 4})
		if stats.Tokens != left {
			t.Errorf("%s learns from %d words, %d stay", learner, stats.Tokens, left)
		}
		if fmt.Sprint(predictions(sampled, docs)) != fmt.Sprint(predictions(skipped, docs)) || !slices.Equal(sampled.weights, skipped.weights) {
			t.Errorf("%s: the models differ", learner)
		}
	}
}

func predictions(m *Model, docs []sequence) [][]annotate.Span {
	tags := make([][]annotate.Span, len(docs))
	for i, d := range docs {
		tags[i] = SpansOf(m.Tag(d.view()))
	}
	return tags
}

// A word that is drawn n times counts n times: naive Bayes is the same as on notes in which
// each copy stands as a note of its own.
func TestDrawingWithReplacementIsTrainingOnCopies(t *testing.T) {
	docs, _ := notes(31, 12)
	s := Sampling{Times: 2.5, Cost: map[annotate.Label]float64{"": .3}, Seed: 5}
	drawn, err := sampled(docs, s)
	if err != nil {
		t.Fatal(err)
	}
	var copies []sequence
	for _, d := range drawn {
		for _, skip := range append([][]bool{d.skip}, d.again...) {
			d := d
			d.skip, d.again = skip, nil
			copies = append(copies, d)
		}
	}
	if len(copies) == len(docs) {
		t.Fatal("nothing is drawn twice")
	}
	// Features of HIDE read one document at a time, so that copies can stand alone.
	o := Options{Features: Term | Affix, Learner: Bayes, MinCount: 1, MinDocuments: 1}
	want, _ := train(t, copies, o)
	o.Sampling = s
	got, stats := train(t, docs, o)
	if got.Hash() != want.Hash() {
		t.Error("the models differ")
	}
	if stats.Documents != len(docs) {
		t.Errorf("trained on %d documents, want %d", stats.Documents, len(docs))
	}
	o.Learner, o.MaxIterations = Chain, 5
	o.Sampling = Sampling{}
	want, _ = train(t, copies, o)
	o.Sampling = s
	if got, _ = train(t, docs, o); got.Hash() != want.Hash() {
		t.Error("the chains differ")
	}
}
