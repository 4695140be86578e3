// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"hide/internal/annotate"
)

// Errors that callers distinguish.
var (
	// ErrNoSensitive is returned if no token is sensitive: there is nothing to train on,
	// and publishing everything would be a guess.
	ErrNoSensitive = errors.New("no token is sensitive: tag some before sanitizing")
	// ErrOnlySensitive is returned if every token is sensitive.
	ErrOnlySensitive = errors.New("every token is sensitive, so nothing remains to publish: choose fewer sensitive labels")
	// ErrFewDocuments is returned if cross-fitting would have to test on its training
	// data.
	ErrFewDocuments = errors.New("too few documents of different patients to hold some out")
)

// MaxLC is the largest L/C accepted; beyond it T(H) is practically FN(H).
const MaxLC = 1e9

// Params configure sanitizing. The zero value of each field but LC is its default.
type Params struct {
	Mode Mode      // "" means Default
	LC   []float64 // values of L/C, each above 0 and at most MaxLC

	// LossByLabel has L_c/L by label, from 0 to MaxTimes: the loss of a missed token of
	// that category, as a multiple of L. Labels that are not in it have L.
	LossByLabel map[annotate.Label]float64

	// CostByKind has C_k/C by kind of word: the cost of redacting a word that is not
	// sensitive.
	CostByKind Prices

	Folds     int       // cross-fitting folds by Group; 0 means 4; fewer when there are fewer groups
	Budgets   []int     // of the ranked attacker; nil means 25, 50, 100, 200, 500, 1000
	Share     float64   // share of groups that the ranked attacker labels, MinShare to MaxShare, rounded to the nearest 1/k; 0 means 1/2
	Seed      uint64    // of folds and resampling
	MaxRounds int       // maximum of rounds that redact; 0 means 10, and 200 for greedy-union
	Workers   int       // trainings at a time; 0 means 2
	Learners  []Learner // the hypothesis class of publisher and attackers; nil means the CRF alone

	// Context searches for contextual identifiers; nil: it does not. An [Experiment]
	// ignores it: it takes documents of [LabelContext].
	Context *Context

	// VC is the assumed Vapnik-Chervonenkis dimension of the class in theorems 5 and 6,
	// at least 1; 0 means the largest [Dimension] of the run's classifiers. They are about
	// Algorithm 1, so only [Paper] has them.
	VC float64

	// Ceiling is the largest share of the sensitive tokens that the ranked attacker may
	// find within the largest of Budgets, if as many tokens are published as were trained
	// on; an [Experiment] uses that budget for its whole publication. If she finds more,
	// [Default] redacts as for a larger L/C: see [Choice].At. The other modes have no
	// ceiling. 0: no ceiling.
	Ceiling float64

	// Checkpoint keeps finished trainings, of Learners with different names; nil: an
	// interrupted run starts again.
	Checkpoint Checkpoint

	// First redacts in round 1 of default mode, before the rounds of attack by all of
	// Learners; nil: there is no such round. It attacks only if it is among Learners as
	// well.
	First Learner

	// Published is called with the publication for each L/C, redacted out of fold, for
	// others to attack, before the Event with its Choice. It may be nil. Its error ends
	// the run. It is not called if there are too few groups to hold any out, nor by an
	// [Experiment], whose results have Views.
	Published func(ctx context.Context, lc float64, views []annotate.View) error

	shared []SharedTraining // of Learners, while a run lasts
}

// Event reports progress. Events come one at a time, in an order that depends only on the
// inputs, except for those with neither Round nor Choice.
type Event struct {
	LC     float64 // which L/C it is about; 0 for all
	Doing  string  // "L/C 10, round 2: training crf, folds, 3 of 4"
	Share  float64 // 0 to 1 of the whole, approximate, never falling
	Step   int     // finished trainings of the current step
	Steps  int     // all trainings of the current step; 0 if it is not training
	Round  *Round  // a finished round of LC
	At     float64 // the L/C for which the Round was solved: see [Choice].At
	Choice *Choice // set when LC is finished: all that is known about it

	// First is what the first round of LC will leave, in default mode with several L/C:
	// read from scores that all of them share, before their rounds. It is not attacked
	// yet, and its Attack is the zero value.
	First *Outcome
}

func (p Params) withDefaults() Params {
	p.Mode = cmp.Or(p.Mode, Default)
	if p.Folds == 0 {
		p.Folds = 4
	}
	if len(p.Budgets) == 0 {
		p.Budgets = []int{25, 50, 100, 200, 500, 1000}
	}
	p.Share = cmp.Or(p.Share, MaxShare)
	if p.Workers == 0 {
		p.Workers = 2
	}
	if p.Learners == nil {
		p.Learners = []Learner{CRF{}}
	}
	p.LC = slices.Compact(slices.Sorted(slices.Values(p.LC)))
	return p
}

// CheckLC refuses an invalid L/C.
func CheckLC(lc float64) error {
	if !(lc > 0 && lc <= MaxLC) {
		return fmt.Errorf("L/C is %g; it must be above 0 and at most %g", lc, float64(MaxLC))
	}
	return nil
}

// The least and the greatest share of groups that attackers label.
const (
	MinShare = 0.1
	MaxShare = 0.5
)

// CheckShare refuses an invalid [Params].Share.
func CheckShare(share float64) error {
	if share != 0 && !(share >= MinShare && share <= MaxShare) {
		return fmt.Errorf("attackers label a share of %g of the notes: it must be from %g to %g", share, MinShare, MaxShare)
	}
	return nil
}

// LabelledParts is the k whose 1/k is nearest to share, the smaller of two. A share of 0
// is taken for MaxShare.
func LabelledParts(share float64) int {
	share = cmp.Or(share, MaxShare)
	k := math.Floor(1/share + 1e-9)
	if share-1/(k+1) < 1/k-share-1e-9 {
		k++
	}
	return int(k)
}

// MaxVC is larger than the dimension of any class with a weight per attribute of a
// corpus.
const MaxVC = 1e12

// CheckVC refuses an invalid [Params].VC.
func CheckVC(v float64) error {
	if v != 0 && !(v >= 1 && v <= MaxVC) {
		return fmt.Errorf("the Vapnik-Chervonenkis dimension is %g; it must be from 1 to %g", v, float64(MaxVC))
	}
	return nil
}

func (p Params) check() error {
	switch {
	case !slices.Contains(Modes(), p.Mode):
		return fmt.Errorf("unknown mode %q", p.Mode)
	case !p.Mode.Possible(p.Learners):
		return ErrNoWeights
	}
	if err := cmp.Or(p.checkGrid(), p.checkNumbers()); err != nil {
		return err
	}
	if p.Checkpoint != nil {
		if err := checkNames(p.Learners); err != nil {
			return err
		}
	}
	if p.Context != nil {
		if err := p.Context.Check(); err != nil {
			return err
		}
	}
	return cmp.Or(CheckVC(p.VC), CheckShare(p.Share), p.checkCeiling(), CheckLosses(p.LossByLabel), p.CostByKind.Check())
}

func (p Params) checkGrid() error {
	if len(p.LC) == 0 {
		return errors.New("no value of L/C given")
	}
	for _, lc := range p.LC {
		if err := CheckLC(lc); err != nil {
			return err
		}
	}
	return nil
}

func (p Params) checkNumbers() error {
	for _, b := range p.Budgets {
		if b < 1 {
			return fmt.Errorf("budget %d is not positive", b)
		}
	}
	if p.Folds < 2 || p.MaxRounds < 0 || p.Workers < 1 {
		return fmt.Errorf("%d folds, %d rounds, %d workers: at least 2, 0 and 1 are needed", p.Folds, p.MaxRounds, p.Workers)
	}
	return nil
}

// checkDocs refuses documents that cannot be trained on.
func checkDocs(docs []annotate.Note) error {
	sensitive, tokens := 0, 0
	if len(docs) > 0 && !slices.ContainsFunc(docs, func(d annotate.Note) bool { return !d.Selected }) {
		return ErrAllChosen
	}
	for i := range docs {
		if err := docs[i].Check(); err != nil {
			return fmt.Errorf("document %d: %w", i, err)
		}
		tokens += len(docs[i].Words)
		sensitive += docs[i].CountSensitive()
	}
	if sensitive == 0 {
		return ErrNoSensitive
	}
	if sensitive == tokens {
		return ErrOnlySensitive
	}
	return nil
}
