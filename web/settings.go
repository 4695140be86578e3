// SPDX-License-Identifier: Apache-2.0

package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/training"
)

func (s *Server) settingsRoutes() []route {
	return []route{
		{http.MethodGet, "/p/:project/settings", account.ManageWork, s.showSettings},
		{http.MethodPost, "/p/:project/settings", account.ManageWork, s.saveSettings},
	}
}

// settingsView is the settings page.
type settingsView struct {
	projectID project.ID
	form      settingsForm
	blind     training.BlindNotes
	saved     bool
}

func (s *Server) showSettings(c echo.Context) error {
	set, err := s.projects.Settings(c.Request().Context(), user(c), projectID(c))
	if err != nil {
		return err
	}
	return s.settingsPage(c, http.StatusOK, settingsView{form: newSettingsForm(set), saved: c.QueryParam("saved") == "1"})
}

// saveSettings puts settings in force. What is wrong with the form is said in the
// form, with everything as it was typed.
func (s *Server) saveSettings(c echo.Context) error {
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	stored, err := s.projects.Settings(c.Request().Context(), user(c), projectID(c))
	if err != nil {
		return err
	}
	form, set := readSettingsForm(values)
	set.Sampling.Seed = stored.Sampling.Seed // it is no field of the form
	if len(form.problems) == 0 {
		err = s.projects.SetSettings(c.Request().Context(), user(c), projectID(c), set)
	}
	var wrong *project.SettingsError
	if errors.As(err, &wrong) {
		form.problems, err = wrong.Problems, nil
	}
	switch {
	case err != nil:
		return err
	case len(form.problems) > 0:
		return s.settingsPage(c, http.StatusUnprocessableEntity, settingsView{form: form})
	}
	return s.back(c, string(projectURL(projectID(c), "/settings?saved=1")))
}

func (s *Server) settingsPage(c echo.Context, status int, v settingsView) error {
	overview, err := s.project(c)
	if err != nil {
		return err
	}
	v.projectID, v.form.labels = overview.ID, overview.Labels
	if v.blind, err = s.projects.BlindNotes(c.Request().Context(), user(c), overview.ID); err != nil {
		return err
	}
	return s.pageStatus(c, status, Page{Title: "Settings", Project: &overview, Tab: "overview"}, settingsPage(v))
}
