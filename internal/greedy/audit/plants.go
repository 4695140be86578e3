// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
)

// Miss describes an identifier that models missed in notes that they were not trained on:
// what a planted identifier has to be like. It holds nothing of the identifier.
type Miss struct {
	Label  annotate.Label `json:"label"`
	Shape  string         `json:"shape"`  // [ShapeOf]
	Before string         `json:"before"` // the kept word directly before it, "" unless common
	After  string         `json:"after"`
}

// DescribeMiss describes the tokens from to to-1 of a note, which models missed. Words beside
// them are told if they are not redacted and common, such as words that occur in many
// released notes.
func DescribeMiss(v annotate.View, from, to int, common func(word string) bool) Miss {
	m := Miss{Label: v.Label(from)}
	if v.Tokens != nil {
		m.Shape = ShapeOf(v.Text[v.Tokens[from].Start:v.Tokens[to-1].End])
	} else {
		m.Shape = ShapeOf(strings.Join(v.Words[from:to], " "))
	}
	beside := func(i int) string {
		if i < 0 || i >= len(v.Words) || v.Hidden(i) || v.Sensitive[i] || !common(v.Words[i]) {
			return ""
		}
		return v.Words[i]
	}
	m.Before, m.After = beside(from-1), beside(to)
	return m
}

// readable are the misses that a reader can find: they have a letter or a digit. Models miss
// a comma inside of an address, too, but nobody can mark one.
func readable(misses []Miss) []Miss {
	var out []Miss
	for _, m := range misses {
		if strings.ContainsAny(m.Shape, "Xxd") {
			out = append(out, m)
		}
	}
	if len(out) == 0 {
		return GenericMisses()
	}
	return out
}

// GenericMisses are for models that missed nothing: names, dates, numbers and places.
func GenericMisses() []Miss {
	return []Miss{
		{Label: "NAME", Shape: "Xxxxxx"}, {Label: "NAME", Shape: "Xxxxx Xxxxxxx"}, {Label: "NAME", Shape: "X. Xxxxxxx"},
		{Label: "DATE", Shape: "d/dd"}, {Label: "DATE", Shape: "Xxxxx dddd"}, {Label: "ID", Shape: "ddddddd"}, {Label: "LOCATION", Shape: "Xxxxxxxx"},
	}
}

// Target is a passage to be read, as it would be published.
type Target struct {
	Start        annotate.ByteOff // of the passage in its released note
	Text         string           // of the passage
	Placeholders []annotate.Span  // in Text
	Closed       bool             // nothing is planted in it
}

// Shown is a passage as its reader sees it.
type Shown struct {
	Start        annotate.ByteOff // of the passage in its released note
	Text         string
	Placeholders []annotate.Span // in Text
	Plant        *Plant          // nil for none
}

// Plant is a surrogate identifier inserted into a passage.
type Plant struct {
	Label annotate.Label   `json:"label"`
	Start annotate.ByteOff `json:"start"` // of the identifier in the shown text
	End   annotate.ByteOff `json:"end"`
	At    annotate.ByteOff `json:"at"`   // where text was inserted
	Size  int              `json:"size"` // bytes inserted: the identifier and a blank
}

// Plants inserts up to n surrogate identifiers into passages, at most one into each and
// nothing else, and returns all passages as shown, in the same order. Each plant has label
// and shape of a miss, in turn, and stands beside the same word as the miss if a passage
// without a plant has that word; otherwise at a place where an identifier is plausible. No
// word of a plant is taken; taken may be nil. Misses of punctuation are left out. Equal seeds give equal plants. There are
// fewer than n if there are fewer passages with a word, or no miss.
func Plants(seed [32]byte, n int, passages []Target, misses []Miss, taken func(word string) bool) []Shown {
	out := make([]Shown, len(passages))
	for i, p := range passages {
		out[i] = Shown{Start: p.Start, Text: p.Text, Placeholders: slices.Clone(p.Placeholders)}
	}
	if n <= 0 || len(misses) == 0 {
		return out
	}
	misses = readable(misses)
	random := rand.New(rand.NewChaCha8(seed))
	g := newGarden(random, passages)
	surrogates := newMaker(random, taken)
	turn := random.Perm(len(misses))
	failed := 0
	for i := 0; n > 0 && failed < len(misses); i++ {
		miss := misses[turn[i%len(turn)]]
		word := surrogates.surrogate(miss)
		if word == "" {
			failed++ // another shape may do
			continue
		}
		at, place, found := g.place(miss)
		if !found {
			break
		}
		out[at].insert(word, miss.Label, place)
		n, failed = n-1, 0
	}
	return out
}

// garden knows where identifiers can be planted.
type garden struct {
	random *rand.Rand
	places [][]place        // by passage; nil when planted
	order  []int            // of passages, random
	beside map[string][]int // passages by words of theirs, in that order
}

// place is one between words.
type place struct {
	at            annotate.ByteOff
	before, after string // the words around it, in small letters; "" for none
	first         bool   // nothing is before it, so the blank comes after what is inserted
	ends          bool   // punctuation or a line's end follows
}

func newGarden(random *rand.Rand, passages []Target) *garden {
	g := &garden{random: random, places: make([][]place, len(passages)), order: random.Perm(len(passages)), beside: map[string][]int{}}
	for _, i := range g.order {
		if !passages[i].Closed {
			g.places[i] = placesIn(passages[i])
		}
		for _, p := range g.places[i] {
			for _, w := range []string{p.before, p.after} {
				if all := g.beside[w]; w != "" && (len(all) == 0 || all[len(all)-1] != i) {
					g.beside[w] = append(all, i)
				}
			}
		}
	}
	return g
}

// placesIn lists the places at the ends of kept words, and the one before the first.
func placesIn(p Target) []place {
	words := keptWords(p.Text, p.Placeholders)
	if len(words) == 0 {
		return nil
	}
	word := func(i int) string { return strings.ToLower(p.Text[words[i].Start:words[i].End]) }
	var out []place
	if words[0].Start == 0 {
		out = append(out, place{first: true, after: word(0)})
	}
	for i, w := range words {
		next, _ := utf8.DecodeRuneInString(p.Text[w.End:])
		blank := unicode.IsSpace(next)
		if !blank && next != utf8.RuneError && !endsClause(p.Text[w.End:]) || inPlaceholder(w.End, p.Placeholders) {
			continue // within a word such as 3/4 or well-known
		}
		at := place{at: w.End, before: word(i), ends: next == '\n' || !blank}
		if i+1 < len(words) && strings.TrimSpace(p.Text[w.End:words[i+1].Start]) == "" {
			at.after = word(i + 1)
		}
		out = append(out, at)
	}
	return out
}

// endsClause reports whether text begins with punctuation and then white space or nothing.
func endsClause(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	next, _ := utf8.DecodeRuneInString(text[size:])
	return strings.ContainsRune(".,;:!?)", r) && (len(text) == size || unicode.IsSpace(next))
}

func inPlaceholder(at annotate.ByteOff, placeholders []annotate.Span) bool {
	return slices.ContainsFunc(placeholders, func(s annotate.Span) bool { return s.Start < at && at < s.End })
}

// place takes a passage and a place in it.
func (g *garden) place(m Miss) (passage int, at place, found bool) {
	before, after := strings.ToLower(m.Before), strings.ToLower(m.After)
	for _, w := range []string{before, after} {
		if w == "" {
			continue
		}
		for len(g.beside[w]) > 0 {
			passage, g.beside[w] = g.beside[w][0], g.beside[w][1:]
			if g.places[passage] == nil {
				continue
			}
			return passage, g.take(passage, func(p place) int {
				return 2*point(before != "" && p.before == before) + point(after != "" && p.after == after)
			}), true
		}
	}
	for len(g.order) > 0 {
		passage, g.order = g.order[0], g.order[1:]
		if len(g.places[passage]) > 0 {
			cues := cuesOf(classOf(m))
			return passage, g.take(passage, func(p place) int { return 2*point(slices.Contains(cues, p.before)) + point(p.ends) }), true
		}
	}
	return 0, place{}, false
}

// take returns the place of the most points, a random one of several, and closes the
// passage.
func (g *garden) take(passage int, points func(place) int) place {
	all := slices.Clone(g.places[passage])
	g.places[passage] = nil
	g.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return slices.MaxFunc(all, func(a, b place) int { return cmp.Compare(points(a), points(b)) })
}

func point(is bool) int {
	if is {
		return 1
	}
	return 0
}

// cuesOf are words after which identifiers stand, in the languages of the dictionaries.
func cuesOf(kind class) []string {
	switch kind {
	case ofDate:
		return strings.Fields("on in since until of from el en desde hasta am seit le depuis")
	case ofPlace:
		return strings.Fields("in at from to near of en de desde a aus à")
	case ofNumber:
		return strings.Fields("no number id mrn phone tel ext record account número nº nummer numéro")
	}
	return strings.Fields("by with mr mrs ms dr dra sr sra and patient doctor por con von mit frau herr par avec")
}

// insert plants a word at a place, with a blank between it and the text.
func (s *Shown) insert(word string, label annotate.Label, at place) {
	blanked, start := " "+word, at.at+1
	if at.first {
		blanked, start = word+" ", at.at
	}
	size := annotate.ByteOff(len(blanked))
	s.Text = s.Text[:at.at] + blanked + s.Text[at.at:]
	for i := range s.Placeholders {
		if p := &s.Placeholders[i]; p.Start >= at.at {
			p.Start, p.End = p.Start+size, p.End+size
		}
	}
	s.Plant = &Plant{Label: label, Start: start, End: start + annotate.ByteOff(len(word)), At: at.at, Size: len(blanked)}
}

// Selected divides a reader's selection in the shown text: whether it touches the planted
// identifier, and what it covers of the released note, as whole kept words at positions in
// the note. A selection of the plant alone covers nothing of it.
func (s Shown) Selected(start, end annotate.ByteOff) (caught bool, spans []annotate.Span) {
	start, end = max(0, start), min(end, annotate.ByteOff(len(s.Text)))
	p := s.Plant
	caught = p != nil && start < p.End && p.Start < end
	for _, w := range keptWords(s.Text, s.Placeholders) {
		if w.End <= start || end <= w.Start || p != nil && p.Start <= w.Start && w.End <= p.End {
			continue
		}
		from, to := s.inNote(w.Start), s.inNote(w.End)
		if n := len(spans); n > 0 && s.joins(spans[n-1].End, from, w.Start) {
			spans[n-1].End = to
			continue
		}
		spans = append(spans, annotate.Span{Start: from, End: to})
	}
	return caught, spans
}

// joins reports whether the words on both sides of text belong to one selection: no
// placeholder and no plant is between them.
func (s Shown) joins(end, next, shown annotate.ByteOff) bool {
	if p := s.Plant; p != nil && end <= s.Start+p.At && s.Start+p.At <= next {
		return false
	}
	return !slices.ContainsFunc(s.Placeholders, func(h annotate.Span) bool { return end <= s.inNote(h.Start) && h.End <= shown })
}

// inNote is the position in the released note of one in the shown text; of those in what
// was inserted, the place where it was.
func (s Shown) inNote(at annotate.ByteOff) annotate.ByteOff {
	if p := s.Plant; p != nil && at > p.At {
		at = max(p.At, at-annotate.ByteOff(p.Size))
	}
	return s.Start + at
}
