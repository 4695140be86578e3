// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/web/outcome"
	"hide/web/publishing"
	"hide/web/ui"
)

func (h *Handlers) publishShow(c ui.Context) error {
	v, err := h.loadPublish(c, c.QueryParam("bundle"))
	if err != nil {
		return err
	}
	return h.showPublish(c, http.StatusOK, v)
}

func (h *Handlers) showPublish(c ui.Context, status int, v publishView) error {
	p := ui.Page{Title: "Publish · " + v.Project.Name, Project: &v.Project, Tab: "publish", Live: []string{"publish"}}
	if v.Bundle != nil && v.Project.Documents > 0 && ui.May(c.Request().Context(), account.Sanitize) {
		p.Live = append(p.Live, "publish-earlier") // else the page has no place for it
	}
	return ui.ShowPageStatus(c, status, p, publishPage(v))
}

// loadPublish loads the page for the redaction model with this number, or the newest for "".
func (h *Handlers) loadPublish(c ui.Context, bundle string) (publishView, error) {
	ctx, u := c.Request().Context(), ui.User(c)
	o, err := ui.Project(c, h.projects)
	if err != nil {
		return publishView{}, err
	}
	usual := policyFields.Default()
	v := publishView{View: publishing.View{Project: o}, Policy: policyFields.Form(&usual)}
	bundles, err := h.projects.Bundles(ctx, u, o.ID)
	if err != nil {
		return v, err
	}
	if v.Counted, err = h.projects.Counted(ctx, u, o.ID); err != nil {
		return v, err
	}
	if v.Earlier, err = h.projects.EarlierReleases(ctx, u, o.ID, release.KindText); err != nil {
		return v, err
	}
	v.Bundles = ui.NewestFirst(bundles, func(b sanitize.Bundle) int { return b.Number })
	if err := v.choose(bundle); err != nil {
		return v, err
	}
	if err := h.fillOutcome(ctx, u, &v); err != nil {
		return v, err
	}
	if err := h.fillWarned(ctx, u, &v); err != nil {
		return v, err
	}
	v.View, err = publishing.Load(ctx, h.projects, u, o, "")
	return v, err
}

// fillWarned loads what people have read, what a release with the redaction model would knowingly
// leave readable, open findings of audits and excluded labels, and its warnings.
func (h *Handlers) fillWarned(ctx context.Context, u account.User, v *publishView) (err error) {
	if v.Bundle == nil {
		return nil
	}
	if v.Read, err = h.projects.SampleRead(ctx, u, v.Project.ID, release.About{Bundle: v.Bundle.Number}); err != nil {
		return err
	}
	if v.Open, err = h.projects.OpenFindings(ctx, u, v.Project.ID, v.Bundle.Number); err != nil {
		return err
	}
	if v.Readable, err = h.projects.Readable(ctx, u, v.Project.ID, v.Bundle.Number); err != nil || v.Run == nil {
		return err
	}
	v.Warnings, err = h.projects.PublishWarnings(ctx, u, v.Project.ID, v.Bundle.Number)
	return err
}

// fillOutcome loads the figures of the L/C that the redaction model was made for.
func (h *Handlers) fillOutcome(ctx context.Context, u account.User, v *publishView) error {
	if v.Bundle == nil {
		return nil
	}
	r, err := h.projects.Run(ctx, u, v.Project.ID, v.Bundle.Run)
	if project.KindOf(err) == project.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	v.Run = outcome.SoFar(r)
	if c := outcome.At(v.Run, v.Bundle.LC); outcome.HasFigures(c) {
		v.Outcome = &c.Outcome
	}
	return nil
}

// readableChanged refuses a form that confirms other labels than those that stay readable.
const readableChanged = "The labels that stay readable have changed since you opened this page. Nothing was published. Check the page and confirm again."

// publishStart starts publishing when the form confirms what the page showed: the number of
// notes, the labels that stay readable and the open findings. If one of them has changed, it
// shows the page again.
func (h *Handlers) publishStart(c ui.Context) error {
	v, err := h.loadPublish(c, c.FormValue("bundle"))
	if err != nil {
		return err
	}
	bundle, err := ui.AddressNumber(c.FormValue("bundle"))
	if err != nil {
		return err
	}
	var policy textPolicy
	v.Policy = policyFields.ReadForm(c.Request().Form, &policy) // a tick is never wrong
	if c.FormValue("documents") != strconv.Itoa(v.Project.Documents) {
		v.Error = "The number of notes has changed since you opened this page. Nothing was published. Check the page and confirm again."
		return h.showPublish(c, http.StatusConflict, v)
	}
	if c.FormValue("confirm") == "" {
		v.Error = "Tick the box to confirm. Nothing was published."
		return h.showPublish(c, http.StatusUnprocessableEntity, v)
	}
	if c.FormValue("readable") != v.readableValue() {
		v.Error = readableChanged
		return h.showPublish(c, http.StatusConflict, v)
	}
	found, _ := strconv.Atoi(c.FormValue("found")) // no number means no tick
	if v.Error = publishing.OpenFindingsRefused(v.Open, found); v.Error != "" {
		return h.showPublish(c, http.StatusUnprocessableEntity, v)
	}
	if v.Error = publishing.UnlinkedRefused(v.Counted, c.Request().Form); v.Error != "" {
		return h.showPublish(c, http.StatusUnprocessableEntity, v)
	}
	reason := c.FormValue(publishing.ReasonField)
	if publishing.Ending(c) == release.Publish && v.Read.Lacks() != "" && strings.TrimSpace(reason) == "" {
		v.Error = "Give your reason for publishing without a certificate, or freeze a candidate for a review. Nothing was published."
		return h.showPublish(c, http.StatusUnprocessableEntity, v)
	}
	despite := release.Despite{Uncertified: reason, Found: found, Readable: v.Readable, KeepKnown: !policy.Known, Unlinked: publishing.Unlinked(c.Request().Form)}
	if err := h.projects.StartPublish(c.Request().Context(), ui.User(c), v.Project.ID, publishing.Ending(c), bundle, despite); project.KindOf(err) == project.Stale {
		v.Error = ui.Problem(err) + " Nothing was published."
		return h.showPublish(c, http.StatusConflict, v)
	} else if err != nil {
		return err
	}
	return ui.Back(c, string(ui.PublishURL(v.Project.ID, bundle)))
}

func (h *Handlers) publishCancel(c ui.Context) error {
	if err := h.projects.CancelPublish(c.Request().Context(), ui.User(c), ui.ProjectID(c)); err != nil {
		return err
	}
	return ui.Back(c, string(ui.ProjectURL(ui.ProjectID(c), "/publish")))
}

// targetWords state the target of the redaction model, and whether it is void; without its run
// nobody knows whether it holds.
func (v publishView) targetWords() string {
	if v.Run == nil || !v.Run.Target.Done() {
		return "The target is void: the figures of its run are gone. It was: " + v.Bundle.Target.Words()
	}
	return v.Run.TargetWords()
}
