// SPDX-License-Identifier: Apache-2.0

package personname

import (
	"slices"
	"strings"
	"unicode"
)

// familyBlock is the number of slots of the family name that starts at slot i.
func (w *writer) familyBlock(i int) int {
	n := 1
	for i+n < len(w.slots) && (w.slots[i+n].Role == Family || w.slots[i+n].Role == Particle) && !strings.ContainsAny(w.slots[i+n].lead, ",;") {
		n++
	}
	return n
}

// putFamily writes the invented family name into the slots of a family name: into the first
// one, and the others are left out.
func (w *writer) putFamily(block []slot) {
	if !slices.ContainsFunc(block, func(s slot) bool { return s.Role == Family }) {
		dropAll(block) // "van der" behind "Berg, Jan"
		return
	}
	if block[0].Initial {
		w.putFamilyInitials(block)
		return
	}
	invented := w.invented.Family
	if invented == "" && !w.name.has(Given, len(w.name.Pieces)) {
		invented = w.invented.Given
	}
	head := &block[0]
	last := block[len(block)-1]
	longest, text := longestWord(block), w.familyFor(block, invented)
	text = plainLike(blockText(block), w.real.Family, text)
	dropAll(block)
	head.drop = false
	head.text, head.tail, head.Initial = longest, last.tail, false
	w.put(head, text)
}

func dropAll(block []slot) {
	for i := range block {
		block[i].drop = true
	}
}

// putFamilyInitials writes initials for initials, as many as the invented name has.
func (w *writer) putFamilyInitials(block []slot) {
	words := strings.FieldsFunc(familyWithoutParticles(w.invented.Family), func(r rune) bool { return unicode.IsSpace(r) || isHyphen(r) })
	if len(words) == 0 {
		words = strings.Fields(w.invented.Given)
	}
	for i := range block {
		switch {
		case i >= len(words):
			block[i].drop = true
		default:
			block[i].Initial = true
			w.put(&block[i], words[i])
		}
	}
}

func longestWord(block []slot) string {
	longest := ""
	for _, s := range block {
		if s.Role == Family && len(s.text) > len(longest) {
			longest = s.text
		}
	}
	return longest
}

func blockText(block []slot) string {
	var b strings.Builder
	for i, s := range block {
		if i > 0 {
			b.WriteString(s.lead)
		}
		b.WriteString(s.text)
	}
	return b.String()
}

// familyFor is the invented family name for the words of a mention: one of two names for one
// of two, in the plural for the plural, and with its particles only if the mention has those
// of the real name.
func (w *writer) familyFor(block []slot, invented string) string {
	var words []string
	particles := false
	for _, s := range block {
		particles = particles || s.Role == Particle
		if s.Role == Family {
			words = append(words, nameWords(s.fold)...)
		}
	}
	real := familyWords(w.real.Family)
	if hasParticle(w.real.Family) && !particles {
		invented = familyWithoutParticles(invented)
	}
	parts := splitFamilies(invented)
	if len(words) == 1 && len(real) > 1 && len(parts) > 1 {
		if i := indexOfName(real, words[0]); i >= 0 {
			invented = parts[min(i, len(parts)-1)]
		}
	}
	if len(words) == 1 && slices.ContainsFunc(real, func(r string) bool { return words[0] == r+"s" }) && !slices.Contains(real, words[0]) {
		return invented + "s"
	}
	return withSeparator(blockText(block), invented, len(parts))
}

// indexOfName is the index of a word, or of its plural, in a name, or -1.
func indexOfName(real []string, word string) int {
	return slices.IndexFunc(real, func(r string) bool { return r == word || r+"s" == word })
}

// familyWords are the folded words of a family name without particles.
func familyWords(family string) []string { return nameWords(familyWithoutParticles(family)) }

func hasParticle(family string) bool { return familyWithoutParticles(family) != family }

// familyWithoutParticles is a family name from the first word that is not a particle.
func familyWithoutParticles(family string) string {
	words := strings.Fields(family)
	for len(words) > 1 && lists().particles[foldWord(words[0])] {
		words = words[1:]
	}
	return strings.Join(words, " ")
}

// splitFamilies are the family names of a person, each with its particles.
func splitFamilies(family string) []string {
	var parts []string
	part := ""
	for _, word := range strings.FieldsFunc(family, func(r rune) bool { return unicode.IsSpace(r) || isHyphen(r) }) {
		part = strings.TrimSpace(part + " " + word)
		if !lists().particles[foldWord(word)] {
			parts, part = append(parts, part), ""
		}
	}
	if part != "" {
		parts = append(parts, part)
	}
	return parts
}

// withSeparator joins two invented names as the mention joins its two names: with a hyphen
// or a blank.
func withSeparator(mention, invented string, parts int) string {
	if parts != 2 {
		return invented
	}
	hyphen := strings.ContainsFunc(mention, isHyphen)
	switch names := splitFamilies(invented); {
	case hyphen == strings.ContainsFunc(invented, isHyphen):
		return invented
	case len(names) != 2 || !hyphen && !strings.Contains(mention, " "):
		return invented
	case hyphen:
		return names[0] + "-" + names[1]
	default:
		return names[0] + " " + names[1]
	}
}
