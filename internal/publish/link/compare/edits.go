// SPDX-License-Identifier: Apache-2.0

package compare

// withinEdits reports whether the distance of two values is at most k: the fewest characters
// to add, drop, replace or exchange with their neighbour, where no part is edited twice. This
// is the optimal string alignment of Damerau, A technique for computer detection and correction
// of spelling errors, 1964. It tries the edits at the first difference, which is fast for k up
// to 2.
func withinEdits(x, y []byte, k int) bool {
	if d := len(x) - len(y); d > k || -d > k {
		return false
	}
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	switch longest := max(len(x), len(y)); {
	case longest <= k:
		return true
	case k == 0 || longest > 3*k && !mayAlign(x, y, k):
		return false
	}
	return len(x) > 1 && len(y) > 1 && x[0] == y[1] && x[1] == y[0] && withinEdits(x[2:], y[2:], k-1) ||
		len(x) > 0 && len(y) > 0 && withinEdits(x[1:], y[1:], k-1) ||
		len(x) > 0 && withinEdits(x[1:], y, k-1) ||
		len(y) > 0 && withinEdits(x, y[1:], k-1)
}

// mayAlign reports whether the letters of two values leave room for k edits: each edit changes
// at most one letter of each.
func mayAlign(x, y []byte, k int) bool {
	var inX, inY letters
	inX.add(x)
	inY.add(y)
	return inX.without(inY) <= k && inY.without(inX) <= k
}
