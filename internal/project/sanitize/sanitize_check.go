// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"cmp"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy/settings"
	"hide/internal/project"
)

// ParamsError is an [*Error] about what was asked for: no project could do it.
type ParamsError struct{ err error }

func (e *ParamsError) Error() string { return e.err.Error() }

// Unwrap gives the [*Error].
func (e *ParamsError) Unwrap() error { return e.err }

// checkSanitize refuses what no run can be started with.
func checkSanitize(p Params, labels annotate.LabelSet) error {
	if problems := StoredOptions.Check(&p); len(problems) > 0 {
		return project.Invalidf("hide help sanitize says what each option takes", "%s", problems[0].OnPage())
	}
	if len(p.LC) == 0 {
		return project.Invalidf("give numbers such as 1,10,100", "no value of L/C is given")
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
	for l, times := range p.LossByLabel {
		if !labels.Has(l) {
			return project.Invalidf("use the labels of the project", "the project has no label %q to weigh", string(l))
		}
		if p.Ceiling != 0 && times == 0 {
			return project.Invalidf("give it a cost, or leave the ceiling out", "missed PHI of the label %s costs nothing, so no L/C keeps what an attacker finds under a ceiling", string(l))
		}
	}
	if err := p.Sampling.Check(); err != nil {
		return project.Invalidf("leave it out to train on all words", "%v", err)
	}
	return cmp.Or(p.checkContext(), checkTransfer(p), checkParts(p))
}

func (p Params) checkContext() error {
	if p.Context == nil {
		return nil
	}
	if err := p.Context.Check(); err != nil {
		return project.Invalidf("leave the numbers out for the usual ones", "%v", err)
	}
	return nil
}

// noFirst is the First of a run without a detector.
const noFirst = settings.NoFirst

// checkParts refuses what leaves no detector, or would change nothing.
func checkParts(p Params) error {
	options, err := p.learnOptions(nil)
	if err != nil {
		return project.Invalidf("leave in what finds names", "%v", err)
	}
	learners, err := p.class(options)
	if err != nil {
		return err
	}
	if !p.Mode.Possible(learners) {
		return project.Invalidf("add svm to the learners", "no learner can weight tokens by cost, which mode %s does", p.Mode)
	}
	if detects := p.first() == "detector" || slices.Contains(p.Learners, "detector"); len(p.WithoutParts) > 0 && !detects {
		return project.Invalidf("let the detector redact first, or be among the learners", "leaving out parts of the detector changes nothing: nobody uses it")
	}
	return nil
}
