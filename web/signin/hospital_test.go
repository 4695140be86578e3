// SPDX-License-Identifier: Apache-2.0

package signin_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/browsertest"
	"hide/internal/issuer"
	"hide/internal/issuer/issuertest"
	"hide/web/signin"
	"hide/web/webtest"
)

// withIssuer gives the door single sign-on at an issuer of the test.
func withIssuer(t *testing.T, at *issuertest.Issuer) func(*webtest.House, *signin.Config) {
	return func(h *webtest.House, cfg *signin.Config) {
		i, err := issuer.New(issuer.Config{
			URL: at.URL, Client: issuertest.Client, Secret: issuertest.Secret, Origin: h.Base, Now: h.Clock.Now,
			Roles: map[string][]string{"admin": {"hide-admins"}, "annotator": {"nurses"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		cfg.Issuer, cfg.Log = i, slog.New(slog.NewTextHandler(h.Log, nil))
	}
}

// TestHospitalSignsPeopleInAndOut goes the whole way in a browser: in by a group, another group
// and role, no group, out at hide and at the issuer.
func TestHospitalSignsPeopleInAndOut(t *testing.T) {
	at := issuertest.Start(t, issuertest.Behaviour{Subject: "4711", Name: "Nora Lind", Groups: []string{"staff", "nurses"}})
	h := openDoor(t, account.Options{}, withIssuer(t, at))
	h.Admin(t)
	b := browsertest.Start(t)
	b.Expect("403")
	b.Open(h.Base + "/sign-in")
	b.Axe()
	b.Shots("sign-in-hospital")
	b.Click(`a[href^="/sign-in/hospital"]`)
	b.WaitText("h1", "Projects")
	b.WaitText("header", "Nora Lind")
	b.WaitText("header .role", "annotator")
	b.Click(".menu > summary")
	if b.Count(`a[href="/password"]`) != 0 {
		t.Error("a password is offered to somebody who has none")
	}
	b.Shots("menu-hospital")
	b.Size(1280, 800)

	b.Click(`form[action="/sign-out"] button`)
	b.WaitText("h1", "Signed out of the hospital")
	if at.SignedOut() != 1 {
		t.Errorf("%d people signed out at the issuer", at.SignedOut())
	}
	b.Click("#back")
	b.WaitText("h1", "Sign in to hide")

	at.Set(func(is *issuertest.Behaviour) { is.Groups = []string{"hide-admins"} })
	b.Click(`a[href^="/sign-in/hospital"]`)
	b.WaitText("header .role", "admin")
	b.Open(h.Base + "/people")
	b.WaitText("main", "by groups")
	b.Shots("people-hospital")
	b.Open(h.Base + "/sessions")
	b.WaitText(".sessions", "by single sign-on")

	at.Set(func(is *issuertest.Behaviour) { is.Groups = []string{"hide-administrators"} })
	b.Open(h.Base + "/sign-out") // only a form signs out
	b.Click(".menu > summary")
	b.Click(`form[action="/sign-out"] button`)
	b.WaitText("h1", "Signed out of the hospital")
	b.Click("#back")
	b.Click(`a[href^="/sign-in/hospital"]`)
	b.WaitText("h1", "No access to hide yet")
	b.WaitText("main", "hide-admins for the role admin")
	b.WaitText("main", "hide-administrators")
	b.Axe()
	b.Shots("no-role")
	b.Open(h.Base + "/people")
	b.WaitText("h1", "Sign in to hide")
}

// TestIssuerThatIsDownIsSaidOnThePage: the server runs, local accounts sign in, and the page
// says when the issuer was tried and tries again.
func TestIssuerThatIsDownIsSaidOnThePage(t *testing.T) {
	at := issuertest.Start(t, issuertest.Behaviour{Subject: "4711", Name: "Nora", Groups: []string{"nurses"}, Down: true})
	h := openDoor(t, account.Options{}, withIssuer(t, at))
	h.Admin(t)
	b := browsertest.Start(t)
	b.Expect("503")
	b.Open(h.Base + "/sign-in")
	b.Click(`a[href^="/sign-in/hospital"]`)
	b.WaitText(".notice.warn", "Hospital sign-in does not answer. It was last tried on")
	b.Axe()
	b.Shots("sign-in-down")
	at.Set(func(is *issuertest.Behaviour) { is.Down = false })
	h.Clock.Advance(10 * time.Second)
	b.Click(`form[action="/sign-in/hospital/try"] button`)
	b.Wait("the way to the issuer", `document.querySelector('a[href^="/sign-in/hospital"]') !== null`)
	b.Click(`a[href^="/sign-in/hospital"]`)
	b.WaitText("header", "Nora")
	if !strings.Contains(h.Log.String(), "503") {
		t.Error("the log does not say how the issuer failed")
	}
}

// TestFaultsOfAnIssuerAreSaidAndSignNobodyIn is without scripts: each fault has an answer.
func TestFaultsOfAnIssuerAreSaidAndSignNobodyIn(t *testing.T) {
	for name, c := range map[string]struct {
		is   func(*issuertest.Behaviour)
		says string
	}{
		"another key":            {func(is *issuertest.Behaviour) { is.OtherKey = true }, "not signed with a key"},
		"another aud":            {func(is *issuertest.Behaviour) { is.Change = func(c map[string]any) { c["aud"] = "payroll" } }, "for another program"},
		"clock":                  {func(is *issuertest.Behaviour) { is.Skew = time.Hour }, "they differ by 60 minutes"},
		"access denied":          {func(is *issuertest.Behaviour) { is.Deny = "access_denied" }, "did not let you in"},
		"no answer about groups": {func(is *issuertest.Behaviour) { is.InUserInfo, is.InfoDown = true, true }, "did not say which groups you are in"},
	} {
		t.Run(name, func(t *testing.T) {
			is := issuertest.Behaviour{Subject: "4711", Name: "Nora", Groups: []string{"nurses"}}
			c.is(&is)
			h := openDoor(t, account.Options{}, withIssuer(t, issuertest.Start(t, is)))
			h.Admin(t)
			nora := h.Person(t)
			status, body := nora.See("/sign-in/hospital")
			contains(t, "the page", body, c.says, "Sign in to hide")
			want := http.StatusUnprocessableEntity
			if is.InfoDown {
				want = http.StatusServiceUnavailable
			}
			if status != want {
				t.Errorf("status %d", status)
			}
			if _, body := nora.See("/"); !strings.Contains(body, "Sign in to hide") {
				t.Error("somebody is signed in")
			}
			if _, err := h.Accounts.Find("Nora"); !errors.Is(err, account.ErrNotFound) {
				t.Error("there is an account")
			}
		})
	}
}

// TestAnotherSiteCannotBeginOrFinishASignIn: not by a link, and not with an answer of its own.
func TestAnotherSiteCannotBeginOrFinishASignIn(t *testing.T) {
	at := issuertest.Start(t, issuertest.Behaviour{Subject: "4711", Name: "Nora", Groups: []string{"nurses"}})
	h := openDoor(t, account.Options{}, withIssuer(t, at))
	h.Admin(t)
	p := h.Person(t)
	p.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.Base+"/sign-in/hospital", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	answer, err := p.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if to := answer.Header.Get("Location"); to != "/sign-in" || len(answer.Cookies()) != 0 {
		t.Errorf("leads to %q with %d cookies", to, len(answer.Cookies()))
	}
	if status, body := p.See("/sign-in/callback?code=x&state=y"); status != 422 || !strings.Contains(body, "Start again") {
		t.Errorf("an answer that nobody asked for: status %d", status)
	}
}

// TestLocalSignInIsOffButForEmergencies: with the issuer only, the password does nothing, and
// an emergency link lets an administrator in, who sees it on every page.
func TestLocalSignInIsOffButForEmergencies(t *testing.T) {
	at := issuertest.Start(t, issuertest.Behaviour{Subject: "1", Name: "Nora Lind", Groups: []string{"hide-admins"}, Down: true})
	h := openDoor(t, account.Options{LocalOff: true}, withIssuer(t, at))
	b := browsertest.Start(t)
	_, nora, err := h.Accounts.SignInExternal(account.Identity{Issuer: at.URL, Subject: "1", Name: "Nora Lind", Role: account.Admin}, account.From{})
	if err != nil {
		t.Fatal(err)
	}
	b.Open(h.Base + "/sign-in")
	if b.Count(`input[name="password"]`) != 0 {
		t.Error("a password is asked for")
	}
	b.Shots("sign-in-only-hospital")
	if status, body := h.Person(t).Send("/welcome", "/sign-in", url.Values{"name": {"Nora Lind"}, "password": {webtest.GoodPassword}}); status != 403 || !strings.Contains(body, "sign-in only") {
		t.Errorf("a password: status %d", status)
	}
	link, _, err := h.Accounts.BreakGlass(nora.ID, "Single sign-on is down since 13:20", 10*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	b.Open(h.WelcomeURL(link))
	b.WaitText("h1", "Emergency access")
	b.Axe()
	b.Shots("emergency-link")
	b.Click(`form[action="/welcome/enter"] button`)
	b.WaitText("h1", "Projects")
	b.WaitText(".emergency", "Single sign-on is down since 13:20")
	b.Open(h.Base + "/people")
	b.WaitText(".emergency-notice", "Emergency access of Nora Lind")
	b.WaitText(".emergency", "Emergency access until")
	b.Axe()
	b.Shots("emergency-people")
	h.Clock.Advance(10 * time.Minute)
	b.Open(h.Base + "/people")
	b.WaitText("h1", "Sign in to hide")
}
