// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"hide/internal/words"
)

// WeightBin counts pairs of records whose weight lies from Low to Low+1 bits.
type WeightBin struct {
	Low     int
	Pairs   int
	Matches float64 // expected pairs of one person among them
}

// The areas of a distribution of weights, as classes of the drawing. Linked pairs are filled, and
// pairs that people review have another colour.
const (
	areaApart       = "apart"
	areaApartReview = "apart review"
	areaLinkReview  = "linked review"
	areaLinked      = "linked"
)

// Area names the area of a pair by its weight in bits. Pairs from link on are linked. People
// review the pairs from floor to -floor, which is a probability from p to 1-p: these may be wrong
// either way.
func Area(weight, floor, link float64) string {
	reviewed := floor <= weight && weight <= -floor
	switch {
	case weight < link && reviewed:
		return areaApartReview
	case weight < link:
		return areaApart
	case reviewed:
		return areaLinkReview
	}
	return areaLinked
}

// AreaWords says what becomes of the pairs of an area.
func AreaWords(area string) string {
	return map[string]string{areaApart: "not linked", areaApartReview: "not linked, to review", areaLinkReview: "linked, to review", areaLinked: "linked"}[area]
}

// Weights is the distribution of the weights of pairs of records, cut at two thresholds [Fellegi
// and Sunter 1969].
type Weights struct {
	*Plot
	Bars                 []WeightBar
	Floor, Ceiling, Link float64 // x of the thresholds
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
	low, high := math.Floor(floor), math.Ceil(max(link, -floor))
	var counts []float64
	for _, b := range bins {
		low, high = min(low, float64(b.Low)), max(high, float64(b.Low+1))
		counts = append(counts, float64(b.Pairs))
	}
	x := LinearScale(low, high, 6, func(v float64) string { return strings.Replace(fmt.Sprintf("%.0f", v), "-", "−", 1) })
	y := CountScale(counts)
	w.Layout(x, y, nil)
	w.Floor, w.Ceiling, w.Link = w.xAt(x, floor), w.xAt(x, -floor), w.xAt(x, link)
	for _, b := range bins {
		w.add(x, y, b, floor, link)
	}
	w.Desc = w.words(bins)
	return w
}

// add places a bin, cut where a threshold lies inside.
func (w *Weights) add(x, y Scale, b WeightBin, floor, link float64) {
	if b.Pairs == 0 {
		return
	}
	top := w.yAt(y, float64(b.Pairs))
	for _, part := range CutBin(b.Low, floor, link) {
		left := w.xAt(x, part[0])
		w.Bars = append(w.Bars, WeightBar{
			Area: Area((part[0]+part[1])/2, floor, link), X: left, Y: top, Width: w.xAt(x, part[1]) - left, Height: w.Box.Bottom - top,
			Matches: w.yAt(y, b.Matches),
		})
	}
}

// CutBin divides the bin from low to low+1 bits at the thresholds that lie inside.
func CutBin(low int, floor, link float64) (parts [][2]float64) {
	from, to := float64(low), float64(low+1)
	cuts := []float64{floor, -floor, link}
	slices.Sort(cuts)
	for _, cut := range append(cuts, to) {
		if from < cut && cut <= to {
			parts = append(parts, [2]float64{from, cut})
			from = cut
		}
	}
	return parts
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
