// SPDX-License-Identifier: Apache-2.0

package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/internal/spool"
	"hide/internal/strictjson"
	"hide/web/ui"
)

// mostFiles bounds the files of one request.
const mostFiles = 100_000

// importNotes takes notes: files of a form, one file as the body, or one note as JSON. It
// answers when all of them are in the project, or none. With preview it changes nothing.
func (h *Handlers) importNotes(c ui.Context) error {
	opts, preview, err := readImportOptions(c)
	if err != nil {
		return err
	}
	if err := h.projects.CheckRoom(); err != nil {
		return err // before everything is sent
	}
	done, err := h.imports.take()
	if err != nil {
		return err
	}
	defer done()
	files, err := spool.New(nil)
	if err != nil {
		return err
	}
	defer files.Close() // they are unlinked, or the system removes them with its other temporary files
	if err := receive(c, files, &opts); err != nil {
		return err
	}
	if preview {
		return h.preview(c, files.Files, opts)
	}
	report, err := h.projects.Import(c.Request().Context(), ui.User(c), ui.ProjectID(c), files.Files, opts)
	if err != nil {
		return badFiles(err)
	}
	out := reported(report.Report)
	out.Import = strconv.FormatUint(report.Number, 10)
	return c.JSON(http.StatusCreated, out)
}

// importParameters are the parameters of an import.
var importParameters = []string{"format", "encoding", "name", "column_id", "column_text", "column_patient", "finished", "random", "skip_bad", "suggest_labels", "preview"}

func readImportOptions(c ui.Context) (opts project.ImportOptions, preview bool, err error) {
	if err := checkQuery(c, importParameters...); err != nil {
		return opts, false, err
	}
	opts.Format, opts.Encoding = c.QueryParam("format"), c.QueryParam("encoding")
	opts.Columns = format.Columns{ID: c.QueryParam("column_id"), Text: c.QueryParam("column_text"), Patient: c.QueryParam("column_patient")}
	err = readSwitches(c, map[string]*bool{"finished": &opts.Finished, "random": &opts.Random, "skip_bad": &opts.SkipBad, "suggest_labels": &opts.Suggest, "preview": &preview})
	readable := func(f format.Format) bool { return f.Read && f.Name == opts.Format }
	switch {
	case err != nil:
	case opts.Format != "" && !slices.ContainsFunc(format.Formats(), readable):
		err = badRequest("format: unknown format.", "Use one of "+readableNames()+", or leave it out.")
	case opts.Encoding != "" && !slices.Contains(format.Encodings(), opts.Encoding):
		err = badRequest("encoding: unknown encoding.", "Use one of "+ui.Listed(format.Encodings())+", or leave it out.")
	case opts.Random && !opts.Finished:
		err = badRequest("random: it goes with finished=true only.", "A random sample is one of finished notes.")
	}
	return opts, preview, err
}

func readableNames() string {
	var names []string
	for _, f := range format.Formats() {
		if f.Read {
			names = append(names, f.Name)
		}
	}
	return ui.Listed(names)
}

// receive keeps what the request sends.
func receive(c ui.Context, files *spool.Files, opts *project.ImportOptions) error {
	switch kind := kindOf(c); kind {
	case "multipart/form-data":
		return receiveForm(c, files)
	case "application/json":
		if opts.Format == "" {
			return receiveNote(c, files, opts)
		}
	case "":
		return unsupported("multipart/form-data", "application/json", "application/octet-stream", "text/plain")
	}
	name, err := fileName(c, opts.Format)
	if err != nil {
		return err
	}
	return files.Take(name, c.Request().Body)
}

func receiveForm(c ui.Context, files *spool.Files) error {
	parts, err := ui.Upload(c)
	if err != nil {
		return err
	}
	for {
		part, err := parts.Next()
		switch {
		case err == io.EOF && len(files.Files) == 0:
			return badRequest("The form has no file.", `Send each file as a part named "files".`)
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case part.Field != "files" || part.File == "":
			return badRequest("The form has a part that is not a file, or whose name is not files.", `Name each part "files" and send a file in it, as with curl -F files=@note.txt. Options belong in the query.`)
		case len(files.Files) == mostFiles:
			return badRequest(fmt.Sprintf("There are more than %s files.", ui.Number(mostFiles)), "Put them into a zip.")
		}
		if err := files.Take(part.File, part); err != nil {
			return err
		}
	}
}

// receiveNote keeps one note, written as a line of JSONL.
func receiveNote(c ui.Context, files *spool.Files, opts *project.ImportOptions) error {
	body, err := io.ReadAll(http.MaxBytesReader(c.Response(), c.Request().Body, ui.MaxBody))
	if err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := strictjson.Decode(body, &fields); err != nil {
		return badRequest("The note cannot be read: "+err.Error()+".", "Send one JSON object as a line of JSONL has it, or set format.")
	}
	var line bytes.Buffer
	if err := json.Compact(&line, body); err != nil {
		return err
	}
	opts.Format = "jsonl"
	return files.Take("note.jsonl", &line)
}

// fileName is the name of a file that is the body. Detection reads its ending, and a note as
// plain text is named after it.
func fileName(c ui.Context, asked string) (string, error) {
	name := c.QueryParam("name")
	if name == "" {
		for _, f := range format.Formats() {
			if f.Name == asked && len(f.Endings) > 0 {
				return "notes" + f.Endings[0], nil
			}
		}
		return "notes", nil
	}
	if len(name) > 1000 || path.Base(name) != name || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '\\' || r == '\uFFFD' }) {
		return "", badRequest("name: this is not the name of a file.", "Use a name without folders.")
	}
	return name, nil
}

// imported is what an import brought, or would bring.
type imported struct {
	Import   string        `json:"import,omitempty"` // id; "" for a preview
	Format   string        `json:"format"`
	Notes    int           `json:"notes"`
	Spans    int           `json:"spans"`
	Bytes    int64         `json:"bytes"`
	Refused  int           `json:"refused"`
	Problems []fileProblem `json:"problems"` // the refused records, at most 1,000
	Remarks  []string      `json:"remarks"`
	Known    *int          `json:"known,omitempty"`  // of a preview: notes that the project has
	Labels   []mappedLabel `json:"labels,omitempty"` // of a preview
}

// fileProblem is a record that cannot be imported. It never quotes content.
type fileProblem struct {
	File   string `json:"file"`
	Record string `json:"record"`
	Offset int64  `json:"offset"` // byte of the file, -1 for none
	Code   string `json:"code"`
	Reason string `json:"reason"`
	Hint   string `json:"hint"`
}

type mappedLabel struct {
	Label    string `json:"label"`
	Spans    int    `json:"spans"`
	Becomes  string `json:"becomes"` // "" if its spans are dropped
	New      bool   `json:"new"`
	Proposed string `json:"proposed,omitempty"`
}

func reported(r format.Report) imported {
	out := imported{Format: r.Format, Notes: r.Documents, Spans: r.Spans, Bytes: r.Bytes, Refused: r.Refused, Problems: []fileProblem{}, Remarks: []string{}}
	for _, p := range r.Problems {
		out.Problems = append(out.Problems, problemOf(p))
	}
	out.Remarks = append(out.Remarks, r.Notes...)
	return out
}

func problemOf(p format.Problem) fileProblem {
	return fileProblem{p.File, p.Record, p.Offset, p.Code, p.Reason, p.Hint}
}

// preview says what an import would bring, without text of notes.
func (h *Handlers) preview(c ui.Context, files []format.File, opts project.ImportOptions) error {
	p, err := h.projects.Preview(c.Request().Context(), ui.User(c), ui.ProjectID(c), files, opts)
	if err != nil {
		return badFiles(err)
	}
	out := reported(p.Report)
	out.Known = &p.Known
	for _, l := range p.Mapped {
		out.Labels = append(out.Labels, mappedLabel{string(l.Label), l.Spans, string(l.To), l.New, string(l.Proposed)})
	}
	return c.JSON(http.StatusOK, out)
}

// badFiles says which record was refused.
func badFiles(err error) error {
	var p *format.Problem
	if !errors.As(err, &p) {
		return err
	}
	where := problemOf(*p)
	return refused(http.StatusUnprocessableEntity, "The files cannot be imported", cmp.Or(ui.Sentence(p.Reason), "A record cannot be read."), ui.Sentence(p.Hint),
		map[string]any{"kind": "record", "code": where.Code, "file": where.File, "record": where.Record, "offset": where.Offset})
}
