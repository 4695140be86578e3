// SPDX-License-Identifier: Apache-2.0

package web

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/web/ui"
)

// maxDictionaryFiles bounds one upload of dictionaries; ui.MaxBody bounds its bytes.
const maxDictionaryFiles = 64

func (s *Server) dictionaryRoutes() []route {
	return []route{
		{http.MethodGet, "/p/:project/dictionaries", account.ReadNotes, s.dictionariesShow},
		{http.MethodPost, dictionaryUpload, account.ManageWork, s.dictionariesAdd},
		{http.MethodPost, "/p/:project/dictionaries/remove", account.ManageWork, s.dictionaryRemove},
	}
}

// dictionaryUpload is the path that takes files.
const dictionaryUpload = "/p/:project/dictionaries/files"

// dictionariesView is the page of a project's dictionaries.
type dictionariesView struct {
	Project project.Overview
	All     []training.Dictionary
	LookUp  bool // the project's model looks at dictionaries
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

func (s *Server) dictionaries(c echo.Context) (v dictionariesView, err error) {
	ctx, by := c.Request().Context(), user(c)
	if v.Project, err = s.project(c); err != nil {
		return v, err
	}
	set, err := s.projects.Settings(ctx, by, v.Project.ID)
	if err != nil {
		return v, err
	}
	v.LookUp = set.LookUp()
	v.All, err = s.projects.Dictionaries(ctx, by, v.Project.ID)
	return v, err
}

func (s *Server) dictionariesShow(c echo.Context) error {
	v, err := s.dictionaries(c)
	if err != nil {
		return err
	}
	v.Said = map[string]string{
		"added":   "Added. The model learns anew with it, if it looks at dictionaries.",
		"removed": "Removed. The next model learns without it.",
	}[c.QueryParam("done")]
	return s.showDictionaries(c, http.StatusOK, v)
}

func (s *Server) showDictionaries(c echo.Context, status int, v dictionariesView) error {
	return s.pageStatus(c, status, Page{Title: "Dictionaries · " + v.Project.Name, Project: &v.Project, Tab: "overview"}, dictionariesPage(v))
}

// dictionariesAdd takes files into memory, which ui.MaxBody bounds, reads all of them
// and then adds all or none. A refusal is said in the form.
func (s *Server) dictionariesAdd(c echo.Context) error {
	files, err := s.dictionaryFiles(c)
	if err == nil {
		err = s.projects.AddDictionaries(c.Request().Context(), user(c), projectID(c), files)
	}
	if err == nil {
		return s.back(c, string(dictionariesURL(projectID(c)))+"?done=added")
	}
	refused := ui.Refused(err)
	if refused == nil {
		return err
	}
	v, err := s.dictionaries(c)
	if err != nil {
		return err
	}
	v.Problem, v.Advice = refused.What, refused.Next
	return s.showDictionaries(c, http.StatusUnprocessableEntity, v)
}

// dictionaryFiles reads the files of the form. What is wrong with one is a
// [*project.Error] that names it.
func (s *Server) dictionaryFiles(c echo.Context) ([]training.DictionaryFile, error) {
	r := c.Request()
	r.Body = http.MaxBytesReader(c.Response(), r.Body, ui.MaxBody)
	parts, err := s.upload(c)
	if err != nil {
		return nil, err
	}
	var files []training.DictionaryFile
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read upload: %w", err)
		}
		if part.FormName() != "files" || part.FileName() == "" {
			continue // an empty file field
		}
		if len(files) == maxDictionaryFiles {
			return nil, refuse(fmt.Sprintf("These are more than %d files.", maxDictionaryFiles), "Add some of them later.")
		}
		f, err := readDictionaryPart(part)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, refuse("No file was chosen.", "Choose one or more files.")
	}
	return files, nil
}

func readDictionaryPart(part *multipart.Part) (training.DictionaryFile, error) {
	return training.ReadDictionary(path.Base(ui.UploadName(part)), part)
}

func (s *Server) dictionaryRemove(c echo.Context) error {
	if err := s.projects.RemoveDictionary(c.Request().Context(), user(c), projectID(c), c.FormValue("name")); err != nil {
		return err
	}
	return s.back(c, string(dictionariesURL(projectID(c)))+"?done=removed")
}

func dictionariesURL(id project.ID) templ.SafeURL { return projectURL(id, "/dictionaries") }
