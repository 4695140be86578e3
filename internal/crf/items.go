// SPDX-License-Identifier: Apache-2.0

package crf

import "hide/internal/crf/kernel"

// running is scratch for the sums of many short rows of items.
type running [maxRunning + 1]float64

// maxRunning is how many items are summed without a break.
const maxRunning = 512

// sum is what the items of each row name, added up; it fills as much of sums as there
// are rows. Most rows are so short that to begin and to end each takes longer than its
// items: so one sum runs over many rows, and a row's is the difference of its ends.
func sumRows[F kernel.Float](r *running, sums []float64, start, items []int32, x []F) []float64 {
	n := len(start) - 1
	sums = sums[:n]
	for from := 0; from < n; {
		to, first := from+1, start[from]
		for to < n && start[to+1]-first <= maxRunning {
			to++
		}
		row := items[first:start[to]]
		if len(row) > maxRunning {
			sums[from] = sumItems(row, x)
		} else {
			runOver(r, row, x)
			before := 0.0
			for i, end := range start[from+1 : to+1] {
				sum := r[end-first]
				sums[from+i] = sum - before
				before = sum
			}
		}
		from = to
	}
	return sums
}

// runOver makes r[i] the sum of what the first i items name. Fours are added up
// beside the sum, which would else wait for each addition.
func runOver[F kernel.Float](r *running, items []int32, x []F) {
	sum, to := 0.0, r[1:]
	for len(items) >= 4 && len(to) >= 4 {
		a, b, c, d := float64(x[items[0]]), float64(x[items[1]]), float64(x[items[2]]), float64(x[items[3]])
		ab := a + b
		to[0], to[1], to[2] = sum+a, sum+ab, sum+(ab+c)
		sum += ab + (c + d)
		to[3] = sum
		items, to = items[4:], to[4:]
	}
	for i, item := range items {
		sum += float64(x[item])
		to[i] = sum
	}
}

// sumItems is the sum of what the items name.
func sumItems[F kernel.Float](items []int32, x []F) float64 {
	a, b := 0.0, 0.0
	for len(items) >= 2 {
		a += float64(x[items[0]])
		b += float64(x[items[1]])
		items = items[2:]
	}
	if len(items) > 0 {
		a += float64(x[items[0]])
	}
	return a + b
}
