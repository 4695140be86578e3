// SPDX-License-Identifier: Apache-2.0

package personname

import (
	"strings"
	"unicode/utf8"
)

// Write writes the name of the invented person in the form that a mention gives to the real
// person:
//
//	order           "Smith, John A."     -> "Miller, Robert C."
//	initials        "J. Smith", "JS"     -> "R. Miller", "RM"
//	capitals        "SMITH", "smith"     -> "MILLER", "miller"
//	short forms     "Johnny"             -> "Bob", if the invented name has one, else the given name
//	titles          "Mr. Smith"          -> "Mr. Miller", or "Ms. Miller" for a woman
//	suffixes        "Smith Jr., MD"      -> "Miller Jr., MD"
//	possessives     "Smith's", "Smiths'" -> "Miller's", "Millers'"
//	one of two      "García" of García Lorca -> the first of two invented family names
//	hyphens         "Smith-Jones"        -> as the invented name has them; one name for two if it has one
//	accents         "Garcia" of García   -> without accents
//
// Slips are not imitated. A middle name is left out if the invented person has none.
// Particles are those of the invented name. Names in other scripts, as Hebrew, Arabic, Greek
// or Cyrillic, become the invented name in Latin letters. Words that belong to no name, and
// names of a second person in the same mention, are left out. A text that cannot be a name
// becomes the full invented name.
func Write(m Mention, real, invented Person) string {
	name, ok := readMention(m)
	if !ok {
		return fullName(invented)
	}
	w := writer{name: name, real: real, invented: invented}
	w.resolve()
	w.cut()
	w.replace()
	if text := w.join(); strings.ContainsFunc(text, isLetterRune) && w.written > 0 {
		return text
	}
	return fullName(invented)
}

func fullName(p Person) string {
	return strings.Join(strings.Fields(p.Given+" "+p.Middle+" "+p.Family), " ")
}

// writer replaces the pieces of a name.
type writer struct {
	name           Name
	real, invented Person
	slots          []slot
	rest           string // the text behind the last piece
	written        int    // pieces that the invented name gave
}

// slot is a piece with the text around it.
type slot struct {
	Piece
	lead string // the text before it that belongs to neither neighbour
	text string
	tail string // a dot or possessive right behind it
	drop bool
}

// cut makes the slots: the text between two pieces is the tail of the first and the lead of
// the second.
func (w *writer) cut() {
	end := 0
	for i, p := range w.name.Pieces {
		lead := strings.ToValidUTF8(w.name.Text[end:p.Start], "")
		end = p.End
		tail := tailOf(w.name.Text[end:])
		if i+1 < len(w.name.Pieces) {
			tail = tail[:min(len(tail), w.name.Pieces[i+1].Start-end)]
		}
		end += len(tail)
		w.slots = append(w.slots, slot{Piece: p, lead: lead, text: w.name.Of(p), tail: tail})
	}
	w.rest = strings.ToValidUTF8(w.name.Text[end:], "")
}

// tailOf is a dot, a possessive or both at the start of the text behind a word.
func tailOf(rest string) string {
	n := 0
	if strings.HasPrefix(rest, ".") {
		n = 1
	}
	r, size := utf8.DecodeRuneInString(rest[n:])
	if size == 0 || !isApostrophe(r) {
		return rest[:n]
	}
	n += size
	if strings.HasPrefix(rest[n:], "s") || strings.HasPrefix(rest[n:], "S") {
		after, _ := utf8.DecodeRuneInString(rest[n+1:])
		if !isNameRune(after) {
			n++
		}
	}
	return rest[:n]
}

// join writes the slots. A slot that is left out takes the text before it along; at the
// start, the text behind it instead.
func (w *writer) join() string {
	var b strings.Builder
	first, dropped, lead := true, false, ""
	for i, s := range w.slots {
		if i == 0 || !first {
			lead = s.lead
		}
		if s.drop {
			dropped = true
			continue
		}
		if dropped && lead == "" && !first && !s.Initial {
			lead = " " // nothing else would part the two words
		}
		b.WriteString(lead + s.text + s.tail)
		first, dropped = false, false
	}
	b.WriteString(w.rest)
	return b.String()
}

// replace gives each slot its new text.
func (w *writer) replace() {
	middles := 0
	titles := w.genderedTitles()
	for i := 0; i < len(w.slots); i++ {
		s := &w.slots[i]
		switch s.Role {
		case Title:
			if titles == 1 {
				s.text = otherGender(s.text, w.invented.Gender)
			}
		case Suffix, Credential:
		case Given:
			w.put(s, w.givenFor(*s))
		case Nick:
			w.put(s, w.nick())
		case Middle:
			w.put(s, w.middleFor(*s, middles))
			middles++
		case Family, Particle:
			n := w.familyBlock(i)
			w.putFamily(w.slots[i : i+n])
			i += n - 1
		default:
			s.drop = true
		}
	}
}

// put writes a word in the form of a slot: initial, capitals, accents.
func (w *writer) put(s *slot, text string) {
	if text == "" {
		s.drop = true
		return
	}
	s.text = likeWord(s.text, text, s.Initial)
	w.written++
	if strings.HasSuffix(s.tail, "'") && !strings.HasSuffix(strings.ToLower(s.text), "s") {
		s.tail += "s" // James' becomes Robert's
	}
}

// likeWord writes text with the capitals of the word before, or as its initial.
func likeWord(before, text string, initial bool) string {
	if initial {
		r, _ := utf8.DecodeRuneInString(text)
		text = string(r)
	}
	switch {
	case isLower(before):
		return strings.ToLower(text)
	case isUpper(before) && (initial || countLetters(before) > 1):
		return strings.ToUpper(text)
	}
	return text
}

// plainLike leaves the accents out if a mention leaves out those of the real name.
func plainLike(mention, real, text string) string {
	if isPlain(mention) && !isPlain(real) {
		return withoutAccents(text)
	}
	return text
}

func isPlain(s string) bool { return len(s) == utf8.RuneCountInString(s) }
