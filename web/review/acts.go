// SPDX-License-Identifier: Apache-2.0

package review

import (
	"io"
	"net/http"
	"net/url"
	"strconv"

	"hide/internal/project"
	"hide/internal/project/review"
	"hide/web/ui"
)

// show is the page of a session; ?view=wall is that for a projector.
func (h *Handlers) show(c ui.Context) error {
	v, err := h.load(c)
	if err != nil {
		return err
	}
	if ui.IsFragment(c.Request()) {
		return ui.Fragment(c, allMine(v))
	}
	return h.showPage(c, http.StatusOK, v)
}

func (h *Handlers) showPage(c ui.Context, status int, v view) error {
	p := ui.Page{
		Title: ui.Capitalized(v.Title()) + " · " + v.Project.Name, Project: &v.Project, Tab: "reviews", Scripts: []string{"js/review.js"},
		Live:  []string{"review-head", "review-bound", "review-progress", "review-game", "review-questions", "review-votes"},
		Query: url.Values{"review": {strconv.Itoa(v.Number)}},
	}
	if len(v.Figures) > 0 { // the page has the sliders
		p.Live = append(p.Live, "review-shown")
	}
	if c.QueryParam("view") == "wall" {
		p.Live, p.Wide = []string{"review-head", "review-bound"}, true
		return ui.ShowPageStatus(c, status, p, wallPage(v))
	}
	return ui.ShowPageStatus(c, status, p, sessionPage(v))
}

// number is the number of the review in the path.
func number(c ui.Context) (int, error) { return ui.AddressNumber(c.Param("number")) }

func sessionURL(c ui.Context, rest string) string {
	return string(ui.ProjectURL(ui.ProjectID(c), "/reviews/"+url.PathEscape(c.Param("number"))+rest))
}

// act answers a form: it does something to the review of the path, and leads back to the part
// of its page. A refusal is shown at the form, with what was typed.
func (h *Handlers) act(c ui.Context, form, part string, do func(number int) error) error {
	n, err := number(c)
	if err != nil {
		return err
	}
	err = do(n)
	if refused := refusedWords(err); refused != "" && !ui.IsFragment(c.Request()) {
		v, loadErr := h.load(c)
		if loadErr != nil {
			return loadErr
		}
		typed, formErr := c.FormParams()
		if formErr != nil {
			return formErr
		}
		v.Refused = refusal{Form: form, Says: refused, Typed: typed}
		return h.showPage(c, http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return err
	}
	if ui.IsFragment(c.Request()) {
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, sessionURL(c, part))
}

// refusedWords says why a form was refused, "" if it was not.
func refusedWords(err error) string {
	if says := ui.RefusedName(err); says != "" {
		return says
	}
	switch project.KindOf(err) {
	case project.Invalid, project.Stale:
		return ui.Problem(err)
	}
	return ""
}

func (h *Handlers) here(c ui.Context) error {
	return h.act(c, "", "", func(n int) error {
		return h.projects.HereInReview(c.Request().Context(), ui.User(c), ui.ProjectID(c), n)
	})
}

// floor takes the floor, or gives it back.
func (h *Handlers) floor(c ui.Context) error {
	return h.act(c, "floor", "#remains", func(n int) error {
		if c.FormValue("give") != "" {
			return h.projects.GiveFloor(c.Request().Context(), ui.User(c), ui.ProjectID(c), n)
		}
		return h.projects.TakeFloor(c.Request().Context(), ui.User(c), ui.ProjectID(c), n)
	})
}

func (h *Handlers) move(c ui.Context) error {
	return h.act(c, "floor", "#remains", func(n int) error {
		lc, err1 := strconv.ParseFloat(c.FormValue("lc"), 64)
		b, err2 := strconv.Atoi(c.FormValue("b"))
		if err1 != nil || err2 != nil {
			return project.Invalidf("choose a value of the sliders", "L/C and B are numbers")
		}
		return h.projects.MoveShown(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, lc, b)
	})
}

func (h *Handlers) ask(c ui.Context) error {
	return h.act(c, "ask", "#questions", func(n int) error {
		return h.projects.AskQuestion(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, c.FormValue("text"))
	})
}

func (h *Handlers) reply(c ui.Context) error {
	return h.act(c, "answer", "#questions", func(n int) error {
		q, err := strconv.Atoi(c.FormValue("question"))
		if err != nil {
			return project.Invalidf("choose a question", "an answer needs the number of its question")
		}
		return h.projects.AnswerQuestion(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, q, c.FormValue("text"))
	})
}

func (h *Handlers) giveNumber(c ui.Context) error {
	return h.act(c, "number", "#reading", func(n int) error {
		_, err := h.readings.GiveNumber(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, c.FormValue("digits"))
		return err
	})
}

func (h *Handlers) vote(c ui.Context) error {
	return h.act(c, "vote", "#decide", func(n int) error {
		form, err := c.FormParams()
		if err != nil {
			return err
		}
		v, err := readVote(form)
		if err != nil {
			return err
		}
		_, err = h.projects.Vote(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, v)
		return err
	})
}

// advance opens the review, calls the vote, counts the votes, or ends it.
func (h *Handlers) advance(c ui.Context) error {
	return h.act(c, "advance", "", func(n int) error {
		return h.projects.AdvanceReview(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, review.State(c.FormValue("to")), c.FormValue("why"))
	})
}

func (h *Handlers) addMember(c ui.Context) error {
	return h.act(c, "add", "#members", func(n int) error {
		return h.projects.AddReviewer(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, c.FormValue("person"))
	})
}

func (h *Handlers) removeMember(c ui.Context) error {
	return h.act(c, "remove", "#members", func(n int) error {
		return h.projects.RemoveReviewer(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, c.FormValue("person"))
	})
}

// invite shows the link of a new member once, on the page that answers the form.
func (h *Handlers) invite(c ui.Context) error {
	n, err := number(c)
	if err != nil {
		return err
	}
	name := c.FormValue("name")
	token, err := h.projects.InviteReviewer(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, name)
	if err != nil {
		return h.act(c, "invite", "#members", func(int) error { return err })
	}
	v, err := h.load(c)
	if err != nil {
		return err
	}
	v.Link, v.LinkFor = h.origin+"/welcome#"+token, name
	return h.showPage(c, http.StatusOK, v)
}

func (h *Handlers) commitDraw(c ui.Context) error {
	return h.act(c, "draw", "#reading", func(n int) error {
		form, err := c.FormParams()
		if err != nil {
			return err
		}
		how, err := readSampling(form)
		if err != nil {
			return err
		}
		_, err = h.readings.CommitDraw(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, how)
		return err
	})
}

func (h *Handlers) readMore(c ui.Context) error {
	return h.act(c, "more", "#reading", func(n int) error {
		more, err := strconv.Atoi(c.FormValue("more"))
		if err != nil {
			return project.Invalidf("choose a number of passages", "it is not said how many passages are to be read")
		}
		return h.readings.ReadMore(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, more)
	})
}

func (h *Handlers) abandonDraw(c ui.Context) error {
	return h.act(c, "abandon", "#reading", func(n int) error {
		return h.readings.AbandonDraw(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, c.FormValue("why"))
	})
}

func (h *Handlers) repair(c ui.Context) error {
	return h.act(c, "repair", "#reading", func(n int) error {
		return h.readings.RepairFound(c.Request().Context(), ui.User(c), ui.ProjectID(c), n)
	})
}

func (h *Handlers) adopt(c ui.Context) error {
	return h.act(c, "repair", "#reading", func(n int) error {
		repaired, err := strconv.Atoi(c.FormValue("candidate"))
		if err != nil {
			return project.Invalidf("choose one of the repaired candidates", "there is no such candidate")
		}
		return h.readings.AdoptCandidate(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, repaired)
	})
}

func (h *Handlers) addFindings(c ui.Context) error {
	return h.act(c, "findings", "#reading", func(n int) error {
		_, _, err := h.readings.AddReviewFindings(c.Request().Context(), ui.User(c), ui.ProjectID(c), n)
		return err
	})
}

func (h *Handlers) meet(c ui.Context) error {
	return h.act(c, "met", "#decide", func(n int) error {
		condition, err := strconv.Atoi(c.FormValue("condition"))
		if err != nil {
			return project.Invalidf("choose a condition", "a statement is about a condition")
		}
		return h.projects.MeetCondition(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, condition, c.FormValue("how"))
	})
}

// evidencePage sends the evidence pack to print, as a file: a page of the server allows less.
func (h *Handlers) evidencePage(c ui.Context) error {
	page, _, err := h.evidence(c)
	if err != nil {
		return err
	}
	return attach(c, "text/html; charset=utf-8", "evidence-"+c.Param("number")+".html", page)
}

// evidenceFile sends the evidence pack to verify.
func (h *Handlers) evidenceFile(c ui.Context) error {
	_, file, err := h.evidence(c)
	if err != nil {
		return err
	}
	return attach(c, "application/json", "evidence-"+c.Param("number")+".json", file)
}

func (h *Handlers) evidence(c ui.Context) (page, file []byte, err error) {
	s, err := h.session(c.Request().Context(), ui.User(c), ui.ProjectID(c), c.Param("number"))
	if err != nil {
		return nil, nil, err
	}
	return h.readings.Evidence(c.Request().Context(), ui.User(c), ui.ProjectID(c), s.Number)
}

func attach(c ui.Context, kind, name string, content []byte) error {
	return ui.Attach(c, kind, name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
