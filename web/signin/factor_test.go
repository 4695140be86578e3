// SPDX-License-Identifier: Apache-2.0

package signin_test

import (
	"image/color"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/boombuler/barcode/qr"
	"github.com/pquerna/otp/totp"

	"hide/internal/account"
	"hide/internal/browsertest"
	"hide/web/webtest"
)

func code(t *testing.T, h *webtest.House, secret string) string {
	t.Helper()
	c, err := totp.GenerateCode(strings.ReplaceAll(secret, " ", ""), h.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAppIsSetUpAndAskedFor goes the whole way in a browser: the role needs a second factor,
// so the first administrator sets up an app before anything else, signs in with a code, then
// with a recovery code, and removes nothing that the role needs.
func TestAppIsSetUpAndAskedFor(t *testing.T) {
	h := openDoor(t, account.Options{SecondFactor: []account.Role{account.Admin}}, nil)
	b := browsertest.Start(t)
	b.Expect("422")
	enter(t, h, b)
	b.WaitText("h1", "Set up a second factor")
	b.Axe()
	b.Shots("enrol")
	b.Open(h.Base + "/people") // not before the second factor
	b.WaitText("h1", "Sign in to hide")
	b.Open(h.Base + "/sign-in/step")
	b.Click("summary")
	secret := b.Text(".secret")
	b.Type("#code", "000000")
	b.Press("Enter")
	b.WaitText("#code-error", "This is not the code of the new app")
	b.Click("summary")
	if again := b.Text(".secret"); again != secret {
		t.Errorf("after a wrong code the key is another one")
	}
	b.Type("#code", code(t, h, secret))
	b.Press("Enter")
	b.WaitText("h1", "Keep your recovery codes")
	b.Axe()
	b.Shots("recovery")
	recovery := b.Text(".recovery li")
	b.Click(".button.primary")
	b.WaitText("h1", "Projects")

	signOut(h, b)
	h.Clock.Advance(time.Minute)
	password(h, b)
	b.WaitText("h1", "One more step")
	b.Axe()
	b.Shots("step")
	b.Type("#code", code(t, h, secret))
	b.Press("Enter")
	b.WaitText("h1", "Projects")

	b.Open(h.Base + "/second-factor")
	b.WaitText("main", "10 recovery codes are unused")
	b.Axe()
	b.Shots("second-factor")
	b.Click(`details:has(form[action="/second-factor/app/remove"]) summary`)
	b.Type("#confirm-remove", webtest.GoodPassword)
	b.Press("Enter")
	b.WaitText("#confirm-remove-error", "Your role needs a second factor")
	b.Shots("second-factor-refused")

	signOut(h, b)
	password(h, b)
	b.WaitText("h1", "One more step")
	b.Type("#code", recovery)
	b.Press("Enter")
	b.WaitText("h1", "Projects")
}

// TestStepIsNeitherSkippedNorGuessed is without scripts, as an attacker with the password.
func TestStepIsNeitherSkippedNorGuessed(t *testing.T) {
	h := openDoor(t, account.Options{}, nil)
	ada := h.Admin(t)
	_, body := ada.Send("/second-factor", "/second-factor/app", url.Values{"confirm": {"wrong"}})
	contains(t, "a wrong password", body, "present password is wrong")
	_, body = ada.Send("/second-factor", "/second-factor/app", url.Values{"confirm": {webtest.GoodPassword}})
	enrolment := enrolmentIn(t, body)
	e, err := h.Accounts.Enrolment(enrolment, "Ada", "")
	if err != nil {
		t.Fatal(err)
	}
	_, body = ada.Send("/second-factor", "/second-factor/app/confirm", url.Values{"enrolment": {enrolment}, "code": {code(t, h, e.Secret)}})
	contains(t, "the confirmed app", body, "Keep your recovery codes")

	eve := h.Person(t)
	_, body = eve.Send("/sign-in", "/sign-in", credentials())
	contains(t, "after the password", body, "One more step")
	for _, path := range []string{"/", "/people", "/sessions", "/second-factor", "/p/p1"} {
		if _, body := eve.See(path); !strings.Contains(body, "Sign in to hide") {
			t.Errorf("%s is open before the second factor", path)
		}
	}
	status := 0
	for range 6 {
		status, _ = eve.Send("/sign-in/step", "/sign-in/step", url.Values{"code": {"123456"}})
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("after six wrong codes: status %d", status)
	}
	other := h.Person(t)
	if _, body := other.Send("/sign-in", "/sign-in/step", url.Values{"code": {code(t, h, e.Secret)}}); !strings.Contains(body, "start again") {
		t.Errorf("a code without a password: got\n%.900s", body)
	}
	_, body = ada.Send("/people", "/people/"+adaID(t, h)+"/reset-factors", nil)
	contains(t, "after a reset", body, "Sign in to hide")
	_, body = other.Send("/sign-in", "/sign-in", credentials())
	contains(t, "the password after a reset", body, "<h1>Projects</h1>")
}

func adaID(t *testing.T, h *webtest.House) string {
	t.Helper()
	u, err := h.Accounts.Find("Ada")
	if err != nil {
		t.Fatal(err)
	}
	return u.ID
}

// TestQRCodeHasEveryModule compares the drawing in the page with the code's own.
func TestQRCodeHasEveryModule(t *testing.T) {
	h := openDoor(t, account.Options{}, nil)
	ada := h.Admin(t)
	_, body := ada.Send("/second-factor", "/second-factor/app", url.Values{"confirm": {webtest.GoodPassword}})
	e, err := h.Accounts.Enrolment(enrolmentIn(t, body), "Ada", strings.TrimPrefix(h.Base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, "the address", e.URL, "otpauth://totp/", "issuer=hide", "Ada", e.Secret)
	want, err := qr.Encode(e.URL, qr.M, qr.Auto)
	if err != nil {
		t.Fatal(err)
	}
	got := drawn(t, body)
	n := want.Bounds().Dx()
	for y := range n {
		for x := range n {
			if dark := want.At(x, y) == color.Black; dark != got[[2]int{x + 4, y + 4}] {
				t.Fatalf("module %d, %d: dark %v", x, y, dark)
			}
		}
	}
}
