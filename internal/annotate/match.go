// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Matches finds every other place of text where the surface of s stands as
// whole words, ignoring case when fold is set, in text order. No result overlaps
// s or another. Each carries the label of s.
func Matches(text string, s Span, fold bool) []Span {
	surface := s.Surface(text)
	var spans []Span
	for from := 0; from < len(text); {
		at, size := index(text[from:], surface, fold)
		if at < 0 {
			break
		}
		m := Span{ByteOff(from + at), ByteOff(from + at + size), s.Label}
		if !m.Overlaps(s) && wholeWord(text, m) {
			spans = append(spans, m)
			from = int(m.End)
			continue
		}
		_, step := utf8.DecodeRuneInString(text[from+at:])
		from += at + step
	}
	return spans
}

// index finds surface in text and gives its place and its size there, which
// case folding can change.
func index(text, surface string, fold bool) (at, size int) {
	if !fold {
		return strings.Index(text, surface), len(surface)
	}
	want := utf8.RuneCountInString(surface)
	for at := range text {
		end := runesAhead(text[at:], want)
		if end < 0 {
			return -1, 0
		}
		if strings.EqualFold(text[at:at+end], surface) {
			return at, end
		}
	}
	return -1, 0
}

// runesAhead is how many bytes the first n code points take, or -1 when there
// are fewer.
func runesAhead(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	if n == 0 {
		return len(text)
	}
	return -1
}

func wholeWord(text string, s Span) bool {
	first, _ := utf8.DecodeRuneInString(text[s.Start:])
	last, _ := utf8.DecodeLastRuneInString(text[:s.End])
	before, _ := utf8.DecodeLastRuneInString(text[:s.Start])
	after, _ := utf8.DecodeRuneInString(text[s.End:])
	joinedLeft := s.Start > 0 && wordRune(first) && wordRune(before)
	joinedRight := int(s.End) < len(text) && wordRune(last) && wordRune(after)
	return !joinedLeft && !joinedRight
}

// Labels lists the labels that the documents use, sorted.
func Labels(docs []Annotated) []Label {
	seen := map[Label]bool{}
	for _, d := range docs {
		for _, s := range d.Spans {
			seen[s.Label] = true
		}
	}
	labels := make([]Label, 0, len(seen))
	for l := range seen {
		labels = append(labels, l)
	}
	slices.Sort(labels)
	return labels
}
