// SPDX-License-Identifier: Apache-2.0

package link

import (
	"cmp"
	"slices"
)

// thresholds are those of Errors.Thresholds.
var thresholds = []float64{.02, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .98, .99, .995, .999}

// histogram lists the bins from the first to the last that has pairs.
func (f *findings) histogram() []Bin {
	first, last := -1, -1
	for i := range f.bins {
		f.bins[i].Low = i - mostBits
		if f.bins[i].Pairs > 0 {
			last = i
			if first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return nil
	}
	return slices.Clone(f.bins[first : last+1])
}

// errorsOf estimates the errors of thresholds from the probabilities.
func (e *engine) errorsOf(f *findings) Errors {
	sum := f.below
	probabilities := make([]float64, len(f.pairs))
	for i, p := range f.pairs {
		probabilities[i] = p.Probability
	}
	slices.SortFunc(probabilities, func(a, b float64) int { return cmp.Compare(b, a) })
	for _, p := range probabilities {
		sum += p
	}
	errors := Errors{Matches: sum}
	if !e.comparesAll() {
		errors.Unseen = f.seen.unseen(len(e.config.Rules))
	}
	at := thresholdsOf(e.config)
	linked, matches := 0, 0.
	for i := len(at) - 1; i >= 0; i-- {
		for linked < len(probabilities) && probabilities[linked] >= at[i] {
			matches += probabilities[linked]
			linked++
		}
		estimate := estimateOf(at[i], linked, matches, sum+errors.Unseen)
		errors.Thresholds = append(errors.Thresholds, estimate)
		if at[i] == e.config.Link {
			errors.At = estimate
		}
	}
	slices.Reverse(errors.Thresholds)
	return errors
}

// thresholdsOf are the thresholds from Config.Review on, and Config.Link.
func thresholdsOf(c Config) []float64 {
	at := slices.DeleteFunc(slices.Clone(thresholds), func(t float64) bool { return t < c.Review })
	at = append(at, c.Link)
	slices.Sort(at)
	return slices.Compact(at)
}

func estimateOf(threshold float64, linked int, matches, all float64) Estimate {
	e := Estimate{Threshold: threshold, Links: linked, FalseLinks: float64(linked) - matches, Missed: all - matches, Precision: 1, Recall: 1}
	if linked > 0 {
		e.Precision = matches / float64(linked)
	}
	if all > 0 {
		e.Recall = matches / all
	}
	return e
}
