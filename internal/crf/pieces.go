// SPDX-License-Identifier: Apache-2.0

package crf

// piece is the i-th range of n in pieces of size, the last one shorter.
func piece(i, size, n int) (from, to int) { return i * size, min((i+1)*size, n) }

func pieces(size, n int) int { return (n + size - 1) / size }
