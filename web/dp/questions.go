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
	"hide/web/ui"
)

func (h *Handlers) questionsRoutes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/publish/questions", account.Sanitize, h.questionsShow),
		ui.Post("/p/:project/publish/questions", account.Sanitize, h.questionsAsk),
	}
}

func (h *Handlers) questionsParts() []ui.LivePart {
	return []ui.LivePart{{
		Name: "answers", Target: "#answers", Needs: account.Sanitize,
		Topics: []project.Topic{project.TopicPublish},
		Render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
			v, err := h.questionsView(ctx, u, id)
			return questionAnswers(v), err
		},
	}}
}

// questionsView is everything the page of questions shows.
type questionsView struct {
	countsView
	Estimate *dp.QueryEstimate
	form     questionForm
}

// questionForm is what is asked, as it stands in the form: a question over the
// domain of a cube.
type questionForm struct {
	countsForm
	question string
}

func readQuestionForm(values url.Values) questionForm {
	return questionForm{readCountsForm(values), strings.TrimSpace(values.Get("question"))}
}

func (f questionForm) settings() (dp.QuerySettings, error) {
	counts, err := f.countsForm.settings()
	return dp.QuerySettings{Epsilon: counts.Epsilon, Source: counts.Source, Dimensions: counts.Dimensions, Unjoined: counts.Unjoined, Question: f.question}, err
}

// answers are the releases of questions, newest first.
func (v questionsView) answers() []release.Release {
	var out []release.Release
	for _, r := range v.Releases {
		if r.Strong.Asked != nil {
			out = append(out, r)
		}
	}
	return out
}

// after says what is left once the question is answered.
func (v questionsView) after() string {
	ask := spending(v.form.epsilon)
	if ask > v.Budget.Left {
		return fmt.Sprintf("%v of %v is left, and stays so.", v.Budget.Left, v.Budget.Limit)
	}
	return fmt.Sprintf("Before: %v of %v left. After: %v, unless the same was asked before.", v.Budget.Left, v.Budget.Limit, v.Budget.Left-ask)
}

// shownGroups is how many groups of an answer a page shows.
const shownGroups = 200

// answerRow is a group with its count and the interval that holds it.
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
			continue // not written by this program
		}
		out = append(out, answerRow{row[:last], row[last], words.Amount(n - a.Within), words.Amount(n + a.Within)})
	}
	return out
}

// questionFormOf is the form that asks this.
func questionFormOf(set dp.QuerySettings) questionForm {
	counts := dp.CubeSettings{Epsilon: set.Epsilon, Source: set.Source, Dimensions: set.Dimensions, Unjoined: set.Unjoined}
	return questionForm{countsFormOf(counts), set.Question}
}

// questionsView starts from the last question, answered or not.
func (h *Handlers) questionsView(ctx context.Context, u account.User, id project.ID) (questionsView, error) {
	v := questionsView{form: questionForm{countsForm: countsForm{epsilon: "0.1"}}}
	var err error
	if v.countsView, err = h.countsView(ctx, u, id); err != nil {
		return v, err
	}
	v.page = "questions"
	old := v.answers()
	switch asked, _ := v.Status.Asked.(*dp.QuerySettings); {
	case asked != nil && v.unanswered():
		v.form = questionFormOf(*asked)
	case len(old) > 0:
		last := old[0].Strong
		v.form = questionFormOf(dp.QuerySettings{Epsilon: last.Epsilon, Source: last.Source, Dimensions: last.Asked.Domain, Question: last.Asked.Question, Unjoined: last.Asked.Unjoined})
	}
	return v, nil
}

func (h *Handlers) questionsShow(c ui.Context) error {
	v, err := h.questionsView(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	return h.showQuestions(c, http.StatusOK, v)
}

func (h *Handlers) showQuestions(c ui.Context, status int, v questionsView) error {
	p := ui.Page{Title: "Publish answers · " + v.Project.Name, Project: &v.Project, Tab: "publish", Live: []string{"counts", "answers"}, Scripts: []string{"js/carry.js"}}
	return ui.ShowPageStatus(c, status, p, questionsPage(v))
}

// questionsAsk says what a question would come to, or asks it.
func (h *Handlers) questionsAsk(c ui.Context) error {
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	form := readQuestionForm(values)
	set, err := form.settings()
	var estimate dp.QueryEstimate
	if err == nil {
		estimate, err = h.projects.EstimateQuery(ctx, u, id, set)
	}
	asked, err := publishAsked(values, err, func() error { return h.projects.StartQuery(ctx, u, id, set) })
	if asked {
		return ui.Back(c, string(ui.ProjectURL(id, "/publish/questions"))+"#budget")
	}
	if err != nil && project.KindOf(err) != project.Invalid && project.KindOf(err) != project.Stale {
		return err
	}
	v, viewErr := h.questionsView(ctx, u, id)
	if viewErr != nil {
		return viewErr
	}
	v.form = form
	if err != nil {
		v.form.problem = ui.Problem(err)
		return h.showQuestions(c, http.StatusUnprocessableEntity, v)
	}
	v.Estimate = &estimate
	return h.showQuestions(c, http.StatusOK, v)
}
