// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/crf/kernel"
)

var (
	givenNames = strings.Fields("Ana Luis José Mary John Núñez Zoë Peter Lucía Omar Ruth Wei")
	lastNames  = strings.Fields("Ruiz García Smith O'Hara Muñoz Chen Brown Vidal Novak Okoye")
	fillers    = strings.Fields("patient seen today with pain and mild fever no rash stable dose given twice daily plan follow up in clinic")
)

// note generates a note with annotated spans.
func note(r *rand.Rand, name string) annotate.Annotated {
	var b strings.Builder
	var spans []annotate.Span
	mark := func(label annotate.Label, text string) {
		start := annotate.ByteOff(b.Len())
		b.WriteString(text)
		spans = append(spans, annotate.Span{Start: start, End: start + annotate.ByteOff(len(text)), Label: label})
	}
	one := func(words []string) string { return words[r.IntN(len(words))] }
	b.WriteString("Name: ")
	mark("NAME", one(givenNames)+" "+one(lastNames))
	b.WriteString("\nDate: ")
	mark("DATE", fmt.Sprintf("%d/%d/%d", 1+r.IntN(12), 1+r.IntN(28), 1980+r.IntN(40)))
	for range 2 + r.IntN(4) {
		b.WriteString("\n")
		for range 5 + r.IntN(8) {
			b.WriteString(one(fillers) + " ")
		}
		if r.IntN(2) == 0 {
			b.WriteString("Dr. ")
			mark("NAME", one(lastNames))
			b.WriteString(".")
		}
	}
	return annotate.Annotated{Document: annotate.Document{Name: name, Text: b.String()}, Spans: spans}
}

func notes(seed uint64, n int) ([]sequence, [][]annotate.Span) {
	r := rand.New(rand.NewPCG(seed, 7))
	docs, gold := make([]sequence, n), make([][]annotate.Span, n)
	for i := range n {
		a := note(r, fmt.Sprint(i))
		docs[i], gold[i] = noteSequence(a), a.Spans
	}
	return docs, gold
}

func train(t testing.TB, docs []sequence, o Options) (*Model, Stats) {
	t.Helper()
	m, stats, err := Train(t.Context(), views(docs), o)
	if err != nil {
		t.Fatal(err)
	}
	return m, stats
}

func encoded(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func datasetOf(t testing.TB, docs []sequence, o Options) *dataset {
	t.Helper()
	o = o.withDefaults()
	c := newCorpus(o.Features, nil)
	seen, err := c.look(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDataset(t.Context(), &c.collector, docs, seen, states{labels: labelsOf(docs), free: o.AnyTransition}, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// manyLabels gives the spans too many labels for Auto to use all pairs.
func manyLabels(docs []sequence) []sequence {
	many := slices.Clone(docs)
	for i, d := range docs {
		many[i].labels = slices.Clone(d.labels)
		for t, label := range d.labels {
			if label != "" {
				many[i].labels[t] += annotate.Label(rune('A' + (i+t)%5))
			}
		}
	}
	return many
}

// differences compares a gradient with central differences of the objective.
func differences(t *testing.T, p *pass[float64], w []float64, skip func(i int) bool) {
	t.Helper()
	g, scratch := make([]float64, len(w)), make([]float64, len(w))
	f := func() float64 {
		v, err := p.evaluate(t.Context(), w, scratch)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if _, err := p.evaluate(t.Context(), w, g); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(w); i += 1 + len(w)/50 {
		if skip(i) {
			continue
		}
		const h = 1e-4
		was := w[i]
		w[i] = was + h
		up := f()
		w[i] = was - h
		down := f()
		w[i] = was
		if want := (up - down) / (2 * h); !near(g[i], want, 1e-5) {
			t.Errorf("derivative %d is %g, differences give %g", i, g[i], want)
		}
	}
}

func TestGradientMatchesCentralDifferences(t *testing.T) {
	few, _ := notes(1, 3)
	for _, docs := range [][]sequence{few, manyLabels(few)} {
		for _, features := range []Families{HIDE, Default} {
			for _, pairs := range []Pairs{Auto, Observed, All} {
				o := Options{Features: features, MinCount: 1, C2: 0.7, Workers: 2, Pairs: pairs, AnyTransition: features == HIDE}
				d := datasetOf(t, docs, o)
				p := newPass[float64](d, o)
				w := noise(rand.New(rand.NewPCG(8, 9)), d.weights(), 0.3)
				for i, frozen := range p.frozen {
					if frozen {
						w[i] = 0
					}
				}
				differences(t, p, w, func(i int) bool { return i < len(p.frozen) && p.frozen[i] })
			}
		}
	}
}

// Without BIO rules the sum is over more paths, so the objective is not lower. The
// model is used with BIO's transitions only.
func TestFreeTransitionsAreForComparisonOnly(t *testing.T) {
	docs, _ := notes(1, 40)
	for _, docs := range [][]sequence{docs, manyLabels(docs)} {
		o := Options{Pairs: Observed, Tolerance: 1e-6, MaxIterations: 500}
		_, bio := train(t, docs, o)
		o.AnyTransition = true
		m, free := train(t, docs, o)
		if free.Objective < bio.Objective*(1-1e-5) { // nearly equal: in these notes almost no other transition is likely
			t.Errorf("objective %g with all transitions, %g with BIO's", free.Objective, bio.Objective)
		}
		if back, err := Decode(bytes.NewReader(encoded(t, m))); err != nil || back.Weights() != m.Weights() {
			t.Errorf("the model cannot be read again: %v", err)
		}
		for i, d := range docs {
			if got, want := len(m.Tag(d.view())), len(d.spans()); got != want {
				t.Errorf("document %d: %d spans found in the training document, want %d", i, got, want)
			}
		}
	}
}

// The float32 pass computes what the float64 pass does, to the precision of its
// numbers.
func TestSinglePrecisionPassAgreesWithDouble(t *testing.T) {
	few, _ := notes(1, 40)
	for i, docs := range [][]sequence{few, manyLabels(few), manyLabels(few)} {
		o := Options{C2: 0.7, Workers: 2}
		if i == 2 {
			o.Pairs, o.AnyTransition = Observed, true
		}
		d := datasetOf(t, docs, o)
		double, single := newPass[float64](d, o), newPass[float32](d, o)
		w := noise(rand.New(rand.NewPCG(8, 9)), d.weights(), 0.3)
		for arc, frozen := range double.frozen {
			if frozen {
				w[arc] = 0
			}
		}
		narrow := rounded(w)
		g, h := make([]float64, len(w)), make([]float32, len(w))
		want, err := double.evaluate(t.Context(), w, g)
		if err != nil {
			t.Fatal(err)
		}
		got, err := single.evaluate(t.Context(), narrow, h)
		if err != nil {
			t.Fatal(err)
		}
		if !near(got, want, 1e-6) {
			t.Errorf("objective %.9g in float32, %.9g in float64", got, want)
		}
		for i := range g {
			if !near(float64(h[i]), g[i], 1e-4) {
				t.Fatalf("derivative %d is %g in float32, %g in float64", i, h[i], g[i])
			}
		}
	}
}

// Weights so large that float32 cannot hold the sums are computed in float64.
func TestDocumentsOutOfSinglePrecisionAreComputedExactly(t *testing.T) {
	docs, _ := notes(1, 10)
	o := Options{C2: 0, Workers: 1}
	d := datasetOf(t, docs, o)
	double, single := newPass[float64](d, o), newPass[float32](d, o)
	w := noise(rand.New(rand.NewPCG(8, 9)), d.weights(), 40)
	for i := range d.states.transitions() {
		w[i] = 0
	}
	want, err := double.evaluate(t.Context(), w, make([]float64, len(w)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := single.evaluate(t.Context(), rounded(w), make([]float32, len(w)))
	if err != nil {
		t.Fatal(err)
	}
	if !near(got, want, 1e-5) {
		t.Errorf("objective %.9g in float32, %.9g in float64", got, want)
	}
	if single.workbench[0].exact == nil {
		t.Error("no document left the range")
	}
}

// shortDocs can be enumerated. No AGE has a second word.
func shortDocs() []sequence {
	return []sequence{
		{words: []string{"Ana", "is", "well"}, labels: []annotate.Label{"NAME", "", ""}},
		{words: []string{"saw", "Ana", "Ruiz"}, labels: []annotate.Label{"", "NAME", "NAME"}, begins: []bool{false, true, false}},
		{words: []string{"aged", "41", "41"}, labels: []annotate.Label{"", "AGE", "AGE"}, begins: []bool{false, true, true}},
	}
}

// For documents short enough to enumerate, the objective is log Z minus the score of
// the gold path by definition. With observed pairs no path goes through unobserved
// states.
func TestObjectiveMatchesEnumeration(t *testing.T) {
	docs := shortDocs()
	for _, o := range []Options{{}, {Pairs: Observed}, {Pairs: Observed, AnyTransition: true}, {Pairs: All, AnyTransition: true}} {
		o.Features, o.C2, o.Workers = HIDE, 0.5, 1
		d := datasetOf(t, docs, o)
		if absent := d.states.isAbsent(d.states.inside(0)); absent != (o.Pairs == Observed) {
			t.Errorf("pairs %q: the second word of AGE is absent: %t", o.Pairs, absent)
		}
		w := noise(rand.New(rand.NewPCG(10, 11)), d.weights(), 0.5)
		p := newPass[float64](d, o)
		for arc, frozen := range p.frozen {
			if frozen {
				w[arc] = 0
			}
		}
		got, err := p.evaluate(t.Context(), w, make([]float64, len(w)))
		if err != nil {
			t.Fatal(err)
		}
		want := 0.5*kernel.Dot(w, w) - p.goldTransitions()
		if err := p.sumWeights(t.Context(), w, nil); err != nil {
			t.Fatal(err)
		}
		for i := range docs {
			rows, scores := make([]float64, 3*d.layout.Stride), []float64{}
			p.score(&p.workbench[0], 3*i, 3*i+3, rows)
			for t := range 3 {
				for _, place := range p.places {
					scores = append(scores, rows[t*d.layout.Stride+int(place)])
				}
			}
			logZ := enumerate(d.states, scores, w).logZ
			want += logZ - p.goldScore(3*i, rows)
			if careful := p.carefully(&p.workbench[0], rows, kernel.NewCounts(d.layout)); !near(careful, logZ, 1e-12) {
				t.Errorf("pairs %q, document %d: log Z %.15g in logarithms, want %.15g", o.Pairs, i, careful, logZ)
			}
		}
		if !near(got, want, 1e-12) {
			t.Errorf("pairs %q: objective %.15g, want %.15g", o.Pairs, got, want)
		}
	}
}

// A model knows every state of its labels, but hardly enters those left out of
// training, until a document has them.
func TestModelsHardlyEnterWhatTrainingLeftOut(t *testing.T) {
	for _, free := range []bool{false, true} {
		o := Options{Features: HIDE, Pairs: Observed, AnyTransition: free, Tolerance: 1e-7}
		m, _ := train(t, shortDocs(), o)
		age, name := m.states.inside(0), m.states.inside(1)
		if w := m.weights[m.states.arc(1, age)]; w != barred {
			t.Errorf("free %t: the second word of AGE is entered by %g", free, w)
		}
		if w := m.weights[m.states.arc(2, name)]; w <= barred/2 {
			t.Errorf("free %t: the second word of NAME is entered by %g", free, w)
		}
		docs := append(shortDocs(), sequence{words: []string{"41", "years"}, labels: []annotate.Label{"AGE", "AGE"}, begins: []bool{true, false}})
		_, cold := train(t, docs, o)
		o.Warm = m
		again, warm := train(t, docs, o)
		if !near(warm.Objective, cold.Objective, 1e-4) || again.weights[again.states.arc(1, age)] <= barred/2 {
			t.Errorf("free %t: objective %g from that model, %g from scratch", free, warm.Objective, cold.Objective)
		}
	}
}

// weightsOf counts an attribute's weights, without padding.
func (d *dataset) weightsOf(a int) int {
	n := 0
	for _, state := range d.pairs[d.rows[a]:d.rows[a+1]] {
		if state != noState {
			n++
		}
	}
	return n
}

func TestPairsChooseTheWeights(t *testing.T) {
	docs := []sequence{{words: []string{"Ana", "is"}, labels: []annotate.Label{"NAME", ""}}}
	for pairs, want := range map[Pairs]int{Auto: 3, Observed: 1, All: 3} {
		d := datasetOf(t, docs, Options{Features: Term, MinCount: 1, MinDocuments: 1, Pairs: pairs})
		if len(d.attributes) != 2 || d.weightsOf(0) != want || d.weightsOf(1) != want {
			t.Errorf("%s: %d attributes, the first with %d weights, want two with %d", pairs, len(d.attributes), d.weightsOf(0), want)
		}
	}
	many := []sequence{{words: []string{"B", "C", "D", "E", "F", "g"}, labels: []annotate.Label{"v", "w", "x", "y", "z", ""}}}
	for pairs, want := range map[Pairs][2]int{Auto: {11, 1}, Observed: {1, 1}, All: {11, 11}} {
		c := newCorpus(Term, nil)
		seen, err := c.look(t.Context(), many)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Features: Term, MinCount: 1, MinDocuments: 1, Pairs: pairs}.withDefaults()
		d, err := newDataset(t.Context(), &c.collector, many, seen, states{labels: labelsOf(many)}, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"TERM_B", "TERM_g"} {
			a := slices.Index(d.attributes, c.collector.ids[name])
			if a < 0 || d.weightsOf(a) != want[i] {
				t.Errorf("%s: %s is attribute %d, want %d weights", pairs, name, a, want[i])
			}
		}
	}
}

func TestSkippedWordsLeaveTheSequenceAndStayContext(t *testing.T) {
	full := sequence{
		words:  []string{"seen", "by", "Ana", "Ruiz", "today"},
		labels: []annotate.Label{"", "", "NAME", "NAME", ""},
		skip:   []bool{false, true, true, false, true},
	}
	d := datasetOf(t, []sequence{full}, Options{Features: Context, MinCount: 1})
	if !slices.Equal(d.gold, []uint16{0, 1}) {
		t.Errorf("states %v, want O and B: the first token left of a span begins it", d.gold)
	}
	m, _ := train(t, []sequence{full}, Options{Features: Context | Term, MinCount: 1})
	for _, name := range []string{"PREV0_Ana", "TERM_Ruiz"} {
		if m.attrs.Find(name) < 0 {
			t.Errorf("%s has no weight", name)
		}
	}
	if m.attrs.Find("TERM_by") >= 0 {
		t.Error("a skipped word has a weight")
	}
	if _, _, err := Train(t.Context(), views([]sequence{{words: []string{"a"}, skip: []bool{true}}}), Options{}); !errors.Is(err, ErrNothing) {
		t.Errorf("error is %v when all is skipped", err)
	}
}

func TestTrainingLearnsGeneratedNotes(t *testing.T) {
	docs, _ := notes(1, 60)
	unseen, gold := notes(2, 40)
	for _, features := range []Families{HIDE, Default} {
		m, stats := train(t, docs, Options{Features: features})
		s := entities(unseen, gold, func(i int) []annotate.Suggestion { return m.Tag(unseen[i].view()) })
		if s.F1 < 0.97 {
			t.Errorf("features %b: %+v after %+v", features, s, stats)
		}
	}
}

func TestSameModelBytesForAnyGOMAXPROCS(t *testing.T) {
	docs, _ := notes(3, 80)
	var first []byte
	for _, n := range []int{1, 2, 4} {
		was := runtime.GOMAXPROCS(n)
		m, _ := train(t, docs, Options{MaxIterations: 30})
		runtime.GOMAXPROCS(was)
		b := encoded(t, m)
		if first == nil {
			first = b
		}
		if !bytes.Equal(first, b) {
			t.Errorf("with GOMAXPROCS=%d the model differs", n)
		}
	}
}

func TestWarmStartReachesTheSameObjectiveSooner(t *testing.T) {
	docs, _ := notes(4, 60)
	o := Options{Tolerance: 1e-7, MaxIterations: 1000}
	before, _ := train(t, docs[:59], o)
	_, cold := train(t, docs, o)
	o.Warm = before
	_, warm := train(t, docs, o)
	if !near(warm.Objective, cold.Objective, 1e-4) {
		t.Errorf("warm ends at %g, cold at %g", warm.Objective, cold.Objective)
	}
	if warm.Evaluations >= cold.Evaluations {
		t.Errorf("warm takes %d passes, cold %d", warm.Evaluations, cold.Evaluations)
	}
}

func TestWarmStartSurvivesNewAndLostLabels(t *testing.T) {
	docs, _ := notes(5, 30)
	one, _ := train(t, docs, Options{Binary: true})
	m, stats := train(t, docs, Options{Warm: one})
	cold, reference := train(t, docs, Options{})
	if !slices.Equal(m.Labels(), cold.Labels()) || !near(stats.Objective, reference.Objective, 0.02) {
		t.Errorf("labels %v, objective %g, want %g", m.Labels(), stats.Objective, reference.Objective)
	}
	again, _ := train(t, docs, Options{Warm: cold, Binary: true})
	if !slices.Equal(again.Labels(), []annotate.Label{Folded}) {
		t.Errorf("labels %v", again.Labels())
	}
}

func TestCancelEndsTrainingPromptly(t *testing.T) {
	docs, _ := notes(6, 200)
	ctx, cancel := context.WithCancel(t.Context())
	var at time.Time
	_, _, err := Train(ctx, views(docs), Options{MaxIterations: 10_000, Tolerance: 1e-15, Progress: func(i Iteration) {
		if i.Number == 2 {
			at = time.Now()
			cancel()
		}
	}})

	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error is %v", err)
	}
	// The bound is far above the promise so that a busy machine does not fail it.
	if took := time.Since(at); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestCancelledContextTrainsNothing(t *testing.T) {
	docs, _ := notes(6, 5)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if m, _, err := Train(ctx, views(docs), Options{}); m != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("model %v, error %v", m, err)
	}
}

func TestLimitIsAStatusNotAnError(t *testing.T) {
	docs, _ := notes(7, 20)
	calls := 0
	m, stats := train(t, docs, Options{MaxIterations: 4, Progress: func(i Iteration) {
		if calls++; i.Number != calls || i.Evaluations < i.Number || !finite(i.Objective) || !finite(i.Gradient) {
			t.Errorf("call %d reports %+v", calls, i)
		}
	}})
	if m == nil || stats.Status != Limit || stats.Number != 4 || calls != 4 {
		t.Errorf("%+v after %d calls", stats, calls)
	}
}

func TestDocumentsWithoutSpansTrainAModelThatFindsNothing(t *testing.T) {
	m, _ := train(t, []sequence{{words: []string{"no", "rash"}}, {}}, Options{})
	d := noteSequence(annotate.Annotated{Document: annotate.Document{Text: "no rash, Ana"}})
	if tags := m.Tag(d.view()); len(tags) != 0 {
		t.Errorf("%d spans", len(tags))
	}
	if p := m.Sensitive(d.view()); len(p) != 4 || slices.Max(p) != 0 {
		t.Errorf("probabilities %v", p)
	}
	if len(m.Tag(sequence{}.view())) != 0 || len(m.Sensitive(sequence{}.view())) != 0 {
		t.Error("an empty document has tags")
	}
}

func TestTrainRefusesWhatItCannotUse(t *testing.T) {
	word := []string{"a"}
	tests := []struct {
		name string
		docs []sequence
		o    Options
	}{
		{"no documents", nil, Options{}},
		{"no tokens", []sequence{{}, {}}, Options{}},
		{"unknown features", []sequence{{words: word}}, Options{Features: 1 << 25}},
		{"negative penalty", []sequence{{words: word}}, Options{C2: -1}},
		{"negative penalty on absolute values", []sequence{{words: word}}, Options{L1: -1}},
		{"unknown pairs", []sequence{{words: word}}, Options{Pairs: "some"}},
		{"too few marks of what to skip", []sequence{{words: []string{"a", "b"}, skip: []bool{true}}}, Options{}},
		{"negative limit", []sequence{{words: word}}, Options{MaxIterations: -1}},
	}
	for _, test := range tests {
		if _, _, err := Train(t.Context(), views(test.docs), test.o); err == nil {
			t.Errorf("%s: no error", test.name)
		}
	}
	if _, _, err := Train(t.Context(), views(nil), Options{}); !errors.Is(err, ErrNothing) {
		t.Error("no documents is not ErrNothing")
	}
}

func TestBinaryFoldsLabelsAndKeepsSpansApart(t *testing.T) {
	docs, gold := notes(8, 60)
	m, _ := train(t, docs, Options{Binary: true})
	if !m.Binary() || !slices.Equal(m.Labels(), []annotate.Label{Folded}) {
		t.Fatalf("labels %v", m.Labels())
	}
	for i, spans := range gold {
		for j := range spans {
			gold[i][j].Label = Folded
		}
	}
	if s := entities(docs, gold, func(i int) []annotate.Suggestion { return m.Tag(docs[i].view()) }); s.F1 < 0.99 {
		t.Errorf("on its training notes: %+v", s)
	}
}

func TestMarginalsSensitiveTypedDoubtAndTagAgree(t *testing.T) {
	docs, _ := notes(9, 40)
	m, _ := train(t, docs[:30], Options{MaxIterations: 8})
	for _, d := range docs[30:] {
		p, labels := m.Marginals(d.view())
		sensitive, typed, doubt := m.Sensitive(d.view()), m.Typed(d.view()), m.Doubt(d.view())
		for i := range d.words {
			if want := 1 - max(1-sensitive[i], slices.Max(p[i])); !near(doubt[i], want, 1e-6) {
				t.Fatalf("doubt is %g, want %g, the rest of the most probable decision", doubt[i], want)
			}
			if !near(total(p[i]), sensitive[i], 1e-9) {
				t.Fatalf("marginals sum to %g, sensitive is %g", total(p[i]), sensitive[i])
			}
			best := slices.Index(p[i], slices.Max(p[i]))
			if labels[best] != typed[i] {
				t.Fatalf("typed is %s, the best marginal is of %s", typed[i], labels[best])
			}
		}
		for _, s := range m.Tag(d.view()) {
			from, to := annotate.Covered(d.tokens, s.Span)
			k, mean := slices.Index(labels, s.Span.Label), 0.0
			for i := from; i < to; i++ {
				mean += p[i][k] / float64(to-from)
			}
			if !near(s.Score, mean, 1e-9) || s.Model != 0 {
				t.Fatalf("score %g, mean marginal %g", s.Score, mean)
			}
		}
	}
}

// A document's results must not depend on documents tagged before.
func TestTaggingDoesNotDependOnWhatWasTaggedBefore(t *testing.T) {
	docs, _ := notes(10, 12)
	m, _ := train(t, docs[:6], Options{MaxIterations: 10})
	want := make([][]float64, len(docs))
	for i, d := range docs {
		fresh, err := Decode(bytes.NewReader(encoded(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		want[i] = fresh.Sensitive(d.view())
	}
	for i := len(docs) - 1; i >= 0; i-- {
		if !slices.Equal(m.Sensitive(docs[i].view()), want[i]) {
			t.Fatalf("document %d differs", i)
		}
	}
}

func TestFeaturesLookAtWordsNotAtText(t *testing.T) {
	docs, _ := notes(11, 20)
	m, _ := train(t, docs, Options{})
	d := docs[0]
	masked := d
	masked.words = slices.Clone(d.words)
	masked.words[2] = "[NAME]"
	hidden := masked
	hidden.text = d.text[:d.tokens[2].Start] + strings.Repeat("x", int(d.tokens[2].End-d.tokens[2].Start)) + d.text[d.tokens[2].End:]
	if !slices.Equal(m.Sensitive(masked.view()), m.Sensitive(hidden.view())) {
		t.Error("the text behind a placeholder has an effect")
	}
	if slices.Equal(m.Sensitive(masked.view()), m.Sensitive(d.view())) {
		t.Error("the placeholder has no effect")
	}
}

func TestDocumentsWithoutTokensCanBeScored(t *testing.T) {
	docs, _ := notes(12, 20)
	m, _ := train(t, docs, Options{})
	for i, p := range m.Sensitive(sequence{words: docs[0].words}.view()) {
		if math.IsNaN(p) || p < 0 || p > 1 {
			t.Errorf("token %d has probability %g", i, p)
		}
	}
}

// A trainer that gets one document at a time ends at the same optimum as one that gets
// all at once, and extracts only new documents.
func TestTrainerEndsWhereTrainingFromNothingDoes(t *testing.T) {
	docs, _ := notes(4, 21)
	for _, pairs := range []Pairs{Auto, Observed, All} {
		docs := docs
		if pairs != Auto {
			docs = manyLabels(docs)
		}
		trainer, err := NewTrainer(Options{Tolerance: 1e-6, MaxIterations: 500, Pairs: pairs})
		if err != nil {
			t.Fatal(err)
		}
		evaluations := 0
		for n := 19; n <= len(docs); n++ {
			given := slices.Clone(docs[:n])
			given[n%7] = docs[n-1] // a document is replaced each time
			m, warm, err := trainer.Train(t.Context(), views(given))
			if err != nil {
				t.Fatal(err)
			}
			fresh, cold := train(t, given, Options{Tolerance: 1e-6, MaxIterations: 500, Pairs: pairs})
			if !near(warm.Objective, cold.Objective, 1e-3) {
				t.Errorf("%d documents: objective %g, from scratch %g", n, warm.Objective, cold.Objective)
			}
			if !slices.Equal(m.Labels(), fresh.Labels()) || warm.Weights != cold.Weights {
				t.Errorf("%d documents: %d weights, from scratch %d", n, warm.Weights, cold.Weights)
			}
			evaluations += warm.Evaluations - cold.Evaluations
		}
		if evaluations >= 0 {
			t.Errorf("%d passes more than from scratch", evaluations)
		}
		if n := len(trainer.corpus.documents); n != len(docs) && n != len(docs)-1 {
			t.Errorf("%d documents are remembered", n)
		}
	}
}

// Transitions that no document has any more must not keep a penalty.
func TestWarmStartDropsTransitionsThatAreNoLongerSeen(t *testing.T) {
	label := func(labels ...annotate.Label) sequence {
		return sequence{words: strings.Fields("Ana Ruiz is well")[:len(labels)], labels: labels, begins: []bool{true, true, false, false}[:len(labels)]}
	}
	o := Options{Pairs: Observed, MinCount: 1, MinDocuments: 1, Tolerance: 1e-7}
	trainer, err := NewTrainer(o)
	if err != nil {
		t.Fatal(err)
	}
	before, after := []sequence{label("N", "N", "", "")}, []sequence{label("", "", "N", "")}
	if _, _, err := trainer.Train(t.Context(), views(before)); err != nil {
		t.Fatal(err)
	}
	_, warm, err := trainer.Train(t.Context(), views(after))
	if err != nil {
		t.Fatal(err)
	}
	if _, cold := train(t, after, o); !near(warm.Objective, cold.Objective, 1e-4) {
		t.Errorf("objective %g after a warm start, %g from scratch", warm.Objective, cold.Objective)
	}
}

func TestTrainerKeepsItsCorpusWhileDocumentsStay(t *testing.T) {
	docs, _ := notes(4, 100)
	trainer, err := NewTrainer(Options{MaxIterations: 2})
	if err != nil {
		t.Fatal(err)
	}
	var first *corpus
	for range 3 {
		if _, _, err := trainer.Train(t.Context(), views(docs)); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = trainer.corpus
		}
	}
	if trainer.corpus != first || trainer.corpus.stale() {
		t.Error("the corpus was rebuilt for the same documents")
	}
	trainer.corpus.extracted *= 1000
	m, _, err := trainer.Train(t.Context(), views(docs))
	if err != nil {
		t.Fatal(err)
	}
	if trainer.corpus == first {
		t.Error("a corpus that is mostly about documents that are gone was kept")
	}
	if !m.Card().Options.Warm || trainer.options.Warm != nil {
		t.Errorf("weights kept: %t; old model still referenced: %t", m.Card().Options.Warm, trainer.options.Warm != nil)
	}
}

func TestTrainerForgetsDocumentsThatAreGone(t *testing.T) {
	docs, _ := notes(4, 400)
	trainer, err := NewTrainer(Options{MaxIterations: 3})
	if err != nil {
		t.Fatal(err)
	}
	for from := 0; from < len(docs); from += 100 {
		if _, _, err := trainer.Train(t.Context(), views(docs[from:from+100])); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(trainer.corpus.documents); n != 100 {
		t.Errorf("%d documents are remembered", n)
	}
}

func TestTrainerSurvivesCancellation(t *testing.T) {
	docs, _ := notes(4, 30)
	trainer, err := NewTrainer(Options{MaxIterations: 5})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	trainer.Progress = func(Iteration) { cancel() }
	if _, _, err := trainer.Train(ctx, views(docs)); !errors.Is(err, context.Canceled) {
		t.Fatalf("error is %v", err)
	}
	trainer.Progress = nil
	m, _, err := trainer.Train(t.Context(), views(docs))
	if err != nil {
		t.Fatal(err)
	}
	if want, _ := train(t, docs, Options{MaxIterations: 5}); !bytes.Equal(encoded(t, m), encoded(t, want)) {
		t.Error("the cancelled training changed the model")
	}
}

func TestIntermediateModelsAreUsableAndImprove(t *testing.T) {
	docs, gold := notes(1, 60)
	var at []float64
	train(t, docs, Options{Intermediate: func(i Iteration, model func() *Model) {
		if i.Number == 1 || i.Number == 15 {
			at = append(at, f1(model(), docs, gold))
		}
	}})
	if len(at) != 2 || at[0] >= at[1] {
		t.Errorf("F1 %v after 1 and 15 iterations", at)
	}
}

func TestPolishComesCloserToTheOptimum(t *testing.T) {
	docs, _ := notes(1, 30)
	_, rough := train(t, docs, Options{Tolerance: 1e-12, MaxIterations: 300})
	_, exact := train(t, docs, Options{Tolerance: 1e-12, MaxIterations: 300, Polish: true})
	if exact.Gradient > rough.Gradient/10 || !near(exact.Objective, rough.Objective, 1e-5) {
		t.Errorf("gradient %g and objective %.9g polished, %g and %.9g before", exact.Gradient, exact.Objective, rough.Gradient, rough.Objective)
	}
}

func TestPenaltyOnAbsoluteWeightsLeavesFew(t *testing.T) {
	docs, gold := notes(1, 60)
	m, stats := train(t, docs, Options{L1: 0.5, MaxIterations: 300})
	used := m.Weights()
	if used == 0 || used > stats.Weights/20 {
		t.Errorf("%d of %d weights are not 0", used, stats.Weights)
	}
	if f1 := f1(m, docs, gold); f1 < 0.97 {
		t.Errorf("F1 %g with %d weights", f1, used)
	}
}

func f1(m *Model, docs []sequence, gold [][]annotate.Span) float64 {
	return entities(docs, gold, func(i int) []annotate.Suggestion { return m.Tag(docs[i].view()) }).F1
}
