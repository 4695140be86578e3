// SPDX-License-Identifier: Apache-2.0

package web

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// startPart is a part of the start form that folds. Its summary says what is set in it.
type startPart string

const (
	partLCs       startPart = "lc"
	partKinds     startPart = "kinds"
	partLearners  startPart = "learners"
	partAttackers startPart = "attackers"
	partNear      startPart = "near"
	partModes     startPart = "modes"
)

// partError is what is wrong in a part of the form.
type partError struct {
	part startPart
	error
}

// inPart says in which part err is; nil stays nil.
func inPart(part startPart, err error) error {
	if err == nil {
		return nil
	}
	return partError{part, err}
}

// refuse keeps what is wrong with the form, and where.
func (f *sanitizeForm) refuse(err error) {
	f.Error = err.Error()
	if at := (partError{}); errors.As(err, &at) {
		f.At = at.part
	}
}

// opens reports whether a part stands open: where something is wrong in it or, when
// nobody can say where, in any of them.
func (f sanitizeForm) opens(part startPart) bool { return f.At == "" || f.At == part }

func (f sanitizeForm) usualModes() bool {
	return f.Mode == greedy.Default && f.Folds == usualFolds && f.VC == ""
}

// The words of the summaries.

func (f sanitizeForm) modesSet() string {
	out := "not chosen"
	for _, m := range offeredModes {
		if m.mode == f.Mode {
			out = strings.TrimSuffix(m.title, ".")
		}
	}
	out += ", " + f.Folds + " folds"
	if f.VC != "" {
		out += ", VC dimension " + f.VC
	}
	return out
}

func (f sanitizeForm) learnersSet() string {
	out := cmp.Or(f.First, firstUsual) + " redacts; attackers: " + cmp.Or(listed(f.Learners), "none")
	if len(f.Without) > 0 {
		out += "; without " + listed(f.Without)
	}
	if f.Sampling != (samplingForm{}) {
		out += "; learning from fewer words"
	}
	return out
}

func (f sanitizeForm) attackersSet() string {
	return cmp.Or(listed(f.Attackers), "none besides the usual three") + "; they label " + f.Share + " of the notes"
}

func (f sanitizeForm) nearSet() string {
	switch f.Near.What {
	case contextList:
		return "listed"
	case contextRedact:
		return "treated as sensitive"
	}
	return "not looked for"
}

func (f sanitizeForm) kindsSet(all annotate.LabelSet) string {
	ticked, weighed := 0, 0
	for _, l := range all {
		if f.has(l.Label) {
			ticked++
			if f.loss(l.Label) != "1" {
				weighed++
			}
		}
	}
	out := fmt.Sprintf("%d of %s", ticked, count(len(all), "kind", "kinds"))
	if ticked == len(all) {
		out = "all " + count(len(all), "kind", "kinds")
	}
	if weighed == 0 {
		out += ", each as bad as L/C says"
	} else {
		out += ", " + count(weighed, "weighs", "weigh") + " more or less than L/C says"
	}
	if n := f.costsSet(); n > 0 {
		out += "; " + count(n, "kind of lost word costs", "kinds of lost words cost") + " more or less"
	}
	return out
}
