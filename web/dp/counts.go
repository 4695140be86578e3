// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"context"
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/web/publishing"
	"hide/web/ui"
)

func (h *Handlers) countsRoutes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/publish/counts", account.Sanitize, h.countsShow),
		ui.Post("/p/:project/publish/counts", account.Sanitize, h.countsPublish),
	}
}

func (h *Handlers) countsParts() []ui.LivePart {
	return []ui.LivePart{{
		Name: "counts", Target: "#counts-state", Needs: account.Sanitize,
		Topics: []project.Topic{project.TopicPublish},
		Render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
			v, err := h.budgetView(ctx, u, id, "counts")
			return budgetState(v), err
		},
	}}
}

// countsView is everything the page of counts shows.
type countsView struct {
	budgetView
	Estimate *dp.CubeEstimate
	form     countsForm
}

func (h *Handlers) countsView(ctx context.Context, u account.User, id project.ID) (countsView, error) {
	shared, err := h.budgetView(ctx, u, id, "counts")
	return countsView{budgetView: shared, form: countsForm{epsilon: "0.1"}}, err
}

func (h *Handlers) countsShow(c ui.Context) error {
	v, err := h.countsView(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	if asked, _ := v.Status.Asked.(*dp.CubeSettings); asked != nil && v.unanswered() {
		v.form = countsFormOf(*asked)
	}
	return h.showCounts(c, http.StatusOK, v)
}

func (h *Handlers) showCounts(c ui.Context, status int, v countsView) error {
	p := ui.Page{Title: "Publish counts · " + v.Project.Name, Project: &v.Project, Tab: "publish", Live: []string{"counts"}, Scripts: []string{"js/keep_entries.js"}}
	return ui.ShowPageStatus(c, status, p, countsPage(v))
}

// countsPublish estimates a request, or publishes it.
func (h *Handlers) countsPublish(c ui.Context) error {
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	form := readCountsForm(values)
	set, err := form.settings()
	var estimate dp.CubeEstimate
	if err == nil {
		estimate, err = h.projects.EstimateCube(ctx, u, id, set)
	}
	estimated := err == nil
	set.Unlinked = publishing.Unlinked(values)
	published, err := publishAsked(values, err, func() error { return h.projects.StartPublishCube(ctx, u, id, publishing.Ending(c), set) })
	if published {
		return ui.Back(c, string(countsURL(id))+"#budget")
	}
	if err != nil && project.KindOf(err) != project.Invalid && project.KindOf(err) != project.Stale {
		return err
	}
	v, viewErr := h.countsView(ctx, u, id)
	if viewErr != nil {
		return viewErr
	}
	v.form = form
	if estimated {
		v.Estimate = &estimate
	}
	if err != nil {
		v.form.problem = ui.Problem(err)
		return h.showCounts(c, http.StatusUnprocessableEntity, v)
	}
	return h.showCounts(c, http.StatusOK, v)
}

// publishAsked starts to publish if the form asks for it, is confirmed, and err, its
// problem, is nil.
func publishAsked(values url.Values, err error, start func() error) (published bool, _ error) {
	if err != nil || !publishing.Ends(values.Get(publishing.EndingField)) {
		return false, err
	}
	if values.Get("confirm") == "" {
		return false, &project.Error{Kind: project.Invalid, Message: "tick the box to confirm", Hint: "nothing was published and nothing spent"}
	}
	err = start()
	return err == nil, err
}

func countsURL(id project.ID) templ.SafeURL { return ui.ProjectURL(id, "/publish/counts") }
