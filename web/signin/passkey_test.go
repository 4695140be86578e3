// SPDX-License-Identifier: Apache-2.0

package signin_test

import (
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/browsertest"
	"hide/internal/passkey"
	"hide/web/signin"
	"hide/web/webtest"
)

func withKeys(t *testing.T) func(*webtest.House, *signin.Config) {
	return func(h *webtest.House, cfg *signin.Config) {
		keys, err := passkey.New(h.Base, h.Accounts, h.Clock.Now)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Keys = keys
	}
}

// TestPasskeySignsInAloneAndAsSecondFactor goes the whole way with the browser's own virtual
// authenticator: add, sign in alone, sign in after the password, a copied key, rename, remove.
func TestPasskeySignsInAloneAndAsSecondFactor(t *testing.T) {
	h := openDoor(t, account.Options{}, withKeys(t))
	b := browsertest.Start(t)
	b.Expect("422")
	authenticator := b.Authenticator()
	enter(t, h, b)
	b.WaitText("h1", "Projects")
	b.Open(h.Base + "/second-factor")
	b.Type("#passkey-name", "Ward laptop")
	b.Type("#confirm-passkey", "wrong")
	b.Press("Enter")
	b.WaitText("[data-problem]", "present password is wrong")
	b.Axe()
	b.Shots("passkey-refused")
	b.Eval(`document.querySelector("#confirm-passkey").value = ""`, nil)
	b.Type("#confirm-passkey", webtest.GoodPassword)
	b.Press("Enter")
	b.WaitText(".sessions", "Ward laptop")
	b.Axe()
	b.Shots("passkeys")

	signOut(h, b)
	b.Axe()
	b.Shots("sign-in-passkey")
	b.Click(`form[action="/sign-in/passkey"] button`)
	b.WaitText("h1", "Projects")
	b.Open(h.Base + "/sessions")
	b.WaitText(".sessions", "by passkey")

	signOut(h, b)
	password(h, b)
	b.WaitText("h1", "One more step")
	b.Shots("step-passkey")
	b.Click(`form[action="/sign-in/step/passkey"] button`)
	b.WaitText("h1", "Projects")

	// A person who is not verified by the device is refused.
	signOut(h, b)
	authenticator.Verifies(false)
	b.Click(`form[action="/sign-in/passkey"] button`)
	b.WaitText("[data-problem]", "No passkey was used")
	authenticator.Verifies(true)

	// A copy of the passkey counts from an earlier number.
	authenticator.CountFrom(1)
	b.Click(`form[action="/sign-in/passkey"] button`)
	b.WaitText("#problem", "may have been copied")
	b.Click(`form[action="/sign-in/passkey"] button`)
	b.WaitText("#problem", "The passkey was not accepted")
	password(h, b)
	b.WaitText("main", "None of your second factors can be used")

	if err := h.Accounts.ResetFactors(account.Operator(), adaID(t, h)); err != nil {
		t.Fatal(err)
	}
	password(h, b)
	b.WaitText("h1", "Projects")
}

// TestEnrolmentByPasskey: where the role needs a second factor, a passkey is one.
func TestEnrolmentByPasskey(t *testing.T) {
	h := openDoor(t, account.Options{SecondFactor: []account.Role{account.Admin}}, withKeys(t))
	b := browsertest.Start(t)
	b.Authenticator()
	enter(t, h, b)
	b.WaitText("h1", "Set up a second factor")
	b.Axe()
	b.Shots("enrol-passkey")
	b.Type("#passkey-name", "Phone")
	b.Click(`form[action="/sign-in/enrol/passkey"] button`)
	b.WaitText("h1", "Projects")
	b.Open(h.Base + "/second-factor")
	b.WaitText(".sessions", "Phone")
}

// TestAddressWithoutANameHasNoPasskeys: an IP address cannot be the name of a server.
func TestAddressWithoutANameHasNoPasskeys(t *testing.T) {
	for origin, want := range map[string]error{
		"http://127.0.0.1:8080": passkey.ErrAddress, "https://[::1]:8080": passkey.ErrAddress, "https://192.0.2.7": passkey.ErrAddress,
		"http://hide.example": passkey.ErrInsecure, "https://hide.example": nil, "http://localhost:8080": nil,
	} {
		if _, err := passkey.New(origin, nil, nil); err != want {
			t.Errorf("%s: got %v, want %v", origin, err, want)
		}
	}
	h := openDoor(t, account.Options{}, func(_ *webtest.House, cfg *signin.Config) { cfg.NoKeys = passkey.ErrAddress.Error() })
	ada := h.Admin(t)
	_, body := ada.See("/second-factor")
	contains(t, "the page", body, "Not available on this server", "https://hide.hospital.example")
	if _, body := h.Person(t).See("/sign-in"); strings.Contains(body, "passkey") {
		t.Error("a passkey is offered")
	}
	if status, _ := h.Person(t).Send("/sign-in", "/sign-in/passkey", url.Values{}); status != 404 {
		t.Errorf("status %d", status)
	}
}

// TestForgedPasskeysAreRefused sends answers that no authenticator made.
func TestForgedPasskeysAreRefused(t *testing.T) {
	h := openDoor(t, account.Options{}, withKeys(t))
	h.Admin(t)
	eve := h.Person(t)
	_, body := eve.Send("/sign-in", "/sign-in/passkey/begin", url.Values{})
	_, after, _ := strings.Cut(body, `"ticket":"`)
	good, _, _ := strings.Cut(after, `"`)
	for what, form := range map[string]url.Values{
		"nothing":   {},
		"no ticket": {"answer": {"{}"}},
		"nonsense":  {"ticket": {good}, "answer": {"nonsense"}},
		"empty":     {"ticket": {good}, "answer": {`{"id":"AAAA","rawId":"AAAA","type":"public-key","response":{"clientDataJSON":"","authenticatorData":"","signature":"","userHandle":""}}`}},
		"large":     {"ticket": {good}, "answer": {strings.Repeat("x", 40<<10)}},
	} {
		for _, path := range []string{"/sign-in/passkey", "/sign-in/step/passkey", "/sign-in/enrol/passkey"} {
			if status, body := eve.Send("/sign-in", path, form); status != 422 || strings.Contains(body, "<h1>Projects</h1>") {
				t.Errorf("%s to %s: status %d", what, path, status)
			}
		}
	}
}
