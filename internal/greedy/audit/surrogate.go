// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

// mostShape is how many characters of an identifier a shape keeps.
const mostShape = 60

// ShapeOf is the word shape of an identifier: X and x for upper-case and other letters, d
// for digits, one blank for white space, and everything else as it is. It keeps no letter
// and no digit.
func ShapeOf(identifier string) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.Join(strings.Fields(identifier), " ") {
		if n++; n > mostShape {
			break
		}
		switch {
		case unicode.IsUpper(r):
			b.WriteByte('X')
		case unicode.IsLetter(r) || unicode.IsMark(r):
			b.WriteByte('x')
		case unicode.IsDigit(r):
			b.WriteByte('d')
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}

// class is what a surrogate has to look like, besides its shape.
type class int

const (
	ofName class = iota
	ofPlace
	ofDate
	ofNumber
)

// classOf guesses from the words in a label. Most identifiers that are missed are names.
func classOf(m Miss) class {
	label := strings.ToUpper(string(m.Label))
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(label, w) {
				return true
			}
		}
		return false
	}
	switch letters := strings.ContainsAny(m.Shape, "Xx"); {
	case has("DATE", "FECHA", "DATUM"):
		return ofDate
	case !letters:
		return ofNumber
	case has("LOC", "CITY", "STREET", "STATE", "COUNTRY", "PLACE", "ADDRESS", "ORT", "CALLE", "TERRITORIO", "PAIS", "GPE"):
		return ofPlace
	}
	return ofName
}

// maker makes surrogates.
type maker struct {
	random *rand.Rand
	taken  func(word string) bool
	names  []string // given names and surnames
	places []string
}

func newMaker(random *rand.Rand, taken func(string) bool) *maker {
	return &maker{random: random, taken: taken, names: slices.Concat(dictionary.Terms("given"), dictionary.Terms("surnames")), places: dictionary.Terms("cities")}
}

// ordinary are words that nobody could tell to be identifiers, in small letters.
var ordinary = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, w := range slices.Concat(dictionary.Terms("words"), dictionary.Terms("common")) {
		out[strings.ToLower(w)] = true
	}
	return out
})

// Tries before names are made of syllables, and before no surrogate is found at all.
const (
	triesOfLists = 30
	tries        = 90
)

// surrogate makes an identifier of the shape that is nobody's; "" if every try is taken.
func (m *maker) surrogate(miss Miss) string {
	kind := classOf(miss)
	for try := range tries {
		if s := m.fill(miss.Shape, kind, try >= triesOfLists); s != "" && m.free(s) {
			return s
		}
	}
	return ""
}

// free reports whether no word of it is taken. Single letters and numbers of at most two
// digits are in every note and belong to nobody.
func (m *maker) free(s string) bool {
	for _, t := range annotate.Tokenize(s) {
		word := s[t.Start:t.End]
		if n := utf8.RuneCountInString(word); n < 2 || n == 2 && isNumber(word) {
			continue
		}
		if m.taken != nil && m.taken(word) {
			return false
		}
	}
	return true
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 64)
	return err == nil
}

// fill replaces the letters and digits of a shape, run by run.
func (m *maker) fill(shape string, kind class, invent bool) string {
	pieces := strings.Fields(shape)
	numbers := 0
	for i, piece := range pieces {
		code := kind != ofDate && strings.Contains(piece, "d") && strings.ContainsAny(piece, "Xx") // such as HN-12A3
		var b strings.Builder
		for rest := piece; rest != ""; {
			run := rest[:len(rest)-len(strings.TrimLeft(rest, "Xxd"))]
			switch {
			case run == "":
				_, n := utf8.DecodeRuneInString(rest)
				run = rest[:n]
				b.WriteString(run)
			case strings.Trim(run, "d") == "":
				b.WriteString(m.number(run, kind, numbers))
				numbers++
			case code || len(run) == 1 || strings.Contains(run, "d"):
				b.WriteString(m.characters(run))
			default:
				b.WriteString(m.word(run, kind, len(pieces) > 1, invent))
			}
			rest = rest[len(run):]
		}
		pieces[i] = b.String()
	}
	return strings.Join(pieces, " ")
}

// characters are random ones.
func (m *maker) characters(run string) string {
	const upper, lower, digits = "ABCDEFGHJKLMNPRSTVW", "abcdefghjklmnprstvw", "0123456789"
	from := map[rune]string{'X': upper, 'x': lower, 'd': digits}
	return strings.Map(func(r rune) rune { return rune(from[r][m.random.IntN(len(from[r]))]) }, run)
}

// number has as many digits as the run. In dates it is a month or day, whichever order they
// have, or a year.
func (m *maker) number(run string, kind class, before int) string {
	switch n := len(run); {
	case n == 1:
		return strconv.Itoa(1 + m.random.IntN(9))
	case kind == ofDate && n == 2 && before < 2:
		return strconv.Itoa(10 + m.random.IntN(3))
	case kind == ofDate && n == 4:
		return strconv.Itoa(1950 + m.random.IntN(75))
	default:
		return strconv.Itoa(1+m.random.IntN(9)) + m.characters(run[1:])
	}
}

// word is a word of a list, or an invented one, in the case of the run and not much longer
// or shorter. Short words in small letters inside of others are particles.
func (m *maker) word(run string, kind class, inside, invent bool) string {
	list := m.names
	switch particle := inside && len(run) <= 3 && strings.Trim(run, "x") == ""; {
	case particle && kind == ofDate:
		list = []string{"de", "of"}
	case particle:
		list = []string{"de", "la", "van", "von", "den", "di"}
	case kind == ofDate:
		list = dictionary.Terms("months")
	case invent:
		list = nil
	case kind == ofPlace:
		list = m.places
	}
	best := m.invented()
	if list != nil {
		best = ""
	}
	for range 12 {
		if list == nil {
			break
		}
		w := list[m.random.IntN(len(list))]
		single := strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
		plain := kind != ofDate && !inside && ordinary()[strings.ToLower(w)]
		if single && !plain && (best == "" || off(w, run) < off(best, run)) {
			best = w
		}
	}
	return cased(best, run)
}

// off is the difference in length.
func off(word, run string) int {
	n := utf8.RuneCountInString(word) - len(run)
	return max(n, -n)
}

// invented is a name that no list has, made of syllables.
func (m *maker) invented() string {
	one := func(of string) string {
		parts := strings.Fields(of)
		return parts[m.random.IntN(len(parts))]
	}
	return one("Bal Cor Dre Fal Gil Hol Jar Kel Lor Mar Nor Pel Quil Ros Sel Tor Vel Wen Zar") + one("a e i o u ai ea") + one("b d f g k l m n r s t v z") + one("an ard ek ell en er ick in ith ock on ow um")
}

// cased gives a word the case of a run: of its first letter, and of its second for the
// others.
func cased(word, run string) string {
	first, size := utf8.DecodeRuneInString(word)
	if word == "" {
		return ""
	}
	rest := strings.ToLower(word[size:])
	if len(run) > 1 && run[1] == 'X' {
		rest = strings.ToUpper(rest)
	}
	if run[0] == 'X' {
		return string(unicode.ToUpper(first)) + rest
	}
	return string(unicode.ToLower(first)) + rest
}
