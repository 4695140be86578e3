// SPDX-License-Identifier: Apache-2.0

package note

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/web/model"
	"hide/web/ui"
)

// documentID is the document of the path.
func documentID(c ui.Context) (annotate.DocumentID, error) { return parseDocument(c.Param("doc")) }

func parseDocument(text string) (annotate.DocumentID, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, echo.ErrNotFound
	}
	return annotate.DocumentID(n), nil
}

// annotateNext opens the note that should be worked on next, or the queue when
// every note is done.
func (h *Handlers) annotateNext(c ui.Context) error {
	path, err := h.nextPath(c, 0)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, path)
}

func (h *Handlers) nextPath(c ui.Context, after annotate.DocumentID) (string, error) {
	choice, err := h.projects.Next(c.Request().Context(), ui.User(c), ui.ProjectID(c), after)
	if project.KindOf(err) == project.NotFound {
		return "/p/" + string(ui.ProjectID(c)) + "/notes", nil
	}
	if err != nil {
		return "", err
	}
	return ui.NotePath(ui.ProjectID(c), choice.Document), nil
}

// afterFinishing is the note that the list beside the finished one announced as the next,
// unless a colleague has finished or deleted it meanwhile. A page without a script
// announces none.
func (h *Handlers) afterFinishing(c ui.Context, f noteForm, n *project.Note) (string, error) {
	if f.next > 0 && f.next != n.ID {
		next, err := h.projects.Note(c.Request().Context(), ui.User(c), ui.ProjectID(c), f.next)
		switch {
		case err == nil && next.Layer.State != annotate.Done:
			return ui.NotePath(ui.ProjectID(c), f.next), nil
		case err != nil && project.KindOf(err) != project.NotFound:
			return "", err
		}
	}
	return h.nextPath(c, n.ID)
}

// showNote is the annotation page. A script that asks for what has changed since the
// revision that it shows gets that.
func (h *Handlers) showNote(c ui.Context) error {
	doc, err := documentID(c)
	if err != nil {
		return err
	}
	note, err := h.projects.Note(c.Request().Context(), ui.User(c), ui.ProjectID(c), doc)
	if err != nil {
		return err
	}
	view := h.noteView(c, note)
	if ui.IsFragment(c.Request()) {
		if revision, err := strconv.Atoi(c.QueryParam("since")); err == nil {
			return h.sendNote(c, note, view, revision, c.QueryParam("shown"))
		}
		return ui.Fragment(c, noteFragment(view))
	}
	view.choose(c.QueryParam("span"))
	return h.notePage(c, http.StatusOK, view)
}

func (h *Handlers) notePage(c ui.Context, status int, view noteView) error {
	overview, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	training, err := h.projects.Training(ctx, ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	side, err := h.queueSide(ctx, ui.User(c), ui.ProjectID(c), view.ID)
	if err != nil {
		return err
	}
	p := ui.Page{
		Title: fmt.Sprintf("Note %d · %s", view.ID, overview.Name), Project: &overview, Tab: "annotate", Wide: true,
		Scripts: []string{"js/note.js", "js/sanitize_place.js"}, Live: []string{"training", "queue", "queue-best", "note"},
		Query: side.query(),
	}
	return ui.ShowPageStatus(c, status, p, notePage(view, side, model.Training{Project: ui.ProjectID(c), Status: training, Now: time.Now()}))
}

// editNote makes an edit. A script gets the changed note; a browser is sent back to the
// page. Finishing a note leads to the next.
func (h *Handlers) editNote(c ui.Context) error {
	form, note, err := h.openForm(c)
	if err != nil {
		return err
	}
	edit, err := form.edit(note)
	if err != nil && form.revision != note.Layer.Revision {
		err = &project.ConflictError{Mine: edit, Theirs: note}
	}
	var changed *project.Note
	if err == nil {
		if v, q := h.ask(c, note, form, edit); q != nil {
			return h.noteAsked(c, v, q)
		}
		changed, err = h.finishOrEdit(c, form, note, edit)
	}
	if err != nil {
		return h.noteRefused(c, form.revision, err)
	}
	if edit.Verb == annotate.VerbFinish {
		path, err := h.afterFinishing(c, form, changed)
		if err != nil {
			return err
		}
		return ui.Back(c, path)
	}
	return h.noteChanged(c, form, note, changed)
}

// finishOrEdit makes the edit. A note that is done is not finished again: the person is
// led to the next one.
func (h *Handlers) finishOrEdit(c ui.Context, f noteForm, n *project.Note, e annotate.Edit) (*project.Note, error) {
	if e.Verb == annotate.VerbFinish && n.Layer.State == annotate.Done && n.Layer.Revision == f.revision {
		return n, nil
	}
	return h.projects.EditNote(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, f.revision, e)
}

func (h *Handlers) openForm(c ui.Context) (noteForm, *project.Note, error) {
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
	note, err := h.projects.Note(c.Request().Context(), ui.User(c), ui.ProjectID(c), doc)
	return form, note, err
}

func (h *Handlers) undoNote(c ui.Context) error { return h.stepNote(c, "undo") }

func (h *Handlers) redoNote(c ui.Context) error { return h.stepNote(c, "redo") }

func (h *Handlers) stepNote(c ui.Context, verb annotate.Verb) error {
	form, note, err := h.openForm(c)
	if err != nil {
		return err
	}
	edit := annotate.Edit{Verb: verb}
	if v, q := h.ask(c, note, form, edit); q != nil {
		return h.noteAsked(c, v, q)
	}
	changed, err := h.projects.EditNote(c.Request().Context(), ui.User(c), ui.ProjectID(c), note, form.revision, edit)
	if err != nil {
		return h.noteRefused(c, form.revision, err)
	}
	return h.noteChanged(c, form, note, changed)
}

// showMatches lists the other places of a span's words, to tick those to tag. It changes
// nothing. It is a POST because text of a note must not be in a URL.
func (h *Handlers) showMatches(c ui.Context) error {
	form, note, err := h.openForm(c)
	if err != nil {
		return err
	}
	span, err := form.source(note)
	if err != nil {
		return err
	}
	view := newMatchesView(newNoteView(ui.ProjectID(c), note), span, form.ignoreCase)
	if ui.IsFragment(c.Request()) {
		return ui.Fragment(c, matchesForm(view))
	}
	overview, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	return ui.ShowPage(c, ui.Page{Title: fmt.Sprintf("Note %d, all matches", note.ID), Project: &overview, Tab: "annotate"}, matchesPage(view))
}

// renderNewest tells an open page which state of its note is the newest. The page
// fetches it when its reader pauses.
func (h *Handlers) renderNewest(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
	doc, err := parseDocument(q.Get("doc"))
	if err != nil {
		return nil, err
	}
	newest, err := h.projects.NoteState(ctx, u, id, doc)
	if err != nil {
		return nil, err
	}
	return noteNewest(newest), nil
}
