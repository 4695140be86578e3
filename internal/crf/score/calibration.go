// SPDX-License-Identifier: Apache-2.0

package score

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"hide/internal/annotate"
)

// Reliability measures how well probabilities agree with observed shares.
type Reliability struct {
	// Tokens is about each token's probability of being sensitive. Nil if no document
	// has any.
	Tokens *Calibration `json:"tokens,omitempty"`
	// Spans is about the scores of predicted spans; a span comes true if start, end and
	// label are those of a gold span. Nil if nothing was predicted.
	Spans *Calibration `json:"spans,omitempty"`
}

// Calibration compares predictions with outcomes. With bins b of n_b of the n
// probabilities, mean probability p_b and observed share y_b,
//
//	ECE = sum_b n_b/n |p_b - y_b|    MCE = max_b |p_b - y_b|    Brier = 1/n sum_i (p_i - y_i)^2
//
// MCE may depend on a bin with very few; see the bins.
type Calibration struct {
	Count     int     `json:"count"`
	Predicted float64 `json:"predicted"` // mean probability
	Observed  float64 `json:"observed"`  // share that came true
	ECE       float64 `json:"ece"`       // over bins of equal width
	ECEMass   float64 `json:"ece_equal_mass"`
	MCE       float64 `json:"mce"` // over bins of equal width
	Brier     float64 `json:"brier"`
	Width     []Bin   `json:"bins_equal_width"` // those that are not empty
	Mass      []Bin   `json:"bins_equal_mass"`
}

// Bin holds the probabilities from Low to High. Of bins of equal width, the upper one
// includes a shared border. Equal probabilities are in one bin of equal mass.
type Bin struct {
	Low       float64   `json:"low"`
	High      float64   `json:"high"`
	Count     int       `json:"count"`
	Predicted float64   `json:"predicted"`          // mean probability
	Observed  float64   `json:"observed"`           // share that came true
	Interval  *Interval `json:"interval,omitempty"` // of Observed
}

// bins is the number of bins of each kind.
const bins = 10

// forecast is a probability and whether it came true.
type forecast struct {
	p     float64
	hit   bool
	group int
}

// calibrations records the forecasts of documents.
func (l *ledger) calibrations(docs []Prediction, g grouping) (tokens, spans *calibrator) {
	var t, s []forecast
	for i, d := range docs {
		gold, _ := annotate.TokenLabels(d.Tokens, sorted(d.Spans))
		for x, p := range d.Probability {
			t = append(t, forecast{p, gold[x] != "", g.of[i]})
		}
		truth := setOf(d.sides().gold)
		for _, p := range d.Predicted {
			s = append(s, forecast{p.Score, truth[p.Span], g.of[i]})
		}
	}
	return l.calibrate("tokens", t), l.calibrate("spans", s)
}

// calibrator holds the forecasts, lowest first, and their bins.
type calibrator struct {
	of          []forecast
	width, mass []binned
}

// binned is a bin with the end of its forecasts and its column in the ledger.
type binned struct {
	Bin
	to     int
	booked account
}

func (l *ledger) calibrate(what measure, of []forecast) *calibrator {
	if len(of) == 0 {
		return nil
	}
	slices.SortStableFunc(of, func(a, b forecast) int { return cmp.Compare(a.p, b.p) })
	c := &calibrator{of, equalWidth(of), equalMass(of)}
	l.bin(what+" by width", of, c.width)
	l.bin(what+" by mass", of, c.mass)
	return c
}

func equalWidth(of []forecast) []binned {
	var out []binned
	for at := 0; at < len(of); {
		k := slot(of[at].p)
		b := binned{Bin: Bin{Low: float64(k) / bins, High: float64(k+1) / bins}, to: at}
		for b.to < len(of) && slot(of[b.to].p) == k {
			b.to++
		}
		out, at = append(out, b), b.to
	}
	return out
}

func slot(p float64) int { return min(max(int(p*bins), 0), bins-1) }

// equalMass cuts after each tenth of the forecasts, or later where the value changes.
func equalMass(of []forecast) []binned {
	var out []binned
	for at, k := 0, 1; at < len(of); {
		for k*len(of)/bins <= at {
			k++
		}
		to := k * len(of) / bins
		for to < len(of) && of[to].p == of[to-1].p {
			to++
		}
		out = append(out, binned{Bin: Bin{Low: of[at].p, High: of[to-1].p}, to: to})
		at = to
	}
	return out
}

// bin fills the bins and records them by group.
func (l *ledger) bin(what measure, of []forecast, all []binned) {
	from := 0
	for i := range all {
		b := &all[i]
		b.booked = account{what, annotate.Label(strconv.Itoa(i))}
		b.Count = b.to - from
		hits := 0
		for _, f := range of[from:b.to] {
			b.Predicted += f.p
			l.share(f.group, b.booked, f.hit)
			if f.hit {
				hits++
			}
		}
		b.Predicted /= float64(b.Count)
		b.Observed = ratio(hits, b.Count)
		from = b.to
	}
}

func (c *calibrator) calibration(b reportData) *Calibration {
	if c == nil {
		return nil
	}
	out := &Calibration{Count: len(c.of), Width: b.bins(c.width), Mass: b.bins(c.mass)}
	for _, f := range c.of {
		y := 0.0
		if f.hit {
			y = 1
		}
		out.Predicted += f.p
		out.Observed += y
		out.Brier += (f.p - y) * (f.p - y)
	}
	n := float64(len(c.of))
	out.Predicted, out.Observed, out.Brier = out.Predicted/n, out.Observed/n, out.Brier/n
	out.ECE, out.MCE = off(out.Width, n)
	out.ECEMass, _ = off(out.Mass, n)
	return out
}

func (b reportData) bins(all []binned) []Bin {
	out := make([]Bin, len(all))
	for i, one := range all {
		out[i] = one.Bin
		out[i].Interval = b.special(one.booked).Interval
	}
	return out
}

// off returns the mean and the maximum calibration error of bins.
func off(all []Bin, n float64) (mean, most float64) {
	for _, b := range all {
		gap := math.Abs(b.Predicted - b.Observed)
		mean += float64(b.Count) / n * gap
		most = max(most, gap)
	}
	return mean, most
}

// Prediction is a note, whose spans are the gold standard, with a tagger's predictions.
// Spans may be in any order; those of the note do not overlap. A note without a patient
// is its own group.
type Prediction struct {
	*annotate.Note
	Predicted   []annotate.Suggestion
	Probability []float64 // of each token to be sensitive, or nil if unknown
	Unlabelled  bool      // the tagger marks tokens and predicts no labels
}

// sides are the two lists of spans to compare, sorted.
type sides struct{ gold, predicted []annotate.Span }

// sides are the spans of both sides. Without labels they are runs, see [Masking].
func (d Prediction) sides() sides {
	s := d.labelled()
	if d.Unlabelled {
		s = sides{runs(d.Tokens, s.gold), runs(d.Tokens, s.predicted)}
	}
	return s
}

// labelled are the spans with the labels that they have.
func (d Prediction) labelled() sides {
	s := sides{gold: sorted(d.Spans), predicted: make([]annotate.Span, len(d.Predicted))}
	for i, p := range d.Predicted {
		s.predicted[i] = p.Span
	}
	slices.SortFunc(s.predicted, annotate.CompareSpans)
	return s
}

func sorted(spans []annotate.Span) []annotate.Span {
	return slices.SortedFunc(slices.Values(spans), annotate.CompareSpans)
}

// labels returns those of each token, gold and predicted.
func (d Prediction) labels(s sides) (gold, predicted []annotate.Label) {
	gold, _ = annotate.TokenLabels(d.Tokens, s.gold)
	predicted, _ = annotate.TokenLabels(d.Tokens, s.predicted)
	return gold, predicted
}

// grouping numbers the groups of documents: patients, and documents without one.
type grouping struct {
	of       []int // of each document
	count    int
	patients int
}

func group(docs []Prediction) grouping {
	g := grouping{of: make([]int, len(docs))}
	known := map[string]int{}
	for i, d := range docs {
		at, again := known[d.Patient]
		if d.Patient == "" || !again {
			at = g.count
			g.count++
		}
		if d.Patient != "" {
			known[d.Patient] = at
		}
		g.of[i] = at
	}
	g.patients = len(known)
	return g
}
