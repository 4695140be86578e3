// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/a-h/templ"

	"hide/internal/annotate/format"
	"hide/internal/annotate/labels"
	"hide/internal/project"
	"hide/web/ui"
)

// exportView says what a file will hold, before it is made.
type exportView struct {
	overview project.Overview
	format   format.Format
	mapping  string // name of a mapping; "" keeps the labels
	lost     []string
}

// file is the address of the file.
func (v exportView) file() templ.SafeURL {
	at := string(ui.ProjectURL(v.overview.ID, "/download/notes/"+v.format.Name))
	if v.mapping != "" {
		at += "?" + url.Values{"map": {v.mapping}}.Encode()
	}
	return templ.SafeURL(at)
}

// writable lists the formats of exports.
func writable() []format.Format {
	return slices.DeleteFunc(format.Formats(), func(f format.Format) bool { return !f.Write })
}

// exportMappings are the mappings from the default set, for the list of the page.
func exportMappings() []labels.Mapping {
	return slices.DeleteFunc(labels.Builtin(), func(m labels.Mapping) bool { return m.From != labels.Default })
}

// exportChoice reads which file is wanted.
func exportChoice(name, mapping string) (f format.Format, opts project.ExportOptions, err error) {
	all := writable()
	i := slices.IndexFunc(all, func(f format.Format) bool { return f.Name == name })
	if i < 0 {
		return f, opts, ui.Refuse("Unknown format.", "Choose a format of the list.")
	}
	opts.Format = name
	if mapping != "" {
		if opts.Map, err = labels.Find(mapping); err != nil {
			return f, opts, ui.Refuse("Unknown label set.", "Choose one of the list.")
		}
	}
	return all[i], opts, nil
}

func (h *Handlers) showExport(c ui.Context) error {
	f, opts, err := exportChoice(c.QueryParam("format"), c.QueryParam("map"))
	if err != nil {
		return err
	}
	v := exportView{format: f, mapping: c.QueryParam("map")}
	if v.overview, err = ui.Project(c, h.projects); err != nil {
		return err
	}
	if v.lost, err = h.projects.ExportLosses(c.Request().Context(), ui.User(c), v.overview.ID, opts); err != nil {
		return err
	}
	return ui.ShowPage(c, ui.Page{Title: "Export · " + v.overview.Name, Project: &v.overview, Tab: "import"}, exportPage(v))
}

// download streams. Once the first byte is out an error can only cut the file
// short, which the shell does; the browser then reports a failed download.
func (h *Handlers) download(c ui.Context) error {
	f, opts, err := exportChoice(c.Param("format"), c.QueryParam("map"))
	if err != nil {
		return err
	}
	w := &startedWriter{c: c, contentType: contentType(f.Ending), file: string(ui.ProjectID(c)) + "-" + f.Name + f.Ending}
	err = h.projects.Export(c.Request().Context(), ui.User(c), ui.ProjectID(c), opts, w)
	if err == nil && !w.started {
		w.start() // an empty project is an empty file
	}
	return err
}

// contentType is the type of a file with an ending. Browsers keep all of them and show none.
func contentType(ending string) string {
	if ending == ".zip" {
		return "application/zip"
	}
	return "application/octet-stream"
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
