// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"math"
)

// Alpha is the usual alpha: bounds at 95 %.
const Alpha = .05

// LeastRecall is the recall that planted identifiers must show before there is a
// certificate.
const LeastRecall = .8

// Certificate is what a [Reading] shows. All bounds are about passages with at least one
// identifier ("leaking") at confidence 1-alpha; "passages" means those of the candidate.
type Certificate struct {
	Confidence float64 `json:"confidence"`
	Method     Method  `json:"method"`

	Refusal Refusal `json:"refusal,omitempty"` // "" when the bounds are certified; else they are the numbers of units
	Reason  string  `json:"reason,omitempty"`  // of the refusal, a sentence

	Passages int `json:"passages"`
	Read     int `json:"read"`
	Found    int `json:"found"` // passages read with a finding

	Expected float64 `json:"expected"` // estimate of leaking passages: found, with the random ones and misses extrapolated
	Bound    int     `json:"bound"`    // at most so many passages leak, found ones included
	Left     int     `json:"left"`     // at most so many leak after what was found is redacted: Bound - Found
	Share    float64 `json:"share"`    // Left / Passages
	Exact    bool    `json:"exact"`    // everything was read by readers taken to miss nothing

	DoubtfulBound int `json:"doubtful_bound"` // part of Bound in the doubtful passages
	RandomBound   int `json:"random_bound"`   // part of Bound in the others

	Alphas Alphas  `json:"alphas"`
	Recall *Recall `json:"recall,omitempty"` // nil without planted identifiers

	// Worse is the bound if readers missed real identifiers twice as often as the recall
	// bound says of planted ones: at recall 1-2(1-s). Nil without planted identifiers,
	// when refused, and if that recall is 0 or less.
	Worse *Worse `json:"worse,omitempty"`

	// Labels hold together at the confidence: each is at alpha over their number, and
	// findings without a label count for each.
	Labels []LabelBound `json:"labels,omitempty"`

	Documents *UnitBound `json:"documents,omitempty"`
	Patients  *UnitBound `json:"patients,omitempty"`

	// TwoReaders is the estimate of Chapman for the passages that two people read.
	TwoReaders *TwoReaders `json:"two_readers,omitempty"`
}

// Method names how the random passages are bounded.
type Method string

// The methods.
const (
	MethodFixed   Method = "fixed"    // exact hypergeometric, the number of passages fixed before
	MethodAnytime Method = "any-time" // prior-posterior ratio, valid at every look
)

// Refusal is a reason why there is no certificate.
type Refusal string

// The refusals.
const (
	RefusalInvalid Refusal = "invalid" // the reading contradicts itself
	RefusalUnread  Refusal = "unread"  // no random passage has been read
	RefusalRecall  Refusal = "recall"  // recall is not shown to be above [LeastRecall]
)

// Alphas are the probabilities of error of the parts, which add up to alpha. Without
// planted identifiers everything goes to the random passages. With them half goes to
// recall, and the other half to the random passages, or a fifth of it to the doubtful ones
// if there are any: a unit more of their bound is one passage, and of the bound on the
// random ones as many as each read passage stands for.
type Alphas struct {
	Recall   float64 `json:"recall"`
	Doubtful float64 `json:"doubtful"`
	Random   float64 `json:"random"`
}

// Recall is what the planted identifiers show.
type Recall struct {
	Planned int     `json:"planned"`
	Read    int     `json:"read"` // of the planned ones, in passages that were read
	Caught  int     `json:"caught"`
	Rate    float64 `json:"rate"`  // Caught / Read
	Lower   float64 `json:"lower"` // lower bound at 1 - Alphas.Recall
	Least   float64 `json:"least"` // what Lower must exceed
}

// Worse is the bound under a lower recall.
type Worse struct {
	Recall float64 `json:"recall"`
	Bound  int     `json:"bound"`
	Left   int     `json:"left"`
}

// LabelBound bounds the passages that leak an identifier of one label.
type LabelBound struct {
	Label string `json:"label"`
	Found int    `json:"found"`
	Bound int    `json:"bound"`
	Left  int    `json:"left"`
}

// UnitBound bounds the documents or patients with a leaking passage: those found, and one
// for each leaking passage that was not.
type UnitBound struct {
	Total int `json:"total"`
	Found int `json:"found"`
	Bound int `json:"bound"`
	Left  int `json:"left"` // after what was found is redacted
}

// TwoReaders is [Chapman]'s estimate of leaking passages among those that two people read.
type TwoReaders struct {
	Double
	Estimate float64 `json:"estimate"`
}

// Certify computes everything that a reading shows. Where it refuses, the bounds are the
// numbers of all units, which always hold.
//
// # Why may it be called after every answer?
//
// With Anytime the bound of the random passages and that of recall hold at all looks. In
// all other parts, what is not read yet counts as the worst it can be: doubtful passages,
// and planned random ones, as leaking and found, and planned plants as missed. So each of
// these bounds only falls towards the final one, which is computed once.
func Certify(r Reading) Certificate {
	c := Certificate{Confidence: 1 - r.Alpha, Method: MethodFixed, Passages: r.Passages(), Read: r.Doubtful.Read + r.Random.Read, Found: r.Found()}
	if r.Anytime {
		c.Method = MethodAnytime
	}
	if err := r.Check(); err != nil {
		return c.refused(&r, RefusalInvalid, "The reading contradicts itself: "+err.Error()+".")
	}
	c.Alphas = alphasOf(&r)
	c.Recall = recallOf(&r, c.Alphas.Recall)
	c.Expected = expected(&r, c.Recall)
	if d := r.Double; d != nil {
		c.TwoReaders = &TwoReaders{*d, Chapman(d.First, d.Second, d.Both)}
	}
	if r.Random.Passages > 0 && r.Random.Read == 0 {
		return c.refused(&r, RefusalUnread, "No random passage has been read.")
	}
	recall := 1.
	if c.Recall != nil {
		if recall = c.Recall.Lower; recall <= LeastRecall {
			return c.refused(&r, RefusalRecall, r.recallReason(c.Recall))
		}
	}
	c.DoubtfulBound, c.RandomBound = r.doubtfulBound(len(r.Doubtful.Found), c.Alphas.Doubtful, recall), r.randomBound(c.Alphas.Random, recall)
	c.set(&r, c.DoubtfulBound+c.RandomBound)
	c.Exact = c.Recall == nil && r.whole()
	c.Worse = r.worse(&c)
	c.Labels = r.labelBounds(&c, recall)
	return c
}

// refused fills in what always holds.
func (c Certificate) refused(r *Reading, why Refusal, reason string) Certificate {
	c.Refusal, c.Reason = why, reason
	c.DoubtfulBound, c.RandomBound = r.Doubtful.Passages, r.Random.Passages
	c.set(r, c.Passages)
	return c
}

// set fills in what follows from a bound.
func (c *Certificate) set(r *Reading, bound int) {
	c.Bound, c.Left = bound, bound-c.Found
	if c.Passages > 0 {
		c.Share = float64(c.Left) / float64(c.Passages)
	}
	c.Documents, c.Patients = r.Documents.bound(c.Left), r.Patients.bound(c.Left)
}

// bound is nil for no units.
func (u Units) bound(left int) *UnitBound {
	if u.Total <= 0 {
		return nil
	}
	return &UnitBound{u.Total, u.Found, min(u.Total, u.Found+left), min(u.Total, left)}
}

func alphasOf(r *Reading) Alphas {
	switch {
	case r.Plants.Planned == 0:
		return Alphas{Random: r.Alpha}
	case r.Doubtful.Passages == 0:
		return Alphas{Recall: r.Alpha / 2, Random: r.Alpha / 2}
	case r.Random.Passages == 0:
		return Alphas{Recall: r.Alpha / 2, Doubtful: r.Alpha / 2}
	}
	return Alphas{Recall: r.Alpha / 2, Doubtful: r.Alpha / 10, Random: r.Alpha * 2 / 5}
}

func recallOf(r *Reading, alpha float64) *Recall {
	if r.Plants.Planned == 0 {
		return nil
	}
	out := &Recall{Planned: r.Plants.Planned, Read: r.Plants.Read, Caught: r.Plants.Caught, Least: LeastRecall}
	if r.Plants.Read > 0 {
		out.Rate = float64(r.Plants.Caught) / float64(r.Plants.Read)
	}
	out.Lower = recallBound(r.Plants, alpha, r.Anytime)
	return out
}

func recallBound(p PlantCount, alpha float64, anytime bool) float64 {
	if anytime {
		return LiveRecallBound(p.Planned, p.Read, p.Caught, alpha)
	}
	return RecallBound(p.Planned, p.Caught, alpha)
}

func (r *Reading) recallReason(c *Recall) string {
	unread := ""
	if n := r.Plants.Planned - r.Plants.Read; n > 0 {
		unread = fmt.Sprintf(" %d more are in passages that are not read yet.", n)
	}
	return fmt.Sprintf("Readers caught %d of %d planted identifiers.%s This shows a recall above %.2f; a certificate needs more than %.2f.", c.Caught, r.Plants.Read, unread, math.Floor(100*c.Lower)/100, c.Least)
}

// expected is the estimate of leaking passages: found ones, over the share that was read
// and the recall.
func expected(r *Reading, recall *Recall) float64 {
	if r.Random.Read == 0 && r.Random.Passages > 0 {
		return 0
	}
	leaking := float64(len(r.Doubtful.Found))
	if r.Random.Read > 0 {
		leaking += float64(len(r.Random.Found)) * float64(r.Random.Passages) / float64(r.Random.Read)
	}
	if recall != nil && recall.Rate > 0 {
		leaking /= recall.Rate
	}
	return min(leaking, float64(r.Passages()))
}

// doubtfulBound bounds the doubtful passages if found of the read ones leak.
func (r *Reading) doubtfulBound(found int, alpha, recall float64) int {
	if found += r.Doubtful.Passages - r.Doubtful.Read; recall >= 1 {
		return found
	}
	return WholeBound(r.Doubtful.Passages, found, alpha, recall)
}

// randomBound bounds the random passages.
func (r *Reading) randomBound(alpha, recall float64) int {
	if r.Anytime {
		return AnytimeBound(r.Random.Passages, r.Random.Read, r.Random.Found, alpha, recall)
	}
	return r.fixedBound(len(r.Random.Found), alpha, recall)
}

func (r *Reading) fixedBound(found int, alpha, recall float64) int {
	return ThinnedBound(r.Random.Passages, r.Planned, found+r.Planned-r.Random.Read, alpha, recall)
}

// worse is nil if there is no such bound.
func (r *Reading) worse(c *Certificate) *Worse {
	if c.Recall == nil {
		return nil
	}
	recall := 1 - 2*(1-c.Recall.Lower)
	if recall <= 0 {
		return nil
	}
	bound := r.doubtfulBound(len(r.Doubtful.Found), c.Alphas.Doubtful, recall) + r.randomBound(c.Alphas.Random, recall)
	return &Worse{recall, bound, bound - c.Found}
}

// labelBounds divides the alphas of both strata by the number of labels. That of recall is
// not divided: its bound is the same for all labels.
func (r *Reading) labelBounds(c *Certificate, recall float64) []LabelBound {
	var out []LabelBound
	each := float64(len(r.Labels))
	for _, l := range r.Labels {
		doubtful := min(l.Doubtful+r.Unlabeled.Doubtful, len(r.Doubtful.Found))
		random := min(l.Random+r.Unlabeled.Random, len(r.Random.Found))
		b := LabelBound{Label: l.Label, Found: doubtful + random}
		b.Bound = r.doubtfulBound(doubtful, c.Alphas.Doubtful/each, recall)
		if r.Anytime {
			b.Bound += anytimeLast(r.Random.Passages, r.Random.Read, random, c.Alphas.Random/each, recall)
		} else {
			b.Bound += r.fixedBound(random, c.Alphas.Random/each, recall)
		}
		b.Left = b.Bound - b.Found
		out = append(out, b)
	}
	return out
}
