// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"io"
	"net/http"
	"path"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/web/ui"
)

// maxDictionaryFiles bounds one upload of dictionaries; ui.MaxBody bounds its bytes.
const maxDictionaryFiles = 64

func (h *Handlers) dictionaryRoutes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/dictionaries", account.ReadNotes, h.dictionariesShow),
		ui.Post(dictionaryUpload, account.ManageWork, h.dictionariesAdd).Uploading(),
		ui.Post("/p/:project/dictionaries/remove", account.ManageWork, h.dictionaryRemove),
	}
}

// dictionaryUpload is the path that takes files.
const dictionaryUpload = "/p/:project/dictionaries/files"

// dictionariesView is the page of a project's dictionaries.
type dictionariesView struct {
	Project project.Overview
	All     []training.Dictionary
	Classes training.ClassStatus
	LookUp  bool // the project's model uses dictionaries
	Said    string
	Problem string // of the upload
	Advice  string // what to do about it
}

func (v dictionariesView) phrases() int {
	n := 0
	for _, d := range v.All {
		n += d.Phrases
	}
	return n
}

func (h *Handlers) dictionaries(c ui.Context) (v dictionariesView, err error) {
	ctx, by := c.Request().Context(), ui.User(c)
	if v.Project, err = ui.Project(c, h.projects); err != nil {
		return v, err
	}
	set, err := h.projects.Settings(ctx, by, v.Project.ID)
	if err != nil {
		return v, err
	}
	v.LookUp = set.LookUp()
	if v.Classes, err = h.projects.WordClasses(ctx, by, v.Project.ID, training.ShowClasses); err != nil {
		return v, err
	}
	v.All, err = h.projects.Dictionaries(ctx, by, v.Project.ID)
	return v, err
}

func (h *Handlers) dictionariesShow(c ui.Context) error {
	v, err := h.dictionaries(c)
	if err != nil {
		return err
	}
	v.Said = map[string]string{
		"added":   "Added. The model is trained again with it, if the settings use dictionaries.",
		"removed": "Removed. The next model is trained without it.",
	}[c.QueryParam("done")]
	return h.showDictionaries(c, http.StatusOK, v)
}

func (h *Handlers) showDictionaries(c ui.Context, status int, v dictionariesView) error {
	return ui.ShowPageStatus(c, status, ui.Page{Title: "Dictionaries · " + v.Project.Name, Project: &v.Project, Tab: "overview", Live: []string{"classes"}}, dictionariesPage(v))
}

// dictionariesAdd reads the files into memory, which ui.MaxBody bounds, and then adds all
// or none. The form shows a refusal.
func (h *Handlers) dictionariesAdd(c ui.Context) error {
	files, err := h.dictionaryFiles(c)
	if err == nil {
		err = h.projects.AddDictionaries(c.Request().Context(), ui.User(c), ui.ProjectID(c), files)
	}
	if err == nil {
		return ui.Back(c, string(dictionariesURL(ui.ProjectID(c)))+"?done=added")
	}
	refused := ui.Refused(err)
	if refused == nil {
		return err
	}
	v, err := h.dictionaries(c)
	if err != nil {
		return err
	}
	v.Problem, v.Advice = refused.What, refused.Next
	return h.showDictionaries(c, http.StatusUnprocessableEntity, v)
}

// dictionaryFiles reads the files of the form. The error about a file is a
// [*project.Error] that names it.
func (h *Handlers) dictionaryFiles(c ui.Context) ([]training.DictionaryFile, error) {
	r := c.Request()
	r.Body = http.MaxBytesReader(c.Response(), r.Body, ui.MaxBody)
	parts, err := ui.Upload(c)
	if err != nil {
		return nil, err
	}
	var files []training.DictionaryFile
	for {
		part, err := parts.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if part.Field != "files" || part.File == "" {
			continue // an empty file field
		}
		if len(files) == maxDictionaryFiles {
			return nil, ui.Refuse(fmt.Sprintf("These are more than %d files.", maxDictionaryFiles), "Add some of them later.")
		}
		f, err := readDictionaryPart(part)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, ui.Refuse("No file was chosen.", "Choose one or more files.")
	}
	return files, nil
}

func readDictionaryPart(part ui.Part) (training.DictionaryFile, error) {
	return training.ReadDictionary(path.Base(part.File), part)
}

func (h *Handlers) dictionaryRemove(c ui.Context) error {
	if err := h.projects.RemoveDictionary(c.Request().Context(), ui.User(c), ui.ProjectID(c), c.FormValue("name")); err != nil {
		return err
	}
	return ui.Back(c, string(dictionariesURL(ui.ProjectID(c)))+"?done=removed")
}

func dictionariesURL(id project.ID) templ.SafeURL { return ui.ProjectURL(id, "/dictionaries") }
