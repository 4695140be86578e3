// SPDX-License-Identifier: Apache-2.0

package api

import (
	"net/http"
	"strconv"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/web/ui"
)

// Sizes of pages of lists of notes.
const (
	usualNotes = 50
	mostNotes  = 500
)

// states are the states of a note as the API calls them.
var states = map[annotate.State]string{annotate.New: "new", annotate.InProgress: "in_progress", annotate.Done: "finished"}

// noteSummary is a note in a list.
type noteSummary struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	State       string  `json:"state"`
	Spans       int     `json:"spans"`
	Suggestions *int    `json:"suggestions,omitempty"` // open ones; missing while they are not counted yet
	Uncertainty float64 `json:"uncertainty"`
	Tokens      int     `json:"tokens"`
}

// listNotes lists the notes in order of import.
func (h *Handlers) listNotes(c ui.Context) error {
	f, err := readNotesFilter(c)
	if err != nil {
		return err
	}
	q, err := h.projects.Queue(c.Request().Context(), ui.User(c), ui.ProjectID(c), f)
	if err != nil {
		return err
	}
	out := []noteSummary{}
	for _, i := range q.Items {
		s := noteSummary{ID: docID(i.Document), Name: i.Name, State: states[i.State], Spans: i.Annotations, Uncertainty: i.Uncertainty, Tokens: i.Length}
		if !i.Uncounted {
			s.Suggestions = &i.Suggestions
		}
		out = append(out, s)
	}
	next := ""
	if end := f.Offset + len(out); end < q.Matching && len(out) > 0 {
		next = strconv.Itoa(end)
	}
	answer := page("notes", out, next)
	answer["matching"] = q.Matching
	return c.JSON(http.StatusOK, answer)
}

func readNotesFilter(c ui.Context) (f project.QueueFilter, err error) {
	if err := checkQuery(c, "state", "limit", "cursor"); err != nil {
		return f, err
	}
	if f.Limit, err = readLimit(c, usualNotes, mostNotes); err != nil {
		return f, err
	}
	at, err := readCursor(c)
	if err != nil {
		return f, err
	}
	f.Offset = int(at)
	asked := c.QueryParam("state")
	for state, name := range states {
		if name == asked {
			f.State = state
		}
	}
	if asked != "" && f.State == "" {
		return f, badRequest("state: enter new, in_progress or finished.", "")
	}
	return f, nil
}

func docID(id annotate.DocumentID) string { return strconv.FormatUint(uint64(id), 10) }

// note is a note as somebody works on it. Positions are in code points.
type note struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Patient string `json:"patient,omitempty"`
	Text    string `json:"text"`
	noteState
}

// noteState is what changes of a note.
type noteState struct {
	Revision    int          `json:"revision"`
	State       string       `json:"state"`
	Spans       []span       `json:"spans"`
	Suggestions []suggestion `json:"suggestions"`
	Blind       bool         `json:"blind"`
	CanUndo     bool         `json:"can_undo"`
	CanRedo     bool         `json:"can_redo"`
}

type place struct {
	Start annotate.RuneOff `json:"start"`
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
}

type span struct {
	ID string `json:"id"`
	place
	Text   string `json:"text"`
	Source string `json:"source"`
}

type suggestion struct {
	place
	Text  string  `json:"text"`
	Score float64 `json:"score"`
	From  string  `json:"from"` // "model", "rule" or "known"
}

// readNote opens a note. The reading is in the audit trail.
func (h *Handlers) readNote(c ui.Context) error {
	n, err := h.open(c)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, note{ID: docID(n.ID), Name: n.Document.Name, Patient: n.Document.Patient, Text: n.Document.Text, noteState: stateOf(n)})
}

// suggestions lists the open suggestions of a note.
func (h *Handlers) suggestions(c ui.Context) error {
	n, err := h.open(c)
	if err != nil {
		return err
	}
	s := stateOf(n)
	return c.JSON(http.StatusOK, map[string]any{"revision": s.Revision, "suggestions": s.Suggestions})
}

func (h *Handlers) open(c ui.Context) (*project.Note, error) {
	id, err := noteID(c)
	if err != nil {
		return nil, err
	}
	return h.projects.Note(c.Request().Context(), ui.User(c), ui.ProjectID(c), id)
}

func stateOf(n *project.Note) noteState {
	offsets := annotate.NewOffsets(n.Document.Text)
	out := noteState{
		Revision: n.Layer.Revision, State: states[n.Layer.State], Blind: n.Blind, CanUndo: n.CanUndo, CanRedo: n.CanRedo,
		Spans: []span{}, Suggestions: []suggestion{},
	}
	for _, a := range n.Layer.Annotations {
		out.Spans = append(out.Spans, span{strconv.FormatUint(a.ID, 10), placeOf(offsets, a.Span), a.Span.Surface(n.Document.Text), string(a.Source)})
	}
	for _, s := range n.Suggestions {
		out.Suggestions = append(out.Suggestions, suggestion{placeOf(offsets, s.Span), s.Span.Surface(n.Document.Text), s.Score, suggestedBy(s)})
	}
	return out
}

func placeOf(offsets *annotate.Offsets, s annotate.Span) place {
	start, end := offsets.Range(s)
	return place{start, end, s.Label}
}

func suggestedBy(s annotate.Suggestion) string {
	switch {
	case s.Known:
		return "known"
	case s.Model == 0:
		return "rule"
	}
	return "model"
}

// next names the note to annotate next.
func (h *Handlers) next(c ui.Context) error {
	choice, err := h.projects.Next(c.Request().Context(), ui.User(c), ui.ProjectID(c), 0)
	if project.KindOf(err) == project.NotFound {
		return c.NoContent(http.StatusNoContent) // every note is finished
	}
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]any{"note": docID(choice.Document), "name": choice.Name, "reason": choice.Reason, "random": choice.Random})
}
