// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"hide/internal/account"
	"hide/internal/issuer"
	"hide/web/ui"
)

// signInView is the sign-in form.
type signInView struct {
	Name    string
	Next    string
	Problem string
	Empty   bool   // nobody has an account yet
	NewLink string // where to get a new link; "" for nowhere

	Local    bool          // names and passwords are asked for
	Passkeys bool          // they sign in
	Issuer   string        // the name of single sign-on; "" for none
	Status   issuer.Status // of the issuer
}

func (h *Handlers) signInForm(c ui.Context) error {
	if ui.VisitOf(c.Request().Context()).SignedIn() {
		return ui.Back(c, ui.SafeNext(c.QueryParam("next")))
	}
	return h.showSignIn(c, http.StatusOK, signInView{Next: ui.SafeNext(c.QueryParam("next"))})
}

func (h *Handlers) showSignIn(c ui.Context, status int, v signInView) error {
	var err error
	v.NewLink, v.Local = h.linkHint, !h.accounts.LocalOff()
	v.Passkeys = v.Local && h.keys != nil
	if h.issuer != nil {
		v.Issuer, v.Status = h.issuer.Name(), h.issuer.Status()
	}
	if v.Empty, err = h.accounts.Empty(); err != nil {
		return err
	}
	p := ui.Page{Title: "Sign in"}
	if v.Passkeys {
		p.Scripts = []string{"js/passkey.js"}
	}
	return ui.ShowPageStatus(c, status, p, signInPage(v))
}

// signIn gives the same message for every reason to refuse a name and a password.
func (h *Handlers) signIn(c ui.Context) error {
	v := signInView{Name: c.FormValue("name"), Next: ui.SafeNext(c.FormValue("next"))}
	token, user, err := h.accounts.Login(v.Name, c.FormValue("password"), h.from(c))
	var slow *account.TooManyTriesError
	if step, unfinished := errors.AsType[*account.UnfinishedError](err); unfinished {
		return h.toStep(c, step, v.Next)
	}
	switch {
	case err == nil:
		return h.enter(c, token, user.ID, v.Next)
	case errors.Is(err, account.ErrCredentials):
		v.Problem = ui.Sentence(err.Error())
		return h.showSignIn(c, http.StatusUnauthorized, v)
	case errors.Is(err, account.ErrLocalOff):
		v.Problem = ui.Sentence(err.Error())
		return h.showSignIn(c, http.StatusForbidden, v)
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

// from says where a request to sign in comes from.
func (h *Handlers) from(c ui.Context) account.From {
	return account.From{Peer: h.peer(c), Device: ui.DeviceToken(c), Browser: browserWords(c.Request().UserAgent())}
}

// signOut also asks the browser to delete the pages that it cached.
func (h *Handlers) signOut(c ui.Context) error {
	token := ui.VisitOf(c.Request().Context()).Token
	idToken, err := h.accounts.IDToken(token)
	if err != nil {
		return err
	}
	if err := h.accounts.Logout(token); err != nil {
		return err
	}
	ui.SetSession(c, "")
	c.Response().Header().Set("Clear-Site-Data", `"cache", "storage"`)
	return h.signedOut(c, idToken)
}

// enter starts a session of a person in the browser and opens a page.
func (h *Handlers) enter(c ui.Context, token, id, next string) error {
	if err := h.start(c, token, id); err != nil {
		return err
	}
	return ui.Back(c, ui.SafeNext(next))
}

// start gives the browser a session of a person. An earlier session of the browser ends.
func (h *Handlers) start(c ui.Context, token, id string) error {
	if old := ui.SessionToken(c); old != "" {
		if err := h.accounts.Logout(old); err != nil && !errors.Is(err, account.ErrSession) {
			return fmt.Errorf("end the session before: %w", err)
		}
	}
	ui.SetSession(c, token)
	if ui.StepTicket(c) != "" {
		ui.SetStep(c, "")
	}
	return h.rememberDevice(c, id)
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
