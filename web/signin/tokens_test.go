// SPDX-License-Identifier: Apache-2.0

package signin_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/browsertest"
	"hide/web/webtest"
)

var secretToken = regexp.MustCompile(`id="token-secret" tabindex="0">(hide_[^<]+)<`)

// newToken is the form for a token.
func newToken(change func(url.Values)) url.Values {
	form := url.Values{"name": {"nightly import"}, "scope": {"notes:read", "export"}, "project": {"p1"}, "days": {"30"}, "confirm": {webtest.GoodPassword}}
	if change != nil {
		change(form)
	}
	return form
}

// TestTokensAreMadeShownOnceAndRevoked: an administrator sees and revokes the tokens of others.
func TestTokensAreMadeShownOnceAndRevoked(t *testing.T) {
	h := openDoor(t, account.Options{}, nil)
	ada := h.Admin(t)
	ben := h.Person(t)
	ben.Enter(ada.Invite("Ben", account.Broker), "", webtest.GoodPassword)
	status, body := ben.Send("/sessions", "/sessions/tokens", newToken(nil))
	found := secretToken.FindStringSubmatch(body)
	if status != 200 || found == nil {
		t.Fatalf("status %d\n%s", status, body)
	}
	u, token, err := h.Accounts.ByToken(found[1], account.From{})
	if err != nil || u.Name != "Ben" || token.Project != "p1" || !token.Allows(account.ScopeExport) || token.Allows(account.ScopeRuns) {
		t.Fatalf("%+v of %+v, %v", token, u, err)
	}
	_, body = ben.See("/sessions")
	contains(t, "the page", body, "nightly import", "Read notes, their spans and suggestions.", "Only for the project Discharge letters.", token.ID)
	if strings.Contains(body, found[1]) {
		t.Error("the secret is shown again")
	}
	if strings.Contains(h.Log.String(), found[1]) {
		t.Error("the secret is in the log")
	}
	_, body = ada.See("/people/" + u.ID + "/sessions")
	contains(t, "the page of the person", body, "nightly import", token.ID)
	if _, body = ada.See("/sessions"); strings.Contains(body, token.ID) {
		t.Error("the token of another is on one's own page")
	}
	ada.Send("/sessions", "/sessions/tokens/revoke", url.Values{"token": {"t0"}}) // which is gone
	if status, body := ada.Send("/people/"+u.ID+"/sessions", "/people/"+u.ID+"/tokens/revoke", url.Values{"token": {token.ID}}); status != 200 || strings.Contains(body, token.ID) {
		t.Errorf("revoked by an administrator: status %d", status)
	}
	if _, _, err := h.Accounts.PeekToken(found[1]); err == nil {
		t.Error("the token goes on")
	}
}

func TestNewTokensAreRefusedInWords(t *testing.T) {
	h := openDoor(t, account.Options{}, nil)
	ada := h.Admin(t)
	for what, c := range map[string]struct {
		change func(url.Values)
		says   string
	}{
		"no name":         {func(f url.Values) { f.Set("name", "") }, "1 to 60 visible characters"},
		"no scope":        {func(f url.Values) { f.Del("scope") }, "at least one scope"},
		"no number":       {func(f url.Values) { f.Set("days", "soon") }, "from 1 to 366 days"},
		"no days":         {func(f url.Values) { f.Set("days", "0") }, "from 1 to 366 days"},
		"unknown project": {func(f url.Values) { f.Set("project", "p9") }, "There is no project p9"},
		"wrong password":  {func(f url.Values) { f.Set("confirm", "x") }, "present password is wrong"},
	} {
		status, body := ada.Send("/sessions", "/sessions/tokens", newToken(c.change))
		if status != 422 || !strings.Contains(body, c.says) || secretToken.MatchString(body) {
			t.Errorf("%s: status %d\n%s", what, status, body)
		}
	}
}

func TestTokensInABrowser(t *testing.T) {
	h := openDoor(t, account.Options{}, nil)
	b := browsertest.Start(t)
	b.Expect("422")
	enter(t, h, b)
	b.WaitText("h1", "Projects")
	b.Open(h.Base + "/sessions")
	b.Click("details.card > summary")
	b.Type("#token-name", "nightly import of ward 7")
	b.Type("#confirm-token", webtest.GoodPassword)
	b.Press("Enter")
	b.WaitText("#token-scope-error", "at least one scope")
	b.Axe()
	b.Shots("token-refused")
	b.Click(`input[value="notes:write"]`)
	b.Click(`input[value="runs"]`)
	b.Type("#confirm-token", webtest.GoodPassword)
	b.Press("Enter")
	b.WaitText("#token-secret", account.TokenPrefix)
	b.Wait("a button that copies", `!document.querySelector("[data-copy]").hidden`)
	b.Axe()
	b.Shots("token-made")
	b.Reload()
	b.Wait("the page without the secret", `document.querySelector("#token-secret") === null`)
	b.WaitText(".token-scopes", "Start, cancel and read trainings and runs.")
	b.Click(`form[action="/sessions/tokens/revoke"] button`)
	b.Wait("no token", `document.querySelector(".token-scopes") === null`)
}
