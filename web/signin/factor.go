// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"

	"hide/internal/account"
	"hide/internal/ticket"
	"hide/web/ui"
)

// factorView is the page of one's own second factors.
type factorView struct {
	account.Factors
	Problem   string
	Which     string // form at fault: "app", "remove" or "recovery"
	Emergency bool   // nothing can be changed
}

// Confirms is what confirms a change: "password", "code" or "".
func (v factorView) Confirms() string {
	switch {
	case v.Password:
		return "password"
	case v.App:
		return "code"
	}
	return ""
}

// appView is an app that is being set up.
type appView struct {
	account.Enrolment
	Problem string
}

func (h *Handlers) secondFactor(c ui.Context) error {
	return h.showFactors(c, http.StatusOK, "", "")
}

func (h *Handlers) showFactors(c ui.Context, status int, which, problem string) error {
	u := ui.User(c)
	f, err := h.factors.Factors(u, u.ID)
	if err != nil {
		return err
	}
	p := ui.Page{Title: "Second factor"}
	if h.keys != nil {
		p.Scripts = []string{"js/passkey.js"}
	}
	return ui.ShowPageStatus(c, status, p, factorPage(factorView{f, problem, which, ui.VisitOf(c.Request().Context()).Session.Emergency != ""}, h.unavailable()))
}

// unavailable says why there are no passkeys, "" if there are.
func (h *Handlers) unavailable() string {
	if h.keys != nil {
		return ""
	}
	return cmp.Or(h.noKeys, "it has none") + "."
}

// refuseFactor shows the page again with what was wrong in a form.
func (h *Handlers) refuseFactor(c ui.Context, which string, err error) error {
	if status, problem := codeProblem(c, err); status != 0 {
		return h.showFactors(c, status, which, problem)
	}
	for _, known := range []error{account.ErrPassword, account.ErrFactorNeeded, account.ErrPasskeys, ticket.ErrExpired, errEmergency, errNotFresh} {
		if errors.Is(err, known) {
			return h.showFactors(c, http.StatusUnprocessableEntity, which, ui.Sentence(err.Error()))
		}
	}
	return err
}

func (h *Handlers) newApp(c ui.Context) error {
	if err := h.mayLast(c); err != nil {
		return h.refuseFactor(c, "app", err)
	}
	e, err := h.factors.NewApp(ui.User(c), c.FormValue("confirm"), h.host)
	if err != nil {
		return h.refuseFactor(c, "app", err)
	}
	return h.showApp(c, http.StatusOK, appView{Enrolment: e})
}

func (h *Handlers) showApp(c ui.Context, status int, v appView) error {
	return ui.ShowPageStatus(c, status, ui.Page{Title: "Set up an app"}, appPage(v))
}

func (h *Handlers) confirmApp(c ui.Context) error {
	u, t := ui.User(c), c.FormValue("enrolment")
	recovery, err := h.factors.ConfirmApp(u, t, c.FormValue("code"))
	if err == nil {
		return h.showRecovery(c, recovery, "/second-factor")
	}
	if status, problem := codeProblem(c, err); status != 0 {
		e, err := h.factors.Enrolment(t, u.Name, h.host)
		if err != nil {
			return h.refuseFactor(c, "app", err)
		}
		return h.showApp(c, status, appView{e, problem})
	}
	return h.refuseFactor(c, "app", err)
}

func (h *Handlers) removeApp(c ui.Context) error {
	if err := h.factors.RemoveApp(ui.User(c), c.FormValue("confirm")); err != nil {
		return h.refuseFactor(c, "remove", err)
	}
	return ui.Back(c, "/second-factor")
}

func (h *Handlers) newRecovery(c ui.Context) error {
	if err := h.mayLast(c); err != nil {
		return h.refuseFactor(c, "recovery", err)
	}
	codes, err := h.factors.NewRecoveryCodes(ui.User(c), c.FormValue("confirm"))
	if err != nil {
		return h.refuseFactor(c, "recovery", err)
	}
	return h.showRecovery(c, codes, "/second-factor")
}

func retryAfter(c ui.Context, slow *account.TooManyTriesError) {
	c.Response().Header().Set("Retry-After", strconv.Itoa(int(slow.Wait.Seconds())))
}
