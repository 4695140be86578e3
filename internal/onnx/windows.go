// SPDX-License-Identifier: Apache-2.0

package onnx

import (
	"errors"
	"math"
)

// probabilities are P(identifier) of each piece, 1 minus that of the labels outside.
func (t *Tagger) probabilities(pieces []piece) ([]float64, error) {
	out, middle := make([]float64, len(pieces)), make([]int, len(pieces))
	first, last := t.tokenizer.around()
	for _, w := range windows(len(pieces), t.window-2) {
		ids := []int64{first}
		for _, p := range pieces[w.from:w.to] {
			ids = append(ids, p.id)
		}
		scores, err := t.runtime.run(append(ids, last))
		if err != nil {
			return nil, err
		}
		if len(scores) != len(ids)+1 {
			return nil, errors.New("the model answers with another number of pieces")
		}
		for k := w.from; k < w.to; k++ {
			inside := 1 + min(k-w.from, w.to-1-k) // a piece at an edge of the note has no wider window
			if inside <= middle[k] {
				continue
			}
			p, err := t.sensitive(scores[k-w.from+1])
			if err != nil {
				return nil, err
			}
			out[k], middle[k] = p, inside
		}
	}
	return out, nil
}

// sensitive is 1 minus the softmax of the labels outside.
func (t *Tagger) sensitive(scores []float32) (float64, error) {
	if t.outside[len(t.outside)-1] >= len(scores) {
		return 0, errors.New("the model has fewer labels than config.json")
	}
	highest := math.Inf(-1)
	for _, s := range scores {
		highest = max(highest, float64(s))
	}
	sum, outside := 0.0, 0.0
	for _, s := range scores {
		sum += math.Exp(float64(s) - highest)
	}
	for _, o := range t.outside {
		outside += math.Exp(float64(scores[o]) - highest)
	}
	p := 1 - outside/sum
	if math.IsNaN(p) {
		return 0, errors.New("the model answers with what is not a number")
	}
	return min(max(p, 0), 1), nil
}

// window is a range of pieces.
type window struct{ from, to int }

// windows cut n pieces into windows of at most room, of which neighbours share a quarter.
func windows(n, room int) []window {
	var out []window
	for from := 0; from < n; {
		to := min(from+room, n)
		if out = append(out, window{from, to}); to == n {
			break
		}
		from = to - room/4
	}
	return out
}
