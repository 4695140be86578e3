// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"strings"

	"hide/internal/annotate"
	identity "hide/internal/annotate/known"
)

// given is the identity of structured data that a token belongs to.
type given struct {
	label, how int32 // interned, 0 for none
	name       string
	form       identity.How
}

// prepareGiven marks the tokens of identities, in any form. It reads what the view shows:
// words that are redacted belong to no identity.
func (x *extractor) prepareGiven() {
	s, d := x.doc, x.doc.of
	if len(d.people) == 0 {
		return
	}
	text, tokens := d.visible()
	for range s.ids {
		s.given = append(s.given, given{})
	}
	for _, m := range identity.New(d.people).FindIn(text, tokens) {
		from, to := annotate.Covered(tokens, m.Span)
		one := given{label: 1 + x.stringID(string(m.Span.Label)), how: 1 + x.stringID(string(m.How)), name: string(m.Span.Label), form: m.How}
		for t := from; t < to; t++ {
			s.given[t] = one
		}
	}
}

// visible is the text with the words of the view, and their places.
func (d sequence) visible() (string, []annotate.Token) {
	var b strings.Builder
	tokens := make([]annotate.Token, len(d.words))
	for i, w := range d.words {
		switch {
		case i == 0:
		case len(d.tokens) != len(d.words):
			b.WriteByte(' ')
		default:
			b.WriteString(d.text[d.tokens[i-1].End:d.tokens[i].Start])
		}
		start := b.Len()
		b.WriteString(w)
		tokens[i] = annotate.Token{Start: annotate.ByteOff(start), End: annotate.ByteOff(b.Len())}
	}
	return b.String(), tokens
}

func (x *extractor) givenTo(t int, to []int32) []int32 {
	if len(x.doc.given) == 0 || x.doc.given[t].label == 0 {
		return to
	}
	g := &x.doc.given[t]
	return keep(to, x.keyed(bundleKey{givenBundle, g.label, g.how, 0}, func(a *attributes) {
		a.add("given=", g.name)
		a.add("given=", g.name, "|", string(g.form))
	}))
}
