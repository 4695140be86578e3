// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"fmt"
	"math"
	"runtime"

	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/boost"
)

// Options say what the detector is made of. The zero value is the default.
type Options struct {
	Parts   Parts         // 0 means Default
	CRF     crf.Options   // Binary is implied; its Sampling is that of all stages, and takes Share out of Parts
	Trees   boost.Options // of the base learner; without Trees and Rate, 100 trees of rate 0.15
	Second  boost.Options // of the second stage; without Trees and Rate, 60 trees of rate 0.1
	Bonus   float64       // log-odds that strong patterns get on top; 0 means 4
	Folds   int           // of Train, by Group; 0 means 4; fewer when there are fewer groups
	Seed    uint64        // of the folds of Train
	Workers int           // trainings at a time; 0 means GOMAXPROCS; the result does not depend on it

	// Progress is told how many trainings of a cross-fit are done, and of which
	// stage the last was; nil: nobody is. Calls come one at a time.
	Progress func(stage string, done, total int)
}

func (o Options) withDefaults() Options {
	if o.Parts == 0 {
		o.Parts = Default
	}
	if o.Trees.Trees == 0 && o.Trees.Rate == 0 {
		o.Trees.Trees, o.Trees.Rate = 100, 0.15
	}
	if o.Second.Trees == 0 && o.Second.Rate == 0 {
		o.Second.Trees, o.Second.Rate = 60, 0.1
	}
	if o.Bonus == 0 {
		o.Bonus = 4
	}
	if o.Folds == 0 {
		o.Folds = 4
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return o
}

func (o Options) check() error {
	switch {
	case !(math.Abs(o.Bonus) <= mostOdds):
		return fmt.Errorf("a bonus of %g is not between -%d and %d", o.Bonus, mostOdds, mostOdds)
	case o.Folds < 2 || o.Workers < 1:
		return fmt.Errorf("%d folds and %d workers: at least 2 and 1 are needed", o.Folds, o.Workers)
	}
	return o.Parts.check()
}

// Detector is the default detector as a [greedy.Learner]. The zero value is ready
// to use.
type Detector struct{ Options Options }

var _ greedy.Telling = Detector{}

// Telling implements [greedy.Telling].
func (d Detector) Telling(tell func(stage string, done, total int)) greedy.CrossFitter {
	d.Options.Progress = tell
	return d
}

// Name is "detector".
func (Detector) Name() string { return "detector" }
