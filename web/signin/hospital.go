// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"

	"hide/internal/account"
	"hide/internal/issuer"
	"hide/web/ui"
)

// Issuer is what these pages ask of single sign-on. [issuer.Issuer] answers it.
type Issuer interface {
	Name() string
	Status() issuer.Status
	Groups() []issuer.GroupRole
	Ready(ctx context.Context) error
	Begin(ctx context.Context, next string) (address, ticket string, err error)
	Finish(ctx context.Context, ticket string, query url.Values) (p issuer.Person, next string, err error)
	LogoutURL(idToken string) string
}

// hospitalRoutes are those of single sign-on.
func (h *Handlers) hospitalRoutes() []ui.Route {
	return []ui.Route{
		ui.Get("/sign-in/hospital", ui.Anyone, h.toIssuer),
		ui.Post("/sign-in/hospital/try", ui.Anyone, h.tryIssuer),
		ui.Get(issuer.CallbackPath, ui.Anyone, h.callback),
	}
}

var errNoIssuer = &ui.Error{Status: http.StatusNotFound, Title: "No single sign-on here", What: "This server has no single sign-on.", Next: "Sign in with your password."}

// toIssuer sends the browser to the issuer. It is a link and not a form, because the content
// policy lets no form lead to another site. A page of another site cannot begin a sign-in.
func (h *Handlers) toIssuer(c ui.Context) error {
	if h.issuer == nil {
		return errNoIssuer
	}
	next := ui.SafeNext(c.QueryParam("next"))
	if site := c.Request().Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return c.Redirect(http.StatusSeeOther, ui.SignInURL(next))
	}
	address, t, err := h.issuer.Begin(c.Request().Context(), next)
	if err != nil {
		return h.refusedByIssuer(c, err, next)
	}
	ui.SetSingleSignOn(c, t)
	return c.Redirect(http.StatusSeeOther, address)
}

// tryIssuer asks an issuer again that has not answered.
func (h *Handlers) tryIssuer(c ui.Context) error {
	if h.issuer == nil {
		return errNoIssuer
	}
	if err := h.issuer.Ready(c.Request().Context()); err != nil {
		h.logIssuer(c, err)
	}
	return ui.Back(c, ui.SignInURL(ui.SafeNext(c.FormValue("next"))))
}

// refusedByIssuer shows the sign-in page with why the issuer signed nobody in.
func (h *Handlers) refusedByIssuer(c ui.Context, err error, next string) error {
	refused, ok := errors.AsType[*issuer.Error](err)
	if !ok {
		return err
	}
	h.logIssuer(c, err)
	status := http.StatusUnprocessableEntity
	v := signInView{Next: next, Problem: ui.Sentence(refused.What) + " " + ui.Sentence(refused.Next)}
	if refused.Kind == issuer.Unreachable {
		status = http.StatusServiceUnavailable
		if h.issuer.Status().Problem != "" {
			v.Problem = "" // the page says it anyway
		}
	}
	return h.showSignIn(c, status, v)
}

// logIssuer gives the operator the cause, which is no text for a page.
func (h *Handlers) logIssuer(c ui.Context, err error) {
	h.log.Warn("single sign-on", slog.String("id", ui.VisitOf(c.Request().Context()).ID), slog.Any("error", err), slog.Any("cause", errors.Unwrap(err)))
}

// callback is where the issuer sends the browser back to. The request comes from another site,
// so the browser sends no strict cookie with it, nor with what it redirects to: the answer is a
// page of hide that leads on.
func (h *Handlers) callback(c ui.Context) error {
	if h.issuer == nil {
		return errNoIssuer
	}
	t := ui.SingleSignOn(c)
	ui.SetSingleSignOn(c, "")
	person, next, err := h.issuer.Finish(c.Request().Context(), t, c.QueryParams())
	if err != nil {
		return h.refusedByIssuer(c, err, "/")
	}
	token, u, err := h.accounts.SignInExternal(account.Identity{
		Issuer: person.Issuer, Subject: person.Subject, Name: person.Name, Role: person.Role, IDToken: person.IDToken,
	}, h.from(c))
	switch {
	case errors.Is(err, account.ErrNoRole):
		v := noRoleView{Issuer: h.issuer.Name(), Groups: h.issuer.Groups(), Person: person, Out: h.issuer.LogoutURL(person.IDToken)}
		return ui.ShowPageStatus(c, http.StatusForbidden, ui.Page{Title: "No access"}, noRolePage(v))
	case errors.Is(err, account.ErrDisabled):
		return h.showSignIn(c, http.StatusForbidden, signInView{Next: next, Problem: ui.Sentence(err.Error())})
	case err != nil:
		return err
	}
	if err := h.start(c, token, u.ID); err != nil {
		return err
	}
	return ui.Fragment(c, ui.Onward(ui.SafeNext(next)))
}

// noRoleView is for a person whose groups have no role.
type noRoleView struct {
	Issuer string
	Groups []issuer.GroupRole // that have one
	Person issuer.Person
	Out    string // to sign out at the issuer, as somebody else may; "" for nowhere
}

// signedOut ends a sign-out at the issuer, too, if the session came from it.
func (h *Handlers) signedOut(c ui.Context, idToken string) error {
	if h.issuer != nil && idToken != "" {
		if address := h.issuer.LogoutURL(idToken); address != "" {
			return ui.Fragment(c, ui.Onward(address))
		}
	}
	return ui.Back(c, "/sign-in")
}

// sentGroups lists some groups for a reader.
func sentGroups(groups []string) string {
	const most = 20
	if len(groups) == 0 {
		return "none"
	}
	shown := make([]string, 0, most+1)
	for _, g := range groups[:min(len(groups), most)] {
		shown = append(shown, ui.OneLine(g, 60))
	}
	if more := len(groups) - most; more > 0 {
		shown = append(shown, ui.Count(more, "other", "others"))
	}
	return ui.Listed(shown)
}
