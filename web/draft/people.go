// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"net/http"

	"hide/internal/project"
	"hide/internal/project/draft"
	"hide/internal/publish/transform"
	"hide/web/ui"
)

// peopleView is the page of the people in the notes of one patient.
type peopleView struct {
	Project project.Overview
	Patient string
	People  []transform.Person
	Version string // of the draft
	Error   string
}

func (h *Handlers) people(c ui.Context) error {
	v, err := h.loadPeople(c, c.QueryParam("patient"))
	if err != nil {
		return err
	}
	return showPeople(c, http.StatusOK, v)
}

func showPeople(c ui.Context, status int, v peopleView) error {
	return ui.ShowPageStatus(c, status, ui.Page{Title: "People · " + v.Project.Name, Project: &v.Project, Tab: "publish", Wide: true}, peoplePage(v))
}

func (h *Handlers) loadPeople(c ui.Context, patient string) (v peopleView, err error) {
	ctx, u := c.Request().Context(), ui.User(c)
	v.Patient = patient
	if v.Project, err = ui.Project(c, h.projects); err != nil {
		return v, err
	}
	d, err := h.projects.Draft(ctx, u, v.Project.ID)
	if err != nil {
		return v, err
	}
	v.Version = d.Version
	v.People, err = h.projects.DraftPeople(ctx, u, v.Project.ID, patient)
	return v, err
}

// renumber makes the places of one person those of another, or of a new one.
func (h *Handlers) renumber(c ui.Context) error {
	q, err := c.FormParams()
	if err != nil {
		return err
	}
	patient, which := q.Get("patient"), draft.Which{Seen: q.Get("seen")}
	for _, value := range q["place"] {
		p, err := readPlace(value)
		if err != nil {
			return err
		}
		which.Places = append(which.Places, p)
	}
	person := number(q, "person")
	if person < 1 {
		err = ui.Refuse("This is not the number of a person.", "Type a whole number of at least 1.")
	} else {
		_, err = h.projects.Decide(c.Request().Context(), ui.User(c), ui.ProjectID(c), which, transform.Choice{Person: person})
	}
	if err == nil {
		return ui.Back(c, string(ui.ProjectURL(ui.ProjectID(c), "/draft/people"+patientQuery(patient))))
	}
	said := ui.Refused(err)
	if said == nil {
		return err
	}
	v, err := h.loadPeople(c, patient)
	if err != nil {
		return err
	}
	v.Error = said.What + " " + said.Next
	return showPeople(c, http.StatusUnprocessableEntity, v)
}
