// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"hide/internal/publish/cube"
	"hide/internal/publish/noise"
	"hide/internal/publish/prefixtree"
	"hide/internal/publish/release"
)

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

// mostSynthetic bounds a file of synthetic rows, in bytes. The noise of a tiny epsilon adds
// up to very many rows, and labels may be long.
const mostSynthetic = 64 << 20

// warnCutOff warns of a file of synthetic rows that was cut off. They are drawn one by one,
// so that the proportions are those of the release.
func (m *Manifest) warnCutOff(name string, cut bool) {
	if cut {
		m.Warnings = append(m.Warnings, fmt.Sprintf("%s was cut off at %d MiB: it has fewer rows than the release counts, in the same proportions.", name, mostSynthetic>>20))
	}
}

// syntheticCSV writes synthetic rows, each as it is drawn, up to a number of bytes, and
// reports whether it cut some off.
func syntheticCSV(r *cube.Release, most int) (raw []byte, cut bool, err error) {
	recs, err := r.Synthetic(release.Random())
	if err != nil {
		return nil, false, err
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	row := make([]string, len(r.Domain))
	for d, dim := range r.Domain {
		row[d] = dim.Name
	}
	w.Write(row) //nolint:errcheck // into memory
	for rec := range recs {
		w.Flush()
		whole := b.Len()
		for d, at := range rec {
			row[d] = r.Domain[d].Label(at)
		}
		w.Write(row) //nolint:errcheck // into memory
		w.Flush()
		if b.Len() > most {
			b.Truncate(whole)
			return b.Bytes(), true, nil
		}
	}
	w.Flush()
	return b.Bytes(), false, nil
}

// syntheticText writes synthetic sequences as syntheticCSV writes rows.
func (c SequencesConfig) syntheticText(t *prefixtree.Tree, most int) (raw []byte, cut bool) {
	var b bytes.Buffer
	for seq := range t.Synthetic(release.Random()) {
		line := strings.Join(c.labels(seq), c.joiner())
		if b.Len()+len(line)+1 > most {
			return b.Bytes(), true
		}
		b.WriteString(line + "\n")
	}
	return b.Bytes(), false
}

// ReadCube reads the counts of a release of kind cube from its folder, to answer
// queries from them, which costs nothing. sum is the SHA-256 of its manifest. A file
// that was changed is refused by its name. Misses are not in a release and stay empty.
func ReadCube(fsys fs.FS, sum string) (*cube.Release, error) {
	in, err := release.Open(fsys, sum)
	if err != nil {
		return nil, err
	}
	var of struct {
		Phases     []cube.Phase
		Settings   *CubeConfig
		Parameters *cube.Params
		Config     struct { // of releases of the first form
			Config CubeConfig
			Params cube.Params
		}
	}
	of.Settings, of.Parameters = &of.Config.Config, &of.Config.Params
	if in.Claims(&of) != nil || in.Manifest.Kind != release.Cube || of.Settings.Dimensions.Check() != nil {
		return nil, release.Damaged("manifest.json")
	}
	r := &cube.Release{Domain: of.Settings.Dimensions, Params: *of.Parameters, Phases: of.Phases}
	return r, readCounts(in, r)
}

func readCounts(in *release.Reader, r *cube.Release) error {
	switch r.Params.Method {
	case cube.Identity:
		return readCells(in, r)
	case cube.Marginals:
		return readViews(in, r)
	}
	rows, err := readRows(in, "blocks.csv", 2*len(r.Domain)+5)
	if err == nil && !takeBlocks(r, rows) {
		err = release.Damaged("blocks.csv")
	}
	return err
}

func readCells(in *release.Reader, r *cube.Release) error {
	counts, err := readView(in, "cells.csv", r.Domain)
	if err != nil {
		return err
	}
	if len(r.Phases) != 1 {
		return release.Damaged("manifest.json")
	}
	r.SD = phaseSD(r.Phases[0])
	for _, n := range counts {
		r.Cells = append(r.Cells, int64(n))
	}
	return nil
}

func readViews(in *release.Reader, r *cube.Release) error {
	if len(r.Phases) != len(r.Params.Marginals) || r.Params.CheckNames(r.Domain) != nil {
		return release.Damaged("manifest.json")
	}
	for i, names := range r.Params.Marginals {
		v := cube.View{SD: phaseSD(r.Phases[i]), Dims: []int{}}
		for _, name := range names {
			v.Dims = append(v.Dims, r.Domain.Find(name))
		}
		slices.Sort(v.Dims)
		var of cube.Domain
		for _, d := range v.Dims {
			of = append(of, r.Domain[d])
		}
		var err error
		if v.Counts, err = readView(in, fmt.Sprintf("marginal-%d.csv", i+1), of); err != nil {
			return err
		}
		r.Views = append(r.Views, v)
	}
	return nil
}

// readView reads what viewCSV writes: every cell, the last dimension counting fastest.
func readView(in *release.Reader, name string, of cube.Domain) ([]float64, error) {
	rows, err := readRows(in, name, len(of)+1)
	if err != nil {
		return nil, err
	}
	if float64(len(rows)) != of.Cells() {
		return nil, release.Damaged(name)
	}
	out := make([]float64, len(rows))
	for i, row := range rows {
		if out[i], err = strconv.ParseFloat(row[len(of)], 64); err != nil {
			return nil, release.Damaged(name)
		}
	}
	return out, nil
}

// takeBlocks takes what blocksCSV writes; false when a row is not a block.
func takeBlocks(r *cube.Release, rows [][]string) bool {
	places := make([]map[string]int, len(r.Domain))
	for d, dim := range r.Domain {
		places[d] = make(map[string]int, dim.Size())
		for i := range dim.Size() {
			places[d][dim.Label(i)] = i
		}
	}
	for _, row := range rows {
		b := cube.Block{Low: make([]int, len(places)), High: make([]int, len(places))}
		for d, at := range places {
			low, from := at[row[2*d]]
			high, to := at[row[2*d+1]]
			if !from || !to || high < low {
				return false
			}
			b.Low[d], b.High[d] = low, high+1
		}
		if !takeNumbers(&b, row[2*len(places):]) {
			return false
		}
		r.Blocks = append(r.Blocks, b)
	}
	return true
}

// takeNumbers takes the columns cells, count, noise sd, noisy counts and spread.
func takeNumbers(b *cube.Block, columns []string) bool {
	var x [5]float64
	for i := range x {
		var err error
		if x[i], err = strconv.ParseFloat(columns[i], 64); err != nil {
			return false
		}
	}
	b.Count, b.SD, b.Draws, b.Spread = x[1], x[2], int(x[3]), x[4]
	return true
}

// readRows reads the rows of a listed file with this number of columns.
func readRows(in *release.Reader, name string, columns int) ([][]string, error) {
	rows, err := in.Table(name)
	if err != nil {
		return nil, err
	}
	if len(rows) < 2 || len(rows[0]) != columns {
		return nil, release.Damaged(name)
	}
	return rows[1:], nil
}

// phaseSD is the standard deviation of the noise of a phase.
func phaseSD(p cube.Phase) float64 {
	return math.Sqrt(noise.Variance(p.Sensitivity, p.Epsilon.Float()))
}
