// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/web/ui"
)

// errorsSize is how many texts one page of errors shows.
const errorsSize = 50

// placesOpen is how many places of a text are in view.
const placesOpen = 3

func (h *Handlers) errorRoutes() []ui.Route {
	return []ui.Route{ui.Get("/p/:project/errors", account.ReadNotes, h.showErrors)}
}

func (h *Handlers) errorParts() []ui.LivePart {
	return []ui.LivePart{{
		Name: "errors", Topics: []project.Topic{project.TopicTraining}, Needs: account.ReadNotes,
		Target: "#errors-newest", Render: h.renderErrorsNewest,
	}}
}

// errorsView is the page of the model's errors.
type errorsView struct {
	projectID project.ID
	filter    training.ErrorFilter
	training  Training
	training.ErrorsPage
}

func (h *Handlers) showErrors(c ui.Context) error {
	overview, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	ctx, id, filter := c.Request().Context(), ui.ProjectID(c), readErrorFilter(c.QueryParams())
	page, err := h.projects.Errors(ctx, ui.User(c), id, filter)
	if err != nil {
		return err
	}
	training, err := h.projects.Training(ctx, ui.User(c), id)
	if err != nil {
		return err
	}
	p := ui.Page{
		Title: "What the model gets wrong · " + overview.Name, Project: &overview, Tab: "annotate", Wide: true,
		Live: []string{"training", "errors"}, Query: url.Values{"checked": {stamp(page.At)}},
	}
	return ui.ShowPage(c, p, errorsPage(errorsView{id, filter, Training{id, training, time.Now()}, page}))
}

// readErrorFilter reads the valid parameters and ignores the others.
func readErrorFilter(q url.Values) training.ErrorFilter {
	f := training.ErrorFilter{Limit: errorsSize, Sort: training.ByCount}
	if kind := training.ErrorKind(q.Get("kind")); kind == training.Miss || kind == training.Alarm {
		f.Kind = kind
	}
	if reason := training.Reason(q.Get("reason")); slices.Contains(training.Reasons(), reason) {
		f.Reason = reason
	}
	if label := annotate.Label(q.Get("label")); annotate.CheckLabel(label) == nil {
		f.Label = label
	}
	if slices.ContainsFunc(errorSorts, func(o sortOption) bool { return o.by == training.ErrorSort(q.Get("sort")) }) {
		f.Sort = training.ErrorSort(q.Get("sort"))
	}
	if from, err := strconv.Atoi(q.Get("from")); err == nil && from > 0 {
		f.Offset = from
	}
	return f
}

// sortOption is an order that the page offers.
type sortOption struct {
	by    training.ErrorSort
	words string
}

var errorSorts = []sortOption{
	{training.ByCount, "most spans first"}, {training.ByLeaks, "most missed words first"},
	{training.ByNotes, "most notes first"}, {training.ByText, "by text"},
}

// stamp identifies a check by its time.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// renderErrorsNewest says when there is a newer check than the one on the page.
func (h *Handlers) renderErrorsNewest(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
	t, err := h.projects.Training(ctx, u, id)
	if err != nil {
		return nil, err
	}
	return errorsNewest(id, t.Scores.Documents > 0 && stamp(t.Scores.At) != q.Get("checked")), nil
}

// url is the page with another filter, at the list of errors.
func (v errorsView) url(change func(f *training.ErrorFilter)) templ.SafeURL {
	f := v.filter
	f.Offset = 0
	change(&f)
	q := url.Values{}
	for key, value := range map[string]string{"kind": string(f.Kind), "label": string(f.Label), "reason": string(f.Reason)} {
		if value != "" {
			q.Set(key, value)
		}
	}
	if f.Sort != training.ByCount {
		q.Set("sort", string(f.Sort))
	}
	if f.Offset > 0 {
		q.Set("from", strconv.Itoa(f.Offset))
	}
	if len(q) == 0 {
		return ui.ProjectURL(v.projectID, "/errors#wrong")
	}
	return ui.ProjectURL(v.projectID, "/errors?"+q.Encode()+"#wrong")
}

// reasonURL is the page with the errors of one kind and reason.
func (v errorsView) reasonURL(r training.ReasonCount) templ.SafeURL {
	return v.url(func(f *training.ErrorFilter) { f.Kind, f.Reason = r.Kind, r.Reason })
}

// pageURL is the page with the texts from there on.
func (v errorsView) pageURL(offset int) templ.SafeURL {
	return v.url(func(f *training.ErrorFilter) { f.Offset = offset })
}

func (v errorsView) filtered() bool {
	return v.filter.Kind != "" || v.filter.Label != "" || v.filter.Reason != ""
}

// reasons are those of one kind, the most frequent first.
func (v errorsView) reasons(kind training.ErrorKind) []training.ReasonCount {
	return slices.DeleteFunc(slices.Clone(v.Reasons), func(r training.ReasonCount) bool { return r.Kind != kind })
}
