// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"cmp"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy/settings"
	"hide/internal/project"
)

// ParamsError is an [*Error] about parameters that are invalid for any project.
type ParamsError struct{ err error }

func (e *ParamsError) Error() string { return e.err.Error() }

func (e *ParamsError) Unwrap() error { return e.err }

// checkSanitize refuses parameters that no run can start with.
func checkSanitize(p Params, labels annotate.LabelSet) error {
	if problems := StoredOptions.Check(&p); len(problems) > 0 {
		return project.Invalidf("hide help sanitize says what each option takes", "%s", problems[0].OnPage())
	}
	if len(p.LC) == 0 {
		return project.Invalidf("give numbers such as 1,10,100", "L/C is missing")
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
			return project.Invalidf("give it a positive loss, or remove the ceiling", "the loss of missed PHI with the label %s is 0, so no L/C can satisfy the ceiling", string(l))
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
		return project.Invalidf("leave the numbers out to use the defaults", "%v", err)
	}
	return nil
}

// noFirst is the value of First for a run without a detector.
const noFirst = settings.NoFirst

// checkParts refuses combinations that leave no detector or have no effect.
func checkParts(p Params) error {
	options, err := p.learnOptions(nil)
	if err != nil {
		return project.Invalidf("keep a part that finds names", "%v", err)
	}
	learners, err := p.class(options)
	if err != nil {
		return err
	}
	if !p.Mode.Possible(learners) {
		return project.Invalidf("add svm to the learners", "mode %s needs a learner that weights tokens by cost", p.Mode)
	}
	if detects := p.first() == "detector" || slices.Contains(p.Learners, "detector"); len(p.WithoutParts) > 0 && !detects {
		return project.Invalidf("let the detector redact first, or add it to the learners", "leaving out parts of the detector has no effect: this run does not use the detector")
	}
	return nil
}
