// SPDX-License-Identifier: Apache-2.0

package personname

import "strings"

// facts is what a mention says of its person. All words are folded; one letter is an
// initial.
type facts struct {
	given, nick string
	middle      string // the middle names, with one blank between
	family      string // the words of the family name without particles, with one blank between
	glued       string // the family name with particles in one word
	suffix      string
	gender      Gender // by title or kinship
	kin         bool   // a word of kinship stands beside the name: "his wife Mary", "Mary (wife)"
	unsure      bool   // the only word is a given or a family name
	lastLetter  bool   // family is one letter that can be the middle name: "John S."
}

// IsRelative reports whether a word of kinship or friendship is in a mention or beside it: "his
// wife Mary", "Mary (wife)".
func IsRelative(m Mention) bool {
	f, ok := factsOf(m)
	return ok && f.kin
}

// factsOf reads a mention with the text around it.
func factsOf(m Mention) (facts, bool) {
	name, ok := readMention(m)
	if !ok {
		return facts{}, false
	}
	var f facts
	var middle, family, glued []string
	titles := 0
	for _, p := range name.Pieces {
		switch p.Role {
		case Title:
			titles++
			f.addTitle(p.fold, titles)
		case Given:
			f.given, f.unsure = p.fold, p.Unsure
		case Nick:
			f.nick = p.fold
		case Middle:
			middle = append(middle, p.fold)
		case Particle:
			glued = append(glued, p.fold)
		case Family:
			family = append(family, strings.Split(p.fold, "-")...)
			glued = append(glued, p.fold)
			f.unsure = f.unsure || p.Unsure && len(name.Pieces) == 1
			f.lastLetter = p.Unsure && f.given != ""
		case Suffix:
			f.suffix = generation(p.fold)
		}
	}
	f.middle, f.family = strings.Join(middle, " "), strings.Join(family, " ")
	f.glued = strings.ReplaceAll(strings.Join(glued, ""), "-", "")
	f.lookAround(m, titles)
	return f, true
}

// addTitle takes the gender of a title. Titles of both genders, as in "Mr. and Mrs.", say
// nothing.
func (f *facts) addTitle(fold string, count int) {
	g := titleGenders[fold]
	if kin, ok := kinGenders[fold]; g == Unknown && ok {
		g, f.kin = kin, true
	}
	switch {
	case g == Unknown:
	case count > 1 && f.gender != Unknown && f.gender != g:
		f.gender = Unknown
	default:
		f.gender = g
	}
}

func generation(fold string) string {
	switch fold {
	case "jnr", "junior":
		return "jr"
	case "snr", "senior":
		return "sr"
	}
	return fold
}

// lookAround takes a title or word of kinship that stands right before the mention, and a
// generation right after it.
func (f *facts) lookAround(m Mention, titles int) {
	before := splitWords(m.Before)
	if len(before) > 0 && titles == 0 && fieldOf(m) == Other {
		f.takeBefore(m.Before, before)
	}
	if after := splitWords(m.After); len(after) > 0 {
		f.takeAfter(m.After, after[0])
	}
}

func (f *facts) takeAfter(text string, w word) {
	gap := strings.TrimSpace(text[:w.start])
	kin, isKin := kinGenders[w.fold]
	switch {
	case isKin && gap == "(":
		f.takeKin(kin)
	case f.suffix == "" && suffixes[w.fold] && strings.Trim(gap, ",") == "" && startsUpper(text[w.start:]):
		f.suffix = generation(w.fold)
	}
}

func (f *facts) takeKin(g Gender) {
	f.kin = true
	if f.gender == Unknown {
		f.gender = g
	}
}

func (f *facts) takeBefore(text string, words []word) {
	n := len(words)
	if n > 1 && isVerbs[words[n-1].fold] {
		n--
		text = text[:words[n].start]
	}
	last := words[n-1]
	gap := text[last.end:]
	if n > 2 && (connectors[words[n-2].fold] || words[n-2].fold == "y") && lists().titles[words[n-3].fold] {
		return // "Mr. and Mrs." says nothing of one person
	}
	kin, isKin := kinGenders[last.fold]
	title := isTitleBefore(text, last)
	switch {
	case isKin && strings.Trim(gap, ",:( ") == "" && (!title || !isTitleCase(text[last.start:last.end])):
		f.takeKin(kin)
	case title && last.letters == 1:
		f.gender = Male // Monsieur, Don
	case title:
		f.gender = titleGenders[last.fold]
	case last.fold == "contact" && strings.Contains(gap, ":"):
		f.kin = true
	}
}

// isVerbs stand between a word of kinship and the name: "his proxy is Ann".
var isVerbs = map[string]bool{"is": true, "es": true, "ist": true, "est": true, "named": true}

// asFamily makes the given name the family name.
func (f *facts) asFamily() {
	if f.family == "" {
		f.family = strings.ReplaceAll(f.given, "-", " ")
		f.glued = strings.ReplaceAll(f.given, "-", "")
		f.given = ""
	}
	f.unsure = false
}

// hasFull reports whether the words hold a word that is not an initial.
func hasFull(words string) bool {
	for _, w := range strings.Fields(words) {
		if countLetters(w) > 1 {
			return true
		}
	}
	return false
}

// detail is how much a mention says. Mentions that say more are placed first.
func (f *facts) detail() int {
	given, family := hasFull(f.given), hasFull(f.family)
	switch {
	case given && family && (f.middle != "" || f.suffix != ""):
		return 5
	case given && family:
		return 4
	case family && f.given != "", given && !f.unsure:
		return 3
	case family && f.gender != Unknown:
		return 2
	case family || given:
		return 1
	}
	return 0
}
