// SPDX-License-Identifier: Apache-2.0

package signin_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/web/webtest"
)

// lasting are the forms that make something that lets a person in later.
func lasting() map[string]url.Values {
	confirm := url.Values{"confirm": {webtest.GoodPassword}}
	return map[string]url.Values{
		"/sessions/tokens":              newToken(nil),
		"/second-factor/app":            confirm,
		"/second-factor/passkeys/begin": confirm,
		"/password":                     {"current": {webtest.GoodPassword}, "password": {webtest.OtherPassword}, "again": {webtest.OtherPassword}},
	}
}

// refused sends all of these forms and wants the words in each answer.
func refused(t *testing.T, p *webtest.Person, says string) {
	t.Helper()
	for action, form := range lasting() {
		if _, body := p.Send("/sessions", action, form); !strings.Contains(body, says) {
			t.Errorf("%s lacks %q:\n%.1500s", action, says, body)
		}
	}
}

// TestEmergencyAccessMakesNothingThatLasts: a new password would also begin a session without
// its end and its reason.
func TestEmergencyAccessMakesNothingThatLasts(t *testing.T) {
	h := openDoor(t, account.Options{}, withKeys(t))
	h.Admin(t)
	link, _, err := h.Accounts.BreakGlass(adaID(t, h), "The phone with the codes is lost", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	somebody := h.Person(t)
	somebody.Send("/welcome", "/welcome/enter", url.Values{"code": {link}})
	refused(t, somebody, "Emergency access makes no passwords")
	if _, page := somebody.See("/second-factor"); strings.Contains(page, "Set up an app") || !strings.Contains(page, "Emergency access makes no passwords") {
		t.Errorf("the page offers forms that are refused:\n%.1500s", page)
	}
	ada, err := h.Accounts.Find("Ada")
	if err != nil {
		t.Fatal(err)
	}
	app, err := h.Accounts.NewApp(ada, webtest.GoodPassword, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Accounts.ConfirmApp(ada, app.Ticket, code(t, h, app.Secret)); err != nil {
		t.Fatal(err)
	}
	_, body := somebody.Send("/sessions", "/second-factor/recovery", url.Values{"confirm": {webtest.GoodPassword}})
	contains(t, "new recovery codes", body, "Emergency access makes no passwords")
	if _, body := somebody.See("/"); !strings.Contains(body, "The phone with the codes is lost") {
		t.Error("the session has lost its reason")
	}
	if _, _, err := h.Accounts.Login("Ada", webtest.OtherPassword, account.From{}); !errors.Is(err, account.ErrCredentials) {
		t.Errorf("the new password: %v", err)
	}
}

// TestAStolenCookieMakesNothingThatLasts: a person without a password and an app confirms by
// having signed in just now.
func TestAStolenCookieMakesNothingThatLasts(t *testing.T) {
	h := openDoor(t, account.Options{}, withKeys(t))
	h.Admin(t)
	ben, _, err := h.Accounts.Create(account.Operator(), "Ben", account.Broker)
	if err != nil {
		t.Fatal(err)
	}
	link, err := h.Accounts.SignInLink(ben.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	p := h.Person(t)
	p.Send("/welcome", "/welcome", url.Values{"code": {link}})
	if _, body := p.Send("/sessions", "/sessions/tokens", newToken(nil)); !secretToken.MatchString(body) {
		t.Errorf("at once:\n%s", body)
	}
	h.Clock.Advance(10 * time.Minute)
	refused(t, p, "You signed in more than 10 minutes ago")
	if _, body := p.See("/sessions"); !strings.Contains(body, "This browser") && !strings.Contains(body, "Sign out") {
		t.Errorf("the session has ended:\n%s", body)
	}
}
