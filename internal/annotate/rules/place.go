// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"slices"
	"strings"
)

// hospital is capitalised words that start or end with a word for hospitals: York Haven
// Medical Center, Hospital Clínico San Carlos.
func hospital(r *reader, i int) (Finding, bool) {
	end := i + 1
	switch w := r.low(i); {
	case !r.capital(i):
		return nothing()
	case hospitalStops[r.low(i+1)] && r.sameLine(i+1):
		return nothing()
	case hospitalWords[w]:
	case hospitalPairs[w] && hospitalEnds[r.low(i+1)] && r.capital(i+1) && r.sameLine(i+1):
		end++
	default:
		return nothing()
	}
	from := i
	for from > 0 && i-from < longestName && r.sameLine(from) && r.placeWord(from-1) {
		from--
	}
	for from < i && (!r.capital(from) || stops[r.low(from)]) {
		from++
	}
	if from < i {
		return r.finding(from, end, Hospital)
	}
	if end = r.placeEnd(end); end == i+1 {
		return nothing()
	}
	return r.finding(i, end, Hospital)
}

// listedPlace is the longest listed name that starts here, with a capital.
func listedPlace(r *reader, i int) (Finding, bool) {
	if !r.capital(i) {
		return nothing()
	}
	best := place{}
	for _, p := range theLists().places[r.low(i)] {
		if len(p.words) > len(best.words) && r.reads(i, p.words) {
			best = p
		}
	}
	// Two letters are a state only after a comma, as in "Ulm, TX".
	if len(best.words) == 0 || len(r.word(i)) < 3 && (r.word(i-1) != "," || r.word(i) != strings.ToUpper(r.word(i))) {
		return nothing()
	}
	return r.finding(i, i+len(best.words), best.kind)
}

// reads reports whether these words stand at token i, on one line.
func (r *reader) reads(i int, words []string) bool {
	for k, w := range words {
		if r.low(i+k) != w || k > 0 && !r.sameLine(i+k) {
			return false
		}
	}
	return true
}

func (r *reader) placeWord(i int) bool {
	return r.capital(i) && r.letters(i) && !stops[r.low(i)] || r.word(i) == "'" || r.word(i) == "-" && r.joined(i) || r.low(i) == "s" && r.glued(i)
}

// placeEnd is the end of capitalised words and the small words between them.
func (r *reader) placeEnd(i int) int {
	end := i
	for at := i; r.has(at) && at < i+2*longestName && r.sameLine(at); at++ {
		switch {
		case r.capital(at) && r.letters(at) && !stops[r.low(at)] || r.low(at) == "la" && r.capital(at):
			end = at + 1
		case streetMiddles[r.low(at)] || r.word(at) == "-" && r.joined(at):
		default:
			return end
		}
	}
	return end
}

// numberedStreet is a number, capitalised words, and a word that ends street names.
func numberedStreet(r *reader, i int) (Finding, bool) {
	if r.digits(i) > 5 || r.glued(i) {
		return nothing()
	}
	for at := i + 1; at <= i+longestName && r.sameLine(at); at++ {
		if streetEnds[r.low(at)] && at > i+1 {
			return r.finding(i, at+1, Street)
		}
		if !r.capital(at) && r.day(at) == 0 && r.word(at) != "." {
			return nothing()
		}
	}
	return nothing()
}

// street is a word that starts street names, capitalised words, and perhaps a number; or
// one word with the ending of German streets, and a number.
func street(r *reader, i int) (Finding, bool) {
	if germanStreet(r.low(i)) && r.capital(i) {
		at := i + 1
		if r.word(at) == "." {
			at++
		}
		if r.digits(at) > 0 && r.digits(at) <= 4 && r.sameLine(at) {
			return r.finding(i, at+1, Street)
		}
		return nothing()
	}
	at := i + 1
	if !streetBegins[r.low(i)] {
		return nothing()
	}
	short := len(r.low(i)) <= 4 // an abbreviation, such as "C/" and "Avda."
	if short && (r.word(at) == "." || r.word(at) == "/" && r.glued(at)) {
		at++
	}
	if at == i+1 && (r.low(i) == "c" || r.low(i) == "av") || !r.sameLine(at) {
		return nothing()
	}
	end := r.placeEnd(at)
	if end == at {
		return nothing()
	}
	next := end
	for r.word(next) == "," || r.low(next) == "nº" || r.low(next) == "n" {
		next++
	}
	if r.digits(next) > 0 && r.digits(next) <= 4 && r.sameLine(next) {
		end = next + 1
	}
	return r.finding(i, end, Street)
}

// addressField is the rest of the sentence or line after a field's name and a colon.
func addressField(r *reader, i int) (Finding, bool) {
	if !addressFields[r.low(i)] || r.word(i+1) != ":" || !r.sameLine(i+2) {
		return nothing()
	}
	end := i + 3
	for r.sameLine(end) && end < i+20 && (r.word(end) != "." || r.glued(end+1)) {
		end++
	}
	return r.finding(i+2, end, Street)
}

func germanStreet(w string) bool {
	return slices.ContainsFunc([]string{"straße", "strasse", "str", "gasse", "allee", "platz"}, func(ending string) bool {
		return len(w) > len(ending)+2 && strings.HasSuffix(w, ending)
	})
}

// mailAddress searches in both directions from an @.
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

// wordy reports whether token i has only letters, digits and underscores.
func (r *reader) wordy(i int) bool {
	w := r.word(i)
	return w != "" && (w[0] >= 0x80 || w[0] == '_' || w[0] >= '0' && w[0] <= '9' || w[0] >= 'A' && w[0] <= 'Z' || w[0] >= 'a' && w[0] <= 'z')
}

// longestAddress limits the number of tokens of a web address.
const longestAddress = 200

// webAddress starts with a scheme or with www, and ends before white space.
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
