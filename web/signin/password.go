// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"errors"
	"net/http"

	"hide/internal/account"
	"hide/web/ui"
)

// passwordView is the form for one's own password.
type passwordView struct {
	Problem string
	Which   string // field at fault: "current" or "password"
	Changed bool
}

func (h *Handlers) passwordForm(c ui.Context) error {
	return h.showPassword(c, http.StatusOK, passwordView{})
}

func (h *Handlers) showPassword(c ui.Context, status int, v passwordView) error {
	return ui.ShowPageStatus(c, status, ui.Page{Title: "Change password"}, passwordPage(v))
}

// setPassword ends all sessions of the person and starts a new one in this browser.
func (h *Handlers) setPassword(c ui.Context) error {
	password := c.FormValue("password")
	if password != c.FormValue("again") {
		return h.showPassword(c, http.StatusUnprocessableEntity, passwordView{Problem: "The two passwords differ.", Which: "password"})
	}
	if err := h.mayLast(c); errors.Is(err, errEmergency) || errors.Is(err, errNotFresh) {
		return h.showPassword(c, http.StatusUnprocessableEntity, passwordView{Problem: ui.Sentence(err.Error()), Which: "current"})
	} else if err != nil {
		return err
	}
	u := ui.User(c)
	token, err := h.accounts.SetPassword(u, u.ID, c.FormValue("current"), password, h.from(c))
	if status, problem := codeProblem(c, err); status != 0 {
		return h.showPassword(c, status, passwordView{Problem: problem, Which: "current"})
	}
	switch {
	case errors.Is(err, account.ErrPassword):
		return h.showPassword(c, http.StatusUnprocessableEntity, passwordView{Problem: ui.Sentence(err.Error()), Which: "current"})
	case errors.Is(err, account.ErrWeak):
		return h.showPassword(c, http.StatusUnprocessableEntity, passwordView{Problem: ui.Sentence(err.Error()), Which: "password"})
	case err != nil:
		return err
	}
	ui.SetSession(c, token)
	if err := h.rememberDevice(c, u.ID); err != nil {
		return err
	}
	return h.showPassword(c, http.StatusOK, passwordView{Changed: true})
}
