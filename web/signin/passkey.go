// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"errors"
	"net/http"

	"hide/internal/account"
	"hide/internal/passkey"
	"hide/internal/ticket"
	"hide/web/ui"
)

// Keys is what these pages ask about passkeys. [passkey.Keys] answers it.
type Keys interface {
	BeginAdding(by account.User, confirm string) (passkey.Ceremony, error)
	Add(by account.User, ticket, name string, answer []byte) error
	BeginEnrolling(unfinished string) (passkey.Ceremony, error)
	FinishByAdding(unfinished, ticket, name string, answer []byte, from account.From) (token string, u account.User, err error)
	BeginSignIn() (passkey.Ceremony, error)
	SignIn(ticket string, answer []byte, from account.From) (token string, u account.User, err error)
	BeginStep(unfinished string) (passkey.Ceremony, error)
	FinishStep(unfinished, ticket string, answer []byte, from account.From) (token string, u account.User, err error)
}

// keyRoutes are those of passkeys. They are there on a server without passkeys, too, and say
// why there are none.
func (h *Handlers) keyRoutes() []ui.Route {
	return []ui.Route{
		ui.Post("/sign-in/passkey", ui.Anyone, h.signInByPasskey),
		ui.Post("/sign-in/passkey/begin", ui.Anyone, h.begin(func(ui.Context) (passkey.Ceremony, error) { return h.keys.BeginSignIn() })),
		ui.Post("/sign-in/step/passkey", ui.Anyone, h.finishByPasskey),
		ui.Post("/sign-in/step/passkey/begin", ui.Anyone, h.begin(func(c ui.Context) (passkey.Ceremony, error) { return h.keys.BeginStep(ui.StepTicket(c)) })),
		ui.Post("/sign-in/enrol/passkey", ui.Anyone, h.enrolPasskey),
		ui.Post("/sign-in/enrol/passkey/begin", ui.Anyone, h.begin(func(c ui.Context) (passkey.Ceremony, error) { return h.keys.BeginEnrolling(ui.StepTicket(c)) })),
		ui.Post("/second-factor/passkeys", ui.SignedIn, h.addPasskey),
		ui.Post("/second-factor/passkeys/begin", ui.SignedIn, h.begin(func(c ui.Context) (passkey.Ceremony, error) {
			if err := h.mayLast(c); err != nil {
				return passkey.Ceremony{}, err
			}
			return h.keys.BeginAdding(ui.User(c), c.FormValue("confirm"))
		})),
		ui.Post("/second-factor/passkeys/rename", ui.SignedIn, h.renamePasskey),
		ui.Post("/second-factor/passkeys/remove", ui.SignedIn, h.removePasskey),
	}
}

var errNoKeys = &ui.Error{Status: http.StatusNotFound, Title: "No passkeys here", What: "This server has no passkeys.", Next: "Sign in with your password."}

// begin answers passkey.js with a question to the browser, or with what is wrong.
func (h *Handlers) begin(ask func(ui.Context) (passkey.Ceremony, error)) func(ui.Context) error {
	return func(c ui.Context) error {
		if h.keys == nil {
			return errNoKeys
		}
		ceremony, err := ask(c)
		if err == nil {
			return c.JSON(http.StatusOK, ceremony)
		}
		if problem := keyProblem(err); problem != "" {
			return c.JSON(http.StatusOK, map[string]string{"problem": problem})
		}
		return err
	}
}

// keyProblem explains why a passkey was refused; "" for other errors.
func keyProblem(err error) string {
	if _, slow := errors.AsType[*account.TooManyTriesError](err); slow {
		return ui.Sentence(err.Error())
	}
	for _, known := range []error{passkey.ErrAnswer, ticket.ErrExpired, account.ErrPasskey, account.ErrCopied, account.ErrPasskeyRaced, account.ErrPasskeys, account.ErrPassword, account.ErrCode, account.ErrLocalOff, errEmergency, errNotFresh} {
		if errors.Is(err, known) {
			return ui.Sentence(err.Error())
		}
	}
	return ""
}

func (h *Handlers) signInByPasskey(c ui.Context) error {
	if h.keys == nil {
		return errNoKeys
	}
	next := ui.SafeNext(c.FormValue("next"))
	token, u, err := h.keys.SignIn(c.FormValue("ticket"), []byte(c.FormValue("answer")), h.from(c))
	if problem := keyProblem(err); problem != "" {
		return h.showSignIn(c, http.StatusUnprocessableEntity, signInView{Next: next, Problem: problem})
	}
	if err != nil {
		return err
	}
	return h.enter(c, token, u.ID, next)
}

func (h *Handlers) finishByPasskey(c ui.Context) error {
	if h.keys == nil {
		return errNoKeys
	}
	next := c.FormValue("next")
	token, u, err := h.keys.FinishStep(ui.StepTicket(c), c.FormValue("ticket"), []byte(c.FormValue("answer")), h.from(c))
	return h.steppedIn(c, token, u, err, next)
}

func (h *Handlers) enrolPasskey(c ui.Context) error {
	if h.keys == nil {
		return errNoKeys
	}
	next := c.FormValue("next")
	token, u, err := h.keys.FinishByAdding(ui.StepTicket(c), c.FormValue("ticket"), c.FormValue("name"), []byte(c.FormValue("answer")), h.from(c))
	return h.steppedIn(c, token, u, err, next)
}

// steppedIn ends a second step with a passkey.
func (h *Handlers) steppedIn(c ui.Context, token string, u account.User, err error, next string) error {
	if err == nil {
		return h.enter(c, token, u.ID, next)
	}
	if problem := keyProblem(err); problem != "" {
		return h.showStep(c, http.StatusUnprocessableEntity, next, "", problem)
	}
	return err
}

func (h *Handlers) addPasskey(c ui.Context) error {
	if h.keys == nil {
		return errNoKeys
	}
	if err := h.keys.Add(ui.User(c), c.FormValue("ticket"), c.FormValue("name"), []byte(c.FormValue("answer"))); err != nil {
		return h.refusePasskey(c, err)
	}
	return ui.Back(c, "/second-factor")
}

func (h *Handlers) refusePasskey(c ui.Context, err error) error {
	if problem := keyProblem(err); problem != "" {
		return h.showFactors(c, http.StatusUnprocessableEntity, "passkey", problem)
	}
	return h.refuseFactor(c, "passkey", err)
}

func (h *Handlers) renamePasskey(c ui.Context) error {
	if err := h.factors.RenamePasskey(ui.User(c), c.FormValue("key"), c.FormValue("name")); err != nil {
		return err
	}
	return ui.Back(c, "/second-factor")
}

func (h *Handlers) removePasskey(c ui.Context) error {
	key := c.FormValue("key")
	if err := h.factors.RemovePasskey(ui.User(c), key, c.FormValue("confirm")); err != nil {
		return h.refuseFactor(c, "key-"+key, err)
	}
	return ui.Back(c, "/second-factor")
}
