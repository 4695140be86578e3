// SPDX-License-Identifier: Apache-2.0

package linkage

// similarity is that of Jaro and Winkler (Winkler 1990), from 0 to 1. With m common
// characters at most max(|a|, |b|)/2 - 1 places apart, t of them in another order, and a
// common prefix of l at most 4 characters:
//
//	jaro = (m/|a| + m/|b| + (m - t/2)/m) / 3
//	similarity = jaro + l · 0.1 · (1 - jaro)
func similarity(a, b string) float64 {
	if a == b {
		return 1
	}
	reach := max(max(len(a), len(b))/2-1, 0)
	inA, inB := make([]bool, len(a)), make([]bool, len(b))
	common := 0
	for i := range len(a) {
		for j := max(i-reach, 0); j < min(i+reach+1, len(b)); j++ {
			if !inB[j] && a[i] == b[j] {
				inA[i], inB[j] = true, true
				common++
				break
			}
		}
	}
	if common == 0 {
		return 0
	}
	moved, j := 0, 0
	for i := range len(a) {
		if !inA[i] {
			continue
		}
		for !inB[j] {
			j++
		}
		if a[i] != b[j] {
			moved++
		}
		j++
	}
	m := float64(common)
	jaro := (m/float64(len(a)) + m/float64(len(b)) + (m-float64(moved)/2)/m) / 3
	prefix := 0
	for prefix < min(4, len(a), len(b)) && a[prefix] == b[prefix] {
		prefix++
	}
	return jaro + float64(prefix)*0.1*(1-jaro)
}
