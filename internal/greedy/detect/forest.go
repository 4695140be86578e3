// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/boost"
	"hide/internal/greedy/dense"
	"hide/internal/greedy/linear"
)

// Forest trains boosted trees on the columns of package dense only. Its classifiers are
// detectors with two parts. The zero value is gradient boosting as in the detector.
type Forest struct {
	Trees boost.Options     // as Options.Trees
	Ada   *boost.AdaOptions // AdaBoost instead, calibrated on held-out documents
	Seed  uint64            // of the held-out folds

	// Sensitive is the relative cost of a sensitive token, 0 for 1: the weight of its row.
	// With a cost AdaBoost's votes stay as they are: calibration would undo the cost.
	Sensitive float64

	Sampling     crf.Sampling      // of the training and calibration data of columns and trees
	Dictionaries []dictionary.List // a user's dictionaries, each a column
}

var (
	_ greedy.Keeper        = Forest{}
	_ greedy.CostSensitive = Forest{}
)

// Weighted implements [greedy.CostSensitive].
func (f Forest) Weighted(weight float64) greedy.Learner {
	f.Sensitive = weight
	return f
}

// Name is "trees" or "adaboost".
func (f Forest) Name() string {
	if f.Ada != nil {
		return "adaboost"
	}
	return "trees"
}

// Train implements [greedy.Learner].
func (f Forest) Train(ctx context.Context, views []annotate.View) (greedy.Classifier, error) {
	views = greedy.Sample(views, f.Sampling)
	corpus, err := dense.Prepare(ctx, views, crf.NewLists(f.Dictionaries))
	if err != nil {
		return nil, err
	}
	all := make([]int, len(views))
	for i := range all {
		all[i] = i
	}
	fit, m, err := f.fit(ctx, corpus, all)
	if err == nil && f.Ada != nil && f.Sensitive == 0 {
		m, err = f.calibrated(ctx, corpus, views, m)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return &Classifier{parts: Trees | NameLikeness, bases: bases{trees: m}, encoder: fit.Encoder()}, nil
}

// fit trains columns and trees on the given documents.
func (f Forest) fit(ctx context.Context, corpus *dense.Corpus, train []int) (*dense.Fitted, *boost.Model, error) {
	fit, err := corpus.Fit(ctx, train)
	if err != nil {
		return nil, nil, err
	}
	x, y, err := fit.Rows(ctx)
	if err != nil {
		return nil, nil, err
	}
	var m *boost.Model
	if f.Ada != nil {
		how := *f.Ada
		how.Weight = f.Sensitive
		m, err = boost.AdaBoost(ctx, x, y, how)
	} else {
		how := Options{Trees: f.Trees}.withDefaults().Trees
		how.Weight = f.Sensitive
		m, err = boost.Train(ctx, x, y, how)
	}
	return fit, m, err
}

// calibrationFolds is the same number as for the support vector machine.
const calibrationFolds = 3

// calibrated is m with its sums of votes converted to log-odds on held-out documents: a
// sum grows with the rounds, whatever the error rate. The sigmoid is the one that
// calibrates margins in package linear.
func (f Forest) calibrated(ctx context.Context, corpus *dense.Corpus, views []annotate.View, m *boost.Model) (*boost.Model, error) {
	groups := make([]string, len(views))
	for i, v := range views {
		groups[i] = v.Group
	}
	fold, folds := greedy.Deal(groups, calibrationFolds, f.Seed)
	if folds < 2 {
		return m, nil // nothing to measure on
	}
	var sums []float64
	var sensitive []bool
	for k := range folds {
		kept, held := splitFold(fold, k)
		fit, part, err := f.fit(ctx, corpus, kept)
		if errors.Is(err, boost.ErrOneKind) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, i := range held {
			for t, sum := range part.LogOdds(fit.Columns(i)) {
				if views[i].InTraining(t) {
					sums, sensitive = append(sums, sum), append(sensitive, views[i].Sensitive[t])
				}
			}
		}
	}
	s := linear.FitSigmoid(sums, sensitive)
	return m.Rescaled(s.Slope, s.Shift), nil
}

// splitFold are the documents outside and inside of a fold.
func splitFold(fold []int, k int) (kept, held []int) {
	for i, at := range fold {
		if at == k {
			held = append(held, i)
		} else {
			kept = append(kept, i)
		}
	}
	return kept, held
}

// EncodeClassifier implements [greedy.Keeper].
func (Forest) EncodeClassifier(h greedy.Classifier) ([]byte, error) {
	return Detector{}.EncodeClassifier(h)
}

// DecodeClassifier implements [greedy.Keeper].
func (Forest) DecodeClassifier(raw []byte) (greedy.Classifier, error) {
	return Detector{}.DecodeClassifier(raw)
}

// Options configure the detector. The zero value is the default.
type Options struct {
	Parts   Parts         // 0 means Default
	CRF     crf.Options   // Binary is implied; its Sampling applies to all stages and removes Share from Parts
	Trees   boost.Options // of the base learner; without Trees and Rate, 100 trees of rate 0.15
	Second  boost.Options // of the second stage; without Trees and Rate, 60 trees of rate 0.1
	Bonus   float64       // extra log-odds of strong patterns; 0 means 4
	Folds   int           // of Train, by Group; 0 means 4; fewer when there are fewer groups
	Seed    uint64        // of the folds of Train
	Workers int           // trainings at a time; 0 means GOMAXPROCS; the result does not depend on it

	// Progress is called with the number of finished trainings of a cross-fit and the
	// stage of the last one; may be nil. Calls come one at a time.
	Progress func(stage string, done, total int)
}

func (o Options) withDefaults() Options {
	o.Parts = cmp.Or(o.Parts, Default)
	if o.Trees.Trees == 0 && o.Trees.Rate == 0 {
		o.Trees.Trees, o.Trees.Rate = 100, 0.15
	}
	if o.Second.Trees == 0 && o.Second.Rate == 0 {
		o.Second.Trees, o.Second.Rate = 60, 0.1
	}
	o.Bonus = cmp.Or(o.Bonus, 4)
	if o.Folds == 0 {
		o.Folds = 4
	}
	o.Workers = cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	return o
}

func (o Options) check() error {
	switch {
	case !(math.Abs(o.Bonus) <= mostOdds):
		return fmt.Errorf("a bonus of %g is not between -%d and %d", o.Bonus, mostOdds, mostOdds)
	case o.Folds < 2 || o.Workers < 1:
		return fmt.Errorf("%d folds and %d workers: at least 2 and 1 are needed", o.Folds, o.Workers)
	}
	return o.Parts.check()
}

// Detector is the default detector as a [greedy.Learner]. The zero value is ready
// to use.
type Detector struct{ Options Options }

var _ greedy.Telling = Detector{}

// Telling implements [greedy.Telling].
func (d Detector) Telling(tell func(stage string, done, total int)) greedy.CrossFitter {
	d.Options.Progress = tell
	return d
}

// Name is "detector".
func (Detector) Name() string { return "detector" }

// Parts is a set of the detector's parts. Its bits are stored: do not reorder them.
type Parts uint32

// The parts.
const (
	CRF Parts = 1 << iota
	Trees
	NameLikeness
	SecondStage
	Neighbours
	Document
	Group
	Corpus
	Bonus
	Share
	endOfParts
)

// Default is every part but Group and Corpus: a document published alone lacks their
// evidence, so counts made with it would be too good. Callers that publish with
// [Classifier.ScoreAll] add them.
const Default = (endOfParts - 1) &^ (Group | Corpus)

// Part is a row of the table of parts.
type Part struct {
	Parts
	Name  string
	About string // in one line
}

// PartTable lists the parts.
func PartTable() []Part {
	return []Part{
		{CRF, "crf", "base learner: a conditional random field"},
		{Trees, "trees", "base learner: boosted trees on target rates and flags"},
		{NameLikeness, "name-likeness", "character n-grams of words, a column of the trees"},
		{SecondStage, "second-stage", "boosted trees on the log-odds of the base learners; without it their mean"},
		{Neighbours, "neighbours", "second stage: log-odds of the three tokens each way"},
		{Document, "document", "second stage: log-odds of the word's other places in the document"},
		{Group, "group", "second stage: log-odds of the word in the patient's other documents"},
		{Corpus, "corpus", "second stage: log-odds of the word in the other documents of the batch"},
		{Bonus, "bonus", "more log-odds for e-mail addresses, URLs, full dates and telephone numbers"},
		{Share, "share", "prior-shift correction: more log-odds for all tokens when a publication seems to have a higher share of PHI than the training notes"},
	}
}

// String joins the names with commas.
func (p Parts) String() string {
	var names []string
	for _, row := range PartTable() {
		if p&row.Parts != 0 {
			names = append(names, row.Name)
		}
	}
	return strings.Join(names, ",")
}

// Without is [Default] without the named parts. Repeated or already missing parts are
// refused, and so is removing both base learners.
func Without(names []string) (Parts, error) {
	p := Default
	for _, name := range names {
		i := slices.IndexFunc(PartTable(), func(row Part) bool { return row.Name == name })
		if i < 0 || !p.has(PartTable()[i].Parts) {
			return 0, fmt.Errorf("unknown or repeated part %q of the detector; parts are %s", name, Default)
		}
		p &^= PartTable()[i].Parts
	}
	return p, p.check()
}

func (p Parts) has(q Parts) bool { return p&q != 0 }

// bases is the number of base learners.
func (p Parts) bases() int { return bits.OnesCount32(uint32(p & (CRF | Trees))) }

func (p Parts) check() error {
	if p&^(endOfParts-1) != 0 {
		return fmt.Errorf("unknown parts %#x of the detector", uint32(p))
	}
	if !p.has(CRF | Trees) {
		return fmt.Errorf("the detector needs one of its base learners, %s or %s", CRF, Trees)
	}
	return nil
}
