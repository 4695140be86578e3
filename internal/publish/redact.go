// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
)

// Redaction is a stretch of a note that a placeholder replaced.
type Redaction struct {
	Start, End annotate.ByteOff // in the note
	At, AtEnd  annotate.RuneOff // where the placeholder stands in the redacted text
	Label      annotate.Label
}

// mask is the label of each redacted token; "" for the others.
type mask []annotate.Label

// cover gives every token that a span touches the label of the span. A partly covered
// token is redacted whole: half a name can identify.
func (m mask) cover(tokens []annotate.Token, spans []annotate.Span) {
	for _, s := range spans {
		from, to := annotate.Covered(tokens, s)
		for i := from; i < to; i++ {
			m[i] = s.Label
		}
	}
}

// kept is the number of unredacted tokens.
func (m mask) kept() int {
	n := 0
	for _, label := range m {
		if label == "" {
			n++
		}
	}
	return n
}

// spans joins neighbouring redacted tokens of one label into one span, unless there is more
// than white space or more than one line break between them: a placeholder must not
// swallow a paragraph.
func (m mask) spans(text string, tokens []annotate.Token) []annotate.Span {
	var spans []annotate.Span
	for i, label := range m {
		if label == "" {
			continue
		}
		if i > 0 && m[i-1] == label && joins(text[tokens[i-1].End:tokens[i].Start]) {
			spans[len(spans)-1].End = tokens[i].End
			continue
		}
		spans = append(spans, annotate.Span{Start: tokens[i].Start, End: tokens[i].End, Label: label})
	}
	return spans
}

func joins(gap string) bool {
	return strings.Count(gap, "\n") <= 1 && strings.TrimFunc(gap, unicode.IsSpace) == ""
}

// replace puts placeholders in the place of spans, which are in order and do not overlap.
// Everything else stays byte for byte.
func (p Policy) replace(text string, spans []annotate.Span) (string, []Redaction) {
	var b strings.Builder
	redactions := make([]Redaction, 0, len(spans))
	done, runes := annotate.ByteOff(0), 0 // bytes of text behind us, code points written
	for _, s := range spans {
		between := text[done:s.Start]
		placeholder := p.placeholder(s.Label)
		b.WriteString(between)
		b.WriteString(placeholder)
		at := runes + utf8.RuneCountInString(between)
		runes = at + utf8.RuneCountInString(placeholder)
		done = s.End
		redactions = append(redactions, Redaction{s.Start, s.End, annotate.RuneOff(at), annotate.RuneOff(runes), s.Label})
	}
	b.WriteString(text[done:])
	return b.String(), redactions
}

// DefaultPlaceholder is the placeholder format of a policy that names none.
const DefaultPlaceholder = "[LABEL]"

// placeholderLimit limits the placeholder format, in bytes.
const placeholderLimit = 32

// Policy says what replaces redacted text.
type Policy struct {
	// Placeholder is the format, with the word LABEL for the label. The characters before
	// and after it must be visible and not part of a word, so that a placeholder never
	// merges with its neighbours.
	Placeholder string `json:"placeholder"`
	// Labels are the possible labels of redactions, in the order of the legend.
	Labels []annotate.Label `json:"labels"`
}

// Check reports why the policy cannot be used.
func (p Policy) Check() error {
	before, after, found := strings.Cut(p.Placeholder, "LABEL")
	if !found || len(p.Placeholder) > placeholderLimit || !fence(before) || !fence(after) {
		return fmt.Errorf("the form of placeholders, %q, must be LABEL between visible characters other than letters and digits", p.Placeholder)
	}
	if len(p.Labels) == 0 {
		return fmt.Errorf("policy has no labels")
	}
	for i, l := range p.Labels {
		if err := annotate.CheckLabel(l); err != nil {
			return fmt.Errorf("label %d of the policy: %w", i+1, err)
		}
		if slices.Contains(p.Labels[:i], l) {
			return fmt.Errorf("the policy lists label %s twice", l)
		}
	}
	return nil
}

// fence reports whether s is visible and contains no part of a word.
func fence(s string) bool {
	for _, r := range s {
		if r == '_' || r == utf8.RuneError || !(unicode.IsPunct(r) || unicode.IsSymbol(r)) {
			return false
		}
	}
	return s != ""
}

func (p Policy) placeholder(l annotate.Label) string {
	return strings.Replace(p.Placeholder, "LABEL", string(l), 1)
}
