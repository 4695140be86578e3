// SPDX-License-Identifier: Apache-2.0

package annotate

import "slices"

// Stands reports whether an edit that was made on an earlier revision means the same on
// the layer as it is now: nothing that it is about has changed since, and the document is
// not finished. Finishing, reopening, undo and redo are about the whole document and never
// stand.
func (l *Layer) Stands(revision int, e Edit) bool {
	later, complete := l.sinceAll(revision)
	if !complete || l.State == Done {
		return false
	}
	about, ok := l.about(e)
	if !ok {
		return false
	}
	for _, c := range later {
		for _, place := range c.places() {
			if slices.ContainsFunc(about, place.Overlaps) {
				return false
			}
		}
	}
	return true
}

// sinceAll is [Layer.Since], and whether it has every change, undo and redo since the
// revision: each has raised the revision by one. What was done and undone since is missing.
func (l *Layer) sinceAll(revision int) (later []Change, complete bool) {
	later = l.Since(revision)
	for i, c := range later {
		if c.Revision != revision+1+i {
			return nil, false
		}
	}
	return later, revision+len(later) == l.Revision
}

// about lists the places of an edit. It is not ok for an edit of the whole document, or of
// an annotation that is gone.
func (l *Layer) about(e Edit) (places []Span, ok bool) {
	switch e.Verb {
	case VerbTag, VerbTagAll, VerbRemove, VerbRelabel, VerbResize, VerbAccept, VerbReject:
	default:
		return nil, false
	}
	places = append(places, e.Spans...)
	for _, s := range e.Suggestions {
		places = append(places, s.Span)
	}
	named, err := l.named(e.IDs)
	for _, a := range named {
		places = append(places, a.Span)
	}
	return places, err == nil
}

// places are the spans that a change is about, whether it was done or undone.
func (c Change) places() []Span {
	places := slices.Clone(c.Rejected)
	for _, a := range slices.Concat(c.Removed, c.Added) {
		places = append(places, a.Span)
	}
	return places
}

// At is the layer with the annotations and rejections of an earlier revision, and without a
// history. It is not ok if the history does not tell: it does not reach so far, or something
// was undone since.
func (l *Layer) At(text string, revision int) (earlier *Layer, ok bool) {
	later, complete := l.sinceAll(revision)
	if !complete {
		return nil, false
	}
	earlier = l.Clone()
	for _, c := range slices.Backward(later) {
		if c.Undone || earlier.perform(text, l.renames.change(c).inverse()) != nil {
			return nil, false
		}
	}
	earlier.Revision, earlier.State, earlier.History = revision, l.State, nil
	return earlier, true
}
