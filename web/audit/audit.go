// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/sanitize"
	"hide/web/outcome"
	"hide/web/ui"
)

// Routes lists the pages and forms.
func (h *Handlers) Routes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/audits", account.SeeFigures, h.samplesShow),
		ui.Post("/p/:project/audits", account.Sanitize, h.sampleStart),
		ui.Post("/p/:project/audits/:number/findings", account.Annotate, h.sampleFindings),
		ui.Get("/p/:project/audits/read", account.Annotate, h.sampleNext),
		ui.Get("/p/:project/audits/:number/:index", account.Annotate, h.sampleNote),
		ui.Post("/p/:project/audits/:number/:index", account.Annotate, h.sampleMark),
	}
}

// Parts are what changes on the pages while somebody looks.
func (h *Handlers) Parts() []ui.LivePart {
	return []ui.LivePart{{
		Name: "audits", Target: "#audits", Needs: account.SeeFigures,
		Topics: []project.Topic{project.TopicPublish},
		Render: func(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
			v, err := h.samples(ctx, u, id, q.Get("audit"))
			return samplesState(v), err
		},
	}}
}

// samples is everything the page of audits shows, of the audit with this number, for
// "" of the newest.
func (h *Handlers) samples(ctx context.Context, u account.User, id project.ID, audit string) (samplesView, error) {
	var v samplesView
	var err error
	if v.Project, err = h.projects.Project(ctx, u, id); err != nil {
		return v, err
	}
	if v.Audits, v.Drawing, err = h.projects.SampleAudits(ctx, u, id); err != nil {
		return v, err
	}
	if err := v.choose(audit); err != nil {
		return v, err
	}
	v.Asked = usualSample()
	bundles, err := h.projects.Bundles(ctx, u, id)
	v.Bundles = ui.NewestFirst(bundles, func(b sanitize.Bundle) int { return b.Number })
	if err != nil || len(v.Audits) == 0 {
		return v, err
	}
	if v.Shown.Result != nil && u.Role.Can(account.ReadNotes) {
		if v.Findings, err = h.projects.SampleAuditFindings(ctx, u, id, v.Shown.Number); err != nil {
			return v, err
		}
	}
	r, err := h.projects.Run(ctx, u, id, v.Shown.Run)
	if project.KindOf(err) == project.NotFound {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	if c := outcome.At(r, v.Shown.LC); outcome.HasFigures(c) && c.Outcome.Unseen().Documents > 0 {
		v.Predicted = predicted(c.Outcome.Unseen(), v.Shown.Documents)
	}
	return v, nil
}

// predicted is what a run expects in n documents.
func predicted(o greedy.Outcome, documents int) *greedy.Estimate {
	return new(o.IdentifiersMissed.Times(float64(documents) / float64(o.Documents)))
}

func (h *Handlers) samplesShow(c ui.Context) error {
	v, err := h.samples(c.Request().Context(), ui.User(c), ui.ProjectID(c), c.QueryParam("audit"))
	if err != nil {
		return err
	}
	if err := v.chooseBundle(c.QueryParam("bundle")); err != nil {
		return err
	}
	v.Said = addedWords(c.QueryParam("added"))
	return h.showSamples(c, http.StatusOK, v)
}

func (h *Handlers) showSamples(c ui.Context, status int, v samplesView) error {
	p := ui.Page{Title: "Audit · " + v.Project.Name, Project: &v.Project, Tab: "publish", Live: []string{"audits"}}
	if len(v.Audits) > 0 && !v.newest() {
		p.Query = url.Values{"audit": {strconv.Itoa(v.Shown.Number)}}
	}
	return ui.ShowPageStatus(c, status, p, samplesPage(v))
}

// sampleStart draws a sample. One too small to lean on is drawn once what it cannot
// show has been said.
func (h *Handlers) sampleStart(c ui.Context) error {
	var n [3]int
	for i, name := range []string{"bundle", "random", "picked"} {
		var err error
		if n[i], err = strconv.Atoi(c.FormValue(name)); err != nil {
			return &project.Error{Kind: project.Invalid, Message: fmt.Sprintf("the field %q is not a whole number", name), Hint: "go back and correct it"}
		}
	}
	if c.FormValue("few") == "" {
		v, err := h.samples(c.Request().Context(), ui.User(c), ui.ProjectID(c), "")
		if err != nil {
			return err
		}
		v.Asked = sampleAsked{Bundle: n[0], Random: n[1], Picked: n[2]}
		if v.few() != "" {
			return h.showSamples(c, http.StatusUnprocessableEntity, v)
		}
	}
	if err := h.projects.StartSampleAudit(c.Request().Context(), ui.User(c), ui.ProjectID(c), n[0], n[1], n[2]); err != nil {
		return err
	}
	return ui.Back(c, string(ui.AuditsURL(ui.ProjectID(c))))
}

// sampleNext leads to the first note of an audit that nobody has read: of the one
// that the query names, else of the newest.
func (h *Handlers) sampleNext(c ui.Context) error {
	number := 0
	if asked := c.QueryParam("audit"); asked != "" {
		var err error
		if number, err = ui.AddressNumber(asked); err != nil {
			return err
		}
	}
	t, err := h.projects.SampleAuditNote(c.Request().Context(), ui.User(c), ui.ProjectID(c), number, 0)
	if err != nil {
		return err
	}
	return ui.Back(c, string(sampleURL(ui.ProjectID(c), t.Audit, t.Index)))
}

func (h *Handlers) sampleNote(c ui.Context) error {
	number, index, err := samplePlace(c)
	if err != nil {
		return err
	}
	v, err := h.sampleView(c, number, index)
	if err != nil {
		return err
	}
	v.Said, v.Empty, v.Unseen = addedWords(c.QueryParam("added")), c.QueryParam("empty") != "", c.QueryParam("unseen") != ""
	return h.showSample(c, http.StatusOK, v)
}

// sampleView is a note of an audit with what was said of it.
func (h *Handlers) sampleView(c ui.Context, number, index int) (sampleView, error) {
	var v sampleView
	var err error
	if v.Text, err = h.projects.SampleAuditNote(c.Request().Context(), ui.User(c), ui.ProjectID(c), number, index); err != nil {
		return v, err
	}
	if v.Project, err = ui.Project(c, h.projects); err != nil {
		return v, err
	}
	if v.Read == v.Notes {
		v.Findings, err = h.projects.SampleAuditFindings(c.Request().Context(), ui.User(c), v.Project.ID, number)
	}
	return v, err
}

func (h *Handlers) showSample(c ui.Context, status int, v sampleView) error {
	v.Words = wordsOf(v.Text)
	p := ui.Page{Title: fmt.Sprintf("Audit, note %d · %s", v.Index, v.Project.Name), Project: &v.Project, Scripts: []string{"js/sample.js"}}
	return ui.ShowPageStatus(c, status, p, samplePage(v))
}

// sampleBoth shows a note that somebody else has answered for meanwhile, with what
// either of both has marked.
func (h *Handlers) sampleBoth(c ui.Context, number, index int, mine []int) error {
	v, err := h.sampleView(c, number, index)
	if err != nil {
		return err
	}
	v.Theirs = v.foundWords()
	v.Marks = slices.Concat(v.Marks, mine)
	return h.showSample(c, http.StatusConflict, v)
}

// sampleTorn shows a note again whose answer contradicts itself, as it was filled in. What
// it was an answer over stays, so that nobody else's is replaced unseen.
func (h *Handlers) sampleTorn(c ui.Context, number, index int, said audit.Answer) error {
	v, err := h.sampleView(c, number, index)
	if err != nil {
		return err
	}
	v.Marks, v.Reading, v.Torn, v.Finished = said.Marks, said.Over, true, !said.Glanced
	return h.showSample(c, http.StatusUnprocessableEntity, v)
}

// samplePlace is which note of which audit the path names.
func samplePlace(c ui.Context) (number, index int, err error) {
	if number, err = ui.AddressNumber(c.Param("number")); err != nil {
		return 0, 0, err
	}
	index, err = ui.AddressNumber(c.Param("index"))
	return number, index, err
}

func (h *Handlers) sampleMark(c ui.Context) error {
	number, index, err := samplePlace(c)
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	said, again, err := readSampleAnswer(form)
	if err != nil {
		return err
	}
	said.Over = form.Get("over")
	switch again {
	case "":
	case "torn":
		return h.sampleTorn(c, number, index, said)
	default:
		return ui.Back(c, string(sampleURL(ui.ProjectID(c), number, index))+"?"+again+"=1")
	}
	err = h.projects.MarkSampleAudit(c.Request().Context(), ui.User(c), ui.ProjectID(c), number, index, said)
	if project.KindOf(err) == project.Stale {
		return h.sampleBoth(c, number, index, said.Marks)
	}
	if err != nil {
		return err
	}
	return ui.Back(c, string(sampleNextURL(ui.ProjectID(c), number)))
}

// readSampleAnswer is what was said of a note, or why to ask once more: "empty" when
// nothing was said, for a note that was clicked through was not read, "unseen" when
// nothing is said to be left in what was not seen, and "torn" when nothing is said to
// be left beside words that are marked.
func readSampleAnswer(form url.Values) (said audit.Answer, again string, err error) {
	said.Glanced = form.Get("seen") == ""
	for _, w := range form["word"] {
		m, err := strconv.Atoi(w)
		if err != nil {
			return said, "", &project.Error{Kind: project.Invalid, Message: "a marked word has no number", Hint: "open the note again"}
		}
		said.Marks = append(said.Marks, m)
	}
	slices.Sort(said.Marks)
	none := form.Get("none") != ""
	switch {
	case none && len(said.Marks) > 0:
		again = "torn"
	case none && said.Glanced && form.Get("asked") == "":
		again = "unseen"
	case !none && len(said.Marks) == 0:
		again = "empty"
	}
	return said, again, nil
}
