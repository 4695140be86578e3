// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate/dictionary"
	"hide/internal/publish/value"
)

// Reading is what the values of a column together show, and one value does not.
type Reading struct {
	Order value.Order // of numeric dates; month first if unknown, but day first between dots
	Sex   SexCodes
}

// SexCodes is what letters and digits stand for in a column of sexes.
type SexCodes int

// Codes of sexes.
const (
	CommonCodes  SexCodes = iota // M or 1 for men, F, W or 2 for women
	SpanishCodes                 // H or V for men, M for women
	OpaqueCodes                  // 0 and 1: equal codes are equal sexes
)

// maxBytes is the longest cleaned value. The rest of a longer value is not compared.
const maxBytes = 256

// fold is the lower case of a text without accents. Letters of other scripts stay.
func fold(s string) string {
	s = strings.TrimSpace(s)
	if isASCII(s) {
		return strings.ToLower(s)
	}
	words := strings.Fields(strings.ToValidUTF8(s, " "))
	kept := words[:0]
	for _, w := range words {
		if w = strings.ToLower(dictionary.Fold(w)); strings.IndexFunc(w, isNoMark) >= 0 {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

func isNoMark(r rune) bool { return !unicode.Is(unicode.Mn, r) }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// clip is the start of a value that is compared.
func clip(s string) string {
	if len(s) <= maxBytes {
		return s
	}
	end := maxBytes
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.TrimRight(s[:end], " -")
}

// words keeps letters, digits and hyphens inside of words of a folded text. Apostrophes go, so
// that O'Brien is one word; all else is a blank.
func words(folded string) string {
	var b strings.Builder
	b.Grow(len(folded))
	gap := rune(0) // what stands between the last word and the next
	for _, r := range folded {
		switch {
		case isApostrophe(r):
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r):
			if gap != 0 && b.Len() > 0 {
				b.WriteRune(gap)
			}
			gap = 0
			b.WriteRune(r)
		case isHyphen(r):
			gap = '-'
		case gap == 0:
			gap = ' '
		}
	}
	return clip(b.String())
}

func isApostrophe(r rune) bool {
	switch r {
	case '\'', '’', '‘', '`', '´', 'ʼ', 'ʹ', '׳':
		return true
	}
	return false
}

func isHyphen(r rune) bool { return r == '-' || r >= '‐' && r <= '―' || r == '־' }

// alphanumeric keeps the letters and digits of a folded text.
func alphanumeric(folded string) string {
	return clip(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, folded))
}

// digits keeps the ASCII digits of a text.
func digits(s string) string {
	return clip(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s))
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// isRepeated reports whether a value is one character over and over: 999999, xxx.
func isRepeated(s string) bool {
	return len(s) > 1 && strings.Trim(s, s[:1]) == ""
}

// missing are folded words for "no value" in four languages.
// missingUnlessName has those values that are also names of people.
var missing = set(`
	unknown unk unkn unbekannt desconocido desconocida desconegut inconnu inconnue
	none null missing blank empty void undefined unspecified undisclosed unavailable withheld refused declined
	ninguno ninguna vacio aucun aucune vide keine keiner keins leer fehlt entfallt
	tbd tba nn ukn xxx test`,
	"not known", "not available", "not applicable", "not recorded", "not given", "not stated", "not provided", "not specified",
	"n a", "k a", "no data", "no name", "no value", "no phone", "no email", "no address", "no fixed address", "no fixed abode", "homeless",
	"no consta", "no conocido", "no aplica", "no disponible", "sin datos", "sin dato", "sin especificar", "sin domicilio",
	"s d", "n c", "n d", "n s", "non connu", "non renseigne", "non disponible", "sans objet", "sans domicile fixe",
	"keine angabe", "keine angaben", "nicht bekannt", "nicht angegeben", "nicht zutreffend", "ohne festen wohnsitz")

var missingUnlessName = set(`na nan nil nd`)

// missingNames are what hospitals write for people whose name they do not know.
var missingNames = set(`baby babyboy babygirl newborn neugeborenes nouveau-ne`,
	"baby boy", "baby girl", "boy baby", "girl baby", "baby of", "infant of", "recien nacido", "recien nacida", "nouveau ne")

// set has the words of a text, and phrases.
func set(text string, phrases ...string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range append(strings.Fields(text), phrases...) {
		m[w] = true
	}
	return m
}

// isMissing reports whether the words of a value say that there is none.
func isMissing(words string) bool { return missing[words] || missingUnlessName[words] }

// cleanText cleans a text of which nothing is known.
func cleanText(raw string, _ Reading) string {
	w := words(fold(raw))
	if isMissing(w) {
		return ""
	}
	return w
}
