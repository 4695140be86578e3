// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"hide/internal/account"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/sanitize"
	"hide/web/outcome"
	"hide/web/ui"
)

// loadAudits loads the page of audits. It shows the audit with this number, or the newest
// for "".
func (h *Handlers) loadAudits(ctx context.Context, u account.User, id project.ID, audit string) (auditsView, error) {
	var v auditsView
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
	v.Form = defaultSample()
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
		v.Forecast = forecast(c.Outcome.Unseen(), v.Shown.Documents)
	}
	return v, nil
}

// forecast scales what a run measured to a number of notes.
func forecast(o greedy.Outcome, notes int) *greedy.Estimate {
	return new(o.IdentifiersMissed.Times(float64(notes) / float64(o.Documents)))
}

func (h *Handlers) audits(c ui.Context) error {
	v, err := h.loadAudits(c.Request().Context(), ui.User(c), ui.ProjectID(c), c.QueryParam("audit"))
	if err != nil {
		return err
	}
	if err := v.chooseBundle(c.QueryParam("bundle")); err != nil {
		return err
	}
	v.Notice = addedWords(c.QueryParam("added"))
	return h.showAudits(c, http.StatusOK, v)
}

func (h *Handlers) showAudits(c ui.Context, status int, v auditsView) error {
	p := ui.Page{Title: "Audit · " + v.Project.Name, Project: &v.Project, Tab: "publish", Live: []string{"audits"}}
	if len(v.Audits) > 0 && !v.newest() {
		p.Query = url.Values{"audit": {strconv.Itoa(v.Shown.Number)}}
	}
	return ui.ShowPageStatus(c, status, p, auditsPage(v))
}

// startSample draws a sample. If it is too small for a useful result, the page warns first,
// and the sample is drawn when the form is sent again.
func (h *Handlers) startSample(c ui.Context) error {
	var n [3]int
	for i, name := range []string{"bundle", "random", "picked"} {
		var err error
		if n[i], err = strconv.Atoi(c.FormValue(name)); err != nil {
			return &project.Error{Kind: project.Invalid, Message: fmt.Sprintf("%s: enter a whole number", name), Hint: "go back and correct it"}
		}
	}
	if c.FormValue("few") == "" {
		v, err := h.loadAudits(c.Request().Context(), ui.User(c), ui.ProjectID(c), "")
		if err != nil {
			return err
		}
		v.Form = sampleSize{Bundle: n[0], Random: n[1], Picked: n[2]}
		if v.tooFewWords() != "" {
			return h.showAudits(c, http.StatusUnprocessableEntity, v)
		}
	}
	if err := h.projects.StartSampleAudit(c.Request().Context(), ui.User(c), ui.ProjectID(c), n[0], n[1], n[2]); err != nil {
		return err
	}
	return ui.Back(c, string(ui.AuditsURL(ui.ProjectID(c))))
}

// nextNote redirects to the first unread note of the audit that the query names, or of the
// newest.
func (h *Handlers) nextNote(c ui.Context) error {
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
	return ui.Back(c, string(noteURL(ui.ProjectID(c), t.Audit, t.Index)))
}

func (h *Handlers) note(c ui.Context) error {
	number, index, err := noteAddress(c)
	if err != nil {
		return err
	}
	v, err := h.loadNote(c, number, index)
	if err != nil {
		return err
	}
	v.Notice, v.Empty, v.Unseen = addedWords(c.QueryParam("added")), c.QueryParam("empty") != "", c.QueryParam("unseen") != ""
	return h.showNote(c, http.StatusOK, v)
}

// loadNote loads a note of an audit with its marks.
func (h *Handlers) loadNote(c ui.Context, number, index int) (noteView, error) {
	var v noteView
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

func (h *Handlers) showNote(c ui.Context, status int, v noteView) error {
	v.Words = wordsOf(v.Text)
	p := ui.Page{Title: fmt.Sprintf("Audit, note %d · %s", v.Index, v.Project.Name), Project: &v.Project, Scripts: []string{"js/sample.js"}}
	return ui.ShowPageStatus(c, status, p, notePage(v))
}

// showConflict shows a note that somebody else has saved since this person opened it, with
// the marks of both.
func (h *Handlers) showConflict(c ui.Context, number, index int, mine []int) error {
	v, err := h.loadNote(c, number, index)
	if err != nil {
		return err
	}
	v.Conflict = v.conflictWords()
	v.Marks = slices.Concat(v.Marks, mine)
	return h.showNote(c, http.StatusConflict, v)
}

// showContradiction shows a note again whose answer has marks and "None left", as it was
// filled in. It keeps the version of the marks that the answer replaces, so that the next
// attempt does not overwrite somebody else's unseen.
func (h *Handlers) showContradiction(c ui.Context, number, index int, answer audit.Answer) error {
	v, err := h.loadNote(c, number, index)
	if err != nil {
		return err
	}
	v.Marks, v.Reading, v.Contradicts, v.ReadToEnd = answer.Marks, answer.Over, true, !answer.Glanced
	return h.showNote(c, http.StatusUnprocessableEntity, v)
}

// noteAddress reads the numbers of the audit and of its note from the path.
func noteAddress(c ui.Context) (number, index int, err error) {
	if number, err = ui.AddressNumber(c.Param("number")); err != nil {
		return 0, 0, err
	}
	index, err = ui.AddressNumber(c.Param("index"))
	return number, index, err
}

func (h *Handlers) saveMarks(c ui.Context) error {
	number, index, err := noteAddress(c)
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	answer, problem, err := readAnswer(form)
	if err != nil {
		return err
	}
	answer.Over = form.Get("over")
	switch problem {
	case "":
	case "contradiction":
		return h.showContradiction(c, number, index, answer)
	default:
		return ui.Back(c, string(noteURL(ui.ProjectID(c), number, index))+"?"+problem+"=1")
	}
	err = h.projects.MarkSampleAudit(c.Request().Context(), ui.User(c), ui.ProjectID(c), number, index, answer)
	if project.KindOf(err) == project.Stale {
		return h.showConflict(c, number, index, answer.Marks)
	}
	if err != nil {
		return err
	}
	return ui.Back(c, string(nextNoteURL(ui.ProjectID(c), number)))
}

// readAnswer reads the answer for a note, or why to ask once more:
//
//   - "empty": no mark and no "None left", as when a note is clicked through;
//   - "unseen": "None left", but the end of the note was not in view;
//   - "contradiction": marks and "None left".
func readAnswer(form url.Values) (answer audit.Answer, problem string, err error) {
	answer.Glanced = form.Get("seen") == ""
	for _, w := range form["word"] {
		m, err := strconv.Atoi(w)
		if err != nil {
			return answer, "", &project.Error{Kind: project.Invalid, Message: "a marked word has no number", Hint: "open the note again"}
		}
		answer.Marks = append(answer.Marks, m)
	}
	slices.Sort(answer.Marks)
	none := form.Get("none") != ""
	switch {
	case none && len(answer.Marks) > 0:
		problem = "contradiction"
	case none && answer.Glanced && form.Get("asked") == "":
		problem = "unseen"
	case !none && len(answer.Marks) == 0:
		problem = "empty"
	}
	return answer, problem, nil
}
