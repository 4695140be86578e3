// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strings"

	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/boost"
)

// Options say what the detector is made of. The zero value is the default.
type Options struct {
	Parts   Parts         // 0 means Default
	CRF     crf.Options   // Binary is implied; its Sampling is that of all stages, and takes Share out of Parts
	Trees   boost.Options // of the base learner; without Trees and Rate, 100 trees of rate 0.15
	Second  boost.Options // of the second stage; without Trees and Rate, 60 trees of rate 0.1
	Bonus   float64       // log-odds that strong patterns get on top; 0 means 4
	Folds   int           // of Train, by Group; 0 means 4; fewer when there are fewer groups
	Seed    uint64        // of the folds of Train
	Workers int           // trainings at a time; 0 means GOMAXPROCS; the result does not depend on it

	// Progress is told how many trainings of a cross-fit are done, and of which
	// stage the last was; nil: nobody is. Calls come one at a time.
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

// Default is every part but Group and Corpus: a document that is published by
// itself has not their evidence, and counts that were made with it would be too
// good. Who publishes by [Classifier.ScoreAll] adds them.
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

// Without is [Default] without the parts of these names. A part that it has not
// anyway is refused, and so is taking both base learners.
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

// bases is how many base learners there are.
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
