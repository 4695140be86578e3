// SPDX-License-Identifier: Apache-2.0

// Package local measures what annotated notes of another kind bring, such as the first notes
// of another institution, and predicts what more of them would bring.
//
//	curve, err := local.Measure(ctx, elsewhere, notes, random, local.Options{Learner: l})
//	predictions := curve.Predict(10, 30, 100) // at L/C 10, with 30 and 100 notes
//
// # How is it measured?
//
// A learner is trained on the notes of elsewhere and on none, half and four fifths of the
// local notes, divided by patients, and redacts the local notes that it was not trained on.
// So each local note is redacted once for each of the three numbers. Only notes that were
// drawn at random are counted: notes that were chosen because they are doubtful hold more
// PHI that a learner finds, and what is missed in them is too low for others.
//
// # How is it predicted?
//
// With n local notes, the share of the sensitive words that is missed is close to
//
//	m(n) = m(0) * (1 + n/c)^-b
//
// with c = 5. Patients are drawn by the Bayesian bootstrap. For each draw b is fitted to the
// three shares, and with more notes it may be up to .5 more or less. The range is that of the predictions of 90 % of the draws. The share of other
// words that is redacted is predicted in the same way. Its range is wider by
// [greedy.MostMore], which a publication of another kind may lose beyond what is measured.
package local

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// Least is the smallest number of local notes drawn at random, and LeastGroups of their
// patients, from which anything is predicted.
const (
	Least       = 10
	LeastGroups = 5
)

// ErrFew is returned if there are fewer of them.
var ErrFew = errors.New("too few local notes to measure what they bring")

// Options say how [Measure] redacts.
type Options struct {
	Learner greedy.Learner
	Workers int    // trainings at a time; 0 means 1
	Seed    uint64 // of the division by patients and of the draws

	Progress func(done, total int) // of trainings, called by one goroutine at a time; may be nil
}

// Curve is what was measured with some numbers of local notes.
type Curve struct {
	notes  []annotate.Note
	number []int // of the patient of each note; -1 for notes that are not counted
	groups int   // patients of counted notes
	seed   uint64
	points []point
}

// point is how the local notes were scored with some of the others in training.
type point struct {
	notes  float64     // in training, on average
	scores [][]float64 // by note and token
}

// folds are the divisions of the local notes: with one, no local note is in training.
var folds = [...]int{1, 2, 5}

// Measure scores the local notes by cross-validation; random says which of them were drawn at
// random. It returns [ErrFew], and ctx's error soon after ctx ends.
func Measure(ctx context.Context, elsewhere, notes []annotate.Note, random []bool, o Options) (*Curve, error) {
	number, all, groups := counted(notes, random)
	if groups < LeastGroups || all < Least {
		return nil, ErrFew
	}
	c, tick := &Curve{notes: notes, number: number, groups: groups, seed: o.Seed}, ticker(o.Progress)
	for _, k := range folds {
		scores, err := scored(ctx, elsewhere, notes, k, o, tick)
		if err != nil {
			return nil, fmt.Errorf("local notes in %d parts: %w", k, err)
		}
		c.points = append(c.points, point{float64(len(notes)) * float64(k-1) / float64(k), scores})
	}
	return c, nil
}

// counted numbers the patients of the notes drawn at random, -1 for the other notes, and says
// how many such notes and patients there are.
func counted(notes []annotate.Note, random []bool) (number []int, drawn, patients int) {
	number = make([]int, len(notes))
	of := map[string]int{}
	for i, d := range notes {
		number[i] = -1
		if random[i] {
			g, seen := of[d.Group]
			if !seen {
				g = len(of)
				of[d.Group] = g
			}
			number[i] = g
			drawn++
		}
	}
	return number, drawn, len(of)
}

// ticker returns a function that counts a training.
func ticker(progress func(done, total int)) func() {
	total := 0
	for _, k := range folds {
		total += k
	}
	var mu sync.Mutex
	done := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; progress != nil {
			progress(done, total)
		}
	}
}

// scored are the scores of the local notes, each by a classifier that was trained on
// elsewhere and on the other parts.
func scored(ctx context.Context, elsewhere, notes []annotate.Note, parts int, o Options, tick func()) ([][]float64, error) {
	groups := make([]string, len(notes))
	for i, d := range notes {
		groups[i] = d.Group
	}
	fold, parts := greedy.Deal(groups, parts, o.Seed)
	scores := make([][]float64, len(notes))
	err := greedy.Parallel(ctx, o.Workers, parts, func(ctx context.Context, f int) error {
		train, held, at := annotate.Views(elsewhere), []annotate.View(nil), []int(nil)
		for i := range notes {
			if fold[i] != f {
				train = append(train, notes[i].View())
			} else {
				held, at = append(held, notes[i].View()), append(at, i)
			}
		}
		h, err := o.Learner.Train(ctx, train)
		if err != nil {
			return err
		}
		tick()
		if wary, can := h.(greedy.Wary); can {
			if h, _, err = wary.Wary(ctx, held); err != nil {
				return err
			}
		}
		for j, s := range greedy.ScoreAll(h, held) {
			scores[at[j]] = s
		}
		return nil
	})
	return scores, err
}

// counts are of words.
type counts struct{ sensitive, missed, others, lost float64 }

// tallies counts, by patient, what is redacted from the probability C/(C+L) on.
func (c *Curve) tallies(p point, lc float64) []counts {
	out := make([]counts, c.groups)
	for i, d := range c.notes {
		if c.number[i] < 0 {
			continue
		}
		g := &out[c.number[i]]
		for t, sensitive := range d.Sensitive {
			redacted := p.scores[i][t] >= 1/(1+lc)
			switch {
			case sensitive:
				g.sensitive++
				if !redacted {
					g.missed++
				}
			default:
				g.others++
				if redacted {
					g.lost++
				}
			}
		}
	}
	return out
}

// Range is a share with the ends of its range.
type Range struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Prediction is for a number of local notes in training.
type Prediction struct {
	Notes  int   `json:"notes"`
	Missed Range `json:"missed"` // of the sensitive words
	Kept   Range `json:"kept"`   // of the others
}

const (
	draws      = 1000
	tail       = 0.05 // of the draws at each end of a range
	scale      = 5.0  // c of the power law, in notes
	steepest   = 2.0  // b; the largest measured is 1.9
	unsteady   = 0.5  // how far b beyond the local notes may be from b within them
	streamDraw = 0x637572766573
)

// Predict predicts what some numbers of local notes bring at an L/C.
func (c *Curve) Predict(lc float64, notes ...int) []Prediction {
	of := make([][]counts, len(c.points))
	for i, p := range c.points {
		of[i] = c.tallies(p, lc)
	}
	missed, lost := c.ranges(of, counts.missedOf, notes), c.ranges(of, counts.lostOf, notes)
	out := make([]Prediction, len(notes))
	for i, n := range notes {
		out[i] = Prediction{n, missed[i], Range{1 - lost[i].Value, max(0, 1-lost[i].High-greedy.MostMore), 1 - lost[i].Low}}
	}
	return out
}

func (c counts) missedOf() (events, of float64) { return c.missed, c.sensitive }
func (c counts) lostOf() (events, of float64)   { return c.lost, c.others }

// ranges predicts a share for some numbers of local notes, by the Bayesian bootstrap: in
// each draw a patient has a weight from the exponential distribution.
func (c *Curve) ranges(of [][]counts, share func(counts) (events, of float64), notes []int) []Range {
	out, all := make([]Range, len(notes)), make([][]float64, len(notes))
	random := rand.New(rand.NewPCG(c.seed, streamDraw))
	weights, more := make([]float64, c.groups), make([]float64, len(of))
	for range draws {
		for g := range weights {
			weights[g] = random.ExpFloat64()
		}
		for i := range more {
			z := random.NormFloat64()
			more[i] = z * z / 2
		}
		l := c.fit(of, weights, more, share)
		l.b = max(0, l.b+unsteady*(2*random.Float64()-1))
		for i, n := range notes {
			all[i] = append(all[i], l.at(float64(n)))
		}
	}
	for g := range weights {
		weights[g] = 1
	}
	for i := range more {
		more[i] = 0.5
	}
	l := c.fit(of, weights, more, share)
	for i, n := range notes {
		slices.Sort(all[i])
		v, k := l.at(float64(n)), int(tail*draws)
		out[i] = Range{v, min(v, all[i][k]), max(v, all[i][draws-1-k])}
	}
	return out
}

// law is m(n) = m * ((1 + n/c) / (1 + last/c))^-b, through the last point.
type law struct{ m, last, b float64 }

func (l law) at(n float64) float64 {
	return min(1, l.m*math.Pow((1+n/scale)/(1+l.last/scale), -l.b))
}

// fit makes b, from 0 to steepest, that of the least-squares line through log m(n) over
// log(1 + n/c). Each point has some more events, half of one in the mean, as the Jeffreys
// prior of a rate has: with no event the share is not 0.
func (c *Curve) fit(groups [][]counts, weights, more []float64, share func(counts) (events, of float64)) law {
	x, y := make([]float64, len(c.points)), make([]float64, len(c.points))
	for i, p := range c.points {
		events, of := more[i], 1.0
		for g, w := range weights {
			e, n := share(groups[i][g])
			events, of = events+w*e, of+w*n
		}
		x[i], y[i] = math.Log(1+p.notes/scale), math.Log(max(events, 1e-9)/of)
	}
	mx, my := mean(x), mean(y)
	up, down := 0.0, 0.0
	for i := range x {
		up += (x[i] - mx) * (y[i] - my)
		down += (x[i] - mx) * (x[i] - mx)
	}
	b, last := min(max(0, -up/down), steepest), len(x)-1
	return law{math.Exp(y[last]), c.points[last].notes, b}
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
