// SPDX-License-Identifier: Apache-2.0

package hospital

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
)

// scribe writes one note. Everything it needs is in its fields; the text and the
// spans grow together.
type scribe struct {
	rng     *rand.Rand
	grammar *grammar
	site    *institution
	patient *patient
	day     time.Time // of the note

	author, attending, other person // clinicians of this note
	kin                      relative

	text  []byte
	spans []annotate.Span
}

// staff chooses who writes, who is responsible and who else is mentioned.
func (s *scribe) staff() {
	roster := s.site.roster
	s.author = roster[s.rng.IntN(len(roster))]
	s.attending = roster[s.rng.IntN(len(roster))]
	s.other = s.site.person(s.rng)
	s.kin = s.patient.kin[s.rng.IntN(len(s.patient.kin))]
}

// write expands a slot or, when there is none of that name, a rule.
func (s *scribe) write(name string) {
	if slot := s.grammar.slots[name]; slot != nil {
		slot(s)
		return
	}
	r := s.grammar.rules[name]
	r.alternatives[r.pick(s.rng)].write(s)
}

func (s *scribe) put(text string) { s.text = append(s.text, text...) }

// mark writes text and labels it.
func (s *scribe) mark(label annotate.Label, text string) {
	start := len(s.text)
	s.put(text)
	s.label(label, start)
}

// label marks everything written since start.
func (s *scribe) label(label annotate.Label, start int) {
	if start < len(s.text) {
		s.spans = append(s.spans, annotate.Span{Start: annotate.ByteOff(start), End: annotate.ByteOff(len(s.text)), Label: label})
	}
}

func (n literal) write(s *scribe) { s.put(string(n)) }
func (n call) write(s *scribe)    { s.write(string(n)) }
func (n choice) write(s *scribe)  { n[s.rng.IntN(len(n))].write(s) }

func (n sequence) write(s *scribe) {
	for _, part := range n {
		part.write(s)
	}
}

func (n maybe) write(s *scribe) {
	if s.rng.IntN(2) == 0 {
		n.body.write(s)
	}
}

func (n marked) write(s *scribe) {
	start := len(s.text)
	n.body.write(s)
	s.label(n.label, start)
}

func (n changed) write(s *scribe) {
	start := len(s.text)
	n.body.write(s)
	n.by(s, s.text[start:])
}

func (n number) write(s *scribe) {
	steps := math.Pow10(n.decimals)
	low, high := math.Round(n.low*steps), math.Round(n.high*steps)
	x := (low + float64(s.rng.IntN(int(high-low)+1))) / steps
	s.put(strconv.FormatFloat(x, 'f', n.decimals, 64))
}

func (n digits) write(s *scribe) {
	for i := range len(n) {
		c := n[i]
		switch c {
		case '#':
			c = byte('0' + s.rng.IntN(10))
		case '@':
			c = byte('A' + s.rng.IntN(26))
		}
		s.text = append(s.text, c)
	}
}

// write draws without replacement, so that no sentence comes twice in a row of
// them.
func (n repeat) write(s *scribe) {
	r := s.grammar.rules[n.rule]
	order := s.rng.Perm(len(r.alternatives))
	count := min(n.least+s.rng.IntN(n.most-n.least+1), len(order))
	for i, k := range order[:count] {
		if i > 0 {
			s.put(n.joint)
		}
		r.alternatives[k].write(s)
	}
}

// wear makes the note look used: now and then all of it in capitals or small
// letters, here and there two letters of an ordinary word swapped.
func (s *scribe) wear() {
	switch s.rng.IntN(24) {
	case 0, 1:
		capitals(s, s.text)
	case 2:
		small(s, s.text)
	}
	at := 0
	for _, span := range append(slices.Clone(s.spans), annotate.Span{Start: annotate.ByteOff(len(s.text))}) {
		s.slip(s.text[at:span.Start])
		at = int(span.End)
	}
}

// slip misspells one in eighty of the words.
func (s *scribe) slip(text []byte) {
	for _, word := range bytes.Fields(text) {
		if s.rng.IntN(80) == 0 {
			misspell(s, word)
		}
	}
}

// capitals changes text in place. Letters whose capital takes another number of
// bytes stay.
func capitals(_ *scribe, text []byte) { replaceSameSize(text, bytes.ToUpper) }

func small(_ *scribe, text []byte) { replaceSameSize(text, bytes.ToLower) }

func replaceSameSize(text []byte, change func([]byte) []byte) {
	for i := 0; i < len(text); {
		_, size := utf8.DecodeRune(text[i:])
		if to := change(text[i : i+size]); len(to) == size {
			copy(text[i:], to)
		}
		i += size
	}
}

// misspell swaps two neighbouring small letters of the longest word.
func misspell(s *scribe, text []byte) {
	words := bytes.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if len(words) == 0 {
		return
	}
	word := slices.MaxFunc(words, func(a, b []byte) int { return len(a) - len(b) })
	if len(word) < 4 {
		return
	}
	for i := 1 + s.rng.IntN(len(word)-2); i+1 < len(word); i++ {
		if a, b := word[i], word[i+1]; a != b && a < utf8.RuneSelf && b < utf8.RuneSelf {
			word[i], word[i+1] = b, a
			return
		}
	}
}
