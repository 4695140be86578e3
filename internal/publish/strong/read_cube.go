// SPDX-License-Identifier: Apache-2.0

package strong

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"

	"hide/internal/publish"
	"hide/internal/publish/cube"
	"hide/internal/publish/noise"
)

// MostRead is the largest file of counts, in bytes, that [ReadCube] reads.
const MostRead = 32 << 20

// ReadCube reads the counts of a release of kind "cube" from its folder, to answer from
// them what costs nothing. sum is the SHA-256 of its manifest. A file that is not as it
// was written is refused by its name. Misses are not kept in a release and stay empty.
func ReadCube(fsys fs.FS, sum string) (*cube.Release, error) {
	raw, err := readSealed(fsys, "manifest.json", sum)
	if err != nil {
		return nil, err
	}
	var m Manifest
	var of struct {
		Config CubeConfig  `json:"config"`
		Params cube.Params `json:"params"`
	}
	if json.Unmarshal(raw, &m) != nil || json.Unmarshal(m.Config, &of) != nil || m.Kind != "cube" || of.Config.Dimensions.Check() != nil {
		return nil, damaged("manifest.json")
	}
	r := &cube.Release{Domain: of.Config.Dimensions, Params: of.Params, Phases: m.Phases}
	return r, readCounts(fsys, m.Files, r)
}

func readCounts(fsys fs.FS, sums []publish.FileSum, r *cube.Release) error {
	switch r.Params.Method {
	case cube.Identity:
		return readCells(fsys, sums, r)
	case cube.Marginals:
		return readViews(fsys, sums, r)
	}
	rows, err := readRows(fsys, sums, "blocks.csv", 2*len(r.Domain)+5)
	if err == nil && !takeBlocks(r, rows) {
		err = damaged("blocks.csv")
	}
	return err
}

func readCells(fsys fs.FS, sums []publish.FileSum, r *cube.Release) error {
	counts, err := readView(fsys, sums, "cells.csv", r.Domain)
	if err != nil {
		return err
	}
	if len(r.Phases) != 1 {
		return damaged("manifest.json")
	}
	r.SD = phaseSD(r.Phases[0])
	for _, n := range counts {
		r.Cells = append(r.Cells, int64(n))
	}
	return nil
}

func readViews(fsys fs.FS, sums []publish.FileSum, r *cube.Release) error {
	if len(r.Phases) != len(r.Params.Marginals) || r.Params.CheckNames(r.Domain) != nil {
		return damaged("manifest.json")
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
		if v.Counts, err = readView(fsys, sums, fmt.Sprintf("marginal-%d.csv", i+1), of); err != nil {
			return err
		}
		r.Views = append(r.Views, v)
	}
	return nil
}

// readView reads what viewCSV writes: every cell, the last dimension counting fastest.
func readView(fsys fs.FS, sums []publish.FileSum, name string, of cube.Domain) ([]float64, error) {
	rows, err := readRows(fsys, sums, name, len(of)+1)
	if err != nil {
		return nil, err
	}
	if float64(len(rows)) != of.Cells() {
		return nil, damaged(name)
	}
	out := make([]float64, len(rows))
	for i, row := range rows {
		if out[i], err = strconv.ParseFloat(row[len(of)], 64); err != nil {
			return nil, damaged(name)
		}
	}
	return out, nil
}

// takeBlocks takes what blocksCSV writes; false when a row is no block.
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

// readRows reads a listed file of so many columns, without its header.
func readRows(fsys fs.FS, sums []publish.FileSum, name string, columns int) ([][]string, error) {
	i := slices.IndexFunc(sums, func(f publish.FileSum) bool { return f.Path == name })
	if i < 0 {
		return nil, damaged("manifest.json")
	}
	raw, err := readSealed(fsys, name, sums[i].SHA256)
	if err != nil {
		return nil, err
	}
	lines := csv.NewReader(bytes.NewReader(raw))
	lines.FieldsPerRecord = columns
	rows, err := lines.ReadAll()
	if err != nil || len(rows) < 2 {
		return nil, damaged(name)
	}
	return rows[1:], nil
}

// readSealed reads a file whose SHA-256 is known.
func readSealed(fsys fs.FS, name, sum string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened", name)
	}
	defer f.Close() // only read
	raw, err := io.ReadAll(io.LimitReader(f, MostRead+1))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read", name)
	}
	if len(raw) > MostRead {
		return nil, fmt.Errorf("%s: %w", name, ErrTooLarge)
	}
	if is := sha256.Sum256(raw); hex.EncodeToString(is[:]) != sum {
		return nil, damaged(name)
	}
	return raw, nil
}

// ErrTooLarge is returned for a file of more than [MostRead] bytes.
var ErrTooLarge = fmt.Errorf("more than %d MB", MostRead>>20)

func damaged(name string) error { return fmt.Errorf("%s is not as it was written", name) }

// phaseSD is the standard deviation of a phase's noise.
func phaseSD(p cube.Phase) float64 {
	return math.Sqrt(noise.Variance(p.Sensitivity, p.Epsilon.Float()))
}
