// SPDX-License-Identifier: Apache-2.0

package boost

import "golang.org/x/sys/cpu"

// remove does what [removePlain] does, with the same result.
func remove(column *[setRows]float32, cuts []cut, sets []rowSet) {
	if !cpu.X86.HasAVX2 {
		removePlain(column, cuts, sets)
		return
	}
	removeAVX2(&column[0], &cuts[0], len(cuts), &sets[0])
}

// removeAVX2 compares 32 rows with each threshold until none is above it. There is at least
// one cut. It does not check the trees of cuts.
//
//go:noescape
func removeAVX2(column *float32, cuts *cut, n int, sets *rowSet)
