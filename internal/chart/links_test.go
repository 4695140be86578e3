// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestAWaterfallAddsUp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		var steps []Step
		sum := 0.0
		for range r.IntN(9) {
			steps = append(steps, Step{Name: strings.Repeat("n", r.IntN(30)), Amount: 20 * r.NormFloat64()})
			sum += steps[len(steps)-1].Amount
		}
		w := NewWaterfall("w", "Weight", steps)
		if len(w.Rows) != len(steps)+1 {
			t.Fatalf("%d rows of %d steps", len(w.Rows), len(steps))
		}
		at, unit := w.Zero, 0.0
		for i, row := range w.Rows[:len(steps)] {
			if math.Abs(row.Start-at) > 1e-9 {
				t.Errorf("row %d begins at %v, the one before ends at %v", i, row.Start, at)
			}
			if at = row.End; row.left() < waterfallNames-1e-9 || row.label() > w.W-waterfallRoom+7 {
				t.Errorf("row %d is outside: %+v", i, row)
			}
			if this := (row.End - row.Start) / steps[i].Amount; unit != 0 && math.Abs(this-unit) > 1e-6 {
				t.Errorf("row %d has another scale", i)
			} else {
				unit = this
			}
		}
		if last := w.Rows[len(steps)]; math.Abs(last.End-at) > 1e-9 || last.Start != w.Zero || last.Amount != Signed(sum) {
			t.Errorf("the sum of %v is drawn as %+v", steps, last)
		}
	}
}

func TestSignedWritesNoMinusZero(t *testing.T) {
	for v, want := range map[float64]string{0: "+0.0", -.04: "+0.0", -.06: "−0.1", 12.34: "+12.3"} {
		if got := Signed(v); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
}

// Thresholds cut bins: the parts of each bin lie side by side and together have its width,
// and no part crosses a threshold.
func TestThresholdsCutTheBins(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for range 200 {
		floor := -6 * r.Float64()
		link := floor + 12*r.Float64()
		bins := make([]WeightBin, 1+r.IntN(30))
		for i := range bins {
			bins[i] = WeightBin{Low: i - 15, Pairs: 1 + r.IntN(5000), Matches: r.Float64()}
		}
		w := NewWeights("w", bins, floor, link)
		at := w.Bars[0].X
		for _, b := range w.Bars {
			if math.Abs(b.X-at) > 1e-6 {
				t.Errorf("a bar begins at %v, the one before ends at %v", b.X, at)
			}
			at = b.X + b.Width
			area := map[bool]string{false: areaApart, true: areaLinked}[b.X+b.Width/2 > w.Link]
			if middle := b.X + b.Width/2; w.Floor < middle && middle < w.Ceiling {
				area = map[string]string{areaApart: areaApartReview, areaLinked: areaLinkReview}[area]
			}
			if b.Area != area || b.X < w.Box.Left-1e-6 || at > w.Box.Right+1e-6 || b.Y < w.Box.Top-1e-6 {
				t.Errorf("thresholds at %v and %v: %+v, want area %s", w.Floor, w.Link, b, area)
			}
		}
	}
	if w := NewWeights("w", nil, -4, 0); len(w.Bars) != 0 || w.Desc != "No pair was compared." || w.Floor >= w.Link {
		t.Errorf("without bins: %+v", w)
	}
}

// Dots, names and probabilities lie inside and cover each other nowhere, and records that hang
// together without bridges are neighbours.
func TestADrawingOfLinkedRecordsIsTidy(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for n := 1; n < 60; n++ {
		names, links := make([]string, n), []LinkedPair{}
		for i := range names {
			if names[i] = fmt.Sprint(100 + i); i > 0 {
				links = append(links, LinkedPair{A: r.IntN(i), B: i, Probability: r.Float64(), Bridge: i%5 == 0})
			}
		}
		c := NewCluster("c", "Records", names, links)
		if len(c.Dots) != min(n, MostDots) || !strings.HasPrefix(c.Desc, fmt.Sprint(n, " record")) {
			t.Fatalf("%d records: %d dots, %s", n, len(c.Dots), c.Desc)
		}
		boxes := c.taken()
		for _, l := range c.Links {
			if l.Label != "" {
				boxes = append(boxes, plotBox{l.LabelX - 8, l.LabelY - 8, l.LabelX + 8, l.LabelY})
			}
		}
		for i, b := range boxes {
			if !within(b, plotBox{0, 0, c.W, c.H}) {
				t.Errorf("%d records: %+v is outside", n, b)
			}
			if n <= 16 && overlapsAny(b, boxes[:i]) {
				t.Errorf("%d records: %+v covers something", n, b)
			}
		}
	}
	order := byBlock(6, []LinkedPair{{A: 0, B: 3}, {A: 3, B: 5}, {A: 1, B: 4}, {A: 2, B: 4}, {A: 5, B: 1, Bridge: true}})
	if got := fmt.Sprint(order); got != "[0 3 5 1 2 4]" {
		t.Errorf("the order is %s", got)
	}
}
