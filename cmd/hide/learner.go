// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"maps"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy/learners"
	"hide/internal/words"
)

// learnerFlags are the flags that say what learns, and from which words.
type learnerFlags struct {
	set               *flag.FlagSet
	learner, sampling string
	alpha             float64
	any               bool // --learner takes every learner
}

// learnerFlags adds --learner and --alpha to a command's flags.
func (e *env) learnerFlags(f *flag.FlagSet) *learnerFlags {
	l := &learnerFlags{set: f}
	f.StringVar(&l.learner, "learner", string(crf.Chain), "`LEARNER`: crf, or bayes, which is naive Bayes on the same features: many times faster, less accurate")
	f.Float64Var(&l.alpha, "alpha", 0, "with --learner bayes, `A` added to every count; 0 means 0.01")
	return l
}

// anyLearner lets --learner name those too that tell no labels from each other.
func (l *learnerFlags) anyLearner() *learnerFlags {
	l.any = true
	var rows []string
	for _, entry := range learners.Table() {
		if !learners.Tells(entry.Name) {
			rows = append(rows, entry.Name+" ("+entry.About+")")
		}
	}
	l.set.Lookup("learner").Usage += "; or, for sensitive words whatever their label, " + strings.Join(rows, "; ")
	return l
}

// marks reports whether the learner tells no labels from each other.
func (l *learnerFlags) marks() bool {
	return l.any && slices.Contains(learners.Markers(), l.learner)
}

// unused are the flags of the CRF that such a learner has no use for.
func (l *learnerFlags) unused() []string {
	choice := []string{"preset", "features", "without"}
	return map[string][]string{
		"svm": append(choice, "dictionaries", "max-iterations"), "trees": append(choice, "max-iterations"), "adaboost": append(choice, "max-iterations"), "crf-hide": choice,
	}[l.learner]
}

// idleFor refuses them.
func (l *learnerFlags) idleFor(e *env) error {
	if err := e.idle(l.set, "without --learner bayes", "alpha"); err != nil {
		return err
	}
	return e.idle(l.set, "with --learner "+l.learner, l.unused()...)
}

// known lists the learners that can be named.
func (l *learnerFlags) known() string {
	names := []string{string(crf.Chain), string(crf.Bayes)}
	if l.any {
		names = append(names, learners.Markers()...)
	}
	return words.List(names)
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
	if l.marks() {
		return l.idleFor(e)
	}
	o.Learner, o.Alpha = crf.Learner(l.learner), l.alpha
	if o.Learner != crf.Chain && o.Learner != crf.Bayes {
		return e.usage("unknown learner %q: there are %s", l.learner, l.known())
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
	return e.costsOf(annotate.Labels(notes), samplings...)
}

// costsOf refuses a cost of any other label.
func (e *env) costsOf(labels []annotate.Label, samplings ...crf.Sampling) error {
	for _, s := range samplings {
		for _, l := range slices.Sorted(maps.Keys(s.Cost)) {
			if l != "" && !slices.Contains(labels, l) {
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
