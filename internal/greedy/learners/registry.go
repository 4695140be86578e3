// SPDX-License-Identifier: Apache-2.0

package learners

import (
	"fmt"
	"slices"
	"strings"

	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/boost"
	"hide/internal/greedy/detect"
	"hide/internal/greedy/linear"
)

// Options are what learners may be told. The zero value is ready to use.
type Options struct {
	CRF   crf.Options  // of every learner with a CRF in it; crf-hide has features of its own. Its Sampling is every learner's
	Seed  uint64       // of everything drawn, but for the sampling
	Parts detect.Parts // of the detector; 0 means [detect.Default]
}

// Entry says what learner a name stands for.
type Entry struct {
	Name  string // on the command line, in requests and in results
	About string // in one line
	build func(o Options) greedy.Learner
	kept  bool // its classifiers can be kept in a file
}

// Table lists the learners, the usual one first. All that is said of them anywhere
// comes from here.
func Table() []Entry {
	return []Entry{
		{"crf", "conditional random field, all features", func(o Options) greedy.Learner { return greedy.CRF{Options: o.CRF} }, true},
		{"detector", "conditional random field and boosted trees, stacked, with the scores of the word's other occurrences", detector, true},
		{"crf-hide", "conditional random field, the features of the HIDE dissertation", hide, true},
		{"trees", "gradient-boosted trees on rates of words and contexts, and flags", forest, true},
		{"adaboost", "AdaBoost of trees with four leaves, on the same columns", fourLeaves, true},
		{"svm", "linear support vector machine on words, affixes, shapes, neighbours and the labels before", machine, true},
		{"bayes", "naive Bayes on the features of crf", func(o Options) greedy.Learner { return greedy.Bayes{Options: o.CRF} }, true},
		{"ensemble", "crf, then a support vector machine on the tokens that crf marks or finds probable", ensemble, true},
		{"selection", "the one of crf, svm, adaboost and ensemble with the fewest errors on held-out documents", selection, true},
	}
}

func forest(o Options) greedy.Learner {
	return detect.Forest{Sampling: o.CRF.Sampling, Dictionaries: o.CRF.Dictionaries}
}

func fourLeaves(o Options) greedy.Learner {
	return detect.Forest{Ada: &boost.AdaOptions{Rounds: 100, Leaves: 4}, Seed: o.Seed, Sampling: o.CRF.Sampling, Dictionaries: o.CRF.Dictionaries}
}

func detector(o Options) greedy.Learner {
	return detect.Detector{Options: detect.Options{CRF: o.CRF, Seed: o.Seed, Parts: o.Parts}}
}

// Names lists the names of the table in its order.
func Names() []string {
	var names []string
	for _, e := range Table() {
		names = append(names, e.Name)
	}
	return names
}

// New is the learner of a name. Its Name method says that name. The error lists
// the names.
func New(name string, o Options) (greedy.Learner, error) {
	table := Table()
	i := slices.IndexFunc(table, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown learner %q; learners are %s", name, strings.Join(Names(), ", "))
	}
	return table[i].build(o), nil
}

// hideCRF is a CRF with the features of the dissertation.
type hideCRF struct{ greedy.CRF }

// Name is "crf-hide".
func (hideCRF) Name() string { return "crf-hide" }

func hide(o Options) greedy.Learner {
	o.CRF.Features = crf.HIDE
	return hideCRF{greedy.CRF{Options: o.CRF}}
}

func machine(o Options) greedy.Learner { return svm(o) }

func svm(o Options) linear.SVM { return linear.SVM{Seed: o.Seed, Sampling: o.CRF.Sampling} }

func ensemble(o Options) greedy.Learner {
	return Ensemble{First: greedy.CRF{Options: o.CRF}, Then: svm(o), Seed: o.Seed}
}

// selection is of the papers' classes.
func selection(o Options) greedy.Learner {
	return Selection{Learners: []greedy.Learner{greedy.CRF{Options: o.CRF}, machine(o), fourLeaves(o), ensemble(o)}, Seed: o.Seed}
}
