// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"hide/internal/corpus"
	"hide/internal/crf"
	"hide/internal/lab"
	"hide/internal/option"
)

// CompareHelp says what is written as a variation.
const CompareHelp = "train again with other `SETTINGS`, and compare: options of training without --, such as 'preset=hide', 'learner=detector' or 'without=list,member c2=1', " +
	"or 'model=FILE' for a stored model; may be given again"

// Variations are other ways to train, each a change of the first one.
type Variations struct {
	Table   option.Table[Training]
	Given   *flag.FlagSet // the flags of the first one
	First   Training
	Changes []string // as [CompareHelp] says
}

// Variants reads the changes, so that all of them are checked before the first training.
// The first variant is the first way to train.
func (v Variations) Variants(ctx context.Context, s Sources, o crf.Options, progress lab.Progress) ([]Variant, error) {
	out := []Variant{{"reference", func() (*Predictions, error) { return s.Predict(ctx, o, progress) }}}
	for _, change := range v.Changes {
		changed, o, err := v.change(s, change)
		if err != nil {
			return nil, err
		}
		out = append(out, Variant{change, func() (*Predictions, error) { return changed.Predict(ctx, o, progress) }})
	}
	return out, nil
}

// change are the sources and options of one variation.
func (v Variations) change(s Sources, text string) (Sources, crf.Options, error) {
	if name, is := strings.CutPrefix(text, "model="); is {
		m, err := corpus.Model(name)
		s.Model, s.Learner = m, ""
		return s, crf.Options{}, err
	}
	t, err := v.Training(text)
	if err != nil {
		return s, crf.Options{}, err
	}
	if s.Model != nil && s.Train == nil {
		return s, crf.Options{}, refuse("compare", "%s trains a model: give the notes with --train", text)
	}
	s.Model, s.Learner = nil, t.Marker()
	if s.Learner != "" && s.Contrast != nil {
		return s, crf.Options{}, refuse("compare", "%s has no effect with --contrast: the learner predicts no labels", text)
	}
	o, err := t.Options()
	return s, o, inChange(text, err)
}

// Training is the first one with a change. What was given for the first one and has no
// effect with the change is left out.
func (v Variations) Training(text string) (Training, error) {
	changes, err := pairs(text)
	if err != nil {
		return Training{}, err
	}
	var kept [][2]string
	v.Given.Visit(func(f *flag.Flag) {
		own := slices.ContainsFunc(changes, func(c [2]string) bool { return c[0] == f.Name })
		if slices.Contains(v.Table.Names(), f.Name) && !own {
			kept = append(kept, [2]string{f.Name, f.Value.String()})
		}
	})
	for {
		t, unused, err := v.set(slices.Concat(kept, changes))
		if err != nil || unused == nil {
			return t, inChange(text, err)
		}
		at := slices.IndexFunc(kept, func(k [2]string) bool { return k[0] == unused.Name })
		if at < 0 {
			return t, inChange(text, unused)
		}
		kept = slices.Delete(kept, at, at+1)
	}
}

// set reads options. unused is one that has no effect.
func (v Variations) set(values [][2]string) (t Training, unused *option.Problem, err error) {
	f := flag.NewFlagSet("", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	v.Table.Bind(f, &t)
	for _, one := range values {
		if f.Lookup(one[0]) == nil {
			return t, nil, fmt.Errorf("unknown option %q; options are %s and model", one[0], strings.Join(v.Table.Names(), ", "))
		}
		if err := f.Set(one[0], one[1]); err != nil {
			return t, nil, fmt.Errorf("%s: %w", one[0], err)
		}
	}
	t.Dictionaries, t.Classes = v.First.Dictionaries, v.First.Classes
	t.withoutUnused()
	return t, v.Table.Unused(f, &t), nil
}

// withoutUnused leaves out lists and classes that the features do not read.
func (t *Training) withoutUnused() {
	for range 2 {
		var problem *option.Problem
		if _, err := t.Options(); !errors.As(err, &problem) {
			return
		}
		switch problem.Name {
		case "dictionaries":
			t.Dictionaries = nil
		case "classes":
			t.Classes = nil
		}
	}
}

// pairs reads "name=value name=value".
func pairs(text string) ([][2]string, error) {
	var out [][2]string
	for _, word := range strings.Fields(text) {
		name, value, is := strings.Cut(word, "=")
		if !is {
			return nil, refuse("compare", "%q is not name=value", word)
		}
		out = append(out, [2]string{name, value})
	}
	if out == nil {
		return nil, refuse("compare", "enter what to change, such as preset=hide")
	}
	return out, nil
}

// inChange says which variation an error is about.
func inChange(text string, err error) error {
	if err == nil {
		return nil
	}
	return refuse("compare", "%s: %v", text, err)
}
