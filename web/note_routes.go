// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
)

func (s *Server) noteRoutes() []route {
	return []route{
		{http.MethodGet, "/p/:project/annotate", account.ReadNotes, s.annotateNext},
		{http.MethodGet, "/p/:project/notes", account.ReadNotes, s.showQueue},
		{http.MethodPost, "/p/:project/notes", account.ReadNotes, s.findNotes},
		{http.MethodGet, "/p/:project/notes/:doc", account.ReadNotes, s.showNote},
		{http.MethodPost, "/p/:project/notes/:doc/edit", account.Annotate, s.editNote},
		{http.MethodPost, "/p/:project/notes/:doc/undo", account.Annotate, s.undoNote},
		{http.MethodPost, "/p/:project/notes/:doc/redo", account.Annotate, s.redoNote},
		{http.MethodPost, "/p/:project/notes/:doc/matches", account.Annotate, s.showMatches},
		{http.MethodPost, "/p/:project/training", account.Annotate, s.startTraining},
		{http.MethodPost, "/p/:project/training/cancel", account.Annotate, s.cancelTraining},
	}
}

// noteParts are the live parts of the annotation page.
func (s *Server) noteParts() []livePart {
	return []livePart{
		{
			name: "training", topics: []project.Topic{project.TopicTraining}, needs: account.ReadNotes,
			target: "#training", render: s.renderTraining,
		},
		{
			name: "queue", topics: []project.Topic{project.TopicQueue}, needs: account.ReadNotes,
			target: "#queue-list", render: s.renderQueueSide,
		},
		{
			name: "note", topics: []project.Topic{project.TopicDocument}, needs: account.ReadNotes,
			target: "#note-newest", render: s.renderNewest, ofNote: true,
		},
	}
}

// documentID is the document of the path.
func documentID(c echo.Context) (annotate.DocumentID, error) { return parseDocument(c.Param("doc")) }

func parseDocument(text string) (annotate.DocumentID, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, echo.ErrNotFound
	}
	return annotate.DocumentID(n), nil
}

// annotateNext opens the note that should be worked on next, or the queue when
// every note is done.
func (s *Server) annotateNext(c echo.Context) error {
	path, err := s.nextPath(c, 0)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, path)
}

func (s *Server) nextPath(c echo.Context, after annotate.DocumentID) (string, error) {
	choice, err := s.projects.Next(c.Request().Context(), user(c), projectID(c), after)
	if project.KindOf(err) == project.NotFound {
		return "/p/" + string(projectID(c)) + "/notes", nil
	}
	if err != nil {
		return "", err
	}
	return notePath(projectID(c), choice.Document), nil
}

// showNote is the annotation page.
func (s *Server) showNote(c echo.Context) error {
	doc, err := documentID(c)
	if err != nil {
		return err
	}
	note, err := s.projects.Note(c.Request().Context(), user(c), projectID(c), doc)
	if err != nil {
		return err
	}
	view := s.noteView(c, note)
	if isFragment(c.Request()) {
		return s.fragment(c, noteFragment(view))
	}
	view.choose(c.QueryParam("span"))
	return s.notePage(c, http.StatusOK, view)
}

func (s *Server) notePage(c echo.Context, status int, view noteView) error {
	overview, err := s.project(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	training, err := s.projects.Training(ctx, user(c), projectID(c))
	if err != nil {
		return err
	}
	side, err := s.queueSide(ctx, user(c), projectID(c), view.ID)
	if err != nil {
		return err
	}
	p := Page{
		Title: fmt.Sprintf("Note %d", view.ID), Project: &overview, Tab: "annotate", Wide: true,
		Scripts: []string{"js/note.js", "js/sanitize_place.js"}, Live: []string{"training", "queue", "note"},
		Query: url.Values{"doc": {strconv.FormatUint(uint64(view.ID), 10)}},
	}
	return s.pageStatus(c, status, p, notePage(view, side, trainingView{projectID(c), training, s.now()}))
}

// editNote makes an edit. A script gets the note as it stands after; a browser is
// sent back to the page. Finishing a note leads to the next.
func (s *Server) editNote(c echo.Context) error {
	form, note, err := s.openForm(c)
	if err != nil {
		return err
	}
	edit, err := form.edit(note)
	if err != nil && form.revision != note.Layer.Revision {
		err = &project.ConflictError{Mine: edit, Theirs: note}
	}
	if err == nil {
		if v, q := s.ask(c, note, form, edit); q != nil {
			return s.noteAsked(c, v, q)
		}
		note, err = s.finishOrEdit(c, form, note, edit)
	}
	if err != nil {
		return s.noteRefused(c, form.revision, err)
	}
	if edit.Verb == annotate.VerbFinish {
		path, err := s.nextPath(c, note.ID)
		if err != nil {
			return err
		}
		return s.back(c, path)
	}
	return s.noteChanged(c, note)
}

// finishOrEdit makes the edit. A note that is done already is not finished again:
// a reader who wants it is led on.
func (s *Server) finishOrEdit(c echo.Context, f noteForm, n *project.Note, e annotate.Edit) (*project.Note, error) {
	if e.Verb == annotate.VerbFinish && n.Layer.State == annotate.Done && n.Layer.Revision == f.revision {
		return n, nil
	}
	return s.projects.EditNote(c.Request().Context(), user(c), projectID(c), n, f.revision, e)
}

func (s *Server) openForm(c echo.Context) (noteForm, *project.Note, error) {
	doc, err := documentID(c)
	if err != nil {
		return noteForm{}, nil, err
	}
	values, err := c.FormParams()
	if err != nil {
		return noteForm{}, nil, err
	}
	form, err := readNoteForm(values)
	if err != nil {
		return form, nil, err
	}
	note, err := s.projects.Note(c.Request().Context(), user(c), projectID(c), doc)
	return form, note, err
}

func (s *Server) undoNote(c echo.Context) error { return s.stepNote(c, "undo") }

func (s *Server) redoNote(c echo.Context) error { return s.stepNote(c, "redo") }

func (s *Server) stepNote(c echo.Context, verb annotate.Verb) error {
	form, note, err := s.openForm(c)
	if err != nil {
		return err
	}
	edit := annotate.Edit{Verb: verb}
	if v, q := s.ask(c, note, form, edit); q != nil {
		return s.noteAsked(c, v, q)
	}
	note, err = s.projects.EditNote(c.Request().Context(), user(c), projectID(c), note, form.revision, edit)
	if err != nil {
		return s.noteRefused(c, form.revision, err)
	}
	return s.noteChanged(c, note)
}

func (s *Server) noteChanged(c echo.Context, note *project.Note) error {
	if !isFragment(c.Request()) {
		return s.back(c, notePath(projectID(c), note.ID))
	}
	return s.fragment(c, noteFragment(s.noteView(c, note)))
}

// showMatches lists the other places of a span's words, to be ticked before they
// are tagged. It changes nothing; it is a POST because words belong in no URL.
func (s *Server) showMatches(c echo.Context) error {
	form, note, err := s.openForm(c)
	if err != nil {
		return err
	}
	span, err := form.source(note)
	if err != nil {
		return err
	}
	view := newMatchesView(newNoteView(projectID(c), note), span, form.ignoreCase)
	if isFragment(c.Request()) {
		return s.fragment(c, matchesForm(view))
	}
	overview, err := s.project(c)
	if err != nil {
		return err
	}
	return s.page(c, Page{Title: fmt.Sprintf("Note %d, all matches", note.ID), Project: &overview, Tab: "annotate"}, matchesPage(view))
}

// renderNewest tells an open page which state of its note is the newest. The page
// fetches it when its reader pauses.
func (s *Server) renderNewest(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
	doc, err := parseDocument(q.Get("doc"))
	if err != nil {
		return nil, err
	}
	newest, err := s.projects.NoteState(ctx, u, id, doc)
	if err != nil {
		return nil, err
	}
	return noteNewest(newest), nil
}
