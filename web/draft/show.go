// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/draft"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish/policy"
	"hide/web/publishing"
	"hide/web/ui"
)

// view is the page: the choice of a policy, or the release table.
type view struct {
	publishing.View
	State draft.Status
	Error string // of a form
	Good  string // what a form did

	// Of the choice of a policy.
	Policies []policy.Policy
	Form     form
	Bundles  []sanitize.Bundle
	Keys     []draft.Key

	// Of the table.
	Draft  *draft.Draft // nil without one
	Table  table
	Read   release.Sampled // by people, of the redaction model
	Open   audit.OpenFindings
	Answer answers // as typed

	Counted release.Counted
}

// choosing reports whether the page shows the choice of a policy.
func (v view) choosing() bool { return v.Draft == nil }

func (h *Handlers) show(c ui.Context) error {
	v, err := h.load(c, c.QueryParams())
	if err != nil {
		return err
	}
	return h.answer(c, http.StatusOK, v)
}

func (h *Handlers) answer(c ui.Context, status int, v view) error {
	live := []string{"draft-state", "draft-releases"}
	if !v.choosing() {
		live = append(live, "draft-standing")
	}
	return ui.ShowPageStatus(c, status, ui.Page{
		Title: "Release table · " + v.Project.Name, Project: &v.Project, Tab: "publish", Wide: v.Draft != nil,
		Scripts: []string{"js/draft.js"}, Live: live,
	}, page(v))
}

// load loads the page for the query of its address.
func (h *Handlers) load(c ui.Context, q url.Values) (v view, err error) {
	ctx, u := c.Request().Context(), ui.User(c)
	p, err := ui.Project(c, h.projects)
	if err != nil {
		return v, err
	}
	if v.View, err = publishing.Load(ctx, h.projects, u, p, release.KindText); err != nil {
		return v, err
	}
	if v.State, err = h.projects.Preparing(ctx, u, p.ID); err != nil {
		return v, err
	}
	d, err := h.projects.Draft(ctx, u, p.ID)
	switch {
	case project.KindOf(err) == project.NotFound:
		err = h.loadChoice(ctx, u, &v, q)
		return v, err
	case err == nil && q.Has("policy"):
		if err = h.loadChoice(ctx, u, &v, q); err == nil && q.Has("again") {
			v.Form.again(d.Settings)
		}
		return v, err
	case err != nil:
		return v, err
	}
	v.Draft, v.Good = &d, saidWords(q.Get("said"))
	if d.Bundle > 0 {
		if v.Read, err = h.projects.SampleRead(ctx, u, p.ID, release.About{Bundle: d.Bundle}); err != nil {
			return v, err
		}
		if v.Open, err = h.projects.OpenFindings(ctx, u, p.ID, d.Bundle); err != nil {
			return v, err
		}
	}
	if v.Counted, err = h.projects.Counted(ctx, u, p.ID); err != nil {
		return v, err
	}
	v.Table, err = h.loadTable(ctx, u, p, d, q)
	return v, err
}

// loadChoice loads what a person chooses from before a draft is prepared.
func (h *Handlers) loadChoice(ctx context.Context, u account.User, v *view, q url.Values) error {
	v.Policies = policy.Builtin()
	bundles, err := h.projects.Bundles(ctx, u, v.Project.ID)
	if err != nil {
		return err
	}
	v.Bundles = ui.NewestFirst(bundles, func(b sanitize.Bundle) int { return b.Number })
	if v.Keys, err = h.projects.SurrogateKeys(ctx, u, v.Project.ID); err != nil {
		return err
	}
	if v.Counted, err = h.projects.Counted(ctx, u, v.Project.ID); err != nil {
		return err
	}
	v.Form, err = newForm(v.Project, q.Get("policy"), v.Bundles)
	return err
}

// statePart is the live part with the progress of a preparation. The rest of the page is
// loaded again when the preparation ends, see static/js/draft.js.
func (h *Handlers) statePart() ui.LivePart {
	return ui.LivePart{
		Name: "draft-state", Target: "#draft-state", Needs: account.Sanitize,
		Topics: []project.Topic{project.TopicPublish}, Ignores: filterNames,
		Render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
			s, err := h.projects.Preparing(ctx, u, id)
			return state(id, s), err
		},
	}
}

// standingPause keeps the progress of a publication from counting all places again and again.
const standingPause = time.Second

// standingPart is the live part with what to do next: somebody else may decide or publish.
func (h *Handlers) standingPart() ui.LivePart {
	return ui.LivePart{
		Name: "draft-standing", Target: "#draft-standing", Needs: account.Sanitize,
		Topics: []project.Topic{project.TopicPublish}, Ignores: filterNames, Pause: standingPause,
		Render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
			d, err := h.projects.Draft(ctx, u, id)
			if project.KindOf(err) == project.NotFound {
				d, err = draft.Draft{}, nil
			}
			return standing(id, d), err
		},
	}
}

func (h *Handlers) cancel(c ui.Context) error {
	if err := h.projects.CancelPreparing(c.Request().Context(), ui.User(c), ui.ProjectID(c)); err != nil {
		return err
	}
	return back(c, "")
}

func (h *Handlers) discard(c ui.Context) error {
	if err := h.projects.DiscardDraft(c.Request().Context(), ui.User(c), ui.ProjectID(c)); err != nil {
		return err
	}
	return back(c, "")
}

// back leads to the page, with a query that begins with "?".
func back(c ui.Context, query string) error {
	return ui.Back(c, string(ui.ProjectURL(ui.ProjectID(c), "/draft"))+query)
}

// refused shows the page again with what is wrong with a form; other errors are returned.
func (h *Handlers) refused(c ui.Context, err error, q url.Values, change func(*view)) error {
	said := ui.Refused(err)
	if said == nil {
		return err
	}
	v, err := h.load(c, q)
	if err != nil {
		return err
	}
	v.Error = said.What + " " + said.Next
	change(&v)
	return h.answer(c, http.StatusUnprocessableEntity, v)
}

// destroyKey destroys the key of a release's surrogates.
func (h *Handlers) destroyKey(c ui.Context) error {
	n, err := ui.AddressNumber(c.Param("number"))
	if err != nil {
		return err
	}
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	keys, err := h.projects.SurrogateKeys(ctx, u, id)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(keys, func(k draft.Key) bool { return k.Release == n })
	if i < 0 {
		return ui.Refuse("This release has no key, or it was destroyed before.", "Open the release table again.")
	}
	if c.FormValue("confirm") != keys[i].Name {
		return ui.Refuse("The key was not destroyed: what you typed is not the name of the release.", "Type "+keys[i].Name+".")
	}
	if err := h.projects.DestroySurrogateKey(ctx, u, id, n); err != nil {
		return err
	}
	return back(c, "?policy=")
}
