// SPDX-License-Identifier: Apache-2.0

package strong

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"hide/internal/publish"
	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
)

// Count reads a table as the configuration says.
func (c CubeConfig) Count(raw []byte) (*cube.Counts, error) {
	want := make([]string, 0, len(c.Dimensions)+2)
	for _, d := range c.Dimensions {
		want = append(want, d.Name)
	}
	key, part := -1, -1
	if c.Key != "" {
		key, want = len(want), append(want, c.Key)
	}
	if c.Part.Partition != "" {
		part, want = len(want), append(want, c.Part.Partition)
	}
	t, err := openTable(raw, c.Common, want)
	if err != nil {
		return nil, err
	}
	keep := func([]string) (bool, error) { return true, nil }
	if part >= 0 {
		keep = inPart(c.Part.Part, part, key)
	}
	rows := func(yield func(cube.Row, error) bool) {
		for row, err := range t.rows() {
			kept := true
			if err == nil {
				kept, err = keep(row)
				err = t.inRow(err)
			}
			if err == nil && (!kept || c.LeaveOutNameless && row[key] == "") {
				continue
			}
			if !yield(c.row(row, key, t), err) || err != nil {
				return
			}
		}
	}
	counts, err := cube.Count(rows, c.Dimensions, c.Bound)
	if err == nil {
		counts.Bound = c.sensitivity()
	}
	return counts, err
}

// row is what counts of the columns that were wanted; of an error there are none.
func (c CubeConfig) row(columns []string, key int, t *table) cube.Row {
	if len(columns) == 0 {
		return cube.Row{}
	}
	out := cube.Row{Values: columns[:len(c.Dimensions)], In: t.inRow}
	if key >= 0 {
		out.Unit = columns[key]
	}
	return out
}

// request is what makes two requests the same.
type request struct {
	Schema string `json:"schema"`
	Kind   string `json:"kind"`
	Config any    `json:"config"`
	Params any    `json:"params"`
}

// PublishCube publishes a table as a cube. Before it debits, everything that can
// be refused has been.
func PublishCube(ctx context.Context, l *ledger.Ledger, c CubeConfig, raw []byte, e ledger.Micro, m Meta) (Release, error) {
	if err := c.check(); err != nil {
		return Release{}, err
	}
	p, err := c.params(e).Check(c.Dimensions, c.sensitivity())
	if err != nil {
		return Release{}, err
	}
	if p.Method == cube.Identity && c.Dimensions.Cells() > cube.MostListed {
		return Release{}, fmt.Errorf("a release lists at most %d cells one by one: use the method %q", cube.MostListed, cube.DPCube)
	}
	if c.Synthetic && p.Method == cube.Marginals {
		return Release{}, fmt.Errorf("marginals alone do not make synthetic rows: leave out \"synthetic\"")
	}
	counts, err := c.Count(raw)
	if err != nil {
		return Release{}, err
	}
	what := fmt.Sprintf("cube, %s, %.0f cells", p.Method, c.Dimensions.Cells())
	return publishWith(ctx, l, raw, c.Common, ledger.Request{Epsilon: e, What: what, By: c.by()}, counts.Units(), request{Schema, "cube", c, p}, func(ctx context.Context, receipt ledger.Receipt) (Release, error) {
		published, err := cube.Publish(ctx, counts, p, noise.Secure{})
		if err != nil {
			return Release{}, err
		}
		return cubeRelease(published, c, receipt, m)
	})
}

// publishWith debits, lets make draw, and keeps what it made.
func publishWith(ctx context.Context, l *ledger.Ledger, raw []byte, c Common, r ledger.Request, units iter.Seq[string], body request, make func(context.Context, ledger.Receipt) (Release, error)) (Release, error) {
	var err error
	r.Lineage, r.Part = c.Lineage, c.Part
	if r.Body, err = json.Marshal(body); err != nil {
		return Release{}, err
	}
	if r.Data, err = l.Fingerprint(bytes.NewReader(raw)); err != nil {
		return Release{}, err
	}
	if r.Units, err = l.Sketch(units); err != nil {
		return Release{}, err
	}
	a, err := l.Publish(ctx, r, func(ctx context.Context, receipt ledger.Receipt) ([]byte, error) {
		made, err := make(ctx, receipt)
		if err != nil {
			return nil, err
		}
		if r.By == "" {
			made.Manifest.Warnings = append(made.Manifest.Warnings, keyless(receipt.Unit))
		}
		return made.encode()
	})
	if err != nil {
		return Release{}, err
	}
	out, err := Decode(a.Bytes)
	out.Replayed = a.Replayed
	return out, err
}

func cubeRelease(r *cube.Release, c CubeConfig, receipt ledger.Receipt, m Meta) (Release, error) {
	out, err := newRelease("cube", receipt, c.Common, c.sensitivity(), struct {
		Config CubeConfig  `json:"config"`
		Params cube.Params `json:"params"`
	}{c, r.Params}, m)
	if err != nil {
		return out, err
	}
	out.Manifest.Phases = r.Phases
	if out.Manifest.Errors, err = cubeErrors(r, c.sensitivity()); err != nil {
		return out, err
	}
	switch {
	case r.Cells != nil:
		out.add("cells.csv", cellsCSV(r))
	case r.Views != nil:
		for i, v := range r.Views {
			out.add(fmt.Sprintf("marginal-%d.csv", i+1), viewCSV(r.Domain, v))
		}
	default:
		out.add("blocks.csv", blocksCSV(r))
	}
	if c.Synthetic {
		raw, err := syntheticCSV(r)
		if err != nil {
			return out, err
		}
		out.add("synthetic.csv", raw)
	}
	return out, nil
}

// cubeErrors compares expected errors of each dimension's own slice: of the
// release, and of other ways to spend the same epsilon. That of counting cells one
// by one, of as many marginals as there are dimensions, and of clamping each cell
// at 0 needs no data.
func cubeErrors(r *cube.Release, bound int64) ([]ExpectedError, error) {
	out := []ExpectedError{}
	for d, dim := range r.Domain {
		answers, err := r.Slice([]int{d})
		if err != nil {
			continue // not measured
		}
		own := 0.0
		for _, a := range answers {
			own += a.Error / float64(len(answers))
		}
		if r.Misses != nil {
			own = max(own, noise.MeanAbs(r.Misses[d]))
		}
		identity, marginal := Baselines(r.Domain, d, bound, r.Params.Epsilon)
		each := r.Domain.Cells() / float64(dim.Size())
		out = append(out, ExpectedError{Question: "mean over the categories of " + strconv.Quote(dim.Name), Release: own, Baselines: map[string]float64{
			"identity":               identity,
			"one marginal each":      marginal,
			"identity, cut off at 0": each * clampBias(noise.Scale(bound, r.Params.Epsilon.Float())),
		}})
	}
	return out, nil
}

// Baselines are how far a count of one category of dimension d is off in the mean,
// added up from cells counted one by one, and from one marginal for each dimension;
// bound is how many rows one person can have.
func Baselines(domain cube.Domain, d int, bound int64, epsilon ledger.Micro) (identity, marginal float64) {
	e := epsilon.Float()
	each := domain.Cells() / float64(domain[d].Size())
	return noise.MeanAbs(each * noise.Variance(bound, e)), noise.Scale(bound, e/float64(len(domain)))
}

// clampBias is the mean of max(0, floor(x)) for Laplace noise x of scale b: what a
// cell without anybody adds when it is cut off at 0.
func clampBias(b float64) float64 { return 0.5 / math.Expm1(1/b) }

func writeCSV(header []string, rows func(add func(...string))) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(header) //nolint:errcheck // into memory
	rows(func(fields ...string) {
		w.Write(fields) //nolint:errcheck // into memory
	})
	w.Flush()
	return b.Bytes()
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }

func blocksCSV(r *cube.Release) []byte {
	var header []string
	for _, d := range r.Domain {
		header = append(header, d.Name+" from", d.Name+" to")
	}
	return writeCSV(append(header, "cells", "count", "noise sd", "noisy counts", "spread"), func(add func(...string)) {
		for _, b := range r.Blocks {
			var row []string
			cells := 1
			for d, dim := range r.Domain {
				row = append(row, dim.Label(b.Low[d]), dim.Label(b.High[d]-1))
				cells *= b.High[d] - b.Low[d]
			}
			add(append(row, strconv.Itoa(cells), number(b.Count), number(b.SD), strconv.Itoa(b.Draws), number(b.Spread))...)
		}
	})
}

func cellsCSV(r *cube.Release) []byte {
	all := make([]int, len(r.Domain))
	counts := make([]float64, len(r.Cells))
	for i := range all {
		all[i] = i
	}
	for i, c := range r.Cells {
		counts[i] = float64(c)
	}
	return viewCSV(r.Domain, cube.View{Dims: all, Counts: counts})
}

func viewCSV(d cube.Domain, v cube.View) []byte {
	var header []string
	for _, dim := range v.Dims {
		header = append(header, d[dim].Name)
	}
	return writeCSV(append(header, "count"), func(add func(...string)) {
		for at, count := range v.Counts {
			var row []string
			for _, dim := range slices.Backward(v.Dims) {
				row = append(row, d[dim].Label(at%d[dim].Size()))
				at /= d[dim].Size()
			}
			slices.Reverse(row)
			add(append(row, number(count))...)
		}
	})
}

func syntheticCSV(r *cube.Release) ([]byte, error) {
	recs, err := r.Synthetic(publish.Unforeseen())
	if err != nil {
		return nil, err
	}
	var header []string
	for _, d := range r.Domain {
		header = append(header, d.Name)
	}
	return writeCSV(header, func(add func(...string)) {
		for _, rec := range recs {
			row := make([]string, len(rec))
			for d, at := range rec {
				row[d] = r.Domain[d].Label(at)
			}
			add(row...)
		}
	}), nil
}

// factor is e to the epsilon, in words.
func factor(e ledger.Micro) string {
	return strconv.FormatFloat(math.Exp(e.Float()), 'g', 3, 64)
}
