// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"errors"
	"fmt"

	"hide/internal/annotate"
)

// Placeholder is what a learner reads in place of a redacted token (tkde
// figure 2).
const Placeholder = "[NAME]"

// Doc is one annotated document. The slices Words, Tokens, Sensitive, Span and
// Label have one element per token; Tokens may be nil for learners that do not
// need places in the text, Label when no category is told from another.
type Doc struct {
	Text      string
	Tokens    []annotate.Token
	Words     []string         // surface of each token
	Sensitive []bool           // token is in S
	Span      []int            // which sensitive span the token belongs to, from 0; -1 for none
	Label     []annotate.Label // category of a sensitive token; "" for the others and where none is known
	Group     string           // documents of one group are never split between training and testing
	Known     []string         // nil, or identifiers of the patient that structured fields gave; who publishes knows them, and the attackers of a run as well

	// Chosen says that the document was picked for what it holds, as in active
	// learning, and not drawn at random. It is learnt from, and thresholds are set
	// on it, but no estimate counts it: how likely it was to be picked is not known,
	// so no weight makes it stand for the documents that nobody picked.
	Chosen bool
}

// NewDoc prepares an annotated document. Spans for whose label sensitive is
// false are ignored; a nil sensitive keeps all.
func NewDoc(a annotate.Annotated, sensitive func(annotate.Label) bool) Doc {
	tokens := annotate.Tokenize(a.Text)
	d := Doc{Text: a.Text, Tokens: tokens, Group: a.Group(), Known: a.Known(), Words: make([]string, len(tokens)),
		Sensitive: make([]bool, len(tokens)), Span: make([]int, len(tokens)), Label: make([]annotate.Label, len(tokens))}
	for i, t := range tokens {
		d.Words[i], d.Span[i] = a.Text[t.Start:t.End], -1
	}
	spans := 0
	for _, s := range a.Spans {
		if sensitive != nil && !sensitive(s.Label) {
			continue
		}
		d.mark(s, spans)
		spans++
	}
	return d
}

// mark labels the tokens of s; a token that two spans share belongs to the
// earlier.
func (d *Doc) mark(s annotate.Span, index int) {
	from, to := annotate.Covered(d.Tokens, s)
	for i := from; i < to; i++ {
		if d.Span[i] < 0 {
			d.Sensitive[i], d.Span[i], d.Label[i] = true, index, s.Label
		}
	}
}

func (d *Doc) check() error {
	n := len(d.Words)
	if len(d.Sensitive) != n || len(d.Span) != n || d.Tokens != nil && len(d.Tokens) != n {
		return errors.New("words, tokens, flags and spans differ in number")
	}
	if d.Label != nil && len(d.Label) != n {
		return errors.New("words and labels differ in number")
	}
	for i, s := range d.Sensitive {
		if s != (d.Span[i] >= 0) {
			return fmt.Errorf("token %d: sensitive flag and span disagree", i)
		}
		if !s && d.label(i) != "" {
			return fmt.Errorf("token %d: a label without a sensitive flag", i)
		}
	}
	return nil
}

// sensitive is how many tokens are.
func (d *Doc) sensitive() int {
	n := 0
	for _, s := range d.Sensitive {
		if s {
			n++
		}
	}
	return n
}

// label is the category of token i, "" when none is known.
func (d *Doc) label(i int) annotate.Label {
	if d.Label == nil {
		return ""
	}
	return d.Label[i]
}

func countTokens(docs []Doc) int {
	n := 0
	for i := range docs {
		n += len(docs[i].Words)
	}
	return n
}

// View is a document as it reads after redaction.
type View struct {
	*Doc
	Redacted []bool // per token; nil when nothing is redacted

	// Skip says which tokens training leaves out, by token; nil for none. Their
	// neighbours' features still see them, and classifiers score them as any other.
	// [Sample] fills it in.
	Skip []bool
}

// Hidden reports whether token i is redacted.
func (v View) Hidden(i int) bool { return v.Redacted != nil && v.Redacted[i] }

// Skipped reports whether training leaves token i out.
func (v View) Skipped(i int) bool { return v.Skip != nil && v.Skip[i] }

// Taught reports whether token i is there and training sees it.
func (v View) Taught(i int) bool { return !v.Hidden(i) && !v.Skipped(i) }

// Word is what token i reads as.
func (v View) Word(i int) string {
	if v.Hidden(i) {
		return Placeholder
	}
	return v.Words[i]
}

// Left reports whether token i is sensitive and still there: the label a
// learner is given.
func (v View) Left(i int) bool { return v.Sensitive[i] && !v.Hidden(i) }

func views(docs []Doc, masks [][]bool) []View {
	out := make([]View, len(docs))
	for i := range docs {
		out[i] = View{Doc: &docs[i], Redacted: masks[i]}
	}
	return out
}

// nothing is the mask that redacts no token.
func nothing(docs []Doc) [][]bool {
	masks := make([][]bool, len(docs))
	for i, d := range docs {
		masks[i] = make([]bool, len(d.Words))
	}
	return masks
}

// union returns a new mask: P(H u h) = P(H) minus what h marks.
func union(a, b []bool) []bool {
	out := make([]bool, len(a))
	for i := range a {
		out[i] = a[i] || b[i]
	}
	return out
}
