// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"strconv"
	"strings"

	"hide/internal/annotate"
)

// conflictView is an edit that was made on an older revision, beside what the
// note holds now.
type conflictView struct {
	mine   string   // what was wanted, in words
	theirs []string // what stands at that place now
	path   string   // where to send it again, "" when it makes no sense any more
	fields []formField
}

type formField struct{ name, value string }

func newConflictView(v noteView, mine annotate.Edit) *conflictView {
	view := &conflictView{mine: v.editWords(mine)}
	for _, place := range v.editPlaces(mine) {
		for _, m := range v.marks {
			if m.span.Overlaps(place) && !m.suggested {
				view.theirs = append(view.theirs, fmt.Sprintf("“%s” is %s", v.surface(m), m.say()))
			}
		}
	}
	view.path, view.fields = v.again(mine)
	return view
}

// editPlaces lists where an edit would have worked.
func (v noteView) editPlaces(e annotate.Edit) []annotate.Span {
	places := append([]annotate.Span(nil), e.Spans...)
	for _, s := range e.Suggestions {
		places = append(places, s.Span)
	}
	for _, id := range e.IDs {
		if a, found := v.Layer.Find(id); found {
			places = append(places, a.Span)
		}
	}
	return places
}

var editVerbs = map[annotate.Verb]string{
	annotate.VerbTag: "tag", annotate.VerbTagAll: "tag", annotate.VerbRemove: "remove", annotate.VerbRelabel: "relabel",
	annotate.VerbResize: "change the ends of", annotate.VerbAccept: "accept", annotate.VerbReject: "reject",
	annotate.VerbFinish: "mark the note as done", annotate.VerbReopen: "open the note again", "undo": "undo", "redo": "redo",
}

// editWords says what an edit wants: "tag “John Smith” as patient".
func (v noteView) editWords(e annotate.Edit) string {
	words := editVerbs[e.Verb]
	if words == "" {
		return "change the note"
	}
	var names []string
	label := e.Label
	for i, place := range v.editPlaces(e) {
		if label == "" && e.Verb != annotate.VerbRemove {
			label = place.Label
		}
		if i == 3 {
			names = append(names, "…")
			break
		}
		names = append(names, "“"+oneLine(place.Surface(v.Document.Text), 40)+"”")
	}
	if len(names) == 0 && len(e.IDs) > 0 {
		names = []string{"a span that is not there any more"}
	}
	if len(names) > 0 {
		words += " " + strings.Join(names, ", ")
	}
	if label != "" {
		words += " as " + labelWords(label)
	}
	return words
}

// again is the form that makes the edit on the newest revision, or "" when what
// it was about is gone.
func (v noteView) again(e annotate.Edit) (string, []formField) {
	fields := []formField{{"revision", strconv.Itoa(v.Layer.Revision)}}
	add := func(name, value string) { fields = append(fields, formField{name, value}) }
	offsets := annotate.NewOffsets(v.Document.Text)
	switch e.Verb {
	case "undo", "redo":
		return v.path("/" + string(e.Verb)), fields
	case annotate.VerbFinish, annotate.VerbReopen:
		add("do", string(e.Verb))
	case annotate.VerbTag, annotate.VerbTagAll, annotate.VerbResize:
		if len(e.Spans) == 0 {
			return "", nil
		}
		add("do", "tag") // resizing replaces what overlaps, as tagging does
		for _, s := range e.Spans {
			start, end := offsets.Range(s)
			add("start", fmt.Sprint(start))
			add("end", fmt.Sprint(end))
			add("surface", s.Surface(v.Document.Text))
			add("label", string(s.Label))
		}
	case annotate.VerbRemove, annotate.VerbRelabel:
		if len(e.IDs) == 0 {
			return "", nil
		}
		for _, id := range e.IDs {
			a, found := v.Layer.Find(id)
			if !found {
				return "", nil
			}
			add("id", strconv.FormatUint(id, 10))
			add("surface", a.Span.Surface(v.Document.Text))
		}
		add("do", map[annotate.Verb]string{annotate.VerbRemove: "remove", annotate.VerbRelabel: "label"}[e.Verb])
		add("label", string(e.Label))
	case annotate.VerbAccept, annotate.VerbReject:
		if len(e.Suggestions) == 0 {
			return "", nil
		}
		add("do", string(e.Verb))
		for _, s := range e.Suggestions {
			start, end := offsets.Range(s.Span)
			add("id", suggestionID(start, end, s.Span.Label))
			add("surface", s.Span.Surface(v.Document.Text))
		}
	default:
		return "", nil
	}
	return v.path("/edit"), fields
}
