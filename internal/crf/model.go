// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sort"
	"sync"
	"time"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/crf/classes"
	"hide/internal/crf/intern"
	"hide/internal/crf/kernel"
	"hide/internal/crf/sampling"
)

// Model is a trained CRF. It is immutable and safe for concurrent use. Its attributes
// contain words of the training text: a model is as sensitive as the documents it was
// trained on.
type Model struct {
	states   states
	families Families
	gazette  *gazetteer
	binary   bool
	attrs    intern.Strings // names of the attributes
	rows     []int32        // attribute a's weights are weights[rows[a]:rows[a+1]]
	pairs    []uint16       // the state of each weight; 0 for transitions
	weights  []float32      // transitions, then attributes
	bayes    *bayes         // nil for a chain; otherwise transitions are not used
	card     Card
	first    *Model    // nil, or the model of the first pass
	readers  readers   // without lists
	once     sync.Once // makes names
	names    nameIndex // of attrs and their weights
}

// Labels are the labels the model knows, sorted.
func (m *Model) Labels() []annotate.Label { return slices.Clone(m.states.labels) }

// Binary reports whether all labels were folded into [Folded].
func (m *Model) Binary() bool { return m.binary }

// Features are the feature families the model was trained with.
func (m *Model) Features() Families { return m.families }

// Weights is the number of weights.
func (m *Model) Weights() int { return len(m.weights) }

// Learner is the training algorithm of the model.
func (m *Model) Learner() Learner {
	if m.bayes != nil {
		return Bayes
	}
	return Chain
}

// index builds names, once.
func (m *Model) index() { m.once.Do(func() { m.names = newNameIndex(m) }) }

// layout is the layout of the rows of scores.
func (m *Model) layout() kernel.Layout { return kernel.NewLayout(len(m.states.labels)) }

// keep stores the attributes in order of names. It leaves out weights up to least in
// magnitude, and attributes without other weights. It changes no slice that the model
// may share. order is the attributes by name, nil if unknown; several with the same
// name become one.
func (m *Model) keep(names []string, order []int32, least float32) {
	first, kept := m.states.transitions(), make([]int32, 0, len(names))
	counts := func(w float32) bool { return w < -least || w > least }
	look := func(a int32) {
		if slices.ContainsFunc(m.weights[m.rows[a]:m.rows[a+1]], counts) {
			kept = append(kept, a)
		}
	}
	for _, a := range order {
		look(a)
	}
	if order == nil {
		for a := range names {
			look(int32(a))
		}
		slices.SortFunc(kept, func(a, b int32) int { return cmp.Compare(names[a], names[b]) })
	}
	rows, sorted := append(make([]int32, 0, len(kept)+1), int32(first)), make([]string, 0, len(kept))
	weights, pairs := slices.Clone(m.weights[:first]), slices.Clone(m.pairs[:first])
	for i, a := range kept {
		for k := m.rows[a]; k < m.rows[a+1]; k++ {
			if counts(m.weights[k]) {
				weights, pairs = append(weights, m.weights[k]), append(pairs, m.pairs[k])
			}
		}
		if i > 0 && names[a] == names[kept[i-1]] {
			from := rows[len(rows)-2]
			sort.Sort(byState{pairs[from:], weights[from:]})
			rows[len(rows)-1] = int32(len(weights))
			continue
		}
		sorted, rows = append(sorted, names[a]), append(rows, int32(len(weights)))
	}
	m.attrs, m.rows, m.weights, m.pairs = intern.Pack(sorted), rows, weights, pairs
}

// byState sorts the weights of an attribute.
type byState struct {
	states  []uint16
	weights []float32
}

func (b byState) Len() int           { return len(b.states) }
func (b byState) Less(i, j int) bool { return b.states[i] < b.states[j] }
func (b byState) Swap(i, j int) {
	b.states[i], b.states[j] = b.states[j], b.states[i]
	b.weights[i], b.weights[j] = b.weights[j], b.weights[i]
}

// Bounds of the smoothing of Bayes.
const (
	minAlpha = 1e-6
	maxAlpha = 1e6
)

// MaxLabels is the maximum number of labels of a model.
const MaxLabels = 1000

// Folded is the one label of a model trained with [Options.Binary].
const Folded = sampling.Unlabelled

// Options say how to train. The zero value is the default preset.
type Options struct {
	Features      Families          // 0 means Default
	Dictionaries  []dictionary.List // used when Features has Dictionary
	Classes       []*classes.Table  // used when Features has Classes; nil, and a nil table, mean the program's own where that knows the language of the notes
	Binary        bool              // fold all labels into one, Folded
	Sampling      Sampling          // words left out of training, decided before labels are folded
	Learner       Learner           // "" means Chain; Bayes ignores the options of penalty, pairs, iterations and start
	Alpha         float64           // what Bayes adds to every count; 0 means 0.01
	C2            float64           // weight of |w|^2 in the objective, as CRFsuite counts it; 0 means 0.3
	MaxIterations int               // 0 means 150
	Tolerance     float64           // stop when ten iterations improve the objective by less than this share; 0 means 0.002
	L1            float64           // weight of |w| in the objective; above 0, training is by OWL-QN
	Pairs         Pairs             // which attributes get a weight for which state; "" means Auto
	AnyTransition bool              // train over all transitions, as programs without BIO rules do, to compare with them; the model allows only BIO's
	MinCount      int               // attributes of fewer words are left out; 0 means 1 for HIDE, otherwise 2
	MinDocuments  int               // attributes of fewer documents (patients, by annotate.Note.Group) are left out when there are 10; 0 means 1 for HIDE, otherwise 2
	Memory        int               // correction pairs of L-BFGS; 0 means as many as 256 MB hold, from 6 to 40
	Polish        bool              // continue in float64 after float32 has converged
	Warm          *Model            // weights to start from, matched by name
	Workers       int               // 0 means GOMAXPROCS; the result does not depend on it
	Progress      func(Iteration)   // called after every iteration from the training goroutine
	Intermediate  Intermediate      // called after every iteration, if there is one
	Now           func() time.Time  // the clock, only for Stats; nil means that all times are 0
	Trace         Trace             // hooks for benchmarks

	foreign bool // the program's own word classes do not know the language
}

// Intermediate receives, after an iteration, a function that returns the current model,
// for callers that cannot wait for the final one.
type Intermediate func(i Iteration, model func() *Model)

// Trace has functions that training calls on its own goroutine around each evaluation
// of the objective and its gradient, and around work on a sample of the documents.
// Large trainings from zero weights start with a sample, before the first of these
// evaluations; its iterations and evaluations are not reported or counted anywhere
// else. A nil function is not called.
type Trace struct {
	EvaluationStart, EvaluationEnd func()
	SampleStart, SampleEnd         func()
}

// sample reports the start of work on a sample, and returns the function that reports
// its end.
func (t Trace) sample() func() {
	if t.SampleStart != nil {
		t.SampleStart()
	}
	return func() {
		if t.SampleEnd != nil {
			t.SampleEnd()
		}
	}
}

// Iteration is one step of training as [Options.Progress] sees it.
type Iteration struct {
	Number      int     `json:"iteration"`
	Objective   float64 `json:"objective"`   // -log likelihood + C2*|w|^2
	Gradient    float64 `json:"gradient"`    // Euclidean norm
	Evaluations int     `json:"evaluations"` // gradient passes so far
	Seconds     float64 `json:"seconds"`     // since training began; 0 without Options.Now
}

// Status is why training ended. None of them is an error.
type Status string

// The ways training ends.
const (
	Converged Status = "converged" // by Tolerance, or the gradient vanished
	Limit     Status = "limit"     // MaxIterations
	Stalled   Status = "stalled"   // no step improves any more, because of rounding
	Counted   Status = "counted"   // nothing to iterate: Bayes
)

// Stats describe the course of training.
type Stats struct {
	Iteration
	Status     Status `json:"status"`
	States     int    `json:"states"` // that paths can go through
	Attributes int    `json:"attributes"`
	Weights    int    `json:"weights"`
	Tokens     int    `json:"tokens"`
	Documents  int    `json:"documents"`
}

func (o Options) check() error {
	switch {
	case o.Features&^allFamilies != 0:
		return fmt.Errorf("unknown feature families %#x", uint32(o.Features&^allFamilies))
	case o.Learner != "" && o.Learner != Chain && o.Learner != Bayes:
		return fmt.Errorf("unknown learner %q", o.Learner)
	case o.Alpha != 0 && !(o.Alpha >= minAlpha && o.Alpha <= maxAlpha):
		return fmt.Errorf("alpha %g must be from %g to %g", o.Alpha, float64(minAlpha), float64(maxAlpha))
	case !(min(o.C2, o.L1, o.Tolerance) >= 0 && max(o.C2, o.L1, o.Tolerance) <= math.MaxFloat32):
		return fmt.Errorf("penalties %g and %g and tolerance %g must be numbers and not negative", o.C2, o.L1, o.Tolerance)
	case o.Pairs != "" && o.Pairs != Auto && o.Pairs != Observed && o.Pairs != All:
		return fmt.Errorf("unknown choice of pairs %q", o.Pairs)
	case o.MaxIterations < 0 || o.MinCount < 0 || o.MinDocuments < 0 || o.Memory < 0 || o.Workers < 0:
		return fmt.Errorf("iterations, counts, memory and workers must not be negative")
	}
	if err := checkClasses(o.Classes); err != nil {
		return err
	}
	return o.Sampling.Check()
}

func (o Options) withDefaults() Options {
	o.Features = orElse(o.Features, Default)
	o.C2 = orElse(o.C2, 0.3)
	o.MaxIterations = orElse(o.MaxIterations, 150)
	o.Tolerance = orElse(o.Tolerance, 0.002)
	o.Pairs = orElse(o.Pairs, Auto)
	o.Learner = orElse(o.Learner, Chain)
	if o.Learner == Bayes {
		o.Alpha, o.Pairs = orElse(o.Alpha, 0.01), Observed
	}
	o.Workers = orElse(o.Workers, runtime.GOMAXPROCS(0))
	least := 2
	if o.Features&^HIDE == 0 {
		least = 1
	}
	o.MinCount, o.MinDocuments = orElse(o.MinCount, least), orElse(o.MinDocuments, least)
	return o
}

// memory is the number of correction pairs for n weights.
func (o Options) memory(n int) int {
	if o.Memory > 0 {
		return o.Memory
	}
	const room = 256 << 20 / (2 * 2)
	return min(max(room/max(n, 1), 6), 40)
}

// Stopwatch starts now and returns the time since then, 0 without a clock.
func (o Options) Stopwatch() func() time.Duration {
	if o.Now == nil {
		return func() time.Duration { return 0 }
	}
	began := o.Now()
	return func() time.Duration { return o.Now().Sub(began) }
}

func orElse[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// warm reports whether there are weights to start from.
func (o Options) warm() bool { return o.Warm != nil && o.Warm.bayes == nil }
