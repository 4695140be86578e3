// SPDX-License-Identifier: Apache-2.0

package annotate

import "slices"

// Renames gives the present name of each label that was renamed or merged. Stored layers,
// imported files and models keep the names of their time; Renames is applied where they are
// read. Applying it twice is the same as applying it once. A nil map renames nothing.
type Renames map[Label]Label

// Of is the present name of l.
func (r Renames) Of(l Label) Label {
	if now, renamed := r[l]; renamed {
		return now
	}
	return l
}

// Spans are the spans under their present labels. The result may be the argument.
func (r Renames) Spans(spans []Span) []Span {
	return renamed(r, spans, func(s *Span) *Label { return &s.Label })
}

// Suggestions are the suggestions under their present labels. The result may be the
// argument.
func (r Renames) Suggestions(all []Suggestion) []Suggestion {
	return renamed(r, all, func(s *Suggestion) *Label { return &s.Span.Label })
}

// renamed are the elements under their present labels; label points to that of an element.
// The result may be the argument.
func renamed[T any](r Renames, all []T, label func(*T) *Label) []T {
	if len(r) == 0 {
		return all
	}
	out := slices.Clone(all)
	for i := range out {
		l := label(&out[i])
		*l = r.Of(*l)
	}
	return out
}

// Edit is the edit under present labels, for an edit that was made on an older page.
func (r Renames) Edit(e Edit) Edit {
	e.Spans, e.Suggestions, e.Label = r.Spans(e.Spans), r.Suggestions(e.Suggestions), r.Of(e.Label)
	return e
}

// Rename gives the annotations and rejections of the layer their present labels. The
// history keeps the names that people used; undo and redo restore spans under their present
// names. The state and the revision stay.
func (l *Layer) Rename(r Renames) {
	if len(r) == 0 {
		return
	}
	l.renames = r
	l.Annotations = r.annotations(l.Annotations)
	l.Rejected = r.Spans(l.Rejected)
}

func (r Renames) annotations(all []Annotation) []Annotation {
	return renamed(r, all, func(a *Annotation) *Label { return &a.Span.Label })
}

// change is a change of the history under present labels.
func (r Renames) change(c Change) Change {
	c.Removed, c.Added, c.Rejected = r.annotations(c.Removed), r.annotations(c.Added), r.Spans(c.Rejected)
	return c
}
