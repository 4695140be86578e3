// SPDX-License-Identifier: Apache-2.0

package score

import "iter"

// Bin compares the probabilities of pairs with the truth.
type Bin struct {
	Low       float64 `json:"low"`
	High      float64 `json:"high"` // of the probabilities
	Predicted float64 `json:"predicted"`
	True      float64 `json:"true"` // the mean probability, and the share of true pairs
	Count     int     `json:"count"`
}

// bins is how many bins of equal width there are.
const bins = 10

// Calibrate puts pairs, each a probability and whether the pair is true, into bins of equal
// width. Bins without pairs are left out.
func Calibrate(pairs iter.Seq2[float64, bool]) []Bin {
	var all [bins]Bin
	for p, isTrue := range pairs {
		b := &all[min(int(p*bins), bins-1)]
		b.Count++
		b.Predicted += p
		if isTrue {
			b.True++
		}
	}
	out := []Bin{}
	for i, b := range all {
		if b.Count > 0 {
			n := float64(b.Count)
			out = append(out, Bin{float64(i) / bins, float64(i+1) / bins, b.Predicted / n, b.True / n, b.Count})
		}
	}
	return out
}

// CalibrationError is the mean distance of the predicted from the true share, over all pairs
// (the expected calibration error).
func CalibrationError(all []Bin) float64 {
	sum, n := 0.0, 0
	for _, b := range all {
		sum += float64(b.Count) * max(b.Predicted-b.True, b.True-b.Predicted)
		n += b.Count
	}
	return sum / float64(max(n, 1))
}
