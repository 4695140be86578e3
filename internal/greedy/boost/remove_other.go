// SPDX-License-Identifier: Apache-2.0

//go:build !amd64

package boost

func remove(column *[setRows]float32, cuts []cut, sets []rowSet) { removePlain(column, cuts, sets) }
