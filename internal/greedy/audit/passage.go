// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
)

// Passage covers text[Start:End] of a released note, without white space at its ends.
type Passage struct {
	Start annotate.ByteOff `json:"start"`
	End   annotate.ByteOff `json:"end"`
	Words int              `json:"words"` // kept words: tokens with a letter or digit that no placeholder covers
}

// Sizes of passages, in kept words.
const (
	fewestWords = 25
	mostWords   = 40
)

// Cut cuts the text of a released note into passages of 25 to 40 kept words where the text
// allows it, and never more than 40, at line ends and ends of sentences where it can.
// placeholders are the places of redacted text, in order; they are shown in passages, and
// their words do not count. Every token outside the placeholders is in exactly one passage.
// A note without a kept word has no passage: nothing but punctuation is left in it.
func Cut(text string, placeholders []annotate.Span) []Passage {
	words := keptWords(text, placeholders)
	if len(words) == 0 {
		return nil
	}
	gaps := make([]gap, len(words)-1)
	for i := range gaps {
		gaps[i] = gapBetween(text, words[i].End, words[i+1].Start, placeholders)
	}
	var out []Passage
	from := annotate.ByteOff(0)
	last := 0
	for _, end := range cheapest(gaps) {
		to := annotate.ByteOff(len(text))
		if end < len(words) {
			to = gaps[end-1].at
		}
		p := trimmed(text, from, to)
		p.Words = end - last
		out, from, last = append(out, p), to, end
	}
	return out
}

// keptWords are the tokens with a letter or digit of which a placeholder does not cover
// everything.
func keptWords(text string, placeholders []annotate.Span) []annotate.Token {
	at := 0
	return slices.DeleteFunc(annotate.Tokenize(text), func(t annotate.Token) bool {
		r, _ := utf8.DecodeRuneInString(text[t.Start:])
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			return true
		}
		for at < len(placeholders) && placeholders[at].End <= t.Start {
			at++
		}
		return at < len(placeholders) && placeholders[at].Start <= t.Start && t.End <= placeholders[at].End
	})
}

// gap is the best place to cut between two kept words.
type gap struct {
	at   annotate.ByteOff
	cost int
}

// Costs of a cut, in words that a passage is too short.
const (
	costParagraph = 0
	costSentence  = 1
	costLine      = 4
	costClause    = 12
	costBlank     = 20
	costInside    = 400 // no white space: 3/4/2019
)

// gapBetween looks for the cheapest cut in text[from:to]. Cuts are at white space outside
// the placeholders; where there is none, directly before the next word or placeholder.
func gapBetween(text string, from, to annotate.ByteOff, placeholders []annotate.Span) gap {
	best := gap{to, costInside}
	at, _ := slices.BinarySearchFunc(placeholders, from+1, func(s annotate.Span, f annotate.ByteOff) int { return int(s.End - f) })
	if at < len(placeholders) && placeholders[at].Start < to && placeholders[at].Start > from {
		best.at = placeholders[at].Start
	} else if at < len(placeholders) && placeholders[at].Start <= from {
		best.at = min(to, placeholders[at].End)
	}
	for i := from; i < to; {
		for at < len(placeholders) && placeholders[at].End <= i {
			at++
		}
		if at < len(placeholders) && placeholders[at].Start <= i {
			i = min(to, placeholders[at].End)
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsSpace(r) {
			i += annotate.ByteOff(size)
			continue
		}
		end := i
		for end < to {
			r, size := utf8.DecodeRuneInString(text[end:])
			if !unicode.IsSpace(r) {
				break
			}
			end += annotate.ByteOff(size)
		}
		if cost := costAt(text[:i], text[i:end], text[end:]); cost < best.cost {
			best = gap{i, cost}
		}
		i = end
	}
	return best
}

// costAt is the cost of a cut at white space, by what stands before and after it.
func costAt(before, blank, after string) int {
	lines := strings.Count(blank, "\n")
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	switch {
	case lines > 1, lines == 1 && strings.ContainsRune(".!?:", last):
		return costParagraph
	case lines == 1 && !unicode.IsLower(next):
		return costSentence // headers and lists: the next line does not continue a sentence
	case strings.ContainsRune("!?", last), last == '.' && !unicode.IsLower(next) && !abbreviated(before):
		return costSentence
	case lines == 1:
		return costLine
	case strings.ContainsRune(",;:.", last):
		return costClause
	}
	return costBlank
}

// abbreviated reports whether the word before a full stop is so short that it may be an
// abbreviation, such as a title or an initial.
func abbreviated(before string) bool {
	word := strings.TrimRight(before, ".")
	letters := 0
	for word != "" && letters < 4 {
		r, size := utf8.DecodeLastRuneInString(word)
		if unicode.IsDigit(r) {
			return false
		}
		if !unicode.IsLetter(r) {
			break
		}
		letters++
		word = word[:len(word)-size]
	}
	return letters > 0 && letters < 3
}

// cheapest chooses where passages end, as numbers of words, so that costs of cuts and
// missing words are least in sum; of equal choices the earliest cuts.
func cheapest(gaps []gap) []int {
	n := len(gaps) + 1
	cost, cut := make([]int, n+1), make([]int, n+1) // of the words from i on; where the passage from i ends
	for i := n - 1; i >= 0; i-- {
		cost[i] = -1
		for end := i + 1; end <= min(n, i+mostWords); end++ {
			c := cost[end] + max(0, fewestWords-(end-i))
			if end < n {
				c += gaps[end-1].cost
			}
			if cost[i] < 0 || c < cost[i] {
				cost[i], cut[i] = c, end
			}
		}
	}
	var out []int
	for i := 0; i < n; i = cut[i] {
		out = append(out, cut[i])
	}
	return out
}

// trimmed is text[from:to] without white space at its ends.
func trimmed(text string, from, to annotate.ByteOff) Passage {
	part := text[from:to]
	left := strings.TrimLeftFunc(part, unicode.IsSpace)
	start := from + annotate.ByteOff(len(part)-len(left))
	return Passage{Start: start, End: start + annotate.ByteOff(len(strings.TrimRightFunc(left, unicode.IsSpace)))}
}
