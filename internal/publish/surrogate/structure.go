// SPDX-License-Identifier: Apache-2.0

package surrogate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate/dictionary"
)

// joins are small words inside of names: '-' for those that stand within one name, '&' for
// those between two.
var joins = map[string]byte{
	"of": '-', "the": '-', "at": '-', "in": '-', "on": '-', "for": '-', "de": '-', "del": '-', "la": '-', "las": '-', "los": '-', "el": '-',
	"du": '-', "des": '-', "le": '-', "les": '-', "d": '-', "l": '-', "von": '-', "vom": '-', "van": '-', "der": '-', "den": '-', "zu": '-',
	"zum": '-', "zur": '-', "am": '-', "im": '-', "an": '-', "dem": '-', "das": '-', "die": '-', "a": '-', "al": '-', "da": '-', "dos": '-', "do": '-',
	"und": '&', "and": '&', "et": '&', "y": '&', "e": '&', "or": '&',
}

// generic are the words of a kind that only say what a thing is: they stay.
var generic = sync.OnceValue(func() map[Kind]map[string]bool {
	out := map[Kind]map[string]bool{}
	for _, kind := range []Kind{Hospital, Organization, Place, Street, Department} {
		out[kind] = map[string]bool{}
		lists := []string{"generic", "generic." + string(kind)}
		if kind == Street {
			lists = lists[1:] // "Park Avenue" has a name
		}
		for _, name := range lists {
			for _, term := range books().lists[name] {
				out[kind][dictionary.Fold(term)] = true
			}
		}
	}
	return out
})

// role is what a word of a name is.
type role byte

const (
	between role = iota // spaces and punctuation
	kept                // a generic word
	joint               // a small word
	number              // it has digits
	core                // it identifies
)

// piece is a token, or several that are one name.
type piece struct {
	text string
	role role
}

// pieces reads the name of an institution, place or street. Small words between two words of
// a name belong to the name, "Virgen de la Cabeza".
func pieces(kind Kind, text string) []piece {
	var out []piece
	for _, t := range tokens(text) {
		out = append(out, piece{t.text, roleOf(kind, t)})
	}
	nameOf(kind, out)
	return joined(out)
}

// nameOf finds the name where all words of an institution are generic: a family name or a
// direction, as in "Hall Nursing Home" and "North Steel".
func nameOf(kind Kind, all []piece) {
	if kind != Hospital && kind != Organization || slices.ContainsFunc(all, func(p piece) bool { return p.role == core || p.role == number }) {
		return
	}
	name := slices.IndexFunc(all, func(p piece) bool {
		return p.role == kept && (knownNames()[dictionary.Fold(p.text)] || directions[dictionary.Fold(p.text)])
	})
	if name >= 0 {
		all[name].role = core
	}
}

var directions = map[string]bool{"north": true, "south": true, "east": true, "west": true}

func roleOf(kind Kind, t token) role {
	f := dictionary.Fold(t.text)
	switch {
	case !t.word:
		return between
	case generic()[kind][f]:
		return kept
	case hasDigit(t.text):
		return number
	case joins[f] == '&':
		return kept
	case joins[f] != 0:
		return joint
	case kind == Street && utf8.RuneCountInString(t.text) == 1:
		return number // the letter of a door
	}
	return core
}

// joined makes one piece of words of a name that only spaces, hyphens and small words separate.
func joined(in []piece) []piece {
	var out []piece
	for i := 0; i < len(in); i++ {
		p := in[i]
		if p.role == core {
			for end := nextCore(in, i); end > 0; end = nextCore(in, i) {
				for _, q := range in[i+1 : end+1] {
					p.text += q.text
				}
				i = end
			}
		}
		out = append(out, p)
	}
	return out
}

// nextCore is the place of the next word of the name that ends at i, 0 if there is none.
func nextCore(in []piece, i int) int {
	for j := i + 1; j < len(in); j++ {
		switch q := in[j]; {
		case q.role == core:
			return j
		case q.role == joint:
		case q.role == between && strings.Trim(q.text, " \t-'’.") == "":
		default:
			return 0
		}
	}
	return 0
}

// cores are the squashed names in a value of a structured kind.
func cores(kind Kind, text string) []string {
	switch kind {
	case City:
		before, _, _ := strings.Cut(text, ",")
		return []string{squash(before)}
	case Hospital, Organization, Place, Street:
	default:
		return nil
	}
	var out []string
	for _, p := range pieces(kind, text) {
		if s := squash(stem(kind, p.text)); p.role == core && s != "" {
			out = append(out, s)
		}
	}
	return out
}

// institution replaces the names in the name of an institution or place and keeps the rest:
// "Ashbridge General Hospital" becomes "Hartwell General Hospital".
func (p *Patient) institution(kind Kind, text string, draw int) (string, error) {
	if p.isShort(strings.TrimSpace(text), draw) {
		return p.short(kind, text, draw)
	}
	found := pieces(kind, text)
	var b strings.Builder
	named := false
	for _, q := range found {
		s, err := q.text, error(nil)
		switch {
		case q.role == core:
			s, err = p.name(kind, q.text, text, draw)
			named = true
		case q.role == number:
			s, err = p.small(kind, q.text, draw)
			named = true
		}
		if err != nil {
			return "", err
		}
		b.WriteString(s)
	}
	if named {
		return b.String(), nil
	}
	return p.addName(kind, text, draw)
}

// name replaces one name. A possessive stays.
func (p *Patient) name(kind Kind, text, whole string, draw int) (string, error) {
	text, tail := possessive(text)
	if isShort(text) && strings.ToUpper(text) == text && strings.ToUpper(whole) != whole {
		s, err := p.short(kind, text, draw)
		return s + tail, err
	}
	s, err := p.assign(wish{
		kind: kind, part: "name", canonical: squash(text), draw: draw, tries: 2 * nameTries,
		candidate: func(r *rand.Rand, _ int) string { return nameLike(r, p.maker.o.Locale, text) },
		usable:    func(s string) bool { return !shares(s, text) },
	})
	return likeCase(text, s) + tail, err
}

// nameLike is a name of as many words: places and families have given institutions and streets
// their names. Small words stay, "Ramón de la Torre".
func nameLike(r *rand.Rand, loc Locale, text string) string {
	all := tokens(text)
	last := len(all) - 1
	for i, t := range all {
		if !t.word || joins[dictionary.Fold(t.text)] != 0 {
			continue
		}
		_, tail := possessive(t.text)
		switch {
		case r.IntN(2) == 0:
			all[i].text = composed(r, loc) + tail
		case i < last && tail == "":
			all[i].text = pick(r, list(pick(r, []string{"given.f", "given.m"}), loc))
		default:
			all[i].text = familyName(r, loc, 0) + tail
		}
	}
	var b strings.Builder
	for _, t := range all {
		b.WriteString(t.text)
	}
	return b.String()
}

// addName puts an invented name before or behind a text that has none, "General Hospital".
func (p *Patient) addName(kind Kind, text string, draw int) (string, error) {
	if !hasLetter(text) {
		return "", formless(kind, "it has no letters")
	}
	s, err := p.assign(wish{
		kind: kind, part: "name", canonical: squash(text), draw: draw, tries: 2 * nameTries,
		candidate: func(r *rand.Rand, _ int) string { return composed(r, p.maker.o.Locale) },
	})
	if err != nil {
		return "", err
	}
	s = likeCase(text, s)
	switch p.maker.o.Locale {
	case Es, Fr:
		return text + likeCase(text, " de ") + s, nil
	case De:
		return text + " " + s, nil
	}
	for _, article := range []string{"the ", "The ", "THE ", "a ", "our "} {
		if strings.HasPrefix(text, article) {
			return article + s + " " + text[len(article):], nil
		}
	}
	return s + " " + text, nil
}

// isShort reports whether a text is a short form for the patient: one of a long form, or what
// it was taken for in other capitals.
func (p *Patient) isShort(text string, draw int) bool {
	canonical := squash(text)
	switch {
	case !isCompact(text):
		return false
	case p.longs[shortKey(text)] != "" || p.assigned("short", canonical, draw):
		return true
	case p.assigned("name", canonical, draw):
		return false
	}
	return isShort(text)
}

func shortKey(text string) string {
	return strings.ToUpper(strings.TrimSpace(strings.ReplaceAll(text, ".", "")))
}

// short replaces a short form: by that of the long form's surrogate, if the long form is
// known, else by other letters.
func (p *Patient) short(kind Kind, text string, draw int) (string, error) {
	plain := shortKey(text)
	if long, known := p.longs[plain]; known && !p.assigned("short", squash(text), draw) {
		delete(p.longs, plain) // a long form may have short forms that lead back to it
		s, err := p.institution(kind, long, draw)
		p.longs[plain] = long
		if err != nil {
			return "", err
		}
		if s = initials(s); squash(s) != squash(text) && !p.maker.o.Real.has(s) {
			return likeCase(text, dotted(text, s)), nil
		}
	}
	s, err := p.assign(wish{
		kind: kind, part: "short", code: true, canonical: squash(text), draw: draw, tries: 256,
		candidate: func(r *rand.Rand, _ int) string { return otherLetters(r, plain) },
	})
	return likeCase(text, dotted(text, s)), err
}

// otherLetters are random letters, except for a last H or C, for hospital, center and clinic.
func otherLetters(r *rand.Rand, s string) string {
	out := []rune(s)
	for i, c := range out {
		if i > 0 && i == len(out)-1 && (c == 'H' || c == 'C') {
			break
		}
		if unicode.IsLetter(c) {
			out[i] = rune(consonants[r.IntN(len(consonants))] - 'a' + 'A')
		}
	}
	return string(out)
}

// dotted writes a short form with dots if the original has them.
func dotted(original, s string) string {
	if !strings.Contains(original, ".") {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
		b.WriteByte('.')
	}
	if !strings.HasSuffix(original, ".") {
		return strings.TrimSuffix(b.String(), ".")
	}
	return b.String()
}

func possessive(s string) (name, tail string) {
	for _, t := range []string{"'s", "’s", "'S", "’S"} {
		if strings.HasSuffix(s, t) {
			return strings.TrimSuffix(s, t), t
		}
	}
	return s, ""
}

// shares reports whether two names share a word of at least three letters that is not a small one.
func shares(a, b string) bool {
	for _, v := range words(a) {
		for _, w := range words(b) {
			if v == w && utf8.RuneCountInString(v) > 2 && joins[v] == 0 {
				return true
			}
		}
	}
	return false
}
