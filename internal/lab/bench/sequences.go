// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
	"hide/internal/publish/prefixtree"
)

// sequenceErrors are the errors of prefix trees on one dataset.
type sequenceErrors struct {
	Data     string         `json:"data"`
	Rows     int            `json:"sequences"`
	Alphabet int            `json:"alphabet"`
	Height   int            `json:"height"`
	Means    []float64      `json:"mean_true_counts"` // of a prefix, by length
	Results  []methodErrors `json:"results"`          // by length
}

// stickyNext and stickyStart generate sequences in which a symbol tends to repeat.
var (
	stickyStart = []float64{.3, .4, .2, .1}
	stickyNext  = [][]float64{{.75, .2, .04, .01}, {.12, .7, .16, .02}, {.03, .15, .7, .12}, {.01, .05, .2, .74}}
)

const stickyLength = 7

func stickySequences(n int) [][]int {
	rng := rand.New(rand.NewPCG(5, 0))
	draw := func(weights []float64) int {
		x := rng.Float64()
		for i, w := range weights {
			if x -= w; x < 0 {
				return i
			}
		}
		return len(weights) - 1
	}
	out := make([][]int, n)
	for i := range out {
		c := draw(stickyStart)
		for range stickyLength {
			out[i] = append(out[i], c)
			c = draw(stickyNext[c])
		}
	}
	return out
}

// parseSymbols reads sequences and takes the alphabet from them: valid for measuring, not
// for publishing. A first column without repeated values is a key.
func parseSymbols(text string) ([][]int, int, error) {
	var lines [][]string
	first := map[string]bool{}
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) > 0 {
			lines = append(lines, fields)
			first[fields[0]] = true
		}
	}
	number := map[string]int{}
	out := make([][]int, len(lines))
	for i, fields := range lines {
		if len(first) == len(lines) && len(lines) > 1 {
			fields = fields[1:]
		}
		for _, f := range fields {
			if _, known := number[f]; !known {
				number[f] = len(number)
			}
			out[i] = append(out[i], number[f])
		}
	}
	if len(number) == 0 {
		return nil, 0, errors.New("there are no sequences")
	}
	return out, len(number), nil
}

// prefixCounts are the true counts by length and prefix.
func prefixCounts(seqs [][]int, height int) []map[string]float64 {
	out := make([]map[string]float64, height)
	for n := range out {
		out[n] = map[string]float64{}
	}
	for _, s := range seqs {
		for n := range min(len(s), height) {
			out[n][fmt.Sprint(s[:n+1])]++
		}
	}
	return out
}

// mostPrefixes limits how many prefixes of a length are queried.
const mostPrefixes = 1 << 15

// prefixErrors are the mean absolute errors over all prefixes of each length.
func prefixErrors(count func([]int) float64, truth []map[string]float64, alphabet int) []float64 {
	out := make([]float64, len(truth))
	var walk func(p []int)
	walk = func(p []int) {
		if n := len(p); n > 0 {
			out[n-1] += math.Abs(count(p)-truth[n-1][fmt.Sprint(p)]) / math.Pow(float64(alphabet), float64(n))
		}
		if len(p) < len(truth) {
			for c := range alphabet {
				walk(append(slices.Clip(p), c))
			}
		}
	}
	walk(nil)
	return out
}

// benchSequences measures trees and their baseline on sequences. height is the longest
// prefix queried.
func benchSequences(ctx context.Context, data string, seqs [][]int, alphabet, height int, fixed bool, epsilons []ledger.Micro, runs int) (sequenceErrors, error) {
	for height > 1 && math.Pow(float64(alphabet), float64(height)) > mostPrefixes {
		height--
	}
	truth := prefixCounts(seqs, height)
	b := sequenceErrors{Data: data, Rows: len(seqs), Alphabet: alphabet, Height: height}
	for n, counts := range truth {
		sum := 0.0
		for _, x := range counts {
			sum += x
		}
		b.Means = append(b.Means, sum/math.Pow(float64(alphabet), float64(n+1)))
	}
	for _, e := range epsilons {
		p := prefixtree.Params{Alphabet: alphabet, Height: height, Epsilon: e, Fixed: fixed}
		oneSD, raw := p, p
		oneSD.Threshold = 1
		raw.Raw = true
		for _, m := range []struct {
			name string
			draw func() (func([]int) float64, error)
		}{
			{"prefix tree, as drawn", func() (func([]int) float64, error) { return treeCounter(ctx, seqs, raw) }},
			{"prefix tree, consistent, threshold of 1 sd", func() (func([]int) float64, error) { return treeCounter(ctx, seqs, oneSD) }},
			{"prefix tree, consistent", func() (func([]int) float64, error) { return treeCounter(ctx, seqs, p) }},
			{"order-1 Markov", func() (func([]int) float64, error) {
				m, err := prefixtree.NewMarkov(ctx, seqs, p, noise.Secure{})
				if err != nil {
					return nil, err
				}
				return m.Count, nil
			}},
		} {
			of, err := benchMethod(truth, alphabet, runs, m.draw)
			if err != nil {
				return b, err
			}
			b.Results = append(b.Results, newMethodErrors(e, m.name, of))
		}
	}
	return b, nil
}

func treeCounter(ctx context.Context, seqs [][]int, p prefixtree.Params) (func([]int) float64, error) {
	t, err := prefixtree.Build(ctx, seqs, p, noise.Secure{})
	if err != nil {
		return nil, err
	}
	return t.Count, nil
}

// benchMethod publishes many times, and gives the errors of each run.
func benchMethod(truth []map[string]float64, alphabet, runs int, draw func() (func([]int) float64, error)) ([][]float64, error) {
	all := make([][]float64, runs)
	for i := range all {
		count, err := draw()
		if err != nil {
			return nil, err
		}
		all[i] = prefixErrors(count, truth, alphabet)
	}
	return all, nil
}

func (b sequenceErrors) write(w io.Writer) {
	fmt.Fprintf(w, "\n%s: %d sequences, %d symbols; mean error of a prefix, by its length\n\n", b.Data, b.Rows, b.Alphabet)
	var lengths []string
	for n := range b.Means {
		lengths = append(lengths, strconv.Itoa(n+1))
	}
	writeErrorTable(w, lengths, b.Means, 2, b.Results, 2)
}
