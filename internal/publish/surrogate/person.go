// SPDX-License-Identifier: Apache-2.0

package surrogate

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate/dictionary"
	"hide/internal/publish/personname"
)

const (
	nameKind  = Kind("name") // in errors
	nameTries = 400          // of a list; as many composed names follow
	nickTries = 24           // that prefer a name with a short form

	composedGivens, composedFamilies = 6, 4 // one of so many English names is composed
)

// Person invents the name of a person. group and canonical say which person of the patient
// it is; real is the fullest form of the name. Equal family names have equal surrogates, so
// relatives still share theirs, and different ones differ; given names likewise. A person of
// unknown gender gets one that follows from the key. The invented person has a middle name,
// two family names, a hyphen or a short form only if the real one does.
func (p *Patient) Person(group, canonical string, real personname.Person, place int) (personname.Person, error) {
	who := group + "\x00" + squash(canonical)
	n := namer{p: p, real: real, who: who, draw: p.draw("person", who, place)}
	n.banned = words(strings.Join([]string{real.Given, real.Middle, real.Family, real.Nick, canonical}, " "))
	n.gender = n.genderOf()
	invented := personname.Person{Gender: n.gender}
	var err error
	if invented.Family, err = n.family(); err != nil {
		return personname.Person{}, err
	}
	if invented.Given, err = n.given(real.Given); err != nil {
		return personname.Person{}, err
	}
	if invented.Middle, err = n.middle(); err != nil {
		return personname.Person{}, err
	}
	if real.Nick != "" {
		invented.Nick = n.nick(invented.Given)
	}
	p.remember(real, invented)
	return invented, nil
}

// namer invents one person.
type namer struct {
	p      *Patient
	real   personname.Person
	who    string
	draw   int
	gender personname.Gender
	banned []string // words of the real name
}

func (n *namer) genderOf() personname.Gender {
	g := n.real.Gender
	if g == personname.Unknown && n.real.Given != "" {
		g = genderOf(n.real.Given, n.p.maker.o.Locale)
	}
	if g == personname.Unknown {
		g = personname.Female
		if n.p.random("gender", n.who, n.draw).IntN(2) == 0 {
			g = personname.Male
		}
	}
	return g
}

// genderOf is the gender that a given name shows, by package personname or by the lists of the
// locale.
func genderOf(given string, loc Locale) personname.Gender {
	if g := personname.GenderOf(given); g != personname.Unknown {
		return g
	}
	female, male := slices.Contains(list("given.f", loc), given), slices.Contains(list("given.m", loc), given)
	switch {
	case female && !male:
		return personname.Female
	case male && !female:
		return personname.Male
	}
	return personname.Unknown
}

// family invents each part of the family name apart, so that "García" is found again in
// "García Lorca". Other particles stand for those in front of the name; particles within are
// left out.
func (n *namer) family() (string, error) {
	name, err := n.parts(n.real.Family, func(real string) (string, error) {
		return n.one("family", real, func(r *rand.Rand, try int) string { return familyName(r, n.p.maker.o.Locale, try) })
	})
	return n.particle() + name, err
}

// particle is a particle with a blank behind it, if the real family name begins with one.
func (n *namer) particle() string {
	first, _, more := strings.Cut(n.real.Family, " ")
	if !more || !isParticle(first) {
		return ""
	}
	others := slices.DeleteFunc([]string{"van", "von", "de", "del", "du"}, func(s string) bool { return slices.Contains(n.banned, s) })
	made := pick(n.p.random("particle", squash(n.real.Family), n.draw), others)
	if startsUpper(first) {
		made = title(made)
	}
	return made + " "
}

// given invents each given name apart.
func (n *namer) given(real string) (string, error) {
	part := "given.f"
	if n.gender == personname.Male {
		part = "given.m"
	}
	return n.parts(real, func(real string) (string, error) {
		return n.one(part, real, func(r *rand.Rand, try int) string {
			s := givenName(r, part, n.p.maker.o.Locale, try)
			if try < nickTries && n.real.Nick != "" && len(personname.Nicknames(s)) == 0 {
				return ""
			}
			return s
		})
	})
}

// middle invents initials for initials and names for names.
func (n *namer) middle() (string, error) {
	var out []string
	for i, m := range strings.Fields(n.real.Middle) {
		if isParticle(m) {
			continue
		}
		if len([]rune(strings.TrimSuffix(m, "."))) == 1 {
			letter := string(rune('A' + n.p.random("middle", n.who+strconv.Itoa(i), n.draw).IntN(26)))
			if dictionary.Fold(letter) == dictionary.Fold(strings.TrimSuffix(m, ".")) {
				letter = string('A' + (rune(letter[0])-'A'+1)%26)
			}
			out = append(out, letter+strings.Repeat(".", strings.Count(m, ".")))
			continue
		}
		name, err := n.given(m)
		if err != nil {
			return "", err
		}
		out = append(out, name)
	}
	return strings.Join(out, " "), nil
}

// parts invents the parts of a name that spaces and hyphens separate.
func (n *namer) parts(real string, invent func(string) (string, error)) (string, error) {
	var b strings.Builder
	joint := ""
	for i, part := range strings.FieldsFunc(real, func(r rune) bool { return unicode.IsSpace(r) || r == '-' || r == '‐' || r == '–' }) {
		if isParticle(part) || !hasLetter(part) {
			continue
		}
		if b.Len() > 0 {
			joint = " "
			if at := strings.Index(real, part); i > 0 && at > 0 && real[at-1] == '-' {
				joint = "-"
			}
		}
		name, err := invent(part)
		if err != nil {
			return "", err
		}
		b.WriteString(joint + name)
	}
	if b.Len() > 0 {
		return b.String(), nil
	}
	return invent("")
}

// one invents one word of a name. A name that is not known has one of its own, for forms
// that show more than was known.
func (n *namer) one(part, real string, candidate func(*rand.Rand, int) string) (string, error) {
	canonical := squash(real)
	if canonical == "" {
		canonical = "unknown\x00" + n.who
	}
	first, _ := utf8.DecodeRuneInString(canonical)
	return n.p.assign(wish{
		kind: nameKind, part: part, canonical: canonical, draw: n.draw, tries: 2 * nameTries, candidate: candidate,
		usable: func(s string) bool {
			ws := words(s)
			return !strings.HasPrefix(ws[0], string(first)) && !slices.ContainsFunc(ws, func(w string) bool { return unidentifying()[w] || slices.Contains(n.banned, w) })
		},
	})
}

// nick is a short form of the invented name that is not real, or the name itself.
func (n *namer) nick(given string) string {
	first, _, _ := strings.Cut(strings.ReplaceAll(given, "-", " "), " ")
	for _, s := range personname.Nicknames(first) {
		if !n.p.maker.o.Real.has(s) && !slices.Contains(n.banned, dictionary.Fold(s)) {
			return s
		}
	}
	return first
}

// givenName draws a given name: first from the list, then composed of syllables. Some English
// ones are composed at once: a tagger that learns from surrogates must meet names of no list.
func givenName(r *rand.Rand, part string, loc Locale, try int) string {
	if try < nameTries && (loc != En || r.IntN(composedGivens) > 0) {
		return pick(r, list(part, loc))
	}
	return pick(r, list("syllables", loc)) + pick(r, list("syllables."+part[len(part)-1:], loc))
}

// familyName draws a family name: first from the list, then composed. As with given names,
// some English ones are composed at once.
func familyName(r *rand.Rand, loc Locale, try int) string {
	if try < nameTries && (loc != En || r.IntN(composedFamilies) > 0) {
		return pick(r, list("family", loc))
	}
	return composed(r, loc)
}

// composed is an invented name of a place or family: "Hartwell", "Torrealba".
func composed(r *rand.Rand, loc Locale) string {
	start, end := pick(r, list("starts", loc)), pick(r, list("ends", loc))
	if last := start[len(start)-1:]; strings.HasPrefix(end, last) && strings.Contains("aeiou", last) {
		end = end[1:]
	}
	return start + end
}

func pick(r *rand.Rand, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[r.IntN(len(list))]
}

func isParticle(s string) bool {
	return unidentifying()[dictionary.Fold(s)] && len(s) > 1 && len(s) < 5 && joins[dictionary.Fold(s)] != 0
}

// remember keeps which words became which, for e-mail addresses and user names.
func (p *Patient) remember(real, invented personname.Person) {
	one := nameWords{}
	for _, pair := range [][2]string{{real.Given, invented.Given}, {real.Family, invented.Family}, {real.Nick, invented.Nick}, {real.Middle, invented.Middle}} {
		from, to := nameParts(pair[0]), nameParts(pair[1])
		for i, w := range from {
			if i < len(to) {
				p.names[w] = to[i]
				one.real, one.invented = append(one.real, w), append(one.invented, to[i])
			}
		}
		if len(from) > 1 {
			p.names[strings.Join(from, "")] = strings.Join(to, "")
		}
	}
	p.people = append(p.people, one)
}

// nameWords are the words of a person's name with the invented ones, in parallel.
type nameWords struct{ real, invented []string }

// nameParts are the folded words of a name without particles.
func nameParts(s string) []string {
	return slices.DeleteFunc(words(s), func(w string) bool { return isParticle(w) })
}
