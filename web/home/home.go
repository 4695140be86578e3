// SPDX-License-Identifier: Apache-2.0

package home

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/labels"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/project/training"
	"hide/internal/project/webhooks"
	"hide/web/ui"
)

func (h *Handlers) list(c ui.Context) error {
	said, err := h.destroyedWords(c)
	if err != nil {
		return err
	}
	return h.showList(c, http.StatusOK, said, projectForm{})
}

// destroyedWords says that the person has destroyed a project; "" mostly. The record of that
// has no name, so the page that led here gives it.
func (h *Handlers) destroyedWords(c ui.Context) (string, error) {
	id := project.ID(c.QueryParam("destroyed"))
	if id == "" {
		return "", nil
	}
	all, err := h.projects.Destroyed()
	if !slices.ContainsFunc(all, func(d project.Destroyed) bool { return d.ID == id && d.By == ui.User(c).ID }) {
		return "", err
	}
	return "Project " + c.QueryParam("name") + " was destroyed.", err
}

// projectForm is what was typed into the form for a new project, and what is
// wrong with it.
type projectForm struct {
	Name, Labels   string
	Set            string // name of a label set; used if Labels is empty
	Problem, Which string // Which names the field at fault: "name" or "labels"
}

func (h *Handlers) showList(c ui.Context, status int, said string, f projectForm) error {
	list, err := h.projects.Projects(c.Request().Context(), ui.User(c))
	if err != nil {
		return err
	}
	var sealed []project.ID
	if ui.User(c).Role.Can(account.ManagePeople) {
		if sealed, err = h.projects.Sealed(c.Request().Context(), ui.User(c)); err != nil {
			return err
		}
	}
	return ui.ShowPageStatus(c, status, ui.Page{Title: "Projects"}, projectList(list, sealed, h.warningsFor(ui.User(c)), said, f, h.tourFor(ui.User(c))))
}

// create makes a project and opens it. The form shows what is wrong with it.
func (h *Handlers) create(c ui.Context) error {
	f := projectForm{Name: strings.TrimSpace(c.FormValue("name")), Labels: c.FormValue("labels"), Set: c.FormValue("set")}
	chosen, problem := readLabels(f.Labels, f.Set)
	if problem != "" {
		f.Problem, f.Which = problem, "labels"
		return h.showList(c, http.StatusUnprocessableEntity, "", f)
	}
	p, err := h.projects.Create(c.Request().Context(), ui.User(c), f.Name, chosen)
	var refused *project.Error
	if errors.As(err, &refused) && refused.Kind == project.Invalid {
		f.Problem, f.Which = ui.Sentence(refused.Message), "name"
		return h.showList(c, http.StatusUnprocessableEntity, "", f)
	}
	if err != nil {
		return err
	}
	return ui.Back(c, string(ui.ProjectURL(p.ID, "")))
}

// readLabels reads labels separated by spaces, commas or lines. Without any it gives the label
// set with the name; "" is the default one.
func readLabels(text, name string) (own annotate.LabelSet, problem string) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\r' || r == '\t' })
	if len(words) == 0 {
		set, found := labels.FindSet(cmp.Or(name, labels.Default))
		if !found {
			return nil, "There is no label set of this name. Choose one of the list."
		}
		return set.Labels, ""
	}
	for _, w := range words {
		if annotate.CheckLabel(annotate.Label(w)) != nil {
			return nil, "A label starts with a letter, followed by letters, digits, “_”, “.” or “-”. One of these labels does not."
		}
		own = own.With(annotate.Label(w))
	}
	return own, ""
}

func (h *Handlers) showOverview(c ui.Context) error {
	o, err := h.overview(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	if o.role.Can(account.ManageWork) {
		if o.webhooks, err = h.projects.Webhooks(c.Request().Context(), ui.User(c), o.ID); err != nil {
			return err
		}
	}
	p := ui.Page{Title: o.Name, Project: &o.Overview, Tab: "overview", Live: []string{"steps"}}
	return ui.ShowPage(c, p, projectHome(o))
}

// overview is the state of a project, as far as the person may see it.
type overview struct {
	project.Overview
	role     account.Role
	training training.Status // zero without the permission to read notes
	runs     []sanitize.Run  // newest first; nil without the permission to see figures
	read     release.Sampled // by people, of what the run with the chosen L/C would publish

	webhooks webhooks.Webhooks // zero without the permission to manage work, and in the live part
}

// hasWebhooks reports whether the project has any, or may have.
func (o overview) hasWebhooks() bool { return len(o.webhooks.Hosts) > 0 || len(o.webhooks.All) > 0 }

// webhooksOff counts those that hide has turned off.
func (o overview) webhooksOff() (n int) {
	for _, w := range o.webhooks.All {
		if w.Off != nil {
			n++
		}
	}
	return n
}

func (h *Handlers) overview(ctx context.Context, u account.User, id project.ID) (o overview, err error) {
	o.role = u.Role
	if o.Overview, err = h.projects.Project(ctx, u, id); err != nil {
		return o, err
	}
	if u.Role.Can(account.ReadNotes) {
		if o.training, err = h.projects.Training(ctx, u, id); err != nil {
			return o, err
		}
	}
	if !u.Role.Can(account.SeeFigures) {
		return o, nil
	}
	if o.runs, err = h.projects.Runs(ctx, u, id); err != nil {
		return o, err
	}
	if run := o.chosen(); run != nil {
		o.read, err = h.projects.SampleRead(ctx, u, id, release.About{Run: run.Number})
	}
	return o, err
}
