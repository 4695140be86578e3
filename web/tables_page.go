// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/publish/table"
	"hide/internal/publish/weak"
)

func (s *Server) tableRoutes() []route {
	return []route{
		{http.MethodGet, "/p/:project/publish/table", account.Sanitize, s.tableShow},
		{http.MethodPost, "/p/:project/publish/table/preview", account.Sanitize, s.tablePreview},
		{http.MethodPost, "/p/:project/publish/table/cancel", account.Sanitize, s.tableCancel},
		{http.MethodPost, "/p/:project/publish/table", account.Sanitize, s.tablePublish},
		{http.MethodGet, "/p/:project/publish/roles", account.Sanitize, s.roleShow},
		{http.MethodPost, "/p/:project/publish/roles", account.Sanitize, s.rolesSave},
		{http.MethodPost, "/p/:project/publish/role", account.Sanitize, s.roleSave},
	}
}

func (s *Server) tableParts() []livePart {
	return []livePart{{
		name: "table", target: "#table-preview", needs: account.Sanitize,
		topics: []project.Topic{project.TopicPublish},
		render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
			v, err := s.tableView(ctx, u, id)
			return tablePreviewPart(v), err
		},
	}}
}

func (s *Server) tableShow(c echo.Context) error {
	v, err := s.tableView(c.Request().Context(), user(c), projectID(c))
	if err != nil {
		return err
	}
	v.Saved = c.QueryParam("saved") != ""
	return s.showTable(c, http.StatusOK, v)
}

func (s *Server) showTable(c echo.Context, status int, v tableView) error {
	p := Page{Title: "Publish a table · " + v.Project.Name, Project: &v.Project, Tab: "publish", Live: []string{"table"}}
	return s.pageStatus(c, status, p, tablePage(v))
}

// tableView is everything the page shows.
func (s *Server) tableView(ctx context.Context, u account.User, id project.ID) (tableView, error) {
	var v tableView
	var err error
	if v.Project, err = s.projects.Project(ctx, u, id); err != nil {
		return v, err
	}
	if v.Identifiers, err = s.projects.Identifiers(ctx, u, id); err != nil {
		return v, err
	}
	v.Preview, err = s.projects.TablePreview(ctx, u, id)
	v.form = formOf(v.Preview)
	return v, err
}

// tablePreview starts a preview, or shows what is wrong with what was asked.
func (s *Server) tablePreview(c echo.Context) error {
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	form := readTableForm(values)
	set, ks, err := form.settings()
	if err == nil {
		err = s.projects.StartTablePreview(c.Request().Context(), user(c), projectID(c), set, ks)
	}
	if err == nil {
		return s.back(c, string(tableURL(projectID(c)))+"#preview")
	}
	if project.KindOf(err) != project.Invalid {
		return err
	}
	v, viewErr := s.tableView(c.Request().Context(), user(c), projectID(c))
	if viewErr != nil {
		return viewErr
	}
	form.problem = problemWords(err)
	v.form = form
	return s.showTable(c, http.StatusUnprocessableEntity, v)
}

func (s *Server) tableCancel(c echo.Context) error {
	if err := s.projects.CancelTablePreview(c.Request().Context(), user(c), projectID(c)); err != nil {
		return err
	}
	return s.back(c, string(tableURL(projectID(c)))+"#preview")
}

// tablePublish releases the table with the chosen k, as it was previewed.
func (s *Server) tablePublish(c echo.Context) error {
	ctx, u, id := c.Request().Context(), user(c), projectID(c)
	v, err := s.tableView(ctx, u, id)
	if err != nil {
		return err
	}
	set := v.Preview.Settings
	var people int
	if set.K, err = runNumber(c.FormValue("k")); err == nil {
		people, err = runNumber(c.FormValue("people"))
	}
	if err != nil {
		return err
	}
	switch {
	case c.FormValue("confirm") == "":
		v.Refused = "Tick the box to confirm. Nothing was published."
	case v.Preview.Changed:
		v.Refused = "Notes or roles have changed since the preview. Nothing was published: preview again."
	default:
		if err := s.projects.StartPublishTable(ctx, u, id, set, people); err != nil {
			return err
		}
		return s.back(c, string(projectURL(id, "/publish"))+"#publish-state")
	}
	return s.showTable(c, http.StatusUnprocessableEntity, v)
}

func tableURL(id project.ID) templ.SafeURL { return projectURL(id, "/publish/table") }

// tableForm is what a preview is asked for, as it stands in the form.
type tableForm struct {
	ks, l, diversity, c, t, cut, suppression string
	problem                                  string
}

func formOf(p project.TablePreview) tableForm {
	f := tableForm{ks: "2 5 10 25", cut: p.Settings.Method.Cut, diversity: p.Settings.Diversity.Kind}
	if len(p.Ks) > 0 {
		var words []string
		for _, k := range p.Ks {
			words = append(words, strconv.Itoa(k))
		}
		f.ks = strings.Join(words, " ")
	}
	if p.Settings.Method.Name == weak.Incognito {
		f.cut = weak.Incognito
	}
	for _, field := range []struct {
		value float64
		to    *string
	}{{p.Settings.Method.Suppression, &f.suppression}, {p.Settings.Diversity.L, &f.l}, {p.Settings.Diversity.C, &f.c}, {p.Settings.Diversity.T, &f.t}} {
		if field.value > 0 {
			*field.to = typedNumber(field.value)
		}
	}
	return f
}

func readTableForm(values url.Values) tableForm {
	text := func(name string) string { return strings.TrimSpace(values.Get(name)) }
	return tableForm{ks: text("ks"), l: text("l"), diversity: text("diversity"), c: text("c"), t: text("t"), cut: text("cut"), suppression: text("suppression")}
}

// settings reads the numbers of the form.
func (f tableForm) settings() (project.TableSettings, []int, error) {
	set := project.TableSettings{Method: table.Method{Cut: f.cut}, Diversity: table.Diversity{Kind: f.diversity}}
	if f.cut == weak.Incognito {
		set.Method = table.Method{Name: weak.Incognito}
	}
	var ks []int
	for _, word := range strings.FieldsFunc(f.ks, func(r rune) bool { return r == ' ' || r == ',' || r == ';' }) {
		k, err := strconv.Atoi(word)
		if err != nil {
			return set, nil, noNumber("k")
		}
		ks = append(ks, k)
	}
	for _, field := range []struct {
		name, text string
		to         *float64
	}{{"l", f.l, &set.Diversity.L}, {"c", f.c, &set.Diversity.C}, {"t", f.t, &set.Diversity.T}, {"suppression", f.suppression, &set.Method.Suppression}} {
		if field.text == "" {
			continue
		}
		v, err := strconv.ParseFloat(field.text, 64)
		if err != nil || !finite(v) {
			return set, nil, noNumber(field.name)
		}
		*field.to = v
	}
	if set.Diversity.L == 0 {
		set.Diversity.Kind = ""
	}
	return set, ks, nil
}

func noNumber(field string) error {
	return &project.Error{Kind: project.Invalid, Message: "the field " + strconv.Quote(field) + " holds something that is no number", Hint: "correct it, or leave it empty"}
}
