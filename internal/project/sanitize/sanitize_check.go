// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"fmt"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/learn"
	"hide/internal/project"
)

// ParamsError is an [*Error] about what was asked for: no project could do it.
type ParamsError struct{ err error }

func (e *ParamsError) Error() string { return e.err.Error() }

// Unwrap gives the [*Error].
func (e *ParamsError) Unwrap() error { return e.err }

func checkSanitize(p SanitizeParams, labels annotate.LabelSet) error {
	if modes := sanitizeModes(); !slices.Contains(modes, p.Mode) {
		return project.Invalidf("the modes are "+project.Joined(modes), "there is no mode %q", string(p.Mode))
	}
	if err := checkLCs(p.LC); err != nil {
		return err
	}
	if p.Folds != 0 && (p.Folds < 2 || p.Folds > MaxFolds) {
		return project.Invalidf(fmt.Sprintf("give 2 to %d", MaxFolds), "cannot cross-fit with %d folds", p.Folds)
	}
	for _, l := range p.Labels {
		if !labels.Has(l) {
			return project.Invalidf("use the labels of the project", "the project has no label %q", string(l))
		}
	}
	for l := range p.Sampling.Cost {
		if l != "" && !labels.Has(l) {
			return project.Invalidf("use the labels of the project, and O for other words", "the project has no label %q to sample by", string(l))
		}
	}
	for l := range p.LossByLabel {
		if !labels.Has(l) {
			return project.Invalidf("use the labels of the project", "the project has no label %q to weigh", string(l))
		}
	}
	if err := greedy.CheckLosses(p.LossByLabel); err != nil {
		return project.Invalidf("leave it out where a leak costs L", "%v", err)
	}
	if err := p.CostByKind.Check(); err != nil {
		return project.Invalidf("leave it out where a lost word costs C", "%v", err)
	}
	for _, check := range []func(SanitizeParams) error{checkTheory, checkCeiling, checkLearners, checkAttackers, checkSampling} {
		if err := check(p); err != nil {
			return err
		}
	}
	return nil
}

// checkLCs refuses what is no grid of L/C.
func checkLCs(lcs []float64) error {
	if n := len(lcs); n == 0 || n > MaxLCs {
		return project.Invalidf(fmt.Sprintf("give from 1 to %d values", MaxLCs), "%d values of L/C were asked for", n)
	}
	for _, lc := range lcs {
		if err := greedy.CheckLC(lc); err != nil {
			return project.Invalidf("give numbers such as 1,10,100", "%v", err)
		}
	}
	return nil
}

func checkSampling(p SanitizeParams) error {
	if err := p.Sampling.Check(); err != nil {
		return project.Invalidf("leave it out to learn from all words", "%v", err)
	}
	return nil
}

// checkCeiling refuses a ceiling that is none, or that its mode does not have.
func checkCeiling(p SanitizeParams) error {
	if err := greedy.CheckCeiling(p.Ceiling); err != nil {
		return project.Invalidf("give a share such as 0.01, or leave it out", "%v", err)
	}
	for l, times := range p.LossByLabel {
		if p.Ceiling != 0 && times == 0 {
			return project.Invalidf("give it a loss, or leave the ceiling out", "a leaked %s costs nothing, so no L/C keeps what an attacker finds under a ceiling", string(l))
		}
	}
	if p.Ceiling != 0 && p.Mode != greedy.Default {
		return project.Invalidf("leave it out, or measure by mode default", "a ceiling on what an attacker finds changes nothing in mode %s", p.Mode)
	}
	return nil
}

// checkTheory refuses what only the papers' algorithm, or nobody, has a use for.
func checkTheory(p SanitizeParams) error {
	if err := greedy.CheckVC(p.VC); err != nil {
		return project.Invalidf("give the number of weights and 1", "%v", err)
	}
	if p.VC != 0 && p.Mode != greedy.Paper {
		return project.Invalidf("leave it out, or measure by the papers' algorithm", "a Vapnik-Chervonenkis dimension changes nothing in mode %s: theorems 5 and 6 are about the papers' algorithm", p.Mode)
	}
	if p.Context == nil {
		return nil
	}
	if err := p.Context.Check(); err != nil {
		return project.Invalidf("leave the numbers out for the usual ones", "%v", err)
	}
	return nil
}

// noFirst is the First of a run without a detector.
const noFirst = "none"

func checkLearners(p SanitizeParams) error {
	names := learn.Kept()
	hint := "there are " + project.Joined(names)
	for i, name := range p.Learners {
		if strings.HasPrefix(name, "outside:") {
			return project.Invalidf("measure it with hide experiment", "an outside tagger cannot be kept with a run, so nothing could be published with it")
		}
		if !slices.Contains(names, name) {
			return project.Invalidf(hint, "no learner whose classifiers can be kept is called %q", name)
		}
		if slices.Contains(p.Learners[:i], name) {
			return project.Invalidf("name each learner once", "the learner %s is there twice", name)
		}
	}
	if p.First != "" && p.First != noFirst && !slices.Contains(names, p.First) {
		return project.Invalidf(hint+", and none", "no learner whose classifiers can be kept is called %q", p.First)
	}
	return checkParts(p)
}

// checkParts refuses what leaves no detector, or would change nothing.
func checkParts(p SanitizeParams) error {
	options, err := p.learnOptions(nil)
	if err != nil {
		return project.Invalidf("leave in what finds names", "%v", err)
	}
	learners, err := p.class(options)
	if err != nil {
		return err
	}
	if !p.Mode.Possible(learners) {
		return project.Invalidf("add svm to the learners", "none of the learners weighs instances, which mode %s does", p.Mode)
	}
	if detects := p.first() == "detector" || slices.Contains(p.Learners, "detector"); len(p.WithoutParts) > 0 && !detects {
		return project.Invalidf("let the detector redact first, or be among the learners", "leaving out parts of the detector changes nothing: nobody uses it")
	}
	return nil
}

// sanitizeModes are the modes of runs, the usual one first.
func sanitizeModes() []greedy.Mode {
	return []greedy.Mode{greedy.Default, greedy.Paper, greedy.PaperHoldout, greedy.GreedyUnion, greedy.Cost, greedy.CostWeight}
}
