// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/web/outcome"
	"hide/web/ui"
)

// runPart renders a part of the page for the run that its query names, or for the newest.
func (h *Handlers) runPart(component func(view) templ.Component) func(context.Context, account.User, project.ID, url.Values) (templ.Component, error) {
	return func(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
		v := view{Project: project.Overview{Project: project.Project{ID: id}}}
		run, err := h.runOf(ctx, u, id, q)
		if err != nil {
			return nil, err
		}
		if run == 0 {
			v.Project, err = h.projects.Project(ctx, u, id)
		} else {
			err = h.fillRun(ctx, u, &v, run, q)
		}
		return component(v), err
	}
}

// runOf is the run that the query of a live part names, else the newest; 0 if there is none.
func (h *Handlers) runOf(ctx context.Context, u account.User, id project.ID, q url.Values) (int, error) {
	if q.Has("run") {
		return ui.AddressNumber(q.Get("run"))
	}
	return h.projects.NewestRun(ctx, u, id)
}

// runsPart is the list of runs. The query may name the run on the page.
func (h *Handlers) runsPart(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
	all, err := h.projects.Runs(ctx, u, id)
	if err != nil {
		return nil, err
	}
	v := view{Project: project.Overview{Project: project.Project{ID: id}}, Runs: all}
	if run, err := h.runOf(ctx, u, id, q); err == nil && run > 0 {
		v.Run = &sanitize.Run{Number: run}
		for _, other := range othersOf(q, run) {
			v.Others = append(v.Others, &sanitize.Run{Number: other})
		}
	}
	return runList(v), nil
}

func (h *Handlers) showNewest(c ui.Context) error {
	v, err := h.emptyView(c)
	if err != nil {
		return err
	}
	v.Newest = true
	if len(v.Runs) == 0 {
		return h.show(c, http.StatusOK, v)
	}
	return h.showRun(c, v, v.Runs[0].Number)
}

func (h *Handlers) showNumbered(c ui.Context) error {
	run, err := ui.AddressNumber(c.Param("run"))
	if err != nil {
		return err
	}
	v, err := h.emptyView(c)
	if err != nil {
		return err
	}
	return h.showRun(c, v, run)
}

// emptyView is the page without a run.
func (h *Handlers) emptyView(c ui.Context) (view, error) {
	o, err := ui.Project(c, h.projects)
	if err != nil {
		return view{}, err
	}
	runs, err := h.projects.Runs(c.Request().Context(), ui.User(c), o.ID)
	if err != nil {
		return view{}, err
	}
	v := view{Project: o, Runs: runs, Form: newStartForm(o.Labels)}
	if !ui.User(c).Role.Can(account.Sanitize) {
		return v, nil
	}
	v.Plan, err = h.projects.TargetPlan(c.Request().Context(), ui.User(c), o.ID, usualTarget)
	if project.KindOf(err) == project.Invalid {
		err = nil // too few notes: the page says how many
	}
	return v, err
}

func (h *Handlers) showRun(c ui.Context, v view, run int) error {
	ctx := c.Request().Context()
	if err := h.fillRun(ctx, ui.User(c), &v, run, c.QueryParams()); err != nil {
		return err
	}
	if err := h.fillRead(ctx, ui.User(c), &v); err != nil {
		return err
	}
	return h.show(c, http.StatusOK, v)
}

// fillRun adds a run to the view, with the choices of the query: lc, b, with, all.
func (h *Handlers) fillRun(ctx context.Context, u account.User, v *view, run int, q url.Values) error {
	r, err := h.projects.Run(ctx, u, v.Project.ID, run)
	if err != nil {
		return err
	}
	v.Run, v.All = outcome.SoFar(r), q.Get("all") != ""
	for _, other := range othersOf(q, run) {
		compared, err := h.projects.Run(ctx, u, v.Project.ID, other)
		if err != nil {
			return err
		}
		v.Others = append(v.Others, outcome.SoFar(compared))
	}
	lc, _ := strconv.ParseFloat(q.Get("lc"), 64) // 0 if it is not a number, which no run has
	budget, _ := strconv.Atoi(q.Get("b"))
	v.choose(lc)
	v.chooseBudget(budget)
	v.Missing = q.Has("lc") && lc != v.LC
	v.NoSuchB = q.Has("b") && v.Budget > 0 && budget != v.Budget
	return h.fillBundles(ctx, u, v)
}

// fillBundles lists the redaction models of a run whose results can no longer be chosen.
func (h *Handlers) fillBundles(ctx context.Context, u account.User, v *view) error {
	if !v.Run.Forgotten {
		return nil
	}
	all, err := h.projects.Bundles(ctx, u, v.Project.ID)
	all = slices.DeleteFunc(slices.Clone(all), func(b sanitize.Bundle) bool { return b.Run != v.Run.Number })
	v.Bundles = ui.NewestFirst(all, func(b sanitize.Bundle) int { return b.Number })
	return err
}

// othersOf are the runs that the query compares run with, each once.
func othersOf(q url.Values, run int) []int {
	var out []int
	for _, asked := range q["with"] {
		n, err := strconv.Atoi(asked)
		if err == nil && n != run && !slices.Contains(out, n) && len(out) < mostOthers {
			out = append(out, n)
		}
	}
	return out
}

func (h *Handlers) show(c ui.Context, status int, v view) error {
	p := ui.Page{Title: "Sanitize · " + v.Project.Name, Project: &v.Project, Tab: "sanitize", Wide: true, Live: []string{"sanitize-runs"}, Scripts: []string{"js/options.js"}}
	if ui.User(c).Role.Can(account.Sanitize) {
		p.Live = append(p.Live, "start-waits")
	}
	if v.Newest || v.Run != nil {
		p.Scripts = append(p.Scripts, "js/sanitize.js")
		p.Live = append(p.Live, "sanitize-title", "sanitize-progress", "sanitize-lead", "sanitize-sliders", "sanitize-holds", "sanitize-results")
		p.Query = url.Values{}
		if !v.Newest {
			p.Query.Set("run", strconv.Itoa(v.Run.Number))
		}
		for _, key := range []string{"lc", "b", "with", "all"} {
			if asked := c.QueryParams()[key]; len(asked) > 0 {
				p.Query[key] = asked
			}
		}
	}
	return ui.ShowPageStatus(c, status, p, page(v))
}

// start starts a run, or shows the form again with what was wrong.
func (h *Handlers) start(c ui.Context) error {
	v, err := h.emptyView(c)
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	var params sanitize.Params
	if v.Form, params = readStartForm(form, v.Project.Labels); !v.Form.OK() {
		return h.show(c, http.StatusUnprocessableEntity, v)
	}
	run, err := h.projects.StartSanitize(c.Request().Context(), ui.User(c), v.Project.ID, params)
	if refused := (*project.Error)(nil); errors.As(err, &refused) && (refused.Kind == project.Invalid || refused.Kind == project.Stale) {
		return h.startRefused(c, v, refused)
	}
	if err != nil {
		return err
	}
	return ui.Back(c, string(ui.RunURL(v.Project.ID, run)))
}

// startRefused shows the form again, as it was filled in, with the reason: an invalid
// entry, or another run that is not finished.
func (h *Handlers) startRefused(c ui.Context, v view, refused *project.Error) error {
	v.Form.Error = strings.TrimSuffix(refused.Message+": "+refused.Hint, ": ")
	if refused.Kind == project.Invalid {
		return h.show(c, http.StatusUnprocessableEntity, v)
	}
	runs, err := h.projects.Runs(c.Request().Context(), ui.User(c), v.Project.ID) // a run may have started meanwhile
	if err != nil {
		return err
	}
	v.Runs, v.Form.Waits = runs, runningIn(runs)
	return h.show(c, http.StatusConflict, v)
}

func (h *Handlers) cancel(c ui.Context) error {
	if err := h.projects.CancelSanitize(c.Request().Context(), ui.User(c), ui.ProjectID(c)); err != nil {
		return err
	}
	return ui.Back(c, string(ui.ProjectURL(ui.ProjectID(c), "/sanitize")))
}

// resume continues a run that was cut short.
func (h *Handlers) resume(c ui.Context) error {
	run, err := ui.AddressNumber(c.Param("run"))
	if err != nil {
		return err
	}
	if err := h.projects.ResumeSanitize(c.Request().Context(), ui.User(c), ui.ProjectID(c), run); err != nil {
		return err
	}
	return ui.Back(c, string(ui.RunURL(ui.ProjectID(c), run)))
}

// choose freezes the classifiers of one L/C, or the threshold for the target, into a redaction
// model.
func (h *Handlers) choose(c ui.Context) error {
	run, err := ui.AddressNumber(c.Param("run"))
	if err != nil {
		return err
	}
	b, err := h.chosen(c, run)
	if err != nil {
		return err
	}
	return ui.Back(c, string(ui.PublishURL(ui.ProjectID(c), b.Number)))
}

// chosen is the redaction model of what the form asks for.
func (h *Handlers) chosen(c ui.Context, run int) (sanitize.Bundle, error) {
	ctx := c.Request().Context()
	if c.FormValue("target") != "" {
		return h.projects.ChooseTarget(ctx, ui.User(c), ui.ProjectID(c), run)
	}
	lc, err := strconv.ParseFloat(c.FormValue("lc"), 64)
	if err != nil {
		return sanitize.Bundle{}, echo.NewHTTPError(http.StatusBadRequest)
	}
	return h.projects.Choose(ctx, ui.User(c), ui.ProjectID(c), run, lc)
}

// name gives a run a name.
func (h *Handlers) name(c ui.Context) error {
	run, err := ui.AddressNumber(c.Param("run"))
	if err != nil {
		return err
	}
	if err := h.projects.NameRun(c.Request().Context(), ui.User(c), ui.ProjectID(c), run, c.FormValue("name")); err != nil {
		return err
	}
	return ui.Back(c, string(ui.RunURL(ui.ProjectID(c), run)))
}

// fillRead adds to the view what people have read of what the run shown would publish.
func (h *Handlers) fillRead(ctx context.Context, u account.User, v *view) (err error) {
	v.Read, err = h.projects.SampleRead(ctx, u, v.Project.ID, release.About{Run: v.Run.Number})
	return err
}

// holdsPart is the section about the other notes, for the run that the query names, or for
// the newest.
func (h *Handlers) holdsPart(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
	v := view{Project: project.Overview{Project: project.Project{ID: id}}}
	run, err := h.runOf(ctx, u, id, q)
	if err != nil || run == 0 {
		return holdsForOthers(v), err
	}
	if v.Run, err = h.projects.Run(ctx, u, id, run); err != nil {
		return nil, err
	}
	if err := h.fillRead(ctx, u, &v); err != nil {
		return nil, err
	}
	return holdsForOthers(v), nil
}
