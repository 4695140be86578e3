// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hide/internal/publish/cube"
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
