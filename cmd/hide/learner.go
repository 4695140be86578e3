// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"maps"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
)

// learnerFlags are the flags that say what learns, and from which words.
type learnerFlags struct {
	set               *flag.FlagSet
	learner, sampling string
	alpha             float64
}

// learnerFlags adds --learner and --alpha to a command's flags.
func (e *env) learnerFlags(f *flag.FlagSet) *learnerFlags {
	l := &learnerFlags{set: f}
	f.StringVar(&l.learner, "learner", string(crf.Chain), "`LEARNER`: crf, or bayes, which is naive Bayes on the same features: many times faster, less accurate")
	f.Float64Var(&l.alpha, "alpha", 0, "with --learner bayes, `A` added to every count; 0 means 0.01")
	return l
}

// samplingFlag adds --sampling too.
func (l *learnerFlags) samplingFlag(f *flag.FlagSet) *learnerFlags {
	f.StringVar(&l.sampling, "sampling", "", "`SETTINGS` of what training leaves out, for more recall and less precision: "+samplingHelp)
	return l
}

// samplingHelp says what --sampling takes.
const samplingHelp = "o=P (a word that is not sensitive stays with probability P), window=K (it stays within K words of a sensitive one), " +
	"cost=LABEL:C,O:C (a span, or such a word, stays with probability C/max), seed=N; joined by +"

// into puts what was typed into the options.
func (l *learnerFlags) into(e *env, o *crf.Options) (err error) {
	o.Learner, o.Alpha = crf.Learner(l.learner), l.alpha
	if o.Learner != crf.Chain && o.Learner != crf.Bayes {
		return e.usage("unknown learner %q: there are %s and %s", l.learner, crf.Chain, crf.Bayes)
	}
	if !(l.alpha >= 0) {
		return e.usage("--alpha must be a number and not negative")
	}
	if o.Learner == crf.Bayes {
		err = e.idle(l.set, "with --learner bayes", solverNames...)
	} else {
		err = e.idle(l.set, "without --learner bayes", "alpha")
	}
	if err != nil {
		return err
	}
	o.Sampling, err = e.sampling(l.sampling)
	return err
}

// knownCosts refuses a --sampling with a cost of a label that no note has.
func (e *env) knownCosts(notes []annotate.Annotated, samplings ...crf.Sampling) error {
	known := map[annotate.Label]bool{"": true}
	for _, n := range notes {
		for _, s := range n.Spans {
			known[s.Label] = true
		}
	}
	for _, s := range samplings {
		for _, l := range slices.Sorted(maps.Keys(s.Cost)) {
			if !known[l] {
				return e.usage("--sampling: no span of the notes has the label %s", l)
			}
		}
	}
	return nil
}

// sampling reads a --sampling.
func (e *env) sampling(text string) (crf.Sampling, error) {
	s, err := crf.ParseSampling(text)
	if err != nil {
		return s, e.usage("--%v", err)
	}
	return s, nil
}
