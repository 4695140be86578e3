// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/web/publishing"
	"hide/web/ui"
)

func (h *Handlers) jointRoutes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/publish/joint", account.Sanitize, h.jointShow),
		ui.Post("/p/:project/publish/joint/preview", account.Sanitize, h.jointPreview),
		ui.Post("/p/:project/publish/joint/cancel", account.Sanitize, h.jointCancel),
		ui.Post("/p/:project/publish/joint", account.Sanitize, h.jointPublish),
	}
}

func (h *Handlers) jointParts() []ui.LivePart {
	return []ui.LivePart{publishing.ReleasesPart("joint-releases", h.projects, release.KindJoint, account.Sanitize), publishing.EarlierPart("joint-earlier", h.projects, release.KindJoint), {
		Name: "joint", Target: "#joint-preview", Needs: account.Sanitize,
		Topics: []project.Topic{project.TopicPublish},
		Render: func(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
			v, err := h.jointView(ctx, u, id, q)
			return jointPreviewPart(v), err
		},
	}}
}

func (h *Handlers) jointShow(c ui.Context) error {
	v, err := h.jointView(c.Request().Context(), ui.User(c), ui.ProjectID(c), c.QueryParams())
	if err != nil {
		return err
	}
	return h.showJoint(c, http.StatusOK, v)
}

func (h *Handlers) showJoint(c ui.Context, status int, v jointView) error {
	p := ui.Page{Title: "Publish notes with fields · " + v.Project.Name, Project: &v.Project, Tab: "publish", Live: []string{"joint-releases", "joint-earlier"}, Query: v.at.query(), Scripts: []string{"js/options.js"}}
	if !v.nothingFinished() {
		p.Live = append(p.Live, "joint") // else the page has no place for it
	}
	return ui.ShowPageStatus(c, status, p, jointPage(v))
}

// jointView is everything the page shows; q says which setting.
func (h *Handlers) jointView(ctx context.Context, u account.User, id project.ID, q url.Values) (jointView, error) {
	var v jointView
	var err error
	if v.Project, err = h.projects.Project(ctx, u, id); err != nil {
		return v, err
	}
	if v.Identifiers, err = h.projects.Identifiers(ctx, u, id); err != nil {
		return v, err
	}
	if v.Released, err = publishing.Load(ctx, h.projects, u, v.Project, release.KindJoint); err != nil {
		return v, err
	}
	if v.Counted, err = h.projects.Counted(ctx, u, id); err != nil {
		return v, err
	}
	if v.Bundles, err = h.projects.Bundles(ctx, u, id); err != nil {
		return v, err
	}
	if v.Open, err = h.projects.OpenInFinished(ctx, u, id); err != nil {
		return v, err
	}
	v.at = v.known(readJointAt(q))
	if v.Earlier, err = h.projects.EarlierReleases(ctx, u, id, release.KindJoint); err != nil {
		return v, err
	}
	if v.Preview, err = h.projects.JointPreview(ctx, u, id, v.at.Bundle); err != nil {
		return v, err
	}
	v.form = jointFormOf(v.Preview.Settings)
	v.choose()
	return v, nil
}

// jointPreview starts a preview, or shows the problems of the form.
func (h *Handlers) jointPreview(c ui.Context) error {
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	form, set := readJointForm(values)
	if form.OK() {
		err = h.projects.StartJointPreview(ctx, u, id, set)
		if err == nil {
			return ui.Back(c, string(jointURL(id))+"#preview")
		}
		if project.KindOf(err) != project.Invalid {
			return err
		}
		form.problem = ui.Problem(err)
	}
	v, viewErr := h.jointView(ctx, u, id, nil)
	if viewErr != nil {
		return viewErr
	}
	v.form = form
	return h.showJoint(c, http.StatusUnprocessableEntity, v)
}

func (h *Handlers) jointCancel(c ui.Context) error {
	if err := h.projects.CancelJointPreview(c.Request().Context(), ui.User(c), ui.ProjectID(c)); err != nil {
		return err
	}
	return ui.Back(c, string(jointURL(ui.ProjectID(c)))+"#preview")
}

// jointPublish releases the notes with the setting that was shown.
func (h *Handlers) jointPublish(c ui.Context) error {
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	v, err := h.jointView(ctx, u, id, values)
	if err != nil {
		return err
	}
	notes, err := ui.AddressNumber(values.Get("notes"))
	if err != nil {
		return err
	}
	open, _ := strconv.Atoi(values.Get("open")) // anything but a number counts as not ticked
	switch {
	case v.Point == nil || !v.at.named(values):
		v.Refused = "This setting has not been previewed. Nothing was published."
	case values.Get("confirm") == "":
		v.Refused = "Tick the box to confirm. Nothing was published."
	case v.Preview.Changed:
		v.Refused = "Notes or roles have changed since the preview. Nothing was published. Start the preview again."
	case values.Get("preview") != v.Preview.Version():
		v.Refused = previewedAgain
	case v.Open.Found != open:
		v.Refused = publishing.OpenFindingsRefused(v.Open, open)
	case publishing.UnlinkedRefused(v.Counted, values) != "":
		v.Refused = publishing.UnlinkedRefused(v.Counted, values)
	default:
		choice := v.choice()
		choice.Unlinked = publishing.Unlinked(values)
		if err := h.projects.StartPublishJoint(ctx, u, id, publishing.Ending(c), choice, notes, open); err != nil {
			return err
		}
		return ui.Back(c, string(jointURL(id))+"#publish-state")
	}
	return h.showJoint(c, http.StatusUnprocessableEntity, v)
}

func jointURL(id project.ID) templ.SafeURL { return ui.ProjectURL(id, "/publish/joint") }
