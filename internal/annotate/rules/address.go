// SPDX-License-Identifier: Apache-2.0

package rules

import "strings"

// mailAddress looks both ways from an @.
func mailAddress(r *reader, i int) (Finding, bool) {
	if r.word(i) != "@" || !r.glued(i) || !r.glued(i+1) {
		return nothing()
	}
	from, to, dot := i-1, i+1, false
	for r.glued(from) && mailPart(r, from-1) {
		from--
	}
	for ; r.has(to) && r.glued(to) && (mailPart(r, to) || to == i+1); to++ {
		dot = dot || r.word(to) == "."
	}
	for to > i+1 && !r.wordy(to-1) {
		to--
	}
	for from < i && !r.wordy(from) {
		from++
	}
	if !dot || from == i || to-i < 4 {
		return nothing()
	}
	return r.finding(from, to, Email)
}

func mailPart(r *reader, i int) bool {
	return r.wordy(i) || r.word(i) != "" && strings.Contains(".-+_", r.word(i))
}

// wordy reports whether token i is of letters, digits and underscores.
func (r *reader) wordy(i int) bool {
	w := r.word(i)
	return w != "" && (w[0] >= 0x80 || w[0] == '_' || w[0] >= '0' && w[0] <= '9' || w[0] >= 'A' && w[0] <= 'Z' || w[0] >= 'a' && w[0] <= 'z')
}

// longestAddress bounds how many tokens a web address has.
const longestAddress = 200

// webAddress begins with a scheme or with www, and ends before white space.
func webAddress(r *reader, i int) (Finding, bool) {
	scheme := strings.HasSuffix(r.low(i), "http") || r.low(i) == "https" || r.low(i) == "ftp"
	switch {
	case scheme && r.word(i+1) == ":" && r.word(i+2) == "/" && r.glued(i+2):
	case r.low(i) == "www" && r.word(i+1) == "." && r.glued(i+1):
	default:
		return nothing()
	}
	to := i + 1
	for r.glued(to) && to < i+longestAddress && !strings.Contains("<>\"'", r.word(to)) {
		to++
	}
	for to > i+1 && !r.wordy(to-1) && r.word(to-1) != "/" {
		to--
	}
	if to-i < 4 {
		return nothing()
	}
	return r.finding(i, to, URL)
}

// ipAddress is four numbers up to 255 with dots.
func ipAddress(r *reader, i int) (Finding, bool) {
	for k := range 4 {
		at := i + 2*k
		if n := r.number(at); n < 0 || n > 255 || k > 0 && (r.word(at-1) != "." || !r.glued(at-1) || !r.glued(at)) {
			return nothing()
		}
	}
	if r.glued(i) || r.glued(i+7) && (r.word(i+7) != "." || r.glued(i+8)) {
		return nothing()
	}
	return r.finding(i, i+7, IP)
}
