// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"errors"
	"net/http"
	"net/url"

	"hide/internal/account"
	"hide/internal/ticket"
	"hide/web/ui"
)

// stepView is the second step of a sign-in.
type stepView struct {
	Name    string
	Next    string
	Step    *account.UnfinishedError
	App     account.Enrolment // to set up; zero if it is set up already
	Problem string

	Passkeys bool // the server has them
}

// toStep leads to the page of the next step.
func (h *Handlers) toStep(c ui.Context, step *account.UnfinishedError, next string) error {
	ui.SetStep(c, step.Ticket)
	return ui.Back(c, stepURL(next))
}

func stepURL(next string) string {
	if next = ui.SafeNext(next); next == "/" {
		return "/sign-in/step"
	}
	return "/sign-in/step?next=" + url.QueryEscape(next)
}

func (h *Handlers) step(c ui.Context) error {
	return h.showStep(c, http.StatusOK, c.QueryParam("next"), "", "")
}

// showStep shows the step of the browser's ticket; enrolment is the ticket of an app that is
// being set up, "" for a new one.
func (h *Handlers) showStep(c ui.Context, status int, next, enrolment, problem string) error {
	t := ui.StepTicket(c)
	left, u, err := h.factors.Unfinished(t)
	if err != nil {
		return h.startAgain(c, err)
	}
	v := stepView{Name: u.Name, Next: ui.SafeNext(next), Step: left, Problem: problem}
	if left.Step == account.StepEnrol {
		if v.App, err = h.factors.Enrolment(enrolment, u.Name, h.host); errors.Is(err, ticket.ErrExpired) {
			v.App, err = h.factors.NewAppFor(t, h.host)
		}
		if err != nil {
			return h.startAgain(c, err)
		}
	}
	p := ui.Page{Title: "Sign in"}
	if v.Passkeys = h.keys != nil; v.Passkeys {
		p.Scripts = []string{"js/passkey.js"}
	}
	return ui.ShowPageStatus(c, status, p, stepPage(v))
}

// startAgain shows the sign-in page if the step took too long.
func (h *Handlers) startAgain(c ui.Context, err error) error {
	if !errors.Is(err, ticket.ErrExpired) {
		return err
	}
	ui.SetStep(c, "")
	return h.showSignIn(c, http.StatusUnprocessableEntity, signInView{Problem: ui.Sentence(err.Error())})
}

func (h *Handlers) finishStep(c ui.Context) error {
	next := c.FormValue("next")
	token, u, err := h.factors.FinishByCode(ui.StepTicket(c), c.FormValue("code"), h.from(c))
	if err == nil {
		return h.enter(c, token, u.ID, next)
	}
	if status, problem := codeProblem(c, err); status != 0 {
		return h.showStep(c, status, next, "", problem)
	}
	return h.startAgain(c, err)
}

// codeProblem explains why a code was refused; status is 0 for other errors.
func codeProblem(c ui.Context, err error) (status int, problem string) {
	if slow, ok := errors.AsType[*account.TooManyTriesError](err); ok {
		retryAfter(c, slow)
		return http.StatusTooManyRequests, ui.Sentence(err.Error())
	}
	if errors.Is(err, account.ErrCode) || errors.Is(err, account.ErrAppCode) {
		return http.StatusUnprocessableEntity, ui.Sentence(err.Error())
	}
	return 0, ""
}

func (h *Handlers) finishEnrolment(c ui.Context) error {
	next := c.FormValue("next")
	token, u, recovery, err := h.factors.FinishByEnrolling(ui.StepTicket(c), c.FormValue("enrolment"), c.FormValue("code"), h.from(c))
	if err == nil {
		if err := h.start(c, token, u.ID); err != nil {
			return err
		}
		return h.showRecovery(c, recovery, ui.SafeNext(next))
	}
	if status, problem := codeProblem(c, err); status != 0 {
		return h.showStep(c, status, next, c.FormValue("enrolment"), problem)
	}
	return h.startAgain(c, err)
}

// showRecovery shows recovery codes, once.
func (h *Handlers) showRecovery(c ui.Context, codes []string, next string) error {
	return ui.ShowPage(c, ui.Page{Title: "Recovery codes"}, recoveryPage(codes, next))
}
