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
}

func (h *Handlers) sessions(c ui.Context) error {
	u := ui.User(c)
	all, err := h.accounts.Sessions(u, u.ID)
	if err != nil {
		return err
	}
	v := sessionsView{Sessions: all, Here: account.SessionID(ui.VisitOf(c.Request().Context()).Token)}
	for _, s := range all {
		if s.ID != v.Here {
			v.Others++
		}
	}
	return ui.ShowPageStatus(c, http.StatusOK, ui.Page{Title: "Your sessions"}, sessionsPage(v))
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
