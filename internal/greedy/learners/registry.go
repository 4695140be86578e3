// SPDX-License-Identifier: Apache-2.0

// Package learners gives every learner a name, and has the learners that combine others
// (tkde section 5).
//
//	l, err := learners.New("ensemble", learners.Options{Seed: 1})
//
// [Ensemble] lets a support vector machine judge the tokens that a CRF marks or finds
// probable. [Selection] takes the learner with the fewest errors on held-out documents;
// as GreedySanitize trains anew in each round, it can take another one each time.
//
// Both train on predictions for documents that the other learners did not see. Results
// are deterministic, and everything is safe for concurrent use.
package learners

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/crf/trade"
	"hide/internal/greedy"
	"hide/internal/greedy/boost"
	"hide/internal/greedy/detect"
	"hide/internal/greedy/linear"
	"hide/internal/greedy/outside"
)

// Options are the options of learners. The zero value is ready to use.
type Options struct {
	CRF   crf.Options      // for every learner with a CRF; crf-hide has features of its own. Its Sampling applies to every learner
	Seed  uint64           // of all randomness but the sampling
	Parts detect.Parts     // of the detector; 0 means [detect.Default]
	Stack []greedy.Learner // stacked onto the detector, such as taggers that were trained elsewhere
}

// Entry is the learner of a name.
type Entry struct {
	Name  string // on the command line, in requests and in results
	About string // in one line
	build func(o Options) greedy.Learner
	kept  bool // its classifiers can be kept in a file
}

// Table lists the learners, the default first. All descriptions of them come from here.
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
	d := detect.Detector{Options: detect.Options{CRF: o.CRF, Seed: o.Seed, Parts: o.Parts}}
	if len(o.Stack) == 0 {
		return d
	}
	return outside.Stack{Base: d, More: o.Stack, Seed: o.Seed, Sampling: o.CRF.Sampling}
}

// Names lists the names of the table in its order.
func Names() []string {
	var names []string
	for _, e := range Table() {
		names = append(names, e.Name)
	}
	return names
}

// New returns the learner with this name. The error lists the names.
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

// Weighted implements [greedy.CostSensitive].
func (l hideCRF) Weighted(weight float64) greedy.Learner {
	return greedy.Weighed{Keeper: l, Weight: weight, Seed: l.Options.Sampling.Seed}
}

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

// PredictsLabels reports whether a learner predicts labels in the sampling curves. All
// others need a [Marker] there.
func PredictsLabels(name string) bool { return name == string(crf.Chain) || name == string(crf.Bayes) }

// Markers are the names of those others, in the order of the table.
func Markers() []string { return slices.DeleteFunc(Names(), PredictsLabels) }

// Marker is the learner of a name, trained on notes with one sampling after the other.
func Marker(name string, notes []annotate.Annotated, o Options) (*trade.Marker, error) {
	if _, err := New(name, o); err != nil {
		return nil, err
	}
	docs := make([]annotate.Note, len(notes))
	for i, n := range notes {
		docs[i] = annotate.NewNote(n)
	}
	return &trade.Marker{Name: name, Marks: func(ctx context.Context, s crf.Sampling, fold []int, folds int) ([][]bool, error) {
		o := o
		o.CRF.Sampling = s
		l, err := New(name, o)
		if err != nil {
			return nil, err
		}
		return Marks(ctx, l, docs, fold, folds)
	}}, nil
}

// opinion is a classifier's scores of one view; redacted tokens are never marked.
type opinion struct {
	scores []float64
	marks  []bool
}

func ask(h greedy.Classifier, v annotate.View) opinion {
	o := opinion{h.Scores(v), h.Hard(v)}
	for x := range o.marks {
		o.marks[x] = o.marks[x] && !v.Hidden(x)
	}
	return o
}

// Marks are the tokens of each document that l marks, [greedy.Classifier.Hard], when
// trained on the documents of other folds; fold[i] is that of document i. A
// [greedy.CrossFitter] cross-fits in its own way.
func Marks(ctx context.Context, l greedy.Learner, docs []annotate.Note, fold []int, folds int) ([][]bool, error) {
	views := make([]annotate.View, len(docs))
	for i := range docs {
		views[i] = annotate.View{Note: &docs[i]}
	}
	if c, can := l.(greedy.CrossFitter); can {
		_, hard, _, err := c.CrossFit(ctx, views, fold, folds)
		return hard, err
	}
	said, err := sayOutOfFold(ctx, l, views, fold, folds)
	marks := make([][]bool, len(said))
	for i := range said {
		marks[i] = said[i].marks
	}
	return marks, err
}

// outOfFold scores each view by a classifier of l trained on other folds. Groups are kept
// whole. It returns nil if there is only one group.
func outOfFold(ctx context.Context, l greedy.Learner, views []annotate.View, folds int, seed uint64) ([]opinion, error) {
	fold, n := greedy.Deal(groups(views), folds, seed)
	if n < 2 {
		return nil, nil
	}
	return sayOutOfFold(ctx, l, views, fold, n)
}

func sayOutOfFold(ctx context.Context, l greedy.Learner, views []annotate.View, fold []int, folds int) ([]opinion, error) {
	said := make([]opinion, len(views))
	for f := range folds {
		var others []annotate.View
		for i, v := range views {
			if fold[i] != f {
				others = append(others, v)
			}
		}
		h, err := greedy.Fit(ctx, l, others)
		if err != nil {
			return nil, err
		}
		for i, v := range views {
			if fold[i] == f {
				said[i] = ask(h, v)
			}
		}
	}
	return said, ctx.Err()
}

func groups(views []annotate.View) []string {
	out := make([]string, len(views))
	for i, v := range views {
		out[i] = v.Group
	}
	return out
}
