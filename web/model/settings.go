// SPDX-License-Identifier: Apache-2.0

package model

import (
	"errors"
	"net/http"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/web/ui"
)

func (h *Handlers) settingsRoutes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/settings", account.ManageWork, h.showSettings),
		ui.Post("/p/:project/settings", account.ManageWork, h.saveSettings),
	}
}

// settingsView is the settings page.
type settingsView struct {
	projectID project.ID
	form      settingsForm
	blind     training.BlindNotes
	saved     bool
}

func (h *Handlers) showSettings(c ui.Context) error {
	set, err := h.projects.Settings(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	return h.settingsPage(c, http.StatusOK, settingsView{form: newSettingsForm(set), saved: c.QueryParam("saved") == "1"})
}

// saveSettings stores the settings. The form shows its errors beside its fields, with
// everything as it was typed.
func (h *Handlers) saveSettings(c ui.Context) error {
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	stored, err := h.projects.Settings(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	form, set := readSettingsForm(values)
	set.Sampling.Seed = stored.Sampling.Seed // the form has no field for it
	if len(form.problems) == 0 {
		err = h.projects.SetSettings(c.Request().Context(), ui.User(c), ui.ProjectID(c), set)
	}
	var wrong *project.SettingsError
	if errors.As(err, &wrong) {
		form.problems, err = wrong.Problems, nil
	}
	switch {
	case err != nil:
		return err
	case len(form.problems) > 0:
		return h.settingsPage(c, http.StatusUnprocessableEntity, settingsView{form: form})
	}
	return ui.Back(c, string(ui.ProjectURL(ui.ProjectID(c), "/settings?saved=1")))
}

func (h *Handlers) settingsPage(c ui.Context, status int, v settingsView) error {
	overview, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	v.projectID, v.form.labels = overview.ID, overview.Labels
	if v.blind, err = h.projects.BlindNotes(c.Request().Context(), ui.User(c), overview.ID); err != nil {
		return err
	}
	return ui.ShowPageStatus(c, status, ui.Page{Title: "Settings · " + overview.Name, Project: &overview, Tab: "overview"}, settingsPage(v))
}
