// SPDX-License-Identifier: Apache-2.0

package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"hide/internal/annotate"
	"hide/internal/project"
)

func (s *Server) projectList(c echo.Context) error {
	return s.showProjects(c, http.StatusOK, projectForm{})
}

// projectForm is what was typed into the form for a new project, and what is
// wrong with it.
type projectForm struct {
	Name, Labels   string
	Problem, Which string // Which names the field at fault: "name" or "labels"
}

func (s *Server) showProjects(c echo.Context, status int, f projectForm) error {
	list, err := s.projects.Projects(c.Request().Context(), user(c))
	if err != nil {
		return err
	}
	return s.pageStatus(c, status, Page{Title: "Projects"}, projectList(list, f))
}

// projectCreate makes a project and leads to it. What is wrong with the form is
// said in the form.
func (s *Server) projectCreate(c echo.Context) error {
	f := projectForm{Name: strings.TrimSpace(c.FormValue("name")), Labels: c.FormValue("labels")}
	labels, problem := readLabels(f.Labels)
	if problem != "" {
		f.Problem, f.Which = problem, "labels"
		return s.showProjects(c, http.StatusUnprocessableEntity, f)
	}
	p, err := s.projects.Create(c.Request().Context(), user(c), f.Name, labels)
	var refused *project.Error
	if errors.As(err, &refused) && refused.Kind == project.Invalid {
		f.Problem, f.Which = sentence(refused.Message), "name"
		return s.showProjects(c, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	return s.back(c, string(projectURL(p.ID, "")))
}

// readLabels reads labels separated by spaces, commas or lines. None at all means
// the i2b2 set.
func readLabels(text string) (labels annotate.LabelSet, problem string) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\r' || r == '\t' })
	if len(words) == 0 {
		return annotate.I2B2(), ""
	}
	for _, w := range words {
		if annotate.CheckLabel(annotate.Label(w)) != nil {
			return nil, "A label begins with a letter and goes on with letters, digits, “_”, “.” or “-”. One of these does not."
		}
		labels = labels.With(annotate.Label(w))
	}
	return labels, ""
}
