// SPDX-License-Identifier: Apache-2.0

package review

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/review"
	"hide/web/ui"
)

// readView is the reading page.
type readView struct {
	Project project.Overview
	review.Session
	Me       account.User
	Passage  *review.Passage // nil when nothing is left for this reader
	Labels   []annotate.Label
	Answered int // by all
	Of       int
	Pace     string
	Complete bool
	Waits    string // why there is nothing to read yet
	Says     string // about the last answer
	Game     bool   // it is a passage of the game
}

// to is where the answer goes.
func (v readView) to() string {
	if v.Game {
		return "/game"
	}
	return "/read"
}

// keep is how the keys of answers begin that a device keeps without a connection.
func (v readView) keep() string {
	if v.Game {
		return "hide-game/"
	}
	return "hide-review/"
}

// read shows the next passage of a reader.
func (h *Handlers) read(c ui.Context) error {
	says := ""
	if c.QueryParam("again") != "" {
		says = "Your last answer was not needed any more: somebody has answered that passage already. Go on with this one."
	}
	return h.showPassage(c, http.StatusOK, says)
}

func (h *Handlers) showPassage(c ui.Context, status int, says string) error {
	v, err := h.loadPassage(c)
	if err != nil {
		return err
	}
	v.Says = says
	p := ui.Page{Title: "Read passages · " + v.Project.Name, Project: &v.Project, Tab: "reviews"}
	p.Scripts = []string{"js/review_read.js"}
	return ui.ShowPageStatus(c, status, p, readPage(v))
}

func (h *Handlers) loadPassage(c ui.Context) (readView, error) {
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	v := readView{Me: u}
	var err error
	if v.Project, err = ui.Project(c, h.projects); err != nil {
		return v, err
	}
	if v.Session, err = h.session(ctx, u, id, c.Param("number")); err != nil {
		return v, err
	}
	v.Passage, err = h.readings.NextPassage(ctx, u, id, v.Number)
	switch project.KindOf(err) {
	case project.NotFound, project.Stale, project.Invalid: // not drawn yet, over, or nothing to read
		v.Waits = ui.Problem(err)
		return v, nil
	}
	if err != nil {
		return v, err
	}
	p, err := h.readings.ReadingProgress(ctx, u, id, v.Number)
	if err != nil || p == nil {
		return v, err
	}
	page := view{live: live{Session: v.Session, Progress: p}, Me: u}
	v.Labels, v.Complete = p.Draw.Labels, p.Complete
	v.Answered, v.Of = page.answered()
	if r := page.mine(); r != nil {
		v.Pace = paceWords(*r)
	}
	return v, nil
}

// answer takes the answer about a passage, and leads to the next one. A script gets 204.
func (h *Handlers) answer(c ui.Context) error {
	n, err := number(c)
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	a, err := readAnswer(form)
	if err == nil {
		err = h.readings.AnswerPassage(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, a.draw, a.position, a.found, a.seconds)
	}
	return h.answered(c, err, "/read", h.showPassage)
}

// answered answers a form about a passage: a script with 204, others with the next passage, or
// the same one with what is wrong.
func (h *Handlers) answered(c ui.Context, err error, to string, show func(c ui.Context, status int, says string) error) error {
	if ui.IsFragment(c.Request()) {
		if err != nil {
			return err
		}
		return c.NoContent(http.StatusNoContent)
	}
	switch project.KindOf(err) {
	case project.Stale:
		return c.Redirect(http.StatusSeeOther, sessionURL(c, to+"?again=1"))
	case project.Invalid:
		return show(c, http.StatusUnprocessableEntity, "Not sent. "+ui.Problem(err))
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, sessionURL(c, to))
}

// readerAnswer is what the reading page sends.
type readerAnswer struct {
	draw, position int
	found          []review.Selection
	seconds        float64
}

// readAnswer reads an answer: marks of the script, "start-end:label", and words that were
// ticked without it, "place:start-end". Ticked words that follow each other are one selection.
func readAnswer(form url.Values) (a readerAnswer, err error) {
	unreadable := project.Invalidf("open the passage again", "the answer cannot be read")
	var err1, err2, err3 error
	a.draw, err1 = strconv.Atoi(form.Get("draw"))
	a.position, err2 = strconv.Atoi(form.Get("position"))
	if s := form.Get("seconds"); s != "" {
		a.seconds, err3 = strconv.ParseFloat(s, 64)
	}
	if err1 != nil || err2 != nil || err3 != nil || math.IsNaN(a.seconds) || math.IsInf(a.seconds, 0) {
		return a, unreadable
	}
	for _, m := range form["mark"] {
		place, label, _ := strings.Cut(m, ":")
		s, ok := readPlace(place)
		if !ok {
			return a, unreadable
		}
		s.Label = annotate.Label(label)
		a.found = append(a.found, s)
	}
	last := -2
	for _, w := range form["word"] {
		at, place, _ := strings.Cut(w, ":")
		n, err := strconv.Atoi(at)
		s, ok := readPlace(place)
		if err != nil || !ok {
			return a, unreadable
		}
		if n == last+1 && len(a.found) > 0 {
			a.found[len(a.found)-1].End = s.End
		} else {
			a.found = append(a.found, s)
		}
		last = n
	}
	if form.Get("nothing") != "" && len(a.found) > 0 {
		return a, project.Invalidf("take the marks away first, or send them", "words are marked, but you pressed “Nothing here”")
	}
	if form.Get("nothing") == "" && len(a.found) == 0 {
		return a, project.Invalidf("mark the identifiers, or press “Nothing here”", "nothing is marked")
	}
	return a, nil
}

func readPlace(text string) (s review.Selection, ok bool) {
	from, to, _ := strings.Cut(text, "-")
	start, err1 := strconv.Atoi(from)
	end, err2 := strconv.Atoi(to)
	return review.Selection{Start: annotate.RuneOff(start), End: annotate.RuneOff(end)}, err1 == nil && err2 == nil
}

// piece is a part of a passage: a word that can be marked, a placeholder, or what is between.
type piece struct {
	Text       string
	Hidden     bool // a placeholder
	Word       int  // place among the words, -1 for other pieces
	Start, End annotate.RuneOff
}

// pieces cuts a passage. Words within placeholders cannot be marked.
func pieces(p review.Passage) (out []piece) {
	offsets := annotate.NewOffsets(p.Text)
	type cut struct {
		span   annotate.Span
		hidden bool
	}
	var cuts []cut
	for _, place := range p.Places {
		cuts = append(cuts, cut{place, true})
	}
	for _, t := range annotate.Tokenize(p.Text) {
		inside := slices.ContainsFunc(p.Places, func(s annotate.Span) bool { return s.Start < t.End && t.Start < s.End })
		if !inside && strings.ContainsFunc(p.Text[t.Start:t.End], isWord) {
			cuts = append(cuts, cut{annotate.Span{Start: t.Start, End: t.End}, false})
		}
	}
	slices.SortFunc(cuts, func(a, b cut) int { return int(a.span.Start) - int(b.span.Start) })
	done, word := annotate.ByteOff(0), 0
	for _, c := range cuts {
		if c.span.Start < done {
			continue
		}
		if c.span.Start > done {
			out = append(out, piece{Text: p.Text[done:c.span.Start], Word: -1})
		}
		one := piece{Text: p.Text[c.span.Start:c.span.End], Hidden: c.hidden, Word: -1}
		if !c.hidden {
			one.Word = word
			one.Start, one.End = offsets.Range(c.span)
			word++
		}
		out = append(out, one)
		done = c.span.End
	}
	return append(out, piece{Text: p.Text[done:], Word: -1})
}

// isWord reports whether a token with this character identifies anybody: punctuation does not.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// wordValue is what a ticked word sends.
func wordValue(p piece) string { return fmt.Sprintf("%d:%d-%d", p.Word, p.Start, p.End) }
