// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"errors"
	"fmt"
	"strings"
)

// Note is an annotated document cut into tokens. Every engine reads this type: it
// is made once, by [NewNote], never changes, and can be shared. Words, Tokens,
// Sensitive, SpanOf and Labels have one element per token. Tokens may be nil where
// nobody asks for places in the text: words then count as separated by one space.
// Labels may be nil where no label is told from another.
type Note struct {
	ID      DocumentID // 0 outside a project
	Name    string     // the id it had outside
	Text    string
	Patient string   // the person it is about; empty when unknown
	Group   string   // notes of one group are never split between training and testing
	Known   []string // identifiers of the patient from structured fields; the publisher knows them, attackers do not
	Spans   []Span   // in order and without overlap

	Attributes map[string]string // structured fields that came with it; may be nil

	Tokens    []Token
	Words     []string // surface of each token
	Sensitive []bool   // the token belongs to a span
	SpanOf    []int    // index of the span that the token belongs to; -1 for none
	Labels    []Label  // label of a sensitive token; "" for the others and where it is unknown

	// Selected says that the note was selected for its content, as in active learning, and
	// not sampled at random. Training uses it, and thresholds are set on it, but no
	// estimate counts it: the probability with which it was selected is unknown, so no
	// weight makes it stand for the notes that nobody selected.
	Selected bool
}

// NewNote cuts a document into tokens and lays its spans over them. A token that two
// spans share belongs to the earlier.
func NewNote(a Annotated) Note {
	tokens := Tokenize(a.Text)
	n := Note{Name: a.Name, Text: a.Text, Patient: a.Patient, Known: a.Known(), Attributes: a.Attributes, Tokens: tokens, Words: make([]string, len(tokens))}
	if a.Patient != "" || a.Name != "" {
		n.Group = a.Group()
	}
	for i, t := range tokens {
		n.Words[i] = a.Text[t.Start:t.End]
	}
	return n.WithSpans(a.Spans)
}

// NewNotes is [NewNote] of each.
func NewNotes(all []Annotated) []Note {
	notes := make([]Note, len(all))
	for i, a := range all {
		notes[i] = NewNote(a)
	}
	return notes
}

// WithSpans is n with other spans. It shares text and tokens with n.
func (n Note) WithSpans(spans []Span) Note {
	n.Spans = spans
	n.Sensitive, n.SpanOf, n.Labels = make([]bool, len(n.Words)), make([]int, len(n.Words)), make([]Label, len(n.Words))
	for i := range n.SpanOf {
		n.SpanOf[i] = -1
	}
	for index, s := range spans {
		from, to := Covered(n.Tokens, s)
		for i := from; i < to; i++ {
			if n.SpanOf[i] < 0 {
				n.Sensitive[i], n.SpanOf[i], n.Labels[i] = true, index, s.Label
			}
		}
	}
	return n
}

// Only is n with the spans whose label is sensitive; nil keeps all. It shares text and
// tokens with n.
func (n Note) Only(sensitive func(Label) bool) Note {
	if sensitive == nil {
		return n
	}
	var spans []Span
	for _, s := range n.Spans {
		if sensitive(s.Label) {
			spans = append(spans, s)
		}
	}
	return n.WithSpans(spans)
}

// Label is the label of token i, "" when none is known.
func (n *Note) Label(i int) Label {
	if n.Labels == nil {
		return ""
	}
	return n.Labels[i]
}

// Opens reports whether sensitive token i is the first of its span.
func (n *Note) Opens(i int) bool { return i == 0 || n.SpanOf[i-1] != n.SpanOf[i] }

// TokenSpans are the spans widened to whole tokens, as taggers see them.
func (n *Note) TokenSpans() []Span {
	begins := make([]bool, len(n.Words))
	for i, s := range n.SpanOf {
		begins[i] = s >= 0 && n.Opens(i)
	}
	return SpansOf(n.Tokens, n.Labels, begins)
}

// View is the note with nothing redacted.
func (n *Note) View() View { return View{Note: n} }

// Views are the notes with nothing redacted.
func Views(notes []Note) []View {
	views := make([]View, len(notes))
	for i := range notes {
		views[i].Note = &notes[i]
	}
	return views
}

// CountSensitive counts the sensitive tokens.
func (n *Note) CountSensitive() int {
	count := 0
	for _, s := range n.Sensitive {
		if s {
			count++
		}
	}
	return count
}

// Check reports whether the parts of n fit together.
func (n *Note) Check() error {
	size := len(n.Words)
	if len(n.Sensitive) != size || len(n.SpanOf) != size || n.Tokens != nil && len(n.Tokens) != size {
		return errors.New("words, tokens, flags and spans differ in number")
	}
	if n.Labels != nil && len(n.Labels) != size {
		return errors.New("words and labels differ in number")
	}
	for i, s := range n.Sensitive {
		if s != (n.SpanOf[i] >= 0) {
			return fmt.Errorf("token %d: sensitive flag and span disagree", i)
		}
		if !s && n.Label(i) != "" {
			return fmt.Errorf("token %d: a label without a sensitive flag", i)
		}
	}
	return nil
}

// String names a note without showing any of it.
func (n Note) String() string { return fmt.Sprintf("note of %d tokens", len(n.Words)) }

// GoString is String: %#v must not show text either.
func (n Note) GoString() string { return n.String() }

// Placeholder is what a learner reads in place of a redacted token (GreedySanitize,
// TKDE 2018, figure 2).
const Placeholder = "[NAME]"

// View is a note as a learner or a reader of a publication sees it: some tokens read
// as [Placeholder]. It is a type of its own because one note is read under many masks.
type View struct {
	*Note
	Redacted []bool // per token; nil when nothing is redacted

	// Skip marks the tokens that training leaves out; nil for none. The features of
	// their neighbours still see them, and classifiers score them like any other.
	Skip []bool
}

// Hidden reports whether token i is redacted.
func (v View) Hidden(i int) bool { return v.Redacted != nil && v.Redacted[i] }

// Skipped reports whether training leaves token i out.
func (v View) Skipped(i int) bool { return v.Skip != nil && v.Skip[i] }

// InTraining reports whether token i is visible and training uses it.
func (v View) InTraining(i int) bool { return !v.Hidden(i) && !v.Skipped(i) }

// Remaining reports whether token i is sensitive and visible: the class that a
// learner is trained on.
func (v View) Remaining(i int) bool { return v.Sensitive[i] && !v.Hidden(i) }

// Word is what token i reads as.
func (v View) Word(i int) string {
	if v.Hidden(i) {
		return Placeholder
	}
	return v.Words[i]
}

// VisibleWords are the words as they read. The caller must not change them.
func (v View) VisibleWords() []string {
	if v.Redacted == nil {
		return v.Words
	}
	words := make([]string, len(v.Words))
	for i := range words {
		words[i] = v.Word(i)
	}
	return words
}

// Published is the text that a reader of the publication has, and the place of each
// token in it. Neighbouring redacted tokens share a [Placeholder].
func (v View) Published() (string, []Token) {
	var text strings.Builder
	tokens := make([]Token, len(v.Words))
	for i := range v.Words {
		if v.Hidden(i) && i > 0 && v.Hidden(i-1) {
			tokens[i] = tokens[i-1]
			continue
		}
		text.WriteString(v.spaceBefore(i))
		start := text.Len()
		text.WriteString(v.Word(i))
		tokens[i] = Token{Start: ByteOff(start), End: ByteOff(text.Len())}
	}
	return text.String(), tokens
}

func (v View) spaceBefore(i int) string {
	switch {
	case v.Tokens != nil && i == 0:
		return v.Text[:v.Tokens[0].Start]
	case v.Tokens != nil:
		return v.Text[v.Tokens[i-1].End:v.Tokens[i].Start]
	case i == 0:
		return ""
	}
	return " "
}
