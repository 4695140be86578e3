// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/ui"
)

// tokensView is the list of one's own access tokens, with the form for a new one.
type tokensView struct {
	Tokens   []account.Token
	Projects []project.Overview // that a token may be for
	Confirms string             // what confirms a new token: "password", "code" or ""
	Now      time.Time

	Form tokenForm

	Secret string // of a token that was just made; "" for none
	Made   account.Token
}

// tokenForm is what a person has entered for a new token.
type tokenForm struct {
	Name    string
	Scopes  []account.Scope
	Project string
	Days    string

	Which   string // field at fault: "name", "scope", "project", "days", "confirm" or "token" for the form
	Problem string
}

// usualToken is the form before anybody has entered something.
func usualToken() tokenForm { return tokenForm{Days: strconv.Itoa(account.TokenDays)} }

// projectOf names the only project of a token; "" for one of all projects.
func (v tokensView) projectOf(t account.Token) string {
	for _, p := range v.Projects {
		if string(p.ID) == t.Project {
			return p.Name
		}
	}
	return t.Project
}

// fillTokens reads what the section shows besides the form.
func (h *Handlers) fillTokens(c ui.Context, v *tokensView) (err error) {
	u := ui.User(c)
	v.Now = h.now()
	if v.Tokens, err = h.accounts.Tokens(u, u.ID); err != nil {
		return err
	}
	factors, err := h.factors.Factors(u, u.ID)
	if err != nil {
		return err
	}
	v.Confirms = factorView{Factors: factors}.Confirms()
	if h.projects != nil {
		v.Projects, err = h.projects.Projects(c.Request().Context(), u)
	}
	return err
}

// createToken makes a token, and shows its secret once.
func (h *Handlers) createToken(c ui.Context) error {
	form := readToken(c)
	wanted, err := h.wantedToken(c, &form)
	if err != nil {
		return h.refuseToken(c, form, err)
	}
	wanted.Confirm = c.FormValue("confirm")
	secret, made, err := h.accounts.CreateToken(ui.User(c), wanted)
	if err != nil {
		return h.refuseToken(c, form, err)
	}
	return h.showSessions(c, http.StatusOK, tokensView{Form: usualToken(), Secret: secret, Made: made})
}

func readToken(c ui.Context) tokenForm {
	form := tokenForm{Name: c.FormValue("name"), Project: c.FormValue("project"), Days: strings.TrimSpace(c.FormValue("days"))}
	for _, s := range c.Request().PostForm["scope"] {
		form.Scopes = append(form.Scopes, account.Scope(s))
	}
	return form
}

// wantedToken checks what only the page knows. It fails with an error of package account, or
// notes the field at fault.
func (h *Handlers) wantedToken(c ui.Context, form *tokenForm) (account.NewToken, error) {
	wanted := account.NewToken{Name: form.Name, Scopes: form.Scopes, Project: form.Project}
	if err := h.mayLast(c); err != nil {
		return wanted, err
	}
	var err error
	if wanted.Days, err = strconv.Atoi(form.Days); err != nil || wanted.Days == 0 {
		return wanted, account.ErrTokenDays
	}
	if form.Project == "" {
		return wanted, nil
	}
	var own []project.Overview
	if h.projects != nil {
		if own, err = h.projects.Projects(c.Request().Context(), ui.User(c)); err != nil {
			return wanted, err
		}
	}
	if !slices.ContainsFunc(own, func(p project.Overview) bool { return string(p.ID) == form.Project }) {
		return wanted, project.NoProject(project.ID(form.Project))
	}
	return wanted, nil
}

// refuseToken shows the form again with what was wrong.
func (h *Handlers) refuseToken(c ui.Context, form tokenForm, err error) error {
	status := http.StatusUnprocessableEntity
	fields := []struct {
		name string
		is   error
	}{
		{"name", account.ErrTokenName}, {"scope", account.ErrScope}, {"days", account.ErrTokenDays}, {"confirm", account.ErrPassword},
		{"token", account.ErrTokens}, {"token", account.ErrLocalOff}, {"token", errEmergency}, {"token", errNotFresh},
	}
	for _, field := range fields {
		if errors.Is(err, field.is) {
			form.Which, form.Problem = field.name, ui.Sentence(err.Error())
		}
	}
	if code, problem := codeProblem(c, err); code != 0 {
		status, form.Which, form.Problem = code, "confirm", problem
	}
	if project.KindOf(err) == project.NotFound {
		form.Which, form.Problem = "project", ui.Problem(err)
	}
	if form.Problem == "" {
		return err
	}
	return h.showSessions(c, status, tokensView{Form: form})
}

// revokeToken ends one of one's own tokens. One that was revoked meanwhile is what the person
// wants.
func (h *Handlers) revokeToken(c ui.Context) error {
	if err := h.accounts.RevokeToken(ui.User(c), c.FormValue("token")); err != nil && !errors.Is(err, account.ErrNoToken) {
		return err
	}
	return ui.Back(c, "/sessions")
}
