// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

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
		{Share, "share", "more log-odds for all tokens of a publication that seems to have a higher share of sensitive ones than training had"},
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
			return 0, fmt.Errorf("there is no part %q of the detector to leave out, or it is there twice: there are %s", name, Default)
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
