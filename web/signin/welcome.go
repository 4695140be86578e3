// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"hide/internal/account"
	"hide/web/ui"
)

// A one-time link is /welcome#TOKEN. Browsers do not send the part after # to the server,
// so it is in no log and no referrer; welcome.js posts it. Without JavaScript the person
// pastes it.

// welcomeView is the form for a link, or the field to paste one.
type welcomeView struct {
	Code    string // the link's token, "" before it is known
	Kind    account.LinkKind
	Name    string
	Ends    time.Time // of emergency access
	Problem string
	Which   string // field at fault: "code", "name" or "password"
	NewLink string // where to get a new link; "" for nowhere
}

func (h *Handlers) welcome(c ui.Context) error {
	return h.showWelcome(c, http.StatusOK, welcomeView{})
}

func (h *Handlers) showWelcome(c ui.Context, status int, v welcomeView) error {
	v.NewLink = h.linkHint
	p := ui.Page{Title: "Welcome", Scripts: []string{"welcome.js"}}
	return ui.ShowPageStatus(c, status, p, welcomePage(v))
}

// openLink shows the form of a link. A sign-in link signs in at once.
func (h *Handlers) openLink(c ui.Context) error {
	code := linkToken(c.FormValue("code"))
	l, err := h.accounts.Link(code)
	if errors.Is(err, account.ErrLink) || errors.Is(err, account.ErrLocalOff) {
		return h.showWelcome(c, http.StatusUnprocessableEntity, welcomeView{Problem: ui.Sentence(err.Error()), Which: "code"})
	}
	if err != nil {
		return err
	}
	if l.Kind == account.LinkSignIn {
		return h.redeem(c, welcomeView{Code: code, Kind: l.Kind}, account.Redemption{From: h.from(c)})
	}
	return h.showWelcome(c, http.StatusOK, welcomeView{Code: code, Kind: l.Kind, Name: l.Name, Ends: l.Ends})
}

// redeemLink takes the name and the password that go with a link.
func (h *Handlers) redeemLink(c ui.Context) error {
	v := welcomeView{Code: c.FormValue("code"), Kind: account.LinkInvite, Name: c.FormValue("name")}
	if l, err := h.accounts.Link(v.Code); err == nil {
		v.Kind = l.Kind
		if l.Kind == account.LinkInvite {
			v.Name = l.Name
		}
		if l.Kind == account.LinkEmergency {
			return h.redeem(c, v, account.Redemption{From: h.from(c)})
		}
	}
	password := c.FormValue("password")
	if password != c.FormValue("again") {
		v.Problem, v.Which = "The two passwords differ.", "password"
		return h.showWelcome(c, http.StatusUnprocessableEntity, v)
	}
	if password == "" {
		v.Problem, v.Which = "Choose a password.", "password"
		return h.showWelcome(c, http.StatusUnprocessableEntity, v)
	}
	return h.redeem(c, v, account.Redemption{Name: v.Name, Password: password, From: h.from(c)})
}

func (h *Handlers) redeem(c ui.Context, v welcomeView, with account.Redemption) error {
	token, user, err := h.accounts.Redeem(v.Code, with)
	if step, unfinished := errors.AsType[*account.UnfinishedError](err); unfinished {
		return h.toStep(c, step, "/")
	}
	switch {
	case err == nil:
		return h.enter(c, token, user.ID, "/")
	case errors.Is(err, account.ErrLink), errors.Is(err, account.ErrLocalOff):
		v = welcomeView{Which: "code"}
	case errors.Is(err, account.ErrName):
		v.Which = "name"
	case errors.Is(err, account.ErrWeak):
		v.Which = "password"
	default:
		return err
	}
	v.Problem = ui.Sentence(err.Error())
	return h.showWelcome(c, http.StatusUnprocessableEntity, v)
}

// linkToken is the token of a pasted link, or of a pasted token.
func linkToken(pasted string) string {
	pasted = strings.TrimSpace(pasted)
	if _, token, found := strings.Cut(pasted, "#"); found {
		return token
	}
	return pasted
}
