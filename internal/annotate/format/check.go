// SPDX-License-Identifier: Apache-2.0

package format

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
)

// Limits on one document.
const (
	MaxDocument = 10 << 20 // bytes of text
	MaxSpans    = 50_000
	maxName     = 1000 // bytes of an id

	// Attributes are short fields about a note. Larger ones cost memory with every note
	// that is opened.
	maxAttributes     = 1000     // of a document
	maxAttribute      = 64 << 10 // bytes of one value
	maxAttributesSize = 1 << 20  // bytes of all names and values of a document
)

// checkDocument has the checks for a document of any format.
func checkDocument(d annotate.Annotated) *Problem {
	if p := checkName(d.Name); p != nil {
		return p
	}
	if len(d.Text) > MaxDocument {
		return tooLarge()
	}
	if p := checkText(d.Text); p != nil {
		return p.inText()
	}
	if len(d.Patient) > maxName || checkText(d.Patient) != nil {
		return &Problem{Code: "patient", Reason: "the patient's id is too long or holds control characters"}
	}
	if p := checkAttributes(d.Attributes); p != nil {
		return p
	}
	return checkIdentities(d.Identities)
}

func checkAttributes(attributes map[string]string) *Problem {
	if len(attributes) > maxAttributes {
		return tooManyAttributes()
	}
	size := 0
	for name, value := range attributes {
		size += len(name) + len(value)
		switch {
		case len(value) > maxAttribute:
			return attributeTooLong()
		case len(name) > maxName:
			return &Problem{Code: "attributes", Reason: fmt.Sprintf("the name of an attribute is longer than %d bytes", maxName), Hint: "give it a shorter name"}
		case size > maxAttributesSize:
			return attributesTooLarge()
		case checkText(name) != nil || checkText(value) != nil:
			return &Problem{Code: "attributes", Reason: "an attribute holds invalid UTF-8 or control characters"}
		}
	}
	return nil
}

func tooManyAttributes() *Problem {
	return &Problem{Code: "attributes", Reason: fmt.Sprintf("more than %d attributes", maxAttributes), Hint: "keep those that you need"}
}

func attributeTooLong() *Problem {
	return &Problem{Code: "attributes", Reason: fmt.Sprintf("an attribute is longer than %d KiB", maxAttribute>>10), Hint: "leave it out, or make it the text of a note"}
}

func attributesTooLarge() *Problem {
	return &Problem{Code: "attributes", Reason: fmt.Sprintf("the attributes together are larger than %d MiB", maxAttributesSize>>20), Hint: "keep those that you need"}
}

func checkName(name string) *Problem {
	if name == "" || len(name) > maxName {
		return &Problem{Code: "id", Reason: fmt.Sprintf("the id has %d bytes", len(name)), Hint: fmt.Sprintf("ids have 1 to %d bytes", maxName)}
	}
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return &Problem{Code: "id", Reason: "the id holds invalid UTF-8 or control characters"}
	}
	return nil
}

func tooLarge() *Problem {
	return &Problem{Code: "document-too-large", Reason: fmt.Sprintf("the document is larger than %d MiB", MaxDocument>>20), Hint: "split it into notes"}
}

// checkText refuses invalid UTF-8, and control characters other than tab, line feed, form
// feed and carriage return. The problem's offset counts from the start of s.
func checkText(s string) *Problem {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' {
				return controlCharacter(c, i, s)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			return &Problem{Code: "encoding", Offset: int64(i), Reason: "invalid UTF-8", Hint: "convert the file to UTF-8; it may be Latin-1 or Windows-1252"}
		}
		i += size
	}
	return nil
}

func controlCharacter(c byte, i int, s string) *Problem {
	p := &Problem{Code: "control-character", Offset: int64(i), Reason: fmt.Sprintf("control character %#02x", c), Hint: "remove it, or convert the file to plain UTF-8 text"}
	if c == 0 && strings.Count(s, "\x00") > len(s)/4 {
		p.Code, p.Reason, p.Hint = "encoding", "the text looks like UTF-16", "convert the file to UTF-8"
	}
	return p
}

// inText moves the offset into the reason, for texts whose bytes are not those of the file.
func (p *Problem) inText() *Problem {
	p.Reason = fmt.Sprintf("%s at byte %d of the text", p.Reason, p.Offset)
	p.Offset = 0
	return p
}

// inFile converts an offset that counts from base to one that counts from the start of the
// file.
func (p *Problem) inFile(base int64) *Problem {
	p.Offset, p.located = p.Offset+base, true
	return p
}

// cutMarks counts the spans with a combining mark just inside the start or just after the
// end: these cut a visible character in two.
func cutMarks(d annotate.Annotated) int {
	n := 0
	for _, s := range d.Spans {
		first, _ := utf8.DecodeRuneInString(d.Text[s.Start:])
		after, _ := utf8.DecodeRuneInString(d.Text[s.End:])
		if joins(first) || joins(after) {
			n++
		}
	}
	return n
}

// joins reports whether r belongs to the character before it: a mark, a zero
// width joiner or an emoji's skin tone.
func joins(r rune) bool {
	return unicode.IsMark(r) || r == '\u200d' || 0x1f3fb <= r && r <= 0x1f3ff
}

// spanList collects the spans of one document, in code points.
type spanList struct {
	text    string
	offsets *annotate.Offsets
	spans   []annotate.Span
}

func newSpanList(text string) *spanList {
	return &spanList{text: text, offsets: annotate.NewOffsets(text)}
}

// add checks a span on its own.
func (l *spanList) add(start, end annotate.RuneOff, label annotate.Label) (annotate.Span, *Problem) {
	if len(l.spans) == MaxSpans {
		return annotate.Span{}, tooManySpans()
	}
	if err := annotate.CheckLabel(label); err != nil {
		return annotate.Span{}, &Problem{Code: "label", Reason: err.Error(), Hint: "rename the label in the file"}
	}
	s, err := l.offsets.Span(start, end, label)
	if err != nil {
		return s, spanRange(fmt.Sprintf("%d to %d", start, end), l.offsets.Runes())
	}
	l.spans = append(l.spans, s)
	return s, nil
}

func tooManySpans() *Problem {
	return &Problem{Code: "too-many-spans", Reason: fmt.Sprintf("more than %d spans", MaxSpans), Hint: "split the document"}
}

func spanRange(given string, length annotate.RuneOff) *Problem {
	return &Problem{
		Code:   "span-range",
		Reason: fmt.Sprintf("span out of range: %s in a text of %d characters", given, length),
		Hint:   "positions are Unicode characters from 0, the end is exclusive",
	}
}

// finish sorts the spans, merges identical ones and refuses overlapping ones.
func (l *spanList) finish() (spans []annotate.Span, dropped int, p *Problem) {
	slices.SortFunc(l.spans, annotate.CompareSpans)
	spans = slices.Compact(l.spans)
	dropped = len(l.spans) - len(spans)
	for i := 1; i < len(spans); i++ {
		if spans[i-1].Overlaps(spans[i]) {
			return nil, 0, l.overlap(spans[i-1], spans[i])
		}
	}
	return spans, dropped, nil
}

func (l *spanList) overlap(a, b annotate.Span) *Problem {
	s1, e1 := l.offsets.Range(a)
	s2, e2 := l.offsets.Range(b)
	return &Problem{
		Code:   "span-overlap",
		Reason: fmt.Sprintf("spans overlap: characters %d to %d and %d to %d", s1, e1, s2, e2),
		Hint:   "keep one of them",
	}
}

// droppedSpans is the remark about identical spans.
const droppedSpans = "identical to another and taken once"
