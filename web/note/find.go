// SPDX-License-Identifier: Apache-2.0

package note

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/fulltext"
	"hide/internal/project"
	"hide/internal/project/search"
	"hide/web/ui"
)

// What a search lists. Without a choice it lists some names and the first page of texts.
const (
	inNames = "names"
	inText  = "text"
)

// fewNames is how many names are listed above the texts.
const fewNames = 5

// foundView is the answer to a search.
type foundView struct {
	queueView        // the notes found by their names
	only      string // inNames, inText or "" for both
	text      search.Found
}

// findNotes lists the notes that have some words in their name or text. It changes nothing.
// It is a POST because the words may be a patient's name, and the browser's history, proxies
// and logs keep addresses. Without words it leads to the address of the list.
func (h *Handlers) findNotes(c ui.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	filter := readQueueFilter(form)
	filter.Query = strings.TrimSpace(form.Get("find"))
	v := foundView{queueView: queueView{projectID: ui.ProjectID(c), filter: filter}, only: form.Get("in")}
	if filter.Query == "" {
		return ui.Back(c, string(v.pageAt(filter.Offset)))
	}
	overview, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	if err := h.find(c.Request().Context(), ui.User(c), &v); err != nil {
		return err
	}
	p := ui.Page{
		Title: "Notes", Project: &overview, Tab: "annotate", Live: []string{"search"},
		Query: url.Values{"covered": {strconv.Itoa(v.text.Notes)}},
	}
	return ui.ShowPage(c, p, foundPage(v))
}

// find searches the names, the texts or both.
func (h *Handlers) find(ctx context.Context, u account.User, v *foundView) (err error) {
	if v.only != inText {
		names := v.filter
		if v.only != inNames {
			names.Offset, names.Limit = 0, fewNames
		}
		if v.QueuePage, err = h.projects.Queue(ctx, u, v.projectID, names); err != nil {
			return err
		}
	}
	if v.only == inNames {
		v.text.Coverage, err = h.projects.SearchCoverage(ctx, u, v.projectID)
		return err
	}
	q := search.Query{Words: v.filter.Query, State: v.filter.State}
	if v.only == inText {
		q.From = v.filter.Offset
	}
	v.text, err = h.projects.SearchNotes(ctx, u, v.projectID, q)
	return err
}

// textTitle counts the notes with the words in their text.
func (v foundView) textTitle() string {
	f := v.text
	switch {
	case !f.Searched:
		return "In the text"
	case !f.Ordered:
		return "In the text of " + notes(f.Matching)
	case f.From == 0 && f.Next() == 0:
		return "In the text of " + notes(len(f.Hits))
	}
	return "In the text of many notes"
}

func notes(n int) string {
	if n == 0 {
		return "no note"
	}
	return ui.Count(n, "note", "notes")
}

// orderedWords says how far a search for words in their order has come. "" if it is complete.
func (v foundView) orderedWords() string {
	f := v.text
	if !f.Ordered || f.From == 0 && f.Next() == 0 {
		return ""
	}
	return fmt.Sprintf("%s have all these words. Numbers %s to %s of them were read: %s the words one after the other.",
		ui.Count(f.Matching, "note", "notes"), ui.Number(f.From+1), ui.Number(f.From+f.Looked), ui.Count(len(f.Hits), "note has", "notes have"))
}

// textShown says which of the found texts are on the page.
func (v foundView) textShown() string {
	if v.text.Ordered {
		return ui.Count(len(v.text.Hits), "note", "notes")
	}
	return fmt.Sprintf("%s to %s of %s", ui.Number(v.text.From+1), ui.Number(v.text.From+len(v.text.Hits)), ui.Number(v.text.Matching))
}

// textBefore is where the page before begins. It is not ok if this is the first.
func (v foundView) textBefore() (from int, ok bool) {
	if v.text.Ordered {
		return 0, v.text.From > 0
	}
	return max(0, v.text.From-queueSize), v.text.From > 0
}

// nothing says why no text was found, and what to try. "" if names were found and nothing is
// wrong.
func (v foundView) nothing() string {
	f := v.text
	switch {
	case !f.Searched:
		return "Enter letters or digits to search the text."
	case f.Ordered && f.Matching > 0:
		return "The words do not stand one after the other in the text. Try them without quotation marks, and with spaces between them."
	case !f.Complete():
		return fmt.Sprintf("The text of %s of %s notes was searched, and none has all these words. Search again when more notes are indexed.", ui.Number(f.Notes), ui.Number(f.Total))
	}
	if v.only == "" && v.Matching > 0 {
		return ""
	}
	return "No note has all these words in its text. Check the spelling, or enter fewer words. With * after the beginning of a word, all its endings are found: mill* finds Miller."
}

// passage writes a passage with its marks and no other white space.
func passage(p fulltext.Passage) templ.Component {
	var b strings.Builder
	if p.CutBefore {
		b.WriteString("… ")
	}
	for _, part := range p.Parts {
		if part.Match {
			b.WriteString("<mark>" + templ.EscapeString(part.Text) + "</mark>")
		} else {
			b.WriteString(templ.EscapeString(part.Text))
		}
	}
	if p.CutAfter {
		b.WriteString(" …")
	}
	return text(b.String())
}

// coverageWords says how many notes the search covers. before is how many it covered when the
// page was made.
func coverageWords(c search.Coverage, before int) string {
	switch {
	case c.Complete() && before < c.Total:
		return "The search covers all notes now. Search again to find the others."
	case c.Complete():
		return ""
	case c.Error != "":
		return fmt.Sprintf("The search covers %s of %s notes: %s.", ui.Number(c.Notes), ui.Number(c.Total), c.Error)
	case c.Stopped:
		return fmt.Sprintf("The search covers %s of %s notes. Somebody has stopped the indexing of the others.", ui.Number(c.Notes), ui.Number(c.Total))
	}
	return fmt.Sprintf("The search covers %s of %s notes so far. The others are being indexed.", ui.Number(c.Notes), ui.Number(c.Total))
}

// renderCoverage makes the live part of a page with found notes.
func (h *Handlers) renderCoverage(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
	c, err := h.projects.SearchCoverage(ctx, u, id)
	before, _ := strconv.Atoi(q.Get("covered")) // none is 0
	return coverage(id, c, before), err
}

// startIndexing lets the index grow again.
func (h *Handlers) startIndexing(c ui.Context) error {
	return h.index(c, h.projects.StartIndexing)
}

// stopIndexing stops that.
func (h *Handlers) stopIndexing(c ui.Context) error {
	return h.index(c, h.projects.StopIndexing)
}

func (h *Handlers) index(c ui.Context, do func(context.Context, account.User, project.ID) error) error {
	if err := do(c.Request().Context(), ui.User(c), ui.ProjectID(c)); err != nil {
		return err
	}
	return ui.Back(c, string(ui.ProjectURL(ui.ProjectID(c), "/notes")))
}
