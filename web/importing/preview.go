// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/annotate/labels"
	"hide/internal/project"
	"hide/web/ui"
)

// uploadView is the page of one upload: its progress, its preview or its report.
type uploadView struct {
	keptState
	overview project.Overview
	refused  *ui.Error // why the files could not be read, or nothing was imported
}

// at is an address of the upload.
func (v uploadView) at(action string) string {
	return string(ui.ProjectURL(v.overview.ID, "/import/"+v.token+action))
}

// upload keeps the files that a form sends and begins their preview.
func (h *Handlers) upload(c ui.Context) error {
	if err := h.projects.CheckRoom(); err != nil {
		return err // before everything is sent
	}
	user := ui.User(c)
	size := int64(0)
	up, err := receive(c, func(n int64) error {
		err := h.shelf.grow(user.ID, n)
		if err == nil {
			size += n
		}
		return err
	})
	var k *kept
	if err == nil {
		k, err = h.shelf.keep(user.ID, ui.ProjectID(c), up)
	}
	if err != nil {
		h.shelf.release(user.ID, size)
		if up != nil {
			err = errors.Join(err, up.Close())
		}
		return err
	}
	h.look(k, user, k.options, reading)
	return h.lead(c, k)
}

// look begins a preview.
func (h *Handlers) look(k *kept, by account.User, opts project.ImportOptions, from stage) bool {
	return h.shelf.start(k, from, reading, func() { k.options = opts }, func(ctx context.Context) {
		opts.Progress = func(notes int) { k.notes.Store(int64(notes)) }
		p, err := h.projects.Preview(ctx, by, k.project, k.up.Files.Files, opts)
		k.settle(previewed, func() {
			k.preview, k.failed = p, err
			k.number++
		})
	})
}

// lead waits a moment for work that is short, and leads to the page of the upload.
func (h *Handlers) lead(c ui.Context, k *kept) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), h.patience)
	defer cancel()
	k.wait(ctx)
	return ui.Back(c, string(ui.ProjectURL(k.project, "/import/"+k.token)))
}

// find is the upload of the address.
func (h *Handlers) find(c ui.Context) (*kept, error) {
	if k := h.shelf.find(c.Param("upload"), ui.User(c).ID, ui.ProjectID(c)); k != nil {
		return k, nil
	}
	return nil, &ui.Error{
		Status: http.StatusNotFound, Title: "These files are not here",
		What: "Files wait for an hour, and only for the person who sent them. They may have been dropped.", Next: "Send them again.",
	}
}

// show is the page of an upload. While the files are read it asks the browser to come again.
func (h *Handlers) show(c ui.Context) error {
	k, err := h.find(c)
	if err != nil {
		return err
	}
	overview, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	v := uploadView{keptState: k.look(), overview: overview}
	title, body := "Preview", previewPage(v)
	switch {
	case v.failed != nil:
		if v.refused = refusedImport(v.failed); v.refused == nil {
			return v.failed
		}
		body = previewPage(v)
	case v.stage == imported:
		title, body = "Imported", reportPage(v)
	case v.stage != previewed:
		c.Response().Header().Set("Refresh", "2")
		title, body = "Reading", progressPage(v)
	}
	return ui.ShowPage(c, ui.Page{Title: title + " · " + overview.Name, Project: &overview, Tab: "import"}, body)
}

// again reads the files in another way.
func (h *Handlers) again(c ui.Context) error {
	k, err := h.find(c)
	if err != nil {
		return err
	}
	var opts project.ImportOptions
	for _, name := range []string{"format", "encoding", "column-id", "column-text", "column-patient"} {
		setOption(&opts, name, strings.TrimSpace(c.FormValue(name)))
	}
	if err := checkOptions(opts.Options); err != nil {
		return err
	}
	h.look(k, ui.User(c), opts, previewed)
	return h.lead(c, k)
}

// drop forgets the upload. An import that has ended meanwhile stays, and its report is shown.
func (h *Handlers) drop(c ui.Context) error {
	k, err := h.find(c)
	if err != nil {
		return err
	}
	if k.look().stage == importing {
		h.shelf.jobs.Cancel(k.token)
		k.wait(c.Request().Context())
	}
	if k.look().stage == imported {
		return h.lead(c, k)
	}
	h.shelf.drop(k)
	return ui.Back(c, string(ui.ProjectURL(ui.ProjectID(c), "/import"))+"?done=dropped")
}

// confirm imports what the preview showed. A second confirmation finds the import begun and
// leads to it.
func (h *Handlers) confirm(c ui.Context) error {
	k, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	now := k.look()
	if now.stage != previewed || form.Get("preview") != strconv.Itoa(now.number) {
		return h.lead(c, k) // it is decided, or the files were read in another way since
	}
	opts := now.options
	opts.SkipBad = now.preview.Refused > 0 // the page says so
	opts.Finished = form.Get("finished") == "1"
	opts.Random = opts.Finished && form.Get("random") == "1"
	if opts.Map, err = h.mapping(c, now.preview, form["label"], form["becomes"]); err != nil {
		return err
	}
	by := ui.User(c)
	h.shelf.start(k, previewed, importing, func() {}, func(ctx context.Context) { h.take(ctx, k, by, opts) })
	return h.lead(c, k)
}

// take imports an upload. Its files go as soon as the notes are in the project.
func (h *Handlers) take(ctx context.Context, k *kept, by account.User, opts project.ImportOptions) {
	opts.Progress = func(notes int) { k.notes.Store(int64(notes)) }
	report, err := h.projects.Import(ctx, by, k.project, k.up.Files.Files, opts)
	if err != nil {
		k.settle(previewed, func() { k.failed = err })
		return
	}
	k.settle(imported, func() {
		k.done = &importResult{report}
		k.preview = project.ImportPreview{} // it holds text of notes
	})
	h.shelf.free(k)
}

// mapping is the project's mapping with what the form decides.
func (h *Handlers) mapping(c ui.Context, p project.ImportPreview, from, to []string) (*labels.Mapping, error) {
	if len(from) != len(to) {
		return nil, ui.Refuse("The form does not say what each label becomes.", "Open the preview again.")
	}
	m := &labels.Mapping{Pairs: map[annotate.Label]annotate.Label{}}
	versions, err := h.projects.Mappings(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return nil, err
	}
	if len(versions) > 0 {
		m.Pairs = versions[0].Pairs
	}
	decided := map[annotate.Label]project.MappedLabel{}
	for _, l := range p.Mapped {
		decided[l.Label] = l
	}
	for i, l := range from {
		was, known := decided[annotate.Label(l)]
		if !known {
			return nil, ui.Refuse("The form names a label that the files do not have.", "Open the preview again.")
		}
		if now := annotate.Label(to[i]); now != was.Label || was.Decided || was.New {
			m.Pairs[was.Label] = now
		}
	}
	if err := m.Check(); err != nil {
		return nil, ui.Refuse("A label cannot be a label.", "Choose one of the list.")
	}
	return m, nil
}

// refusedImport is an error about the files, in words; nil for any other error.
func refusedImport(err error) *ui.Error {
	var problem *format.Problem
	if errors.As(err, &problem) {
		return &ui.Error{Status: http.StatusUnprocessableEntity, What: ui.Sentence(problem.Reason), Next: ui.Sentence(problem.Hint)}
	}
	if errors.Is(err, context.Canceled) {
		return &ui.Error{Status: http.StatusUnprocessableEntity, What: "It was stopped."}
	}
	return ui.Refused(err)
}
