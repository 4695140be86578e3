// SPDX-License-Identifier: Apache-2.0

package api

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/web/ui"
)

// edit is one edit of a note, on the revision that its sender has seen.
type edit struct {
	Revision    *int           `json:"revision"`
	Do          string         `json:"do"`
	Spans       []editSpan     `json:"spans"`       // of "tag"
	IDs         []string       `json:"ids"`         // of spans, for "remove" and "relabel"
	Label       annotate.Label `json:"label"`       // of "relabel"
	Suggestions []place        `json:"suggestions"` // of "accept" and "reject"

	// Undecided is how many suggestions the sender leaves undecided with "finish".
	Undecided int `json:"undecided"`
	// Reopens says that the sender knows that the note is finished, and that this edit opens it
	// again.
	Reopens bool `json:"reopens"`
}

// editSpan is a span to add. The text at its place comes along, so that a program that counts
// in another unit is refused.
type editSpan struct {
	place
	Text *string `json:"text"`
}

// editNote makes one edit and answers with the new state. An edit on an older revision that may
// have changed what it is about is refused with the present state.
func (h *Handlers) editNote(c ui.Context) error {
	var e edit
	if err := readJSON(c, &e); err != nil {
		return err
	}
	if e.Revision == nil {
		return badRequest("revision: it is missing.", "Send the revision of the note that the edit was made on.")
	}
	n, err := h.open(c)
	if err != nil {
		return err
	}
	if *e.Revision < 0 || *e.Revision > n.Layer.Revision {
		return refused(http.StatusConflict, "The note has no such revision", fmt.Sprintf("Nothing was changed: note %d has no revision %d; its newest is %d.", n.ID, *e.Revision, n.Layer.Revision),
			"Send the revision that an answer about this note gave.", map[string]any{"kind": "revision", "revision": n.Layer.Revision, "current": stateOf(n)})
	}
	made, err := e.of(n)
	if err != nil && *e.Revision != n.Layer.Revision && !unreadable(err) {
		err = &project.ConflictError{Mine: made, Theirs: n}
	}
	if err == nil {
		err = e.asks(n)
	}
	if err == nil {
		n, err = h.projects.EditNote(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, *e.Revision, made)
	}
	if conflict := (*project.ConflictError)(nil); errors.As(err, &conflict) {
		return refused(http.StatusConflict, "The note was changed meanwhile", "Nothing was changed: "+conflict.Error()+".",
			"Look at the present state, which is in this answer, and send the edit again with its revision.",
			map[string]any{"kind": "revision", "revision": conflict.Theirs.Layer.Revision, "current": stateOf(conflict.Theirs)})
	}
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, stateOf(n))
}

// asks refuses an edit that a page would ask about first: one that opens a finished note again,
// and finishing a note with undecided suggestions.
func (e edit) asks(n *project.Note) error {
	switch {
	case *e.Revision != n.Layer.Revision: // a conflict, which the service finds
	case n.Layer.State == annotate.Done && e.Do != "finish" && e.Do != "reopen" && !e.Reopens:
		return refused(http.StatusConflict, "The note is finished", "Nothing was changed: the edit would open the note again.",
			`Send "reopens": true with the edit if that is meant.`, map[string]any{"kind": "finished"})
	case n.Layer.State != annotate.Done && e.Do == "finish" && len(n.Suggestions) > e.Undecided:
		return refused(http.StatusConflict, "Suggestions are undecided", fmt.Sprintf("Nothing was changed: %s undecided. They would count as not sensitive.", ui.Count(len(n.Suggestions), "suggestion is", "suggestions are")),
			`Accept or reject them, or send their number as "undecided".`, map[string]any{"kind": "undecided", "undecided": len(n.Suggestions)})
	}
	return nil
}

// of makes an edit of the note.
func (e edit) of(n *project.Note) (annotate.Edit, error) {
	out := annotate.Edit{Verb: annotate.Verb(e.Do)}
	var err error
	switch e.Do {
	case "tag":
		out.Spans, err = e.spans(n)
	case "remove":
		out.IDs, err = e.named(n)
	case "relabel":
		if e.Label == "" {
			return out, badRequest("label: it is missing.", "Send the new label of the spans.")
		}
		out.Label = n.Renamed.Of(e.Label)
		out.IDs, err = e.named(n)
	case "accept", "reject":
		out.Suggestions, err = e.chosen(n)
	case "finish", "reopen", "undo", "redo":
	default:
		err = badRequest("do: enter tag, remove, relabel, accept, reject, finish, reopen, undo or redo.", "")
	}
	return out, err
}

// unreadable reports whether an edit is wrong whatever the note holds.
func unreadable(err error) bool {
	said, ok := errors.AsType[*ui.Error](err)
	return ok && said.Status == http.StatusBadRequest
}

func (e edit) spans(n *project.Note) ([]annotate.Span, error) {
	if len(e.Spans) == 0 {
		return nil, badRequest("spans: the list is empty.", "Send at least one span.")
	}
	offsets := annotate.NewOffsets(n.Document.Text)
	out := make([]annotate.Span, len(e.Spans))
	for i, s := range e.Spans {
		var err error
		if s.Label == "" {
			return nil, badRequest(fmt.Sprintf("spans[%d].label: it is missing.", i), "Send a label of the project.")
		}
		if out[i], err = offsets.Span(s.Start, s.End, n.Renamed.Of(s.Label)); err != nil {
			return nil, ui.Refuse(fmt.Sprintf("spans[%d]: the note has %d characters; %d to %d is not a part of it.", i, offsets.Runes(), s.Start, s.End), "Count positions in Unicode code points.")
		}
		if s.Text == nil {
			return nil, badRequest(fmt.Sprintf("spans[%d].text: it is missing.", i), "Send the words of the note at this place. They show that both sides count alike.")
		}
		here := out[i].Surface(n.Document.Text)
		if here != *s.Text {
			return nil, refused(http.StatusConflict, "The words do not match the note",
				fmt.Sprintf("spans[%d]: at this place the note holds %d characters, and the request has %d others. Nothing was changed.", i, utf8.RuneCountInString(here), utf8.RuneCountInString(*s.Text)),
				"Count positions in Unicode code points, not in bytes or UTF-16.", map[string]any{"kind": "text"})
		}
		if strings.TrimSpace(here) == "" {
			return nil, badRequest(fmt.Sprintf("spans[%d]: there is only white space.", i), "Send a span with a visible character.")
		}
	}
	return out, nil
}

func (e edit) named(n *project.Note) ([]uint64, error) {
	if len(e.IDs) == 0 {
		return nil, badRequest("ids: the list is empty.", "Send the id of at least one span.")
	}
	out := make([]uint64, len(e.IDs))
	for i, text := range e.IDs {
		id, err := strconv.ParseUint(text, 10, 64)
		if _, found := n.Layer.Find(id); err != nil || !found {
			return nil, ui.Refuse(fmt.Sprintf("ids[%d]: the note has no span with this id.", i), "Read the note again.")
		}
		out[i] = id
	}
	return out, nil
}

func (e edit) chosen(n *project.Note) ([]annotate.Suggestion, error) {
	if len(e.Suggestions) == 0 {
		return nil, badRequest("suggestions: the list is empty.", "Send at least one suggestion.")
	}
	offsets := annotate.NewOffsets(n.Document.Text)
	out := make([]annotate.Suggestion, len(e.Suggestions))
	for i, p := range e.Suggestions {
		p.Label = n.Renamed.Of(p.Label)
		at := slices.IndexFunc(n.Suggestions, func(s annotate.Suggestion) bool { return placeOf(offsets, s.Span) == p })
		if at < 0 {
			return nil, ui.Refuse(fmt.Sprintf("suggestions[%d]: the note has no such suggestion now.", i), "A newer model may not make it. Read the note again.")
		}
		out[i] = n.Suggestions[at]
	}
	return out, nil
}
