// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"context"
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/web/publishing"
	"hide/web/ui"
)

func (h *Handlers) tableRoutes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/publish/table", account.Sanitize, h.tableShow),
		ui.Post("/p/:project/publish/table/preview", account.Sanitize, h.tablePreview),
		ui.Post("/p/:project/publish/table/cancel", account.Sanitize, h.tableCancel),
		ui.Post("/p/:project/publish/table", account.Sanitize, h.tablePublish),
		ui.Post(populationUpload, account.Sanitize, h.populationAdd).Uploading(),
		ui.Post("/p/:project/publish/population/remove", account.Sanitize, h.populationRemove),
		ui.Get("/p/:project/publish/roles", account.Sanitize, h.roleShow),
		ui.Post("/p/:project/publish/roles", account.Sanitize, h.rolesSave),
		ui.Post("/p/:project/publish/role", account.Sanitize, h.roleSave),
	}
}

func (h *Handlers) tableParts() []ui.LivePart {
	return []ui.LivePart{publishing.ReleasesPart("table-releases", h.projects, release.KindTable, account.Sanitize), publishing.EarlierPart("table-earlier", h.projects, release.KindTable), {
		Name: "table", Target: "#table-preview", Needs: account.Sanitize,
		Topics: []project.Topic{project.TopicPublish},
		Render: func(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
			v, err := h.tableView(ctx, u, id)
			v.asked = q
			return tablePreviewPart(v), err
		},
	}}
}

func (h *Handlers) tableShow(c ui.Context) error {
	v, err := h.tableView(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	v.Saved, v.asked = c.QueryParam("saved") != "", url.Values{}
	for _, key := range []string{"levels", "from"} {
		if value := c.QueryParam(key); value != "" {
			v.asked.Set(key, value)
		}
	}
	return h.showTable(c, http.StatusOK, v)
}

func (h *Handlers) showTable(c ui.Context, status int, v tableView) error {
	p := ui.Page{Title: "Publish a table · " + v.Project.Name, Project: &v.Project, Tab: "publish", Live: []string{"table-releases", "table-earlier"}, Query: v.asked, Scripts: []string{"js/options.js"}}
	if len(v.Identifiers.Attributes) > 0 {
		p.Live = append(p.Live, "table") // without attributes the page has no place for it
	}
	return ui.ShowPageStatus(c, status, p, tablePage(v))
}

// tableView is everything the page shows.
func (h *Handlers) tableView(ctx context.Context, u account.User, id project.ID) (tableView, error) {
	var v tableView
	var err error
	if v.Project, err = h.projects.Project(ctx, u, id); err != nil {
		return v, err
	}
	if v.Identifiers, err = h.projects.Identifiers(ctx, u, id); err != nil {
		return v, err
	}
	if v.Earlier, err = h.projects.EarlierReleases(ctx, u, id, release.KindTable); err != nil {
		return v, err
	}
	if v.Released, err = publishing.Load(ctx, h.projects, u, v.Project, release.KindTable); err != nil {
		return v, err
	}
	if v.Counted, err = h.projects.Counted(ctx, u, id); err != nil {
		return v, err
	}
	v.Preview, err = h.projects.TablePreview(ctx, u, id)
	v.form = formOf(v.Preview)
	return v, err
}

// tablePreview starts a preview, or shows the problems of the form.
func (h *Handlers) tablePreview(c ui.Context) error {
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	form, ask := readTableForm(values)
	all, err := h.projects.Identifiers(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	if changed, _ := sentRoles(all, values); len(changed) > 0 {
		if err := h.projects.SetIdentifiers(c.Request().Context(), ui.User(c), ui.ProjectID(c), changed); err != nil {
			return h.rolesRefused(c, values, err)
		}
	}
	if !form.OK() {
		return h.tableRefused(c, form)
	}
	sets, err := ask.settings()
	if err == nil {
		err = h.projects.StartTablePreview(c.Request().Context(), ui.User(c), ui.ProjectID(c), sets)
	}
	if err == nil {
		return ui.Back(c, string(tableURL(ui.ProjectID(c)))+"#preview")
	}
	if project.KindOf(err) != project.Invalid {
		return err
	}
	form.problem = ui.Problem(err)
	return h.tableRefused(c, form)
}

// tableRefused shows the form again with its problems.
func (h *Handlers) tableRefused(c ui.Context, form tableForm) error {
	v, err := h.tableView(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	v.form = form
	return h.showTable(c, http.StatusUnprocessableEntity, v)
}

func (h *Handlers) tableCancel(c ui.Context) error {
	if err := h.projects.CancelTablePreview(c.Request().Context(), ui.User(c), ui.ProjectID(c)); err != nil {
		return err
	}
	return ui.Back(c, string(tableURL(ui.ProjectID(c)))+"#preview")
}

// previewedAgain refuses to publish from a page that shows an older preview.
const previewedAgain = "Somebody has started another preview since this page was shown, with other settings or roles. Nothing was published. Read the new figures and confirm again."

// tablePublish releases the chosen table as it was previewed.
func (h *Handlers) tablePublish(c ui.Context) error {
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	v, err := h.tableView(ctx, u, id)
	if err != nil {
		return err
	}
	people, err := ui.AddressNumber(c.FormValue("people"))
	if err != nil {
		return err
	}
	chosen := v.named(c.FormValue("table"))
	v.asked = url.Values{"table": {c.FormValue("table")}}
	switch {
	case c.FormValue("confirm") == "":
		v.Refused = "Tick the box to confirm. Nothing was published."
	case v.Preview.Changed:
		v.Refused = "Notes or roles have changed since the preview. Nothing was published. Start the preview again."
	case c.FormValue("preview") != v.Preview.Version():
		v.Refused = previewedAgain
	case chosen == nil:
		v.Refused = "This table is not in the preview any more. Nothing was published. Choose a table again."
	case publishing.UnlinkedRefused(v.Counted, c.Request().Form) != "":
		v.Refused = publishing.UnlinkedRefused(v.Counted, c.Request().Form)
	default:
		chosen.Unlinked = publishing.Unlinked(c.Request().Form)
		if err := h.projects.StartPublishTable(ctx, u, id, publishing.Ending(c), *chosen, people); err != nil {
			return err
		}
		return ui.Back(c, string(tableURL(id))+"#publish-state")
	}
	return h.showTable(c, http.StatusUnprocessableEntity, v)
}

func tableURL(id project.ID) templ.SafeURL { return ui.ProjectURL(id, "/publish/table") }
