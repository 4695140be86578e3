// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"math"

	"hide/internal/crf"
)

// solverFlags are the flags that say how the weights of a CRF are found.
type solverFlags struct {
	c1, c2            float64
	iterations, least int
	polish            bool
}

// solverNames are the flags that change nothing for naive Bayes, or for a model that
// is trained already.
var solverNames = []string{"c1", "c2", "max-iterations", "polish"}

func (e *env) solverFlags(f *flag.FlagSet) *solverFlags {
	s := &solverFlags{}
	f.Float64Var(&s.c1, "c1", 0, "weight `W` of the sum of absolute weights in the objective: above 0 most weights become 0, and training is by OWL-QN")
	f.Float64Var(&s.c2, "c2", 0, "weight `W` of the squared penalty; 0 means 0.3")
	f.IntVar(&s.iterations, "max-iterations", 0, "stop after `N` iterations; 0 means 150")
	f.IntVar(&s.least, "min-count", 0, "leave out attributes that fewer than `N` words, or documents of ten and more, have; 0 means 2, for the features of HIDE 1")
	f.BoolVar(&s.polish, "polish", false, "go on in double precision when single precision has converged")
	return s
}

// into puts what was typed into the options.
func (s *solverFlags) into(e *env, o *crf.Options) error {
	if !(min(s.c1, s.c2) >= 0 && max(s.c1, s.c2) <= math.MaxFloat32) {
		return e.usage("--c1 and --c2 must be numbers and not negative")
	}
	if min(s.iterations, s.least) < 0 {
		return e.usage("--max-iterations and --min-count must not be negative")
	}
	o.L1, o.C2, o.MaxIterations, o.MinCount, o.MinDocuments, o.Polish = s.c1, s.c2, s.iterations, s.least, s.least, s.polish
	return nil
}
