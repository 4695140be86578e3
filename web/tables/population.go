// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"errors"
	"io"
	"net/http"

	"github.com/a-h/templ"

	"hide/internal/project"
	"hide/internal/project/release"
	"hide/web/ui"
)

// populationUpload is the path that takes the file of a population.
const populationUpload = "/p/:project/publish/population"

// populationAdd stores the file of the form, or shows its problems. The address says
// which population the page has shown; only that one is replaced.
func (h *Handlers) populationAdd(c ui.Context) error {
	file, err := h.populationFile(c)
	if err == nil {
		_, err = h.projects.SetPopulation(c.Request().Context(), ui.User(c), ui.ProjectID(c), file, c.QueryParam("replaces"))
	}
	if err == nil {
		return ui.Back(c, string(tableURL(ui.ProjectID(c)))+"#population")
	}
	refused := populationRefused(err)
	if refused == nil {
		return err
	}
	v, err := h.tableView(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	v.NoPopulation = "Nothing was added. " + refused.What + " " + refused.Next
	return h.showTable(c, refused.Status, v)
}

// populationRefused is the error that the form shows, nil for an error of the server.
func populationRefused(err error) *ui.Error {
	var conflict *release.PopulationConflict
	if errors.As(err, &conflict) {
		return &ui.Error{Status: http.StatusConflict, What: "Somebody has added another population meanwhile. It is shown below.", Next: "Choose the file again to replace it."}
	}
	return ui.Refused(err)
}

// populationURL takes a file in the place of the one that the page shows, if any.
func populationURL(id project.ID, shown *release.Population) templ.SafeURL {
	to := ui.ProjectURL(id, "/publish/population")
	if shown != nil {
		to += templ.SafeURL("?replaces=" + shown.Version())
	}
	return to
}

// populationFile is the part of the form with the file.
func (h *Handlers) populationFile(c ui.Context) (io.Reader, error) {
	r := c.Request()
	r.Body = http.MaxBytesReader(c.Response(), r.Body, ui.MaxBody)
	parts, err := ui.Upload(c)
	if err != nil {
		return nil, err
	}
	for {
		part, err := parts.Next()
		if err == io.EOF {
			return nil, ui.Refuse("No file was chosen.", "Choose a file.")
		}
		if err != nil {
			return nil, err
		}
		if part.Field == "files" && part.File != "" {
			return part, nil
		}
	}
}

// populationRemove deletes the population that the page has shown, and no other.
func (h *Handlers) populationRemove(c ui.Context) error {
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	err := h.projects.RemovePopulation(ctx, u, id, c.FormValue("version"))
	if conflict := (*release.PopulationConflict)(nil); !errors.As(err, &conflict) {
		if err != nil {
			return err
		}
		return ui.Back(c, string(tableURL(id))+"#population")
	}
	v, err := h.tableView(ctx, u, id)
	if err != nil {
		return err
	}
	v.NoPopulation = "Somebody has added another population meanwhile. It is shown below. Nothing was deleted."
	return h.showTable(c, http.StatusConflict, v)
}
