// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"strings"

	"hide/internal/publish/personname"
)

// Words in front of and behind a name that are not part of it.
var (
	titles = set(`mr mrs ms miss mister dr prof professor rev sr sra srta senor senora don dona dra herr frau
		mme mlle monsieur madame docteur sir lady`)
	suffixes = set(`jr sr jnr snr junior senior ii iii iv md phd rn`)
)

// cleanName cleans a given name, a middle name or a surname.
func cleanName(raw string, _ Reading) string {
	w := words(fold(raw))
	if strings.IndexByte(w, ' ') >= 0 {
		w = withoutTitles(w)
	}
	if !isName(w) {
		return ""
	}
	return w
}

// isName reports whether cleaned words can be a name.
func isName(w string) bool {
	return !missing[w] && !missingNames[w] && !isRepeated(w) && strings.Trim(w, "0123456789- ") != ""
}

// withoutTitles drops titles and suffixes as long as a word remains.
func withoutTitles(w string) string {
	for {
		first, rest, more := strings.Cut(w, " ")
		if !more || !titles[first] {
			break
		}
		w = rest
	}
	for {
		i := strings.LastIndexByte(w, ' ')
		if i < 0 || !suffixes[w[i+1:]] {
			return w
		}
		w = w[:i]
	}
}

// cleanFullName cleans a name with all its parts: "Smith, John A." is "smith, john a". A name
// whose parts are not certain is its words.
func cleanFullName(raw string, r Reading) string {
	if hasDigit(raw) || len(raw) > maxBytes {
		return cleanName(raw, r)
	}
	name, ok := personname.Read(raw)
	if !ok {
		return cleanName(raw, r)
	}
	var family, given []string
	for _, p := range name.Pieces {
		switch p.Role {
		case personname.Family, personname.Particle:
			family = append(family, name.Of(p))
		case personname.Given, personname.Middle:
			given = append(given, name.Of(p))
		}
	}
	f, g := cleanWords(family), cleanWords(given)
	switch {
	case f == "" && g == "":
		return cleanName(raw, r)
	case f == "" || g == "":
		return f + g
	}
	if whole := g + " " + f; !isName(whole) {
		return ""
	}
	return f + nameSeparator + g
}

// nameSeparator stands between the surname and the given names of a cleaned full name.
const nameSeparator = ", "

func cleanWords(parts []string) string {
	w := words(fold(strings.Join(parts, " ")))
	if !isName(w) {
		return ""
	}
	return w
}

// SplitFullName is the surname and the given names of a cleaned full name. One word alone is
// the surname.
func SplitFullName(cleaned string) (surname, given string) {
	if surname, given, both := strings.Cut(cleaned, nameSeparator); both {
		return surname, given
	}
	if i := strings.LastIndexByte(cleaned, ' '); i >= 0 {
		return cleaned[i+1:], cleaned[:i]
	}
	return cleaned, ""
}

// sexes has the folded words for the sexes.
var sexes = map[string]string{}

func init() {
	for code, list := range map[string]string{
		"m": "m male man boy masc masculine hombre varon masculino h v homme masculin garcon mannlich mann junge 1",
		"f": "f female woman girl fem feminine w mujer femenino femme feminin fille weiblich frau madchen 2",
		"x": "x d o other divers diverse nonbinary non-binary otro otra autre andere intersex 3",
		"":  "0 9 u unk i unknown indeterminado indetermine unbestimmt",
	} {
		for _, word := range strings.Fields(list) {
			sexes[word] = code
		}
	}
}

// cleanSex is "m", "f", "x" for another sex, and the folded value if it says no sex.
func cleanSex(raw string, r Reading) string {
	w := words(fold(raw))
	if r.Sex == SpanishCodes && w == "m" {
		return "f"
	}
	if r.Sex == OpaqueCodes && (w == "0" || w == "1") {
		return "code " + w // 1 alone would be a man
	}
	if code, ok := sexes[w]; ok {
		return code
	}
	if isMissing(w) {
		return ""
	}
	return w
}
