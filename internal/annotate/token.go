// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token covers text[Start:End]: a run of letters, marks, digits and
// underscores, or one other visible character. White space is never a token.
type Token struct{ Start, End ByteOff }

// Tokenize cuts text into tokens in order. It normalises nothing, so
// text[t.Start:t.End] is the token's exact surface.
func Tokenize(text string) []Token {
	tokens := make([]Token, 0, len(text)/5+1)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			i += size
		case WordRune(r):
			end := wordEnd(text, i+size)
			tokens = append(tokens, Token{ByteOff(i), ByteOff(end)})
			i = end
		default:
			tokens = append(tokens, Token{ByteOff(i), ByteOff(i + size)})
			i += size
		}
	}
	return tokens
}

func wordEnd(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !WordRune(r) {
			break
		}
		i += size
	}
	return i
}

// WordRune reports whether r belongs to a word, as [Tokenize] cuts them.
func WordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r))
}

// Covered returns the half-open range of tokens that share a byte with s.
func Covered(tokens []Token, s Span) (from, to int) {
	from = lowerBound(tokens, func(t Token) bool { return t.End > s.Start })
	to = lowerBound(tokens, func(t Token) bool { return t.Start >= s.End })
	return from, max(from, to)
}

// lowerBound is the first token for which reached is true; it must be true for every later
// token.
func lowerBound(tokens []Token, reached func(Token) bool) int {
	lo, hi := 0, len(tokens)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if reached(tokens[mid]) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// TokenLabels gives each token the label of the span that covers any part of
// it, or "" for none. begins[i] is true where token i is the first of its span.
// A token that two spans share belongs to the earlier.
func TokenLabels(tokens []Token, spans []Span) (labels []Label, begins []bool) {
	labels, begins = make([]Label, len(tokens)), make([]bool, len(tokens))
	for _, s := range spans {
		from, to := Covered(tokens, s)
		first := true
		for i := from; i < to; i++ {
			if labels[i] != "" {
				continue
			}
			labels[i], begins[i], first = s.Label, first, false
		}
	}
	return labels, begins
}

// SpansOf is the inverse of [TokenLabels] for spans that start and end on token
// borders: neighbouring tokens of one label join unless begins splits them.
func SpansOf(tokens []Token, labels []Label, begins []bool) []Span {
	var spans []Span
	for i, label := range labels {
		if label == "" {
			continue
		}
		joins := i > 0 && labels[i-1] == label && !begins[i]
		if joins {
			spans[len(spans)-1].End = tokens[i].End
			continue
		}
		spans = append(spans, Span{tokens[i].Start, tokens[i].End, label})
	}
	return spans
}

// ByteOff is a position in a text's UTF-8 bytes. Go code uses no other unit.
type ByteOff int

// RuneOff is a position in a text's Unicode code points. Files and wire formats use no
// other unit.
type RuneOff int

// offsetStride is the distance in bytes between two stored positions of an Offsets: a
// conversion scans at most this many.
const offsetStride = 512

// Offsets converts positions in one text between bytes and code points in
// time independent of the text's length, using len(text)/512 integers.
type Offsets struct {
	text  string
	ascii bool
	marks []RuneOff // marks[i] is the number of code points that start before byte i*offsetStride
	total RuneOff
}

// NewOffsets scans text once. The text must be valid UTF-8.
func NewOffsets(text string) *Offsets {
	o := &Offsets{text: text, marks: make([]RuneOff, 0, len(text)/offsetStride+1)}
	var n RuneOff
	for i := 0; i < len(text); i++ {
		if i%offsetStride == 0 {
			o.marks = append(o.marks, n)
		}
		if utf8.RuneStart(text[i]) {
			n++
		}
	}
	o.total, o.ascii = n, int(n) == len(text)
	return o
}

// Runes is the length of the text in code points.
func (o *Offsets) Runes() RuneOff { return o.total }

// Rune converts a byte position, which must lie on a code point boundary.
func (o *Offsets) Rune(b ByteOff) (RuneOff, error) {
	if b < 0 || int(b) > len(o.text) {
		return 0, fmt.Errorf("%w: byte %d of %d", ErrSpanRange, b, len(o.text))
	}
	if !onBoundary(o.text, b) {
		return 0, fmt.Errorf("%w: byte %d", ErrSpanCut, b)
	}
	if o.ascii {
		return RuneOff(b), nil
	}
	if int(b) == len(o.text) {
		return o.total, nil
	}
	mark := int(b) / offsetStride
	n := o.marks[mark]
	for i := mark * offsetStride; i < int(b); i++ {
		if utf8.RuneStart(o.text[i]) {
			n++
		}
	}
	return n, nil
}

// Byte converts a code point position.
func (o *Offsets) Byte(r RuneOff) (ByteOff, error) {
	if r < 0 || r > o.total {
		return 0, fmt.Errorf("%w: character %d of %d", ErrSpanRange, r, o.total)
	}
	if o.ascii {
		return ByteOff(r), nil
	}
	if r == o.total {
		return ByteOff(len(o.text)), nil
	}
	// The last mark with at most r code points before it; the r-th code point starts at or
	// after it.
	mark := sort.Search(len(o.marks), func(i int) bool { return o.marks[i] > r }) - 1
	n := o.marks[mark]
	for i := mark * offsetStride; ; i++ {
		if !utf8.RuneStart(o.text[i]) {
			continue
		}
		if n == r {
			return ByteOff(i), nil
		}
		n++
	}
}

// Span converts a range given in code points.
func (o *Offsets) Span(start, end RuneOff, label Label) (Span, error) {
	if start >= end {
		return Span{}, fmt.Errorf("%w: characters %d to %d", ErrSpanRange, start, end)
	}
	b, err := o.Byte(start)
	if err != nil {
		return Span{}, err
	}
	e, err := o.Byte(end)
	if err != nil {
		return Span{}, err
	}
	return Span{Start: b, End: e, Label: label}, nil
}

// Range gives a span's ends in code points. The span must fit the text: a span that passed
// [CheckSpans] always does, any other panics.
func (o *Offsets) Range(s Span) (start, end RuneOff) {
	start, err := o.Rune(s.Start)
	if err == nil {
		end, err = o.Rune(s.End)
	}
	if err != nil {
		panic("annotate: span was not checked against this text: " + err.Error())
	}
	return start, end
}

func onBoundary(text string, b ByteOff) bool {
	return int(b) == len(text) || utf8.RuneStart(text[b])
}

// Matches finds all other places in text where the surface of s occurs as whole words,
// ignoring case when fold is set, in text order. No result overlaps s or another. Each has
// the label of s.
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

// index finds surface in text and gives its position and its size there, which case folding
// can change.
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

// runesAhead is the number of bytes of the first n code points, or -1 when there are fewer.
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
	joinedLeft := s.Start > 0 && WordRune(first) && WordRune(before)
	joinedRight := int(s.End) < len(text) && WordRune(last) && WordRune(after)
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
