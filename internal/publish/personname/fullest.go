// SPDX-License-Identifier: Apache-2.0

package personname

import (
	"slices"
	"strings"
	"unicode"

	"hide/internal/annotate/dictionary"
)

// Fullest is the person of mentions that are one person: the most complete form of each
// part. A form in the lists goes before a slip, the given name before its short forms, and a
// form in capitals is written with small letters.
func Fullest(mentions []Mention) Person {
	var c collected
	for _, m := range mentions {
		c.add(m)
	}
	c.addUnsure()
	l := lists()
	p := Person{Given: c.given.best(l.given, isShortForm(c.given)), Middle: c.middle.best(l.given, nil), Family: c.family.best(l.surnames, nil)}
	if isRestOf(p.Middle, p.Given) {
		p.Middle = ""
	}
	p.Nick = c.nickOf(p.Given)
	p.Gender = c.gender
	if p.Gender == Unknown {
		p.Gender = GenderOf(p.Given)
	}
	return p
}

// isRestOf reports whether a middle name repeats the parts of the given name behind its first
// hyphen: "Karl Heinz" of Karl-Heinz.
func isRestOf(middle, given string) bool {
	parts := nameWords(given)
	return len(parts) > 1 && slices.Equal(nameWords(middle), parts[1:])
}

// forms counts the forms of a part of a name, in order of appearance.
type forms struct {
	texts  []string
	counts []int
}

func (f *forms) add(text string) {
	if text == "" {
		return
	}
	if i := slices.Index(f.texts, text); i >= 0 {
		f.counts[i]++
		return
	}
	f.texts, f.counts = append(f.texts, text), append(f.counts, 1)
}

// best is the fullest form, in mixed case. Forms for which worse says so come last.
func (f *forms) best(known map[string]bool, worse func(string) bool) string {
	best, most := "", []int(nil)
	for i, text := range f.texts {
		accents := len(text) - len(withoutAccents(text))
		rank := []int{0, len(nameWords(text)), 0, 0, accents, f.counts[i]}
		if hasFull(strings.Join(nameWords(text), " ")) && (worse == nil || !worse(text)) {
			rank[0] = 1
		}
		if !slices.ContainsFunc(nameWords(text), func(w string) bool { return !known[w] }) {
			rank[2] = 1
		}
		if !isUpper(text) && !isLower(text) {
			rank[3] = 1
		}
		if most == nil || slices.Compare(rank, most) > 0 {
			best, most = text, rank
		}
	}
	return mixedCase(best)
}

// mixedCase writes a name in capitals or small letters with a capital at the start of each
// word, except of particles.
func mixedCase(name string) string {
	if !isUpper(name) && !isLower(name) {
		return name
	}
	start := true
	name = strings.Map(func(r rune) rune {
		defer func() { start = !unicode.IsLetter(r) && !unicode.IsMark(r) }()
		if start {
			return unicode.ToTitle(r)
		}
		return unicode.ToLower(r)
	}, name)
	words := strings.Fields(name)
	for i, w := range words[:max(len(words)-1, 0)] {
		if lists().particles[foldWord(w)] && len(w) > 1 {
			words[i] = strings.ToLower(w)
		}
	}
	return strings.Join(words, " ")
}

// collected is what mentions of a person hold.
type collected struct {
	given, middle, family, nick  forms
	givenOrFamily, familyOrGiven forms // words that are unsure, by what they are more often
	gender                       Gender
}

func (c *collected) add(m Mention) {
	name, ok := readMention(m)
	if !ok {
		return
	}
	if f, ok := factsOf(m); ok && c.gender == Unknown {
		c.gender = f.gender
	}
	var middle, family, particles []string
	for i, p := range name.Pieces {
		text := name.Of(p)
		switch {
		case p.Unsure && p.Role == Given:
			c.givenOrFamily.add(text)
		case p.Unsure && len(name.Pieces) == 1:
			c.familyOrGiven.add(text)
		case p.Role == Given:
			c.given.add(text)
		case p.Role == Nick:
			c.nick.add(text)
		case p.Role == Middle:
			middle = append(middle, text)
		case p.Role == Particle && name.has(Given, i) && name.has(Family, i):
			particles = append(particles, text)
		case p.Role == Particle, p.Role == Family:
			family = append(family, text)
		}
	}
	c.middle.add(strings.Join(middle, " "))
	c.family.add(strings.Join(append(particles, family...), " "))
}

// addUnsure adds the words that can be a given or a family name: as what they are in
// another mention, or as what is missing.
func (c *collected) addUnsure() {
	for _, text := range c.givenOrFamily.texts {
		if c.isFamily(text) && !c.isGiven(text) || len(c.given.texts) > 0 && len(c.family.texts) == 0 {
			c.family.add(text)
		} else {
			c.given.add(text)
		}
	}
	for _, text := range c.familyOrGiven.texts {
		if c.isGiven(text) && !c.isFamily(text) || len(c.family.texts) > 0 && len(c.given.texts) == 0 && !c.isFamily(text) {
			c.given.add(text)
		} else {
			c.family.add(text)
		}
	}
}

func (c *collected) isGiven(text string) bool {
	return slices.ContainsFunc(c.given.texts, func(g string) bool { return matchGiven(foldWord(g), foldWord(text)) >= typo })
}

func (c *collected) isFamily(text string) bool {
	family := nameWords(strings.Join(c.family.texts, " "))
	return !slices.ContainsFunc(nameWords(text), func(word string) bool {
		return !slices.ContainsFunc(family, func(f string) bool { return f == word || isTypo(f, word, lists().surnames) })
	})
}

// isShortForm says of a given name whether it is a short form of another one of them.
func isShortForm(given forms) func(string) bool {
	return func(text string) bool {
		full := lists().full[foldWord(text)]
		return slices.ContainsFunc(given.texts, func(g string) bool { return slices.Contains(full, foldWord(g)) })
	}
}

// nickOf is the most frequent short form that is not the given name itself.
func (c *collected) nickOf(given string) string {
	short := forms{}
	for _, f := range []forms{c.nick, c.given} {
		for i, text := range f.texts {
			fold := foldWord(text)
			if fold == foldWord(given) || countLetters(fold) < 2 || abbreviations[fold] {
				continue
			}
			if slices.Contains(lists().full[fold], foldWord(given)) || slices.Contains(c.nick.texts, text) {
				for range f.counts[i] {
					short.add(text)
				}
			}
		}
	}
	best, most := "", 0
	for i, text := range short.texts {
		if short.counts[i] > most {
			best, most = text, short.counts[i]
		}
	}
	return mixedCase(best)
}

// withoutAccents is a name in plain letters.
func withoutAccents(name string) string {
	var b strings.Builder
	for _, r := range name {
		plain := string(r)
		if r > unicode.MaxASCII {
			plain = dictionary.Fold(plain)
			if unicode.IsUpper(r) && plain != "" {
				plain = strings.ToUpper(plain[:1]) + plain[1:]
			}
		}
		b.WriteString(plain)
	}
	return b.String()
}
