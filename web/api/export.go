// SPDX-License-Identifier: Apache-2.0

package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"hide/internal/annotate/format"
	"hide/internal/annotate/labels"
	"hide/internal/project"
	"hide/web/ui"
)

// export streams the notes with their spans. A format that cannot hold all of them is refused
// until the request accepts the losses.
func (h *Handlers) export(c ui.Context) error {
	f, opts, err := readExport(c)
	if err != nil {
		return err
	}
	accepted, err := readSwitch(c, "accept_losses")
	if err != nil {
		return err
	}
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	lost, err := h.projects.ExportLosses(ctx, u, id, opts)
	if err != nil {
		return err
	}
	if len(lost) > 0 && !accepted {
		return refused(http.StatusConflict, "The file would not hold everything", "Nothing was exported: "+strings.Join(lost, "; ")+".", "Choose another format, or send accept_losses=true.",
			map[string]any{"kind": "losses", "losses": lost})
	}
	w := &late{c: c, header: http.Header{
		"Content-Type":        {contentType(f.Ending)},
		"Content-Disposition": {`attachment; filename="` + string(id) + "-" + f.Name + f.Ending + `"`},
	}}
	if len(lost) > 0 {
		w.header.Set("Hide-Losses", asciiJSON(lost))
	}
	if err := h.projects.Export(ctx, u, id, opts, w); err != nil {
		return err
	}
	w.start() // an empty project is an empty file
	return nil
}

func readExport(c ui.Context) (f format.Format, opts project.ExportOptions, err error) {
	if err := checkQuery(c, "format", "map", "accept_losses"); err != nil {
		return f, opts, err
	}
	all := slices.DeleteFunc(format.Formats(), func(f format.Format) bool { return !f.Write })
	i := slices.IndexFunc(all, func(f format.Format) bool { return f.Name == c.QueryParam("format") })
	if i < 0 {
		var names []string
		for _, f := range all {
			names = append(names, f.Name)
		}
		return f, opts, badRequest("format: it is missing or unknown.", "Use one of "+ui.Listed(names)+".")
	}
	opts.Format = all[i].Name
	if name := c.QueryParam("map"); name != "" {
		if opts.Map, err = labels.Find(name); err != nil {
			return f, opts, badRequest("map: unknown mapping of labels.", "hide labels lists them.")
		}
	}
	return all[i], opts, nil
}

func contentType(ending string) string {
	switch ending {
	case ".zip":
		return "application/zip"
	case ".jsonl":
		return "application/x-ndjson"
	}
	return "application/octet-stream"
}

// late sends its headers with the first byte, so that a refusal before it is still a problem in
// JSON. With flush, every write leaves at once.
type late struct {
	c       ui.Context
	header  http.Header
	flush   bool
	started bool
}

func (w *late) start() {
	if w.started {
		return
	}
	w.started = true
	for name, values := range w.header {
		w.c.Response().Header()[name] = values
	}
	w.c.Response().WriteHeader(http.StatusOK)
}

func (w *late) Write(p []byte) (int, error) {
	w.start()
	n, err := w.c.Response().Write(p)
	if w.flush && err == nil {
		w.c.Response().Flush()
	}
	return n, err
}

// asciiJSON is JSON for a header, with escapes for all other characters than ASCII.
func asciiJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("api: " + err.Error())
	}
	var out strings.Builder
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		switch {
		case r < utf8.RuneSelf:
			out.WriteByte(raw[0])
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
		raw = raw[size:]
	}
	return out.String()
}
