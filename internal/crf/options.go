// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

// Bounds of the smoothing of Bayes.
const (
	minAlpha = 1e-6
	maxAlpha = 1e6
)

// MaxLabels is how many labels a model can tell apart at most.
const MaxLabels = 1000

// Folded is the one label of a model trained with [Options.Binary].
const Folded annotate.Label = "PHI"

// Options say how to train. The zero value is the default preset.
type Options struct {
	Features      Families          // 0 means Default
	Dictionaries  []dictionary.List // used when Features has Dictionary
	Binary        bool              // fold all labels into one, Folded
	Sampling      Sampling          // words left out of training, decided before labels are folded
	Learner       Learner           // "" means Chain; Bayes heeds none of the options of penalty, pairs, iterations and start
	Alpha         float64           // what Bayes adds to every count; 0 means 0.01
	C2            float64           // weight of |w|^2 in the objective, as CRFsuite counts it; 0 means 0.3
	MaxIterations int               // 0 means 150
	Tolerance     float64           // stop when ten iterations improve the objective by less than this share; 0 means 0.002
	L1            float64           // weight of |w| in the objective; above 0, training is by OWL-QN
	Pairs         Pairs             // which attributes get a weight for which state; "" means Auto
	AnyTransition bool              // train over all transitions, as programs do that know nothing of BIO, to be compared with them; the model allows only BIO's
	MinCount      int               // attributes of fewer words are left out; 0 means 1 for HIDE, otherwise 2
	MinDocuments  int               // attributes of fewer documents (patients, by annotate.Note.Group) are left out when there are 10; 0 means 1 for HIDE, otherwise 2
	Memory        int               // correction pairs of L-BFGS; 0 means as many as 256 MB hold, from 6 to 40
	Polish        bool              // go on in float64 when float32 has converged
	Warm          *Model            // weights to start from, matched by name
	Workers       int               // 0 means GOMAXPROCS; the result does not depend on it
	Progress      func(Iteration)   // called after every iteration from the training goroutine
	Intermediate  Intermediate      // called after every iteration, when there is one
	Now           func() time.Time  // the clock, for what Stats say only; nil means that all times are 0
	Trace         Trace             // what a benchmark wants to know
}

// Intermediate is told after an iteration how to get the model so far, for who
// cannot wait for the last one.
type Intermediate func(i Iteration, model func() *Model)

// Trace has functions that training calls on its own goroutine around each
// evaluation of the objective and its gradient, and around work on a sample of the
// documents: large trainings from nothing begin with one, before the first of these
// evaluations, and iterations and evaluations on it are told of and counted nowhere
// else. A nil one is not called.
type Trace struct {
	EvaluationStart, EvaluationEnd func()
	SampleStart, SampleEnd         func()
}

// sample says that work on a sample begins, and returns what says that it ends.
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

// Status says why training ended. None of them is an error.
type Status string

// The ways training ends.
const (
	Converged Status = "converged" // by Tolerance, or the gradient vanished
	Limit     Status = "limit"     // MaxIterations
	Stalled   Status = "stalled"   // no step improves any more: rounding
	Counted   Status = "counted"   // there is nothing to iterate: Bayes
)

// Stats are what training took.
type Stats struct {
	Iteration
	Status     Status `json:"status"`
	States     int    `json:"states"` // that paths go through
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

// memory is how many correction pairs to keep for n weights.
func (o Options) memory(n int) int {
	if o.Memory > 0 {
		return o.Memory
	}
	const room = 256 << 20 / (2 * 2)
	return min(max(room/max(n, 1), 6), 40)
}

// Stopwatch starts now and tells how long ago that was, 0 without a clock.
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
