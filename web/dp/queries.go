// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/project/release"
	"hide/internal/words"
	"hide/web/publishing"
	"hide/web/ui"
)

func (h *Handlers) queriesRoutes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/publish/questions", account.Sanitize, h.queriesShow),
		ui.Post("/p/:project/publish/questions", account.Sanitize, h.queriesPublish),
	}
}

func (h *Handlers) queriesParts() []ui.LivePart {
	return []ui.LivePart{{
		Name: "answers", Target: "#answers", Needs: account.Sanitize,
		Topics: []project.Topic{project.TopicPublish},
		Render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
			v, err := h.queriesView(ctx, u, id)
			return queryAnswers(v), err
		},
	}}
}

// queriesView is everything the page of queries shows.
type queriesView struct {
	budgetView
	Estimate *dp.QueryEstimate
	form     queryForm
}

// queryForm is the content of the form: a query over the domain of a cube.
type queryForm struct {
	countsForm
	question string
}

func readQueryForm(values url.Values) queryForm {
	return queryForm{readCountsForm(values), strings.TrimSpace(values.Get("question"))}
}

func (f queryForm) settings() (dp.QuerySettings, error) {
	counts, err := f.countsForm.settings()
	return dp.QuerySettings{Epsilon: counts.Epsilon, Source: counts.Source, Dimensions: counts.Dimensions, Unjoined: counts.Unjoined, Question: f.question}, err
}

// answers are the releases of answers, newest first.
func (v queriesView) answers() []release.Release {
	var out []release.Release
	for _, r := range v.Releases {
		if r.Strong.Asked != nil {
			out = append(out, r)
		}
	}
	return out
}

// after says how much of the budget is left after the answer.
func (v queriesView) after() string {
	ask := spending(v.form.epsilon)
	if ask > v.Budget.Left {
		return fmt.Sprintf("%v of %v is left. The query would exceed it.", v.Budget.Left, v.Budget.Limit)
	}
	return fmt.Sprintf("%v of %v is left, and %v after this query. A repeated query costs nothing.", v.Budget.Left, v.Budget.Limit, v.Budget.Left-ask)
}

// shownGroups is how many groups of an answer a page shows.
const shownGroups = 200

// answerRow is a group with its count and its 95 % interval.
type answerRow struct {
	Groups          []string
	Count, From, To string
}

func answerRows(a release.Asked) []answerRow {
	var out []answerRow
	for _, row := range a.Rows[:min(shownGroups, len(a.Rows))] {
		last := len(row) - 1
		n, err := strconv.ParseFloat(row[last], 64)
		if err != nil {
			continue // this program did not write it
		}
		out = append(out, answerRow{row[:last], row[last], words.Amount(n - a.Within), words.Amount(n + a.Within)})
	}
	return out
}

// queryFormOf is the form that asks this.
func queryFormOf(set dp.QuerySettings) queryForm {
	counts := dp.CubeSettings{Epsilon: set.Epsilon, Source: set.Source, Dimensions: set.Dimensions, Unjoined: set.Unjoined}
	return queryForm{countsFormOf(counts), set.Question}
}

// queriesView has the form of the last query, answered or not.
func (h *Handlers) queriesView(ctx context.Context, u account.User, id project.ID) (queriesView, error) {
	v := queriesView{form: queryForm{countsForm: countsForm{epsilon: "0.1"}}}
	var err error
	if v.budgetView, err = h.budgetView(ctx, u, id, "questions"); err != nil {
		return v, err
	}
	old := v.answers()
	switch asked, _ := v.Status.Asked.(*dp.QuerySettings); {
	case asked != nil && v.unanswered():
		v.form = queryFormOf(*asked)
	case len(old) > 0:
		last := old[0].Strong
		v.form = queryFormOf(dp.QuerySettings{Epsilon: last.Epsilon, Source: last.Source, Dimensions: last.Asked.Domain, Question: last.Asked.Question, Unjoined: last.Asked.Unjoined})
	}
	return v, nil
}

func (h *Handlers) queriesShow(c ui.Context) error {
	v, err := h.queriesView(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	return h.showQueries(c, http.StatusOK, v)
}

func (h *Handlers) showQueries(c ui.Context, status int, v queriesView) error {
	p := ui.Page{Title: "Publish answers · " + v.Project.Name, Project: &v.Project, Tab: "publish", Live: []string{"counts", "answers"}, Scripts: []string{"js/keep_entries.js"}}
	return ui.ShowPageStatus(c, status, p, queriesPage(v))
}

// queriesPublish estimates a query, or publishes its answer.
func (h *Handlers) queriesPublish(c ui.Context) error {
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	form := readQueryForm(values)
	set, err := form.settings()
	var estimate dp.QueryEstimate
	if err == nil {
		estimate, err = h.projects.EstimateQuery(ctx, u, id, set)
	}
	estimated := err == nil
	set.Unlinked = publishing.Unlinked(values)
	asked, err := publishAsked(values, err, func() error { return h.projects.StartQuery(ctx, u, id, publishing.Ending(c), set) })
	if asked {
		return ui.Back(c, string(ui.ProjectURL(id, "/publish/questions"))+"#budget")
	}
	if err != nil && project.KindOf(err) != project.Invalid && project.KindOf(err) != project.Stale {
		return err
	}
	v, viewErr := h.queriesView(ctx, u, id)
	if viewErr != nil {
		return viewErr
	}
	v.form = form
	if estimated {
		v.Estimate = &estimate
	}
	if err != nil {
		v.form.problem = ui.Problem(err)
		return h.showQueries(c, http.StatusUnprocessableEntity, v)
	}
	return h.showQueries(c, http.StatusOK, v)
}
