// SPDX-License-Identifier: Apache-2.0

package web

import (
	"errors"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/web/ui"
)

func (s *Server) importRoutes() []route {
	return []route{
		{http.MethodGet, "/p/:project/import", account.ManageWork, s.showImport},
		{http.MethodPost, "/p/:project/import", account.ManageWork, s.runImport},
		{http.MethodGet, "/p/:project/download/annotations.jsonl", account.ManageWork, s.exportJSONL},
		{http.MethodGet, "/p/:project/download/brat.zip", account.ManageWork, s.exportBrat},
	}
}

// importView is the import page, with the report of the import just made.
type importView struct {
	overview project.Overview
	done     *importResult
}

// importResult is what became of an import. Refused means that the project is as
// it was before.
type importResult struct {
	format.Report
	refused *pageError
}

// importFormat is a choice of the format list.
type importFormat struct{ value, title, hint string }

var importFormats = []importFormat{
	{"", "Find out from the files", "by name and content"},
	{"text", "Plain text", "one note per .txt file"},
	{"jsonl", "JSONL", "one note per line: id, text, spans"},
	{"csv", "CSV or TSV", "one note per row"},
	{"brat", "brat", ".txt and .ann files, as a folder or a zip"},
	{"conll", "CoNLL", "one token per line, IOB1, IOB2 or BIOES"},
}

func (s *Server) showImport(c echo.Context) error {
	overview, err := s.project(c)
	if err != nil {
		return err
	}
	return s.importPage(c, http.StatusOK, importView{overview: overview})
}

func (s *Server) importPage(c echo.Context, status int, view importView) error {
	p := Page{Title: "Import", Project: &view.overview, Tab: "import", Scripts: []string{"js/import.js"}}
	return s.pageStatus(c, status, p, importBody(view))
}

// runImport takes the upload to temporary files, which no name leads to, and
// imports them. A refusal is a report like any other, with status 422.
func (s *Server) runImport(c echo.Context) error {
	up, err := s.receive(c)
	if up != nil {
		defer up.Close()
	}
	if err != nil {
		return err
	}
	report, err := s.projects.Import(c.Request().Context(), user(c), projectID(c), up.files, up.options)
	result := &importResult{Report: report}
	if err != nil {
		if result.refused = refusedImport(err); result.refused == nil {
			return err
		}
	}
	return s.importReport(c, result)
}

// refusedImport is an error about the files, in words; nil for any other error.
func refusedImport(err error) *pageError {
	var problem *format.Problem
	if errors.As(err, &problem) {
		return &pageError{Status: http.StatusUnprocessableEntity, What: sentence(problem.Reason), Next: sentence(problem.Hint)}
	}
	return ui.Refused(err)
}

func (s *Server) importReport(c echo.Context, result *importResult) error {
	status := http.StatusOK
	if result.refused != nil {
		status = http.StatusUnprocessableEntity
	}
	overview, err := s.project(c)
	if err != nil {
		return err
	}
	view := importView{overview, result}
	if isFragment(c.Request()) {
		return s.fragmentStatus(c, status, importDone(view))
	}
	return s.importPage(c, status, view)
}

func (s *Server) exportJSONL(c echo.Context) error {
	return s.export(c, "jsonl", "application/jsonl", "annotations.jsonl")
}

func (s *Server) exportBrat(c echo.Context) error {
	return s.export(c, "brat", "application/zip", "brat.zip")
}

// export streams. Once the first byte is out an error can only cut the file
// short, which answerError does; the browser then reports a failed download.
func (s *Server) export(c echo.Context, name, contentType, file string) error {
	w := &startedWriter{c: c, contentType: contentType, file: string(projectID(c)) + "-" + file}
	err := s.projects.Export(c.Request().Context(), user(c), projectID(c), name, w)
	if err == nil && !w.started {
		w.start() // an empty project is an empty file
	}
	return err
}

// startedWriter sends the headers of a download with its first byte, so that a
// refusal before it is still an error page.
type startedWriter struct {
	c                 echo.Context
	contentType, file string
	started           bool
}

func (w *startedWriter) start() {
	h := w.c.Response().Header()
	h.Set("Content-Type", w.contentType)
	h.Set("Content-Disposition", `attachment; filename="`+w.file+`"`)
	w.c.Response().WriteHeader(http.StatusOK)
	w.started = true
}

func (w *startedWriter) Write(p []byte) (int, error) {
	if !w.started {
		w.start()
	}
	return w.c.Response().Write(p)
}

// problemKinds counts the refusals by class, most frequent first.
func (r *importResult) problemKinds() []problemKind {
	counts := map[string]int{}
	for _, p := range r.Problems {
		counts[p.Code]++
	}
	kinds := make([]problemKind, 0, len(counts))
	for code, n := range counts {
		kinds = append(kinds, problemKind{code, n})
	}
	slices.SortFunc(kinds, func(a, b problemKind) int {
		if a.n != b.n {
			return b.n - a.n
		}
		if a.code < b.code {
			return -1
		}
		return 1
	})
	return kinds
}

type problemKind struct {
	code string
	n    int
}
