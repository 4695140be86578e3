// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"errors"
	"net/http"

	"hide/internal/account"
	"hide/web/ui"
)

// sessionsView is the list of one's own sessions.
type sessionsView struct {
	Sessions []account.Session
	Here     string // the session of this browser
	Others   int
	Tokens   tokensView
}

func (h *Handlers) sessions(c ui.Context) error {
	return h.showSessions(c, http.StatusOK, tokensView{Form: usualToken()})
}

// showSessions shows the page with what has become of the form for a new token.
func (h *Handlers) showSessions(c ui.Context, status int, tokens tokensView) error {
	u := ui.User(c)
	all, err := h.accounts.Sessions(u, u.ID)
	if err != nil {
		return err
	}
	if err := h.fillTokens(c, &tokens); err != nil {
		return err
	}
	v := sessionsView{Sessions: all, Tokens: tokens, Here: account.SessionID(ui.VisitOf(c.Request().Context()).Token)}
	for _, s := range all {
		if s.ID != v.Here {
			v.Others++
		}
	}
	return ui.ShowPageStatus(c, status, ui.Page{Title: "Your sessions and tokens", Scripts: []string{"js/copy.js"}}, sessionsPage(v))
}

// endSession ends one of one's own sessions. One that has ended meanwhile is what the person
// wants.
func (h *Handlers) endSession(c ui.Context) error {
	u := ui.User(c)
	if err := h.accounts.EndSession(u, u.ID, c.FormValue("session")); err != nil && !errors.Is(err, account.ErrNoSession) {
		return err
	}
	return ui.Back(c, "/sessions")
}

func (h *Handlers) endOthers(c ui.Context) error {
	if err := h.accounts.EndOtherSessions(ui.User(c), ui.VisitOf(c.Request().Context()).Token); err != nil {
		return err
	}
	return ui.Back(c, "/sessions")
}
