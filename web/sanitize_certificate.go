// SPDX-License-Identifier: Apache-2.0

package web

// firstWords say what figures are worth that no round has confirmed.
func firstWords(running bool, lc float64) string {
	words := "First figures of L/C " + formatRatio(lc) + ": what the first round leaves. "
	if running {
		return words + "Nobody has attacked it yet. The attacks, further rounds and the certificate follow as the run gets there."
	}
	return words + "The run ended before anybody attacked it."
}
