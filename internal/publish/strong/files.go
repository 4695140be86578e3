// SPDX-License-Identifier: Apache-2.0

package strong

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"

	"hide/internal/publish/cube"
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
