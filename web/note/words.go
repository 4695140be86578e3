// SPDX-License-Identifier: Apache-2.0

package note

import (
	"fmt"
	"strconv"
	"strings"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/web/ui"
)

// editPlaces lists the spans that an edit is about.
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

// verbWords are the words for a verb, as a request and in the past.
var verbWords = map[annotate.Verb]struct{ wish, done string }{
	annotate.VerbTag: {"tag", "tagged"}, annotate.VerbTagAll: {"tag", "tagged"},
	annotate.VerbRemove: {"remove", "removed"}, annotate.VerbRelabel: {"relabel", "relabelled"},
	annotate.VerbResize: {"change the ends of", "changed the ends of"},
	annotate.VerbAccept: {"accept", "accepted"}, annotate.VerbReject: {"reject", "rejected"},
	annotate.VerbFinish: {"finish the note", "finished the note"},
	annotate.VerbReopen: {"open the note again", "opened the note again"},
	"redo":              {"redo the change that you undid last", ""},
}

// editWords describes an edit: "tag “John Smith” as patient".
func (v noteView) editWords(u account.User, e annotate.Edit) string {
	if e.Verb == "undo" {
		last, known := v.Layer.Last(u.ID)
		if !known {
			return "undo"
		}
		return "undo your last change: " + v.doneWords(last)
	}
	words := verbWords[e.Verb].wish
	if words == "" {
		return "change the note"
	}
	places := v.editPlaces(e)
	if len(places) == 0 && len(e.IDs) > 0 {
		return words + " a span that no longer exists"
	}
	return v.aboutPlaces(words, places, e.Label)
}

// doneWords describes a change: "tagged “John Smith” as patient".
func (v noteView) doneWords(c annotate.Change) string {
	places := append([]annotate.Span(nil), c.Rejected...)
	for _, a := range c.Added {
		places = append(places, a.Span)
	}
	if len(places) == 0 {
		for _, a := range c.Removed {
			places = append(places, a.Span)
		}
	}
	words := verbWords[c.Verb].done
	if words == "" {
		words = "changed"
	}
	return v.aboutPlaces(words, places, "")
}

// aboutPlaces adds at most three places, and their label where it is one, to words.
func (v noteView) aboutPlaces(words string, places []annotate.Span, label annotate.Label) string {
	var names []string
	for i, place := range places {
		if i == 3 {
			names = append(names, "…")
			break
		}
		names = append(names, "“"+ui.OneLine(place.Surface(v.Document.Text), 40)+"”")
	}
	if len(names) > 0 {
		words += " " + strings.Join(names, ", ")
	}
	if label == "" && len(places) > 0 && !strings.HasPrefix(words, "remove") {
		label = places[0].Label
	}
	if label != "" {
		words += " as " + ui.LabelWords(label)
	}
	return words
}

// retryForm is the form that makes an edit on the newest revision, or "" when its span no
// longer exists.
func (v noteView) retryForm(e annotate.Edit) (string, []formField) {
	fields := []formField{{"revision", strconv.Itoa(v.Layer.Revision)}}
	if v.Layer.State == annotate.Done {
		fields = append(fields, formField{"reopens", "1"})
	}
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
