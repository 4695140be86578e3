// SPDX-License-Identifier: Apache-2.0

package note

import (
	"strings"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/web/ui"
)

// matchesView is the list of places that "tag all matches" would tag.
type matchesView struct {
	noteView
	surface    string
	label      annotate.Label
	ignoreCase bool
	source     string // id of the mark that it began with
	places     []place
}

// place is one match with the words around it.
type place struct {
	start, end            annotate.RuneOff
	before, middle, after string
}

// source is the span that "tag all" multiplies: the chosen mark, or the selected
// words with a label.
func (f noteForm) source(n *project.Note) (annotate.Span, error) {
	if len(f.starts) > 0 {
		spans, err := f.spans(n)
		if err != nil {
			return annotate.Span{}, err
		}
		return spans[0], nil
	}
	if len(f.ids) == 1 && strings.HasPrefix(f.ids[0], "s") {
		chosen, err := f.suggestions(n)
		if err != nil {
			return annotate.Span{}, err
		}
		return chosen[0].Span, nil
	}
	ids, err := f.annotations(n)
	if err != nil {
		return annotate.Span{}, err
	}
	a, _ := n.Layer.Find(ids[0])
	return a.Span, nil
}

// newMatchesView lists the other places of the span's words that nothing covers,
// and the span itself when it is no annotation yet.
func newMatchesView(v noteView, span annotate.Span, fold bool) matchesView {
	text := v.Document.Text
	view := matchesView{noteView: v, surface: span.Surface(text), label: span.Label, ignoreCase: fold}
	offsets := annotate.NewOffsets(text)
	start, end := offsets.Range(span)
	view.source = suggestionID(start, end, span.Label)
	spans := v.MatchesIn(span, fold)
	if a, found := v.annotationAt(span); found {
		view.source = a
	} else {
		spans = append([]annotate.Span{span}, spans...)
	}
	for _, s := range spans {
		start, end := offsets.Range(s)
		view.places = append(view.places, place{start, end, wordsBefore(text, s.Start), s.Surface(text), wordsAfter(text, s.End)})
	}
	return view
}

func (v noteView) annotationAt(span annotate.Span) (id string, found bool) {
	for _, m := range v.marks {
		if !m.suggested && m.span == span {
			return m.id, true
		}
	}
	return "", false
}

// contextRunes is how much of the note a preview shows on each side of a match.
const contextRunes = 36

func wordsBefore(text string, at annotate.ByteOff) string {
	from := int(at)
	for n := 0; n < contextRunes && from > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	return ui.OneLine(text[from:at], contextRunes)
}

func wordsAfter(text string, at annotate.ByteOff) string {
	to := int(at)
	for n := 0; n < contextRunes && to < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	return ui.OneLine(text[at:to], contextRunes)
}
