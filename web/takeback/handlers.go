// SPDX-License-Identifier: Apache-2.0

// Package takeback shows the page “Delete and undo” of a project: its bin, its imports,
// the removal of a patient and the destruction of the project.
package takeback

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/takeback"
	"hide/internal/words"
	"hide/web/ui"
)

// Projects is what this page asks. Each method checks the permission of by first.
type Projects interface {
	ui.Projects
	State(ctx context.Context, by account.User, id project.ID) (takeback.State, error)
	NoteName(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID) (string, error)
	Outside(ctx context.Context, by account.User, id project.ID, since time.Time) (takeback.Outside, error)
	Patient(ctx context.Context, by account.User, id project.ID, key string) (takeback.Patient, error)
	DeleteNote(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID, name string) error
	RestoreNote(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID) error
	EraseNote(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID, name string) error
	UndoImport(ctx context.Context, by account.User, id project.ID, number uint64, words string) error
	RestoreImport(ctx context.Context, by account.User, id project.ID, number uint64) error
	EraseImport(ctx context.Context, by account.User, id project.ID, number uint64, words string) error
	RemovePatient(ctx context.Context, by account.User, id project.ID, key, confirm string) (takeback.Removed, error)
	DestroyProject(ctx context.Context, by account.User, id project.ID, name string) error
}

// Handlers answers for this page.
type Handlers struct{ projects Projects }

// New makes the handlers of this page.
func New(projects Projects) *Handlers { return &Handlers{projects} }

// Routes lists the page and its forms.
func (h *Handlers) Routes() []ui.Route {
	form := func(name string, handle func(ui.Context) error) ui.Route {
		return ui.Post("/p/:project/delete/"+name, account.ManageWork, handle)
	}
	return []ui.Route{
		ui.Get("/p/:project/delete", account.ManageWork, h.show),
		form("note", h.note), form("restore", h.restore), form("erase", h.erase),
		form("import", h.undo), form("restore-import", h.restoreImport), form("erase-import", h.eraseImport),
		form("patient", h.findPatient), form("patient/confirm", h.removePatient), form("project", h.destroy),
	}
}

// Parts: the page has none.
func (h *Handlers) Parts() []ui.LivePart { return nil }

// view is the page.
type view struct {
	takeback.State
	project  project.Overview
	outside  takeback.Outside
	said     string
	problem  *ui.Error
	tried    tried
	note     annotate.DocumentID // to be deleted; 0 without one
	noteName string
	key      string // of the patient
	patient  *takeback.Patient
	only     uint64 // the undone import whose notes the bin lists; 0 for the notes deleted alone
}

// tried is what somebody typed into a form of this page to confirm it, in vain.
type tried struct{ action, value, typed string }

// refuses reports whether the problem is about the form with this action and hidden value.
func (v view) refuses(action, value string) bool {
	return v.problem != nil && v.tried.action == action && v.tried.value == value
}

func (h *Handlers) view(c ui.Context) (v view, err error) {
	ctx, by, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	if v.project, err = ui.Project(c, h.projects); err != nil {
		return v, err
	}
	if v.State, err = h.projects.State(ctx, by, id); err != nil {
		return v, err
	}
	v.outside, err = h.projects.Outside(ctx, by, id, v.project.Created)
	return v, err
}

func (h *Handlers) show(c ui.Context) error {
	v, err := h.view(c)
	if err != nil {
		return err
	}
	v.said = saidWords[c.QueryParam("done")]
	if v.note, err = number(c.QueryParam("note")); err != nil {
		return err
	}
	only, err := number(c.QueryParam("only"))
	if err != nil {
		return err
	}
	v.only = uint64(only)
	if v.note > 0 {
		if v.noteName, err = h.projects.NoteName(c.Request().Context(), ui.User(c), v.project.ID, v.note); err != nil {
			return err
		}
	}
	return page(c, http.StatusOK, v)
}

func page(c ui.Context, status int, v view) error {
	return ui.ShowPageStatus(c, status, ui.Page{Title: "Delete and undo · " + v.project.Name, Project: &v.project}, takebackPage(v))
}

// saidWords are the messages after a form.
var saidWords = map[string]string{
	"note":            "The note is in the bin.",
	"restore":         "The note is back, with its spans.",
	"erase":           "The note is erased.",
	"import":          "The import is undone. Its notes are in the bin, from which you can restore all of them at once.",
	"restore-import":  "The notes of the import are back, with their spans.",
	"erase-import":    "The notes of the import are erased.",
	"patient/confirm": "The patient is removed, with all models and redaction models that may hold words of the notes. A new model is trained from the other notes.",
}

// erasedWords describe a removal by numbers: a patient has no name here.
func erasedWords(r takeback.Removed) string {
	what := ui.Count(r.Notes, "note", "notes") + " of the bin"
	if r.Kind == takeback.KindPatient {
		what = "a patient with " + ui.Count(r.Notes, "note", "notes")
	}
	said := fmt.Sprintf("%s: %s, by %s.", ui.Moment(r.At), what, r.By)
	var with []string
	for _, d := range []struct {
		n         int
		one, many string
	}{{r.Models, "model", "models"}, {r.Runs, "run's words", "runs' words"}, {r.Bundles, "redaction model", "redaction models"}, {r.Audits, "audit", "audits"}} {
		if d.n > 0 {
			with = append(with, ui.Count(d.n, d.one, d.many))
		}
	}
	if len(with) > 0 {
		said += " Deleted too: " + words.List(with) + "."
	}
	var numbers []string
	for _, n := range r.Releases {
		numbers = append(numbers, strconv.Itoa(n))
	}
	if len(numbers) > 0 {
		said += " Releases that hold the notes: " + words.List(numbers) + "."
	}
	return said
}

func number(text string) (annotate.DocumentID, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, &project.Error{Kind: project.Invalid, Message: "the address names no note", Hint: "open the note and choose Delete there"}
	}
	return annotate.DocumentID(n), nil
}

// done leads back to the page after a form, or shows the form again with what was typed and
// why nothing was done. value is the hidden value of the form.
func (h *Handlers) done(c ui.Context, action, value string, err error, again func(*view)) error {
	if err == nil {
		return ui.Back(c, string(ui.ProjectURL(ui.ProjectID(c), "/delete"))+"?done="+url.QueryEscape(action))
	}
	refused := ui.Refused(err)
	if refused == nil {
		return err
	}
	v, err := h.view(c)
	if err != nil {
		return err
	}
	v.problem = refused
	if typed, asked := c.Request().PostForm["confirm"]; asked {
		v.tried = tried{action, value, typed[0]}
	}
	again(&v)
	return page(c, refused.Status, v)
}

func nothing(*view) {}

func (h *Handlers) note(c ui.Context) error {
	doc, err := number(c.FormValue("note"))
	if err != nil {
		return err
	}
	ctx, by, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	name, err := h.projects.NoteName(ctx, by, id, doc)
	if err != nil {
		return err
	}
	err = h.projects.DeleteNote(ctx, by, id, doc, c.FormValue("confirm"))
	return h.done(c, "note", c.FormValue("note"), err, func(v *view) { v.note, v.noteName = doc, name })
}

func (h *Handlers) restore(c ui.Context) error {
	doc, err := number(c.FormValue("note"))
	if err != nil {
		return err
	}
	err = h.projects.RestoreNote(c.Request().Context(), ui.User(c), ui.ProjectID(c), doc)
	return h.done(c, "restore", "", err, func(v *view) { v.only = v.undoneWith(doc) })
}

func (h *Handlers) erase(c ui.Context) error {
	doc, err := number(c.FormValue("note"))
	if err != nil {
		return err
	}
	err = h.projects.EraseNote(c.Request().Context(), ui.User(c), ui.ProjectID(c), doc, c.FormValue("confirm"))
	return h.done(c, "erase", c.FormValue("note"), err, func(v *view) { v.only = v.undoneWith(doc) })
}

func (h *Handlers) undo(c ui.Context) error {
	n, err := number(c.FormValue("import"))
	if err != nil {
		return err
	}
	err = h.projects.UndoImport(c.Request().Context(), ui.User(c), ui.ProjectID(c), uint64(n), c.FormValue("confirm"))
	return h.done(c, "import", c.FormValue("import"), err, nothing)
}

func (h *Handlers) restoreImport(c ui.Context) error {
	n, err := number(c.FormValue("import"))
	if err != nil {
		return err
	}
	err = h.projects.RestoreImport(c.Request().Context(), ui.User(c), ui.ProjectID(c), uint64(n))
	return h.done(c, "restore-import", "", err, nothing)
}

func (h *Handlers) eraseImport(c ui.Context) error {
	n, err := number(c.FormValue("import"))
	if err != nil {
		return err
	}
	err = h.projects.EraseImport(c.Request().Context(), ui.User(c), ui.ProjectID(c), uint64(n), c.FormValue("confirm"))
	return h.done(c, "erase-import", c.FormValue("import"), err, nothing)
}

// findPatient shows what the removal would delete. The key comes by POST, so that it is
// in no address and no log.
func (h *Handlers) findPatient(c ui.Context) error {
	key := c.FormValue("key")
	v, err := h.view(c)
	if err != nil {
		return err
	}
	p, err := h.projects.Patient(c.Request().Context(), ui.User(c), v.project.ID, key)
	if project.KindOf(err) == project.NotFound {
		v.key, v.problem = key, ui.Explain(err)
		return page(c, http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return err
	}
	v.key, v.patient = key, &p
	return page(c, http.StatusOK, v)
}

func (h *Handlers) removePatient(c ui.Context) error {
	ctx, by, id, key := c.Request().Context(), ui.User(c), ui.ProjectID(c), c.FormValue("key")
	_, err := h.projects.RemovePatient(ctx, by, id, key, c.FormValue("confirm"))
	return h.done(c, "patient/confirm", key, err, func(v *view) {
		v.key = key
		if p, err := h.projects.Patient(ctx, by, id, key); err == nil {
			v.patient = &p
		}
	})
}

func (h *Handlers) destroy(c ui.Context) error {
	id, name := ui.ProjectID(c), c.FormValue("confirm")
	err := h.projects.DestroyProject(c.Request().Context(), ui.User(c), id, name)
	if err == nil {
		return ui.Back(c, "/?"+url.Values{"destroyed": {string(id)}, "name": {project.Typable(name)}}.Encode())
	}
	return h.done(c, "project", "", err, nothing)
}
