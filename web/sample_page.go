// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/sanitize"
)

func (s *Server) sampleRoutes() []route {
	return []route{
		{http.MethodGet, "/p/:project/audits", account.SeeFigures, s.samplesShow},
		{http.MethodPost, "/p/:project/audits", account.Sanitize, s.sampleStart},
		{http.MethodPost, "/p/:project/audits/:number/findings", account.Annotate, s.sampleFindings},
		{http.MethodGet, "/p/:project/audits/read", account.Annotate, s.sampleNext},
		{http.MethodGet, "/p/:project/audits/:number/:index", account.Annotate, s.sampleNote},
		{http.MethodPost, "/p/:project/audits/:number/:index", account.Annotate, s.sampleMark},
	}
}

func (s *Server) sampleParts() []livePart {
	return []livePart{{
		name: "audits", target: "#audits", needs: account.SeeFigures,
		topics: []project.Topic{project.TopicPublish},
		render: func(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
			v, err := s.samples(ctx, u, id, q.Get("audit"))
			return samplesState(v), err
		},
	}}
}

// samples is everything the page of audits shows, of the audit with this number, for
// "" of the newest.
func (s *Server) samples(ctx context.Context, u account.User, id project.ID, audit string) (samplesView, error) {
	var v samplesView
	var err error
	if v.Project, err = s.projects.Project(ctx, u, id); err != nil {
		return v, err
	}
	if v.Audits, v.Drawing, err = s.projects.SampleAudits(ctx, u, id); err != nil {
		return v, err
	}
	if err := v.choose(audit); err != nil {
		return v, err
	}
	v.Asked = usualSample()
	bundles, err := s.projects.Bundles(ctx, u, id)
	v.Bundles = newestFirst(bundles, func(b sanitize.Bundle) int { return b.Number })
	if err != nil || len(v.Audits) == 0 {
		return v, err
	}
	if v.Shown.Result != nil && u.Role.Can(account.ReadNotes) {
		if v.Findings, err = s.projects.SampleAuditFindings(ctx, u, id, v.Shown.Number); err != nil {
			return v, err
		}
	}
	r, err := s.projects.Run(ctx, u, id, v.Shown.Run)
	if project.KindOf(err) == project.NotFound {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	if c := resultAt(r, v.Shown.LC); hasFigures(c) && c.Outcome.Unseen().Documents > 0 {
		v.Predicted = predicted(c.Outcome.Unseen(), v.Shown.Documents)
	}
	return v, nil
}

// predicted is what a run expects in n documents.
func predicted(o greedy.Outcome, documents int) *greedy.Estimate {
	return new(o.IdentifiersMissed.Times(float64(documents) / float64(o.Documents)))
}

func (s *Server) samplesShow(c echo.Context) error {
	v, err := s.samples(c.Request().Context(), user(c), projectID(c), c.QueryParam("audit"))
	if err != nil {
		return err
	}
	if err := v.chooseBundle(c.QueryParam("bundle")); err != nil {
		return err
	}
	v.Said = addedWords(c.QueryParam("added"))
	return s.showSamples(c, http.StatusOK, v)
}

func (s *Server) showSamples(c echo.Context, status int, v samplesView) error {
	p := Page{Title: "Audit · " + v.Project.Name, Project: &v.Project, Tab: "publish", Live: []string{"audits"}}
	if len(v.Audits) > 0 && !v.newest() {
		p.Query = url.Values{"audit": {strconv.Itoa(v.Shown.Number)}}
	}
	return s.pageStatus(c, status, p, samplesPage(v))
}

// sampleStart draws a sample. One too small to lean on is drawn once what it cannot
// show has been said.
func (s *Server) sampleStart(c echo.Context) error {
	var n [3]int
	for i, name := range []string{"bundle", "random", "picked"} {
		var err error
		if n[i], err = strconv.Atoi(c.FormValue(name)); err != nil {
			return &project.Error{Kind: project.Invalid, Message: fmt.Sprintf("the field %q is not a whole number", name), Hint: "go back and correct it"}
		}
	}
	if c.FormValue("few") == "" {
		v, err := s.samples(c.Request().Context(), user(c), projectID(c), "")
		if err != nil {
			return err
		}
		v.Asked = sampleAsked{Bundle: n[0], Random: n[1], Picked: n[2]}
		if v.few() != "" {
			return s.showSamples(c, http.StatusUnprocessableEntity, v)
		}
	}
	if err := s.projects.StartSampleAudit(c.Request().Context(), user(c), projectID(c), n[0], n[1], n[2]); err != nil {
		return err
	}
	return s.back(c, string(samplesURL(projectID(c))))
}

// sampleNext leads to the first note of an audit that nobody has read: of the one
// that the query names, else of the newest.
func (s *Server) sampleNext(c echo.Context) error {
	number := 0
	if asked := c.QueryParam("audit"); asked != "" {
		var err error
		if number, err = runNumber(asked); err != nil {
			return err
		}
	}
	t, err := s.projects.SampleAuditNote(c.Request().Context(), user(c), projectID(c), number, 0)
	if err != nil {
		return err
	}
	return s.back(c, string(sampleURL(projectID(c), t.Audit, t.Index)))
}

func (s *Server) sampleNote(c echo.Context) error {
	number, index, err := samplePlace(c)
	if err != nil {
		return err
	}
	v, err := s.sampleView(c, number, index)
	if err != nil {
		return err
	}
	v.Said, v.Empty, v.Unseen = addedWords(c.QueryParam("added")), c.QueryParam("empty") != "", c.QueryParam("unseen") != ""
	return s.showSample(c, http.StatusOK, v)
}

// sampleView is a note of an audit with what was said of it.
func (s *Server) sampleView(c echo.Context, number, index int) (sampleView, error) {
	var v sampleView
	var err error
	if v.Text, err = s.projects.SampleAuditNote(c.Request().Context(), user(c), projectID(c), number, index); err != nil {
		return v, err
	}
	if v.Project, err = s.project(c); err != nil {
		return v, err
	}
	if v.Read == v.Notes {
		v.Findings, err = s.projects.SampleAuditFindings(c.Request().Context(), user(c), v.Project.ID, number)
	}
	return v, err
}

func (s *Server) showSample(c echo.Context, status int, v sampleView) error {
	v.Words = wordsOf(v.Text)
	p := Page{Title: fmt.Sprintf("Audit, note %d · %s", v.Index, v.Project.Name), Project: &v.Project, Scripts: []string{"js/sample.js"}}
	return s.pageStatus(c, status, p, samplePage(v))
}

// sampleBoth shows a note that somebody else has answered for meanwhile, with what
// either of both has marked.
func (s *Server) sampleBoth(c echo.Context, number, index int, mine []int) error {
	v, err := s.sampleView(c, number, index)
	if err != nil {
		return err
	}
	v.Theirs = v.foundWords()
	v.Marks = slices.Concat(v.Marks, mine)
	return s.showSample(c, http.StatusConflict, v)
}

// sampleTorn shows a note again whose answer contradicts itself, as it was filled in. What
// it was an answer over stays, so that nobody else's is replaced unseen.
func (s *Server) sampleTorn(c echo.Context, number, index int, said audit.Answer) error {
	v, err := s.sampleView(c, number, index)
	if err != nil {
		return err
	}
	v.Marks, v.Reading, v.Torn, v.Finished = said.Marks, said.Over, true, !said.Glanced
	return s.showSample(c, http.StatusUnprocessableEntity, v)
}

// samplePlace is which note of which audit the path names.
func samplePlace(c echo.Context) (number, index int, err error) {
	if number, err = runNumber(c.Param("number")); err != nil {
		return 0, 0, err
	}
	index, err = runNumber(c.Param("index"))
	return number, index, err
}

func (s *Server) sampleMark(c echo.Context) error {
	number, index, err := samplePlace(c)
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	said, again, err := readSampleAnswer(form)
	if err != nil {
		return err
	}
	said.Over = form.Get("over")
	switch again {
	case "":
	case "torn":
		return s.sampleTorn(c, number, index, said)
	default:
		return s.back(c, string(sampleURL(projectID(c), number, index))+"?"+again+"=1")
	}
	err = s.projects.MarkSampleAudit(c.Request().Context(), user(c), projectID(c), number, index, said)
	if project.KindOf(err) == project.Stale {
		return s.sampleBoth(c, number, index, said.Marks)
	}
	if err != nil {
		return err
	}
	return s.back(c, string(sampleNextURL(projectID(c), number)))
}

// readSampleAnswer is what was said of a note, or why to ask once more: "empty" when
// nothing was said, for a note that was clicked through was not read, "unseen" when
// nothing is said to be left in what was not seen, and "torn" when nothing is said to
// be left beside words that are marked.
func readSampleAnswer(form url.Values) (said audit.Answer, again string, err error) {
	said.Glanced = form.Get("seen") == ""
	for _, w := range form["word"] {
		m, err := strconv.Atoi(w)
		if err != nil {
			return said, "", &project.Error{Kind: project.Invalid, Message: "a marked word has no number", Hint: "open the note again"}
		}
		said.Marks = append(said.Marks, m)
	}
	slices.Sort(said.Marks)
	none := form.Get("none") != ""
	switch {
	case none && len(said.Marks) > 0:
		again = "torn"
	case none && said.Glanced && form.Get("asked") == "":
		again = "unseen"
	case !none && len(said.Marks) == 0:
		again = "empty"
	}
	return said, again, nil
}
