// SPDX-License-Identifier: Apache-2.0

package bootstrap

import (
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
)

// Size is the size of a set of notes.
type Size struct {
	Documents int `json:"documents"`
	Tokens    int `json:"tokens"`
	Spans     int `json:"spans"`
}

func sizeOf(notes []annotate.Annotated) Size {
	s := Size{Documents: len(notes)}
	for _, n := range notes {
		s.Tokens += len(annotate.Tokenize(n.Text))
		s.Spans += len(n.Spans)
	}
	return s
}

// Point is one model: the notes read for it, and its quality on the test notes. Averages of
// several are points as well, so counts may be fractions.
type Point struct {
	Documents   float64 `json:"documents"`    // read
	Tokens      float64 `json:"tokens"`       // read
	Spans       float64 `json:"spans"`        // in the notes read
	ByHand      float64 `json:"by_hand"`      // of these, spans that the model at that time did not propose exactly
	Refused     float64 `json:"refused"`      // proposals of the model at that time that matched no span exactly
	F1          float64 `json:"f1"`           // of spans: start, end and label
	TokenRecall float64 `json:"token_recall"` // of sensitive tokens, whatever the label
	Leaking     float64 `json:"leaking"`      // documents with a missed sensitive token
	Seconds     float64 `json:"seconds"`      // training time
}

// read counts a note with the proposals of the model at that time; nil for none.
func (p *Point) read(v annotate.View, m *crf.Model) {
	gold := v.TokenSpans()
	p.Documents++
	p.Tokens += float64(len(v.Words))
	p.Spans += float64(len(gold))
	if m == nil {
		p.ByHand += float64(len(gold))
		return
	}
	proposed, right := crf.SpansOf(m.Tag(v)), 0
	for _, s := range proposed {
		if _, found := slices.BinarySearchFunc(gold, s, annotate.CompareSpans); found {
			right++
		}
	}
	p.ByHand += float64(len(gold) - right)
	p.Refused += float64(len(proposed) - right)
}

// figures are the parts of a point that are averaged.
func (p *Point) figures() []*float64 {
	return []*float64{&p.Documents, &p.Tokens, &p.Spans, &p.ByHand, &p.Refused, &p.F1, &p.TokenRecall, &p.Leaking, &p.Seconds}
}

// Curve is the quality of models as notes are read in one order.
type Curve struct {
	Order  Order   `json:"order"`
	Points []Point `json:"points"` // means over the repeats
	Low    []Point `json:"low"`    // the smallest value of each figure over the repeats
	High   []Point `json:"high"`   // the largest value
	Needed Needed  `json:"needed"`
}

// Needed is the amount read to reach the goal: where the line through the curve's points
// first crosses it.
type Needed struct {
	Reached   bool    `json:"reached"`
	AtStart   bool    `json:"at_start"` // before the first step: fewer may be enough
	Documents float64 `json:"documents"`
	Tokens    float64 `json:"tokens"`
	Least     float64 `json:"least"` // documents in the repeat that reached it first
	Most      float64 `json:"most"`  // documents in the one that reached it last
	Never     int     `json:"never"` // repeats that did not reach it
}

func newCurve(order Order, runs [][]Point, goal float64) Curve {
	c := Curve{Order: order}
	for i := range runs[0] {
		var at []Point
		for _, run := range runs {
			at = append(at, run[i])
		}
		mean, low, high := summary(at)
		c.Points, c.Low, c.High = append(c.Points, mean), append(c.Low, low), append(c.High, high)
	}
	c.Needed = needed(c.Points, goal)
	for _, run := range runs {
		c.Needed.count(needed(run, goal))
	}
	return c
}

// count adds one repeat.
func (n *Needed) count(one Needed) {
	if !one.Reached {
		n.Never++
		return
	}
	n.Most = max(n.Most, one.Documents)
	if n.Least == 0 || one.Documents < n.Least {
		n.Least = one.Documents
	}
}

// summary is the mean, smallest and largest value of each figure.
func summary(points []Point) (mean, low, high Point) {
	low, high = points[0], points[0]
	m, l, h := mean.figures(), low.figures(), high.figures()
	for _, p := range points {
		for k, v := range p.figures() {
			*m[k] += *v / float64(len(points))
			*l[k], *h[k] = min(*l[k], *v), max(*h[k], *v)
		}
	}
	return mean, low, high
}

func needed(points []Point, goal float64) Needed {
	for i, p := range points {
		if p.F1 < goal {
			continue
		}
		n := Needed{Reached: true, AtStart: i == 0, Documents: p.Documents, Tokens: p.Tokens}
		if i > 0 {
			q := points[i-1]
			t := (goal - q.F1) / (p.F1 - q.F1)
			n.Documents, n.Tokens = q.Documents+t*(p.Documents-q.Documents), q.Tokens+t*(p.Tokens-q.Tokens)
		}
		return n
	}
	return Needed{}
}

// Result is the result of a replay.
type Result struct {
	Pool    Size    `json:"pool"`
	Test    Size    `json:"test"`
	Full    Point   `json:"full"` // all notes of the pool, trained from scratch
	Goal    float64 `json:"goal"` // share of Full.F1
	Repeats int     `json:"repeats"`
	Curves  []Curve `json:"curves"`
	Saved   *Saved  `json:"saved,omitempty"` // nil unless both orders reached the goal after their start
}

// Saved compares what the orders needed: reading in random order divided by reading in the
// active order.
type Saved struct {
	Documents float64 `json:"documents"`
	Tokens    float64 `json:"tokens"`
}

// Curve finds the curve of an order; nil when it was not replayed.
func (r *Result) Curve(order Order) *Curve {
	i := slices.IndexFunc(r.Curves, func(c Curve) bool { return c.Order == order })
	if i < 0 {
		return nil
	}
	return &r.Curves[i]
}

func (r *Result) compare() {
	active, random := r.Curve(Active), r.Curve(AtRandom)
	if active == nil || random == nil || !active.Needed.Reached || !random.Needed.Reached || random.Needed.AtStart {
		return
	}
	r.Saved = &Saved{random.Needed.Documents / active.Needed.Documents, random.Needed.Tokens / active.Needed.Tokens}
}
