// SPDX-License-Identifier: Apache-2.0

package web

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
	"hide/internal/project/sanitize"
)

func (s *Server) sanitizeRoutes() []route {
	return []route{
		{http.MethodGet, "/p/:project/sanitize", account.SeeFigures, s.sanitizeNewest},
		{http.MethodPost, "/p/:project/sanitize", account.Sanitize, s.sanitizeStart},
		{http.MethodPost, "/p/:project/sanitize/cancel", account.Sanitize, s.sanitizeCancel},
		{http.MethodPost, "/p/:project/sanitize/:run/resume", account.Sanitize, s.sanitizeResume},
		{http.MethodGet, "/p/:project/sanitize/:run", account.SeeFigures, s.sanitizeRun},
		{http.MethodPost, "/p/:project/sanitize/:run/choose", account.Sanitize, s.sanitizeChoose},
		{http.MethodPost, "/p/:project/sanitize/:run/name", account.Sanitize, s.sanitizeName},
	}
}

func (s *Server) sanitizeParts() []livePart {
	topics := []project.Topic{project.TopicSanitize, project.TopicDocument, project.TopicQueue}
	return []livePart{
		{
			name: "sanitize-progress", target: "#sanitize-progress", needs: account.SeeFigures, topics: topics[:1],
			render: s.sanitizePart(sanitizeProgress),
		},
		{
			name: "sanitize-title", target: "#sanitize-title", needs: account.SeeFigures, topics: []project.Topic{project.TopicRuns, project.TopicDocument, project.TopicQueue},
			render: s.sanitizePart(sanitizeTitle),
		},
		{
			// All runs are read for it: not with every step of one.
			name: "sanitize-runs", target: "#sanitize-runs", needs: account.SeeFigures, topics: []project.Topic{project.TopicRuns},
			render: s.sanitizeRunsPart,
		},
		{
			name: "start-waits", target: "#start-waits", needs: account.Sanitize, topics: []project.Topic{project.TopicRuns},
			render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
				all, err := s.projects.Runs(ctx, u, id)
				return startWaits(all), err
			},
		},
		{
			name: "sanitize-carry", target: "#sanitize-carry", needs: account.SeeFigures, topics: []project.Topic{project.TopicRuns, project.TopicPublish},
			render: s.sanitizeCarryPart,
		},
		{
			name: "sanitize-results", target: "#sanitize-results", needs: account.SeeFigures, topics: topics,
			render: s.sanitizePart(sanitizeResults),
		},
	}
}

// sanitizePart renders a part of the page for the run that its query names.
func (s *Server) sanitizePart(component func(sanitizeView) templ.Component) func(context.Context, account.User, project.ID, url.Values) (templ.Component, error) {
	return func(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
		run, err := runNumber(q.Get("run"))
		if err != nil {
			return nil, err
		}
		v := sanitizeView{Project: project.Overview{Project: project.Project{ID: id}}}
		if err := s.fillRun(ctx, u, &v, run, q); err != nil {
			return nil, err
		}
		return component(v), nil
	}
}

// sanitizeRunsPart is the list of runs, beside the run that the query names, if any.
func (s *Server) sanitizeRunsPart(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
	all, err := s.projects.Runs(ctx, u, id)
	if err != nil {
		return nil, err
	}
	v := sanitizeView{Project: project.Overview{Project: project.Project{ID: id}}, Runs: all}
	if run, err := runNumber(q.Get("run")); err == nil {
		v.Run = &sanitize.Run{Number: run}
		for _, other := range othersOf(q, run) {
			v.Others = append(v.Others, &sanitize.Run{Number: other})
		}
	}
	return sanitizeRuns(v), nil
}

func (s *Server) sanitizeNewest(c echo.Context) error {
	v, err := s.sanitizeProject(c)
	if err != nil {
		return err
	}
	if len(v.Runs) == 0 {
		return s.showSanitize(c, http.StatusOK, v)
	}
	return s.showRun(c, v, v.Runs[0].Number)
}

func (s *Server) sanitizeRun(c echo.Context) error {
	run, err := runNumber(c.Param("run"))
	if err != nil {
		return err
	}
	v, err := s.sanitizeProject(c)
	if err != nil {
		return err
	}
	return s.showRun(c, v, run)
}

// sanitizeProject is the page without a run.
func (s *Server) sanitizeProject(c echo.Context) (sanitizeView, error) {
	o, err := s.project(c)
	if err != nil {
		return sanitizeView{}, err
	}
	runs, err := s.projects.Runs(c.Request().Context(), user(c), o.ID)
	return sanitizeView{Project: o, Runs: runs, Form: newStartForm(o.Labels)}, err
}

func (s *Server) showRun(c echo.Context, v sanitizeView, run int) error {
	ctx := c.Request().Context()
	if err := s.fillRun(ctx, user(c), &v, run, c.QueryParams()); err != nil {
		return err
	}
	if err := s.fillAudits(ctx, user(c), &v); err != nil {
		return err
	}
	return s.showSanitize(c, http.StatusOK, v)
}

// fillRun adds a run to the view, and what the query asks of it: lc, b, with, all.
func (s *Server) fillRun(ctx context.Context, u account.User, v *sanitizeView, run int, q url.Values) error {
	r, err := s.projects.Run(ctx, u, v.Project.ID, run)
	if err != nil {
		return err
	}
	v.Run, v.All = sofar(r), q.Get("all") != ""
	for _, other := range othersOf(q, run) {
		compared, err := s.projects.Run(ctx, u, v.Project.ID, other)
		if err != nil {
			return err
		}
		v.Others = append(v.Others, sofar(compared))
	}
	lc, _ := strconv.ParseFloat(q.Get("lc"), 64) // what is no number is no L/C of the run
	budget, _ := strconv.Atoi(q.Get("b"))
	v.choose(lc)
	v.chooseBudget(budget)
	v.Missing = q.Has("lc") && lc != v.LC
	v.NoSuchB = q.Has("b") && v.Budget > 0 && budget != v.Budget
	return s.fillBundles(ctx, u, v)
}

// fillBundles finds what there is to publish with of a run that nothing can be chosen
// of any more.
func (s *Server) fillBundles(ctx context.Context, u account.User, v *sanitizeView) error {
	if !v.Run.Forgotten {
		return nil
	}
	all, err := s.projects.Bundles(ctx, u, v.Project.ID)
	all = slices.DeleteFunc(slices.Clone(all), func(b sanitize.Bundle) bool { return b.Run != v.Run.Number })
	v.Bundles = newestFirst(all, func(b sanitize.Bundle) int { return b.Number })
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

func (s *Server) showSanitize(c echo.Context, status int, v sanitizeView) error {
	p := Page{Title: "Sanitize · " + v.Project.Name, Project: &v.Project, Tab: "sanitize", Wide: true, Live: []string{"sanitize-runs"}, Scripts: []string{"js/options.js"}}
	if user(c).Role.Can(account.Sanitize) {
		p.Live = append(p.Live, "start-waits")
	}
	if v.Run != nil {
		p.Scripts = append(p.Scripts, "js/sanitize.js")
		p.Live = append(p.Live, "sanitize-title", "sanitize-progress", "sanitize-carry", "sanitize-results")
		p.Query = url.Values{"run": {strconv.Itoa(v.Run.Number)}}
		for _, key := range []string{"lc", "b", "with", "all"} {
			if asked := c.QueryParams()[key]; len(asked) > 0 {
				p.Query[key] = asked
			}
		}
	}
	return s.pageStatus(c, status, p, sanitizePage(v))
}

// sanitizeStart starts a run, or shows the form again with what was wrong.
func (s *Server) sanitizeStart(c echo.Context) error {
	v, err := s.sanitizeProject(c)
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return echo.NewHTTPError(http.StatusBadRequest).SetInternal(err)
	}
	var params sanitize.Params
	if v.Form, params = readStartForm(form, v.Project.Labels); !v.Form.OK() {
		return s.showSanitize(c, http.StatusUnprocessableEntity, v)
	}
	run, err := s.projects.StartSanitize(c.Request().Context(), user(c), v.Project.ID, params)
	if refused := (*project.Error)(nil); errors.As(err, &refused) && (refused.Kind == project.Invalid || refused.Kind == project.Stale) {
		return s.sanitizeRefused(c, v, refused)
	}
	if err != nil {
		return err
	}
	return s.back(c, string(runURL(v.Project.ID, run)))
}

// sanitizeRefused shows the form again, as it was filled in, with what was wrong:
// with it, or that another run is under way.
func (s *Server) sanitizeRefused(c echo.Context, v sanitizeView, refused *project.Error) error {
	v.Form.Error = strings.TrimSuffix(refused.Message+": "+refused.Hint, ": ")
	if refused.Kind == project.Invalid {
		return s.showSanitize(c, http.StatusUnprocessableEntity, v)
	}
	runs, err := s.projects.Runs(c.Request().Context(), user(c), v.Project.ID) // it may have begun since
	if err != nil {
		return err
	}
	v.Runs, v.Form.Waits = runs, runningIn(runs)
	return s.showSanitize(c, http.StatusConflict, v)
}

func (s *Server) sanitizeCancel(c echo.Context) error {
	if err := s.projects.CancelSanitize(c.Request().Context(), user(c), projectID(c)); err != nil {
		return err
	}
	return s.back(c, string(projectURL(projectID(c), "/sanitize")))
}

// sanitizeResume lets a run that was cut short go on.
func (s *Server) sanitizeResume(c echo.Context) error {
	run, err := runNumber(c.Param("run"))
	if err != nil {
		return err
	}
	if err := s.projects.ResumeSanitize(c.Request().Context(), user(c), projectID(c), run); err != nil {
		return err
	}
	return s.back(c, string(runURL(projectID(c), run)))
}

// sanitizeChoose freezes what a run found for one L/C into a bundle.
func (s *Server) sanitizeChoose(c echo.Context) error {
	run, err := runNumber(c.Param("run"))
	if err != nil {
		return err
	}
	lc, err := strconv.ParseFloat(c.FormValue("lc"), 64)
	if err != nil {
		return echo.NewHTTPError(http.StatusBadRequest)
	}
	b, err := s.projects.Choose(c.Request().Context(), user(c), projectID(c), run, lc)
	if err != nil {
		return err
	}
	return s.back(c, string(publishURL(projectID(c), b.Number)))
}

// sanitizeName gives a run a name.
func (s *Server) sanitizeName(c echo.Context) error {
	run, err := runNumber(c.Param("run"))
	if err != nil {
		return err
	}
	if err := s.projects.NameRun(c.Request().Context(), user(c), projectID(c), run, c.FormValue("name")); err != nil {
		return err
	}
	return s.back(c, string(runURL(projectID(c), run)))
}

// runNumber reads the number of a run, a bundle or a release.
func runNumber(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, echo.ErrNotFound
	}
	return n, nil
}
