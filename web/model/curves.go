// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/ui"
)

func (h *Handlers) curvesRoutes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/curves", account.SeeFigures, h.curvesShow),
		ui.Post("/p/:project/curves", account.ManageWork, h.curvesStart),
		ui.Post("/p/:project/curves/cancel", account.ManageWork, h.curvesCancel),
		ui.Post("/p/:project/curves/use", account.ManageWork, h.curvesUse),
	}
}

func (h *Handlers) curvesParts() []ui.LivePart {
	return []ui.LivePart{{
		Name: "curves", Target: "#curves", Needs: account.SeeFigures,
		Topics: []project.Topic{project.TopicCurves, project.TopicQueue},
		Render: func(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
			v, err := h.curves(ctx, u, id)
			v.compareWith(q.Get("with"))
			return curvesState(v), err
		},
	}}
}

func (h *Handlers) curves(ctx context.Context, u account.User, id project.ID) (v curvesView, err error) {
	if v.Project, err = h.projects.Project(ctx, u, id); err != nil {
		return v, err
	}
	v.Status, err = h.projects.Curves(ctx, u, id)
	return v, err
}

func (h *Handlers) curvesShow(c ui.Context) error {
	v, err := h.curves(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	v.compareWith(c.QueryParam("with"))
	v.Form, v.Saved = newCurvesForm(v.Status.Last), c.QueryParam("saved") == "1"
	return h.showCurves(c, http.StatusOK, v)
}

func (h *Handlers) showCurves(c ui.Context, status int, v curvesView) error {
	p := ui.Page{Title: "Sampling · " + v.Project.Name, Project: &v.Project, Tab: "overview", Live: []string{"curves"}}
	if v.With > 0 {
		p.Query = url.Values{"with": {strconv.Itoa(v.With + 1)}}
	}
	return ui.ShowPageStatus(c, status, p, curvesPage(v))
}

// curvesStart starts to measure. The form shows its errors beside its fields, with
// everything as it was typed.
func (h *Handlers) curvesStart(c ui.Context) error {
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	form, params := readCurvesForm(values)
	var refused *ui.Error
	if len(form.problems) == 0 {
		err = h.projects.StartCurves(c.Request().Context(), ui.User(c), ui.ProjectID(c), params)
		if err == nil {
			return ui.Back(c, string(ui.CurvesURL(ui.ProjectID(c))))
		}
		if refused = ui.Refused(err); refused == nil {
			return err
		}
	}
	v, err := h.curves(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	v.Form = form
	if refused != nil {
		v.Error = refused.What + " " + refused.Next
	}
	return h.showCurves(c, http.StatusUnprocessableEntity, v)
}

func (h *Handlers) curvesCancel(c ui.Context) error {
	if err := h.projects.CancelCurves(c.Request().Context(), ui.User(c), ui.ProjectID(c)); err != nil {
		return err
	}
	return ui.Back(c, string(ui.CurvesURL(ui.ProjectID(c))))
}

// curvesUse makes the project train with a setting that was measured.
func (h *Handlers) curvesUse(c ui.Context) error {
	setting, err := strconv.Atoi(c.FormValue("setting"))
	if err != nil {
		return &project.Error{Kind: project.Invalid, Message: "the setting has no number", Hint: "reload the page and choose again"}
	}
	if err := h.projects.UseSampling(c.Request().Context(), ui.User(c), ui.ProjectID(c), setting); err != nil {
		return err
	}
	return ui.Back(c, string(ui.CurvesURL(ui.ProjectID(c)))+"?saved=1")
}
