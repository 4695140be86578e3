// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"math"
	"strings"

	"hide/internal/words"
)

// WeightBin counts pairs of records whose weight lies from Low to Low+1 bits.
type WeightBin struct {
	Low     int
	Pairs   int
	Matches float64 // expected pairs of one person among them
}

// The areas of a distribution of weights, as classes of the drawing.
const (
	areaApart  = "apart"
	areaReview = "review"
	areaLinked = "linked"
)

// Weights is the distribution of the weights of pairs of records, cut at two thresholds: pairs
// below the floor are not linked, those above the link are linked, and people review the rest
// [Fellegi and Sunter 1969].
type Weights struct {
	*Plot
	Bars        []WeightBar
	Floor, Link float64 // x of the thresholds
}

// WeightBar is a placed bin, or the part of one that lies in an area.
type WeightBar struct {
	Area                string
	X, Y, Width, Height float64
	Matches             float64 // y of the expected pairs of one person
}

// NewWeights draws bins by rising weight. floor and link are thresholds in bits.
func NewWeights(id string, bins []WeightBin, floor, link float64) *Weights {
	w := &Weights{Plot: &Plot{
		ID: id, Title: "Weights of the compared pairs", W: WideWidth, H: WideHeight,
		XLabel: "Weight of the pair, bits", YLabel: "Pairs",
	}}
	low, high := math.Floor(floor), math.Ceil(link)
	var counts []float64
	for _, b := range bins {
		low, high = min(low, float64(b.Low)), max(high, float64(b.Low+1))
		counts = append(counts, float64(b.Pairs))
	}
	x := LinearScale(low, high, 6, func(v float64) string { return strings.Replace(fmt.Sprintf("%.0f", v), "-", "−", 1) })
	y := CountScale(counts)
	w.Layout(x, y, nil)
	w.Floor, w.Link = w.xAt(x, floor), w.xAt(x, link)
	for _, b := range bins {
		w.add(x, y, b, floor, link)
	}
	w.Desc = w.words(bins)
	return w
}

// add places a bin, cut where a threshold lies inside.
func (w *Weights) add(x, y Scale, b WeightBin, floor, link float64) {
	from, to := float64(b.Low), float64(b.Low+1)
	for _, part := range []struct {
		area     string
		from, to float64
	}{{areaApart, from, min(to, floor)}, {areaReview, max(from, floor), min(to, link)}, {areaLinked, max(from, link), to}} {
		if part.to <= part.from || b.Pairs == 0 {
			continue
		}
		left, top := w.xAt(x, part.from), w.yAt(y, float64(b.Pairs))
		w.Bars = append(w.Bars, WeightBar{
			Area: part.area, X: left, Y: top, Width: w.xAt(x, part.to) - left, Height: w.Box.Bottom - top,
			Matches: w.yAt(y, b.Matches),
		})
	}
}

// words describe the drawing to people who do not see it.
func (w *Weights) words(bins []WeightBin) string {
	if len(bins) == 0 {
		return "No pair was compared."
	}
	pairs := 0
	for _, b := range bins {
		pairs += b.Pairs
	}
	return fmt.Sprintf("%s from %d to %d bits. The table has the counts.", words.Count(pairs, "pair", "pairs"), bins[0].Low, bins[len(bins)-1].Low+1)
}

// path is the line of the expected pairs of one person across a bar.
func (b WeightBar) path() string {
	return "M" + Px(b.X) + " " + Px(b.Matches) + "h" + Px(b.Width)
}
