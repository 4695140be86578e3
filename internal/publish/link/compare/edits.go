// SPDX-License-Identifier: Apache-2.0

package compare

// withinEdits reports whether the distance of two values is at most k: the fewest characters
// to add, drop, replace or exchange with their neighbour, where no part is edited twice. This
// is the optimal string alignment of Damerau, A technique for computer detection and correction
// of spelling errors, 1964.
func withinEdits(x, y chars, k int) bool {
	// An edit changes at most one character of each value.
	if x.has.without(y.has) > k || y.has.without(x.has) > k {
		return false
	}
	return alignable(x.text, y.text, k)
}

// alignable tries the edits at the first difference, which is fast for k up to 2.
func alignable(x, y []byte, k int) bool {
	if d := len(x) - len(y); d > k || -d > k {
		return false
	}
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	if max(len(x), len(y)) <= k {
		return true
	}
	if k == 0 {
		return false
	}
	if k == 1 { // of what differs at both ends, one edit explains only an exchange
		return len(x) == 2 && len(y) == 2 && x[0] == y[1] && x[1] == y[0]
	}
	return len(x) > 1 && len(y) > 1 && x[0] == y[1] && x[1] == y[0] && alignable(x[2:], y[2:], k-1) ||
		len(x) > 0 && len(y) > 0 && alignable(x[1:], y[1:], k-1) ||
		len(x) > 0 && alignable(x[1:], y, k-1) ||
		len(y) > 0 && alignable(x, y[1:], k-1)
}
