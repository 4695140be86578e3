// SPDX-License-Identifier: Apache-2.0

package admin

import (
	"errors"
	"time"

	"hide/internal/account"
	"hide/web/ui"
)

// sessionsView is the list of the sessions of a person.
type sessionsView struct {
	Person   account.User
	Sessions []account.Session
	Factors  account.Factors
	Tokens   []account.Token
	Now      time.Time
	Here     string // the reader's own session
}

func (h *Handlers) sessions(c ui.Context) error {
	person, err := h.accounts.User(c.Param("id"))
	if err != nil {
		return err
	}
	all, err := h.accounts.Sessions(ui.User(c), person.ID)
	if err != nil {
		return err
	}
	factors, err := h.accounts.Factors(ui.User(c), person.ID)
	if err != nil {
		return err
	}
	tokens, err := h.accounts.Tokens(ui.User(c), person.ID)
	if err != nil {
		return err
	}
	v := sessionsView{Person: person, Sessions: all, Tokens: tokens, Now: h.now(), Factors: factors, Here: account.SessionID(ui.VisitOf(c.Request().Context()).Token)}
	return ui.ShowPage(c, ui.Page{Title: "Sessions of " + person.Name}, sessionsPage(v))
}

// endSession ends one session. One that has ended meanwhile is what the reader wants.
func (h *Handlers) endSession(c ui.Context) error {
	err := h.accounts.EndSession(ui.User(c), c.Param("id"), c.FormValue("session"))
	if err != nil && !errors.Is(err, account.ErrNoSession) {
		return err
	}
	return ui.Back(c, string(personURL(c.Param("id"), "sessions")))
}

// revokeToken ends an access token. One that was revoked meanwhile is what the reader wants.
func (h *Handlers) revokeToken(c ui.Context) error {
	if err := h.accounts.RevokeToken(ui.User(c), c.FormValue("token")); err != nil && !errors.Is(err, account.ErrNoToken) {
		return err
	}
	return ui.Back(c, string(personURL(c.Param("id"), "sessions")))
}

// resetFactors helps a person who has lost the second factors.
func (h *Handlers) resetFactors(c ui.Context) error {
	if err := h.accounts.ResetFactors(ui.User(c), c.Param("id")); err != nil {
		return err
	}
	return ui.Back(c, string(personURL(c.Param("id"), "sessions")))
}
