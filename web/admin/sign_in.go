// SPDX-License-Identifier: Apache-2.0

package admin

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"hide/internal/account"
	"hide/web/ui"
)

// signInView is the sign-in form.
type signInView struct {
	Name    string
	Next    string
	Problem string
	Empty   bool   // nobody has an account yet
	NewLink string // where to get a new link; "" for nowhere
}

func (h *Handlers) signInForm(c ui.Context) error {
	if ui.VisitOf(c.Request().Context()).SignedIn() {
		return ui.Back(c, ui.SafeNext(c.QueryParam("next")))
	}
	return h.showSignIn(c, http.StatusOK, signInView{Next: ui.SafeNext(c.QueryParam("next"))})
}

func (h *Handlers) showSignIn(c ui.Context, status int, v signInView) error {
	var err error
	v.NewLink = h.linkHint
	if v.Empty, err = h.accounts.Empty(); err != nil {
		return err
	}
	return ui.ShowPageStatus(c, status, ui.Page{Title: "Sign in"}, signInPage(v))
}

// signIn gives the same message for every reason to refuse a name and a password.
func (h *Handlers) signIn(c ui.Context) error {
	v := signInView{Name: c.FormValue("name"), Next: ui.SafeNext(c.FormValue("next"))}
	token, user, err := h.accounts.Login(v.Name, c.FormValue("password"), account.From{Peer: h.peer(c), Device: ui.DeviceToken(c)})
	var slow *account.TooManyTriesError
	switch {
	case err == nil:
		return h.enter(c, token, user.ID, v.Next)
	case errors.Is(err, account.ErrCredentials):
		v.Problem = ui.Sentence(err.Error())
		return h.showSignIn(c, http.StatusUnauthorized, v)
	case errors.Is(err, account.ErrBusy):
		v.Problem = ui.Sentence(err.Error())
		c.Response().Header().Set("Retry-After", "10")
		return h.showSignIn(c, http.StatusServiceUnavailable, v)
	case errors.As(err, &slow):
		c.Response().Header().Set("Retry-After", strconv.Itoa(int(slow.Wait.Seconds())))
		v.Problem = ui.Sentence(err.Error())
		return h.showSignIn(c, http.StatusTooManyRequests, v)
	}
	return err
}

// peer is the address that failed sign-ins are counted for. Behind a proxy that is not
// listed it is "", because all requests have the address of the proxy. Its headers are
// then not used: anybody who can bypass the proxy can forge them.
func (h *Handlers) peer(c ui.Context) string {
	if h.proxied {
		return ""
	}
	return c.RealIP()
}

// signOut also asks the browser to delete the pages that it cached.
func (h *Handlers) signOut(c ui.Context) error {
	if err := h.accounts.Logout(ui.VisitOf(c.Request().Context()).Token); err != nil {
		return err
	}
	ui.SetSession(c, "")
	c.Response().Header().Set("Clear-Site-Data", `"cache", "storage"`)
	return ui.Back(c, "/sign-in")
}

// enter starts a session of a person in the browser and opens a page. An earlier session
// of the browser ends.
func (h *Handlers) enter(c ui.Context, token, id, next string) error {
	if old := ui.SessionToken(c); old != "" {
		if err := h.accounts.Logout(old); err != nil && !errors.Is(err, account.ErrSession) {
			return fmt.Errorf("end the session before: %w", err)
		}
	}
	ui.SetSession(c, token)
	if err := h.rememberDevice(c, id); err != nil {
		return err
	}
	return ui.Back(c, ui.SafeNext(next))
}

// rememberDevice makes the browser one that the account was used in: the failed tries of
// strangers do not make its person wait.
func (h *Handlers) rememberDevice(c ui.Context, id string) error {
	device, err := h.accounts.Device(id)
	if err != nil {
		return fmt.Errorf("remember this browser: %w", err)
	}
	if device != "" {
		ui.SetDevice(c, device, account.DeviceFor)
	}
	return nil
}

// A one-time link is /welcome#TOKEN. Browsers do not send the part after # to the server,
// so it is in no log and no referrer; welcome.js posts it. Without JavaScript the person
// pastes it.

// welcomeView is the form for a link, or the field to paste one.
type welcomeView struct {
	Code    string // the link's token, "" before it is known
	Kind    account.LinkKind
	Name    string
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
	if errors.Is(err, account.ErrLink) {
		return h.showWelcome(c, http.StatusUnprocessableEntity, welcomeView{Problem: ui.Sentence(err.Error()), Which: "code"})
	}
	if err != nil {
		return err
	}
	if l.Kind == account.LinkSignIn {
		return h.redeem(c, welcomeView{Code: code, Kind: l.Kind}, account.Redemption{})
	}
	return h.showWelcome(c, http.StatusOK, welcomeView{Code: code, Kind: l.Kind, Name: l.Name})
}

// redeemLink takes the name and the password that go with a link.
func (h *Handlers) redeemLink(c ui.Context) error {
	v := welcomeView{Code: c.FormValue("code"), Kind: account.LinkInvite, Name: c.FormValue("name")}
	if l, err := h.accounts.Link(v.Code); err == nil {
		v.Kind = l.Kind
		if l.Kind == account.LinkInvite {
			v.Name = l.Name
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
	return h.redeem(c, v, account.Redemption{Name: v.Name, Password: password})
}

func (h *Handlers) redeem(c ui.Context, v welcomeView, with account.Redemption) error {
	token, user, err := h.accounts.Redeem(v.Code, with)
	switch {
	case err == nil:
		return h.enter(c, token, user.ID, "/")
	case errors.Is(err, account.ErrLink):
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
	u := ui.User(c)
	token, err := h.accounts.SetPassword(u, u.ID, c.FormValue("current"), password)
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
