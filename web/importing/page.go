// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"errors"
	"net/http"
	"slices"

	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/web/ui"
)

// importView is the import page, with the report of the import that the form made.
type importView struct {
	overview project.Overview
	done     *importResult
}

// importResult is the result of an import. After a refusal the project is unchanged.
type importResult struct {
	project.ImportReport
	refused *ui.Error
}

// importFormat is a choice of the format list.
type importFormat struct{ value, title, hint string }

var importFormats = []importFormat{
	{"", "Detect from the files", "by name and content"},
	{"text", "Plain text", "one note per .txt file"},
	{"jsonl", "JSONL", "one note per line: id, text, spans"},
	{"csv", "CSV or TSV", "one note per row"},
	{"brat", "brat", ".txt and .ann files, as a folder or a zip"},
	{"conll", "CoNLL", "one token per line, IOB1, IOB2 or BIOES"},
}

func (h *Handlers) showImport(c ui.Context) error {
	overview, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	return h.importPage(c, http.StatusOK, importView{overview: overview})
}

func (h *Handlers) importPage(c ui.Context, status int, view importView) error {
	p := ui.Page{Title: "Import · " + view.overview.Name, Project: &view.overview, Tab: "import", Scripts: []string{"js/import.js"}}
	return ui.ShowPageStatus(c, status, p, importBody(view))
}

// runImport writes the upload to temporary files without a name and imports them. A
// refusal is a report like any other, with status 422.
func (h *Handlers) runImport(c ui.Context) error {
	up, err := receive(c)
	if up != nil {
		defer up.Close()
	}
	if err != nil {
		return err
	}
	report, err := h.projects.Import(c.Request().Context(), ui.User(c), ui.ProjectID(c), up.files, up.options)
	result := &importResult{ImportReport: report}
	if err != nil {
		if result.refused = refusedImport(err); result.refused == nil {
			return err
		}
	}
	return h.importReport(c, result)
}

// refusedImport is an error about the files, in words; nil for any other error.
func refusedImport(err error) *ui.Error {
	var problem *format.Problem
	if errors.As(err, &problem) {
		return &ui.Error{Status: http.StatusUnprocessableEntity, What: ui.Sentence(problem.Reason), Next: ui.Sentence(problem.Hint)}
	}
	return ui.Refused(err)
}

func (h *Handlers) importReport(c ui.Context, result *importResult) error {
	status := http.StatusOK
	if result.refused != nil {
		status = http.StatusUnprocessableEntity
	}
	overview, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	view := importView{overview, result}
	if ui.IsFragment(c.Request()) {
		return ui.FragmentStatus(c, status, importDone(view))
	}
	return h.importPage(c, status, view)
}

func (h *Handlers) exportJSONL(c ui.Context) error {
	return h.export(c, "jsonl", "application/jsonl", "annotations.jsonl")
}

func (h *Handlers) exportBrat(c ui.Context) error {
	return h.export(c, "brat", "application/zip", "brat.zip")
}

// export streams. Once the first byte is out an error can only cut the file
// short, which the shell does; the browser then reports a failed download.
func (h *Handlers) export(c ui.Context, name, contentType, file string) error {
	w := &startedWriter{c: c, contentType: contentType, file: string(ui.ProjectID(c)) + "-" + file}
	err := h.projects.Export(c.Request().Context(), ui.User(c), ui.ProjectID(c), name, w)
	if err == nil && !w.started {
		w.start() // an empty project is an empty file
	}
	return err
}

// startedWriter sends the headers of a download with its first byte, so that a
// refusal before it is still an error page.
type startedWriter struct {
	c                 ui.Context
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
