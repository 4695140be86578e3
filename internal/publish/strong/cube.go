// SPDX-License-Identifier: Apache-2.0

package strong

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
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
	what := fmt.Sprintf("cube, %s, %s cells", p.Method, cellWords(c.Dimensions.Cells()))
	outline := func(receipt ledger.Receipt) (Release, error) {
		out, err := cubeOutline(p, c, receipt, m)
		for d := range c.Dimensions {
			out.Manifest.Errors = append(out.Manifest.Errors, cubeError(c, p, d, 0))
		}
		return out, err
	}
	return publishWith(ctx, l, m, raw, c.Common, ledger.Request{Epsilon: e, What: what, By: c.by()}, counts.Units(), request{Schema, "cube", c, p}, outline, func(ctx context.Context, receipt ledger.Receipt) (Release, error) {
		published, err := cube.Publish(ctx, counts, p, noise.Secure{})
		if err != nil {
			return Release{}, err
		}
		return cubeRelease(published, c, receipt, m)
	})
}

// cellWords writes a number of cells, which may have more digits than anybody reads.
func cellWords(n float64) string {
	if n < 1e15 {
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	return strconv.FormatFloat(n, 'g', 3, 64)
}

// rehearse encodes a release without what is drawn, as its receipt would have it, so
// that what cannot be said of it is known before it is paid for.
func rehearse(a ledger.Account, r ledger.Request, outline func(ledger.Receipt) (Release, error)) error {
	if err := r.Check(); err != nil {
		return err
	}
	out, err := outline(ledger.Receipt{Lineage: r.Lineage, Unit: a.Unit, Epsilon: r.Epsilon, Part: r.Part, Before: a.Spent, After: a.Spent + r.Epsilon, Limit: a.Limit})
	if err == nil {
		_, err = out.encode()
	}
	if err != nil {
		return fmt.Errorf("nothing was debited, since the release could not be described: %w", err)
	}
	return nil
}

// payer is the account that pays, and whether it is still to be opened as m says. An
// account that is to be opened could pay.
func payer(l *ledger.Ledger, r ledger.Request, m Meta) (a ledger.Account, toOpen bool, err error) {
	a, err = l.Account(r.Lineage)
	missing := (*ledger.NoAccountError)(nil)
	if m.Opening == nil || !errors.As(err, &missing) {
		return a, false, err
	}
	return ledger.Account{Lineage: m.Opening.Lineage, Unit: m.Opening.Unit, Limit: m.Opening.Limit}, true, l.Affords(*m.Opening, r)
}

// publishWith debits, lets make draw, and keeps what it made. outline is that without
// what is drawn.
func publishWith(ctx context.Context, l *ledger.Ledger, m Meta, raw []byte, c Common, r ledger.Request, units iter.Seq[string], body request, outline func(ledger.Receipt) (Release, error), make func(context.Context, ledger.Receipt) (Release, error)) (Release, error) {
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
	account, toOpen, err := payer(l, r, m)
	if err != nil {
		return Release{}, err
	}
	if err := rehearse(account, r, outline); err != nil || m.Rehearse {
		return Release{}, err
	}
	if toOpen {
		if err := l.Open(*m.Opening); err != nil {
			return Release{}, err
		}
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

// cubeOutline is a release without what is drawn.
func cubeOutline(p cube.Params, c CubeConfig, receipt ledger.Receipt, m Meta) (Release, error) {
	return newRelease("cube", receipt, c.Common, c.sensitivity(), struct {
		Config CubeConfig  `json:"config"`
		Params cube.Params `json:"params"`
	}{c, p}, m)
}

func cubeRelease(r *cube.Release, c CubeConfig, receipt ledger.Receipt, m Meta) (Release, error) {
	out, err := cubeOutline(r.Params, c, receipt, m)
	if err != nil {
		return out, err
	}
	out.Manifest.Phases = r.Phases
	out.Manifest.tellSlices(r, c)
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
		raw, cut, err := syntheticCSV(r, mostSynthetic)
		if err != nil {
			return out, err
		}
		out.add("synthetic.csv", raw)
		out.Manifest.tellCut("synthetic.csv", cut)
	}
	return out, nil
}

// tellSlices adds what each dimension's own slice tells: its expected error, beside
// those of other ways to spend the same epsilon, and its trend.
func (m *Manifest) tellSlices(r *cube.Release, c CubeConfig) {
	for d, dim := range r.Domain {
		answers, err := r.Slice([]int{d})
		if err != nil {
			continue // not measured
		}
		missed, own := 0.0, 0.0
		if r.Misses != nil {
			missed = r.Misses[d]
		}
		for _, a := range answers {
			own += a.Error / float64(len(answers))
		}
		own = max(own, noise.MeanAbs(missed))
		if math.IsInf(own, 0) || math.IsNaN(own) {
			continue // it cannot be kept, and what was paid for would be lost
		}
		m.Errors = append(m.Errors, cubeError(c, r.Params, d, own))
		m.Trends = append(m.Trends, sliceTrend(dim, answers, missed)...)
	}
}

// cubeError is that of the categories of dimension d, own, beside other ways: cells
// counted one by one, unless they are too many to be, as many marginals as there are
// dimensions, and each cell cut off at 0. These need no data.
func cubeError(c CubeConfig, p cube.Params, d int, own float64) ExpectedError {
	identity, marginal := Baselines(c.Dimensions, d, c.sensitivity(), p.Epsilon)
	out := ExpectedError{Question: SliceOf(c.Dimensions[d].Name), Release: own, Baselines: map[string]float64{"one marginal each": marginal}}
	if c.Dimensions.Cells() <= cube.MostCells {
		each := c.Dimensions.Cells() / float64(c.Dimensions[d].Size())
		out.Baselines["identity"] = identity
		out.Baselines["identity, cut off at 0"] = each * clampBias(noise.Scale(c.sensitivity(), p.Epsilon.Float()))
	}
	return out
}

// SliceOf names the expected error of the categories of a dimension.
func SliceOf(dimension string) string {
	return "mean over the categories of " + strconv.Quote(dimension)
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

// mostSynthetic bounds what is written of invented rows, in bytes. Noise of a tiny
// epsilon adds up to more rows than anybody reads, and labels may be long.
const mostSynthetic = 64 << 20

// tellCut says of a file of invented rows that it holds fewer than there were to be.
// They are drawn one by one, so that those that are there are as the release counts.
func (m *Manifest) tellCut(name string, cut bool) {
	if cut {
		m.Warnings = append(m.Warnings, fmt.Sprintf("%s was ended at %d MiB: it holds fewer rows than the release counts, in the same shares.", name, mostSynthetic>>20))
	}
}

// syntheticCSV writes invented rows up to so many bytes, and says whether there were
// to be more.
func syntheticCSV(r *cube.Release, most int) (raw []byte, cut bool, err error) {
	recs, err := r.Synthetic(publish.Unforeseen())
	if err != nil {
		return nil, false, err
	}
	var header []string
	for _, d := range r.Domain {
		header = append(header, d.Name)
	}
	size := 0
	raw = writeCSV(header, func(add func(...string)) {
		for _, rec := range recs {
			row := make([]string, len(rec))
			for d, at := range rec {
				row[d] = r.Domain[d].Label(at)
				size += len(row[d]) + 1
			}
			if cut = size > most; cut {
				return
			}
			add(row...)
		}
	})
	return raw, cut, nil
}

// factor is e to the epsilon, in words.
func factor(e ledger.Micro) string {
	return strconv.FormatFloat(math.Exp(e.Float()), 'g', 3, 64)
}
