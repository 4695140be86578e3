// SPDX-License-Identifier: Apache-2.0

package admin_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/internal/project/trail"
	"hide/internal/project/training"
	"hide/internal/project/webhooks"
	"hide/web"
	"hide/web/admin"
	"hide/web/home"
	"hide/web/signin"
	"hide/web/webtest"
)

// projects is one project, as far as its overview goes.
type projects struct {
	*webtest.Frame
	unasked
	training training.Status
	runs     []sanitize.Run
	rows     []project.AuditRow
	asked    trail.Filter // by the last page or export
}

// unasked is for methods that these tests do not call.
type unasked struct{ everything }

func newProjects() *projects { return &projects{Frame: webtest.NewFrame()} }

func (p *projects) Create(context.Context, account.User, string, annotate.LabelSet) (project.Project, error) {
	return project.Project{}, nil
}

func (p *projects) Training(context.Context, account.User, project.ID) (training.Status, error) {
	return p.training, nil
}

func (p *projects) Runs(context.Context, account.User, project.ID) ([]sanitize.Run, error) {
	return p.runs, nil
}

func (p *projects) Webhooks(context.Context, account.User, project.ID) (webhooks.Webhooks, error) {
	return webhooks.Webhooks{}, nil
}

func (p *projects) Trail(_ context.Context, by account.User, f trail.Filter, before uint64, limit int) (page trail.Page, err error) {
	if !by.Role.Can(account.ReadAudit) {
		return page, &project.Error{Kind: project.Forbidden, Message: "your role may not read the audit trail"}
	}
	p.asked = f
	for _, r := range p.rows {
		if (before == 0 || r.Seq < before) && len(page.Rows) < limit {
			page.Rows = append(page.Rows, r)
		}
	}
	if n := len(page.Rows); n == limit {
		page.Next = page.Rows[n-1].Seq
	}
	if f.Action == "rare" {
		page = trail.Page{Next: 7, Back: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	}
	return page, nil
}

func (p *projects) WriteTrail(_ context.Context, _ account.User, f trail.Filter, format string, w io.Writer) error {
	p.asked = f
	_, err := io.WriteString(w, "rows as "+format)
	return err
}

func (p *projects) PersonID(name string) string { return "id of " + name }

func (p *projects) Backup(context.Context, account.User, io.Writer) error { return nil }

// everything is what the pages of home and admin ask.
type everything interface {
	web.Projects
	home.Projects
	admin.Projects
}

// openHouse has the pages of home and admin over one project.
func openHouse(t *testing.T) *webtest.House {
	t.Helper()
	return openHouseOver(t, newProjects())
}

func openHouseOver(t *testing.T, p everything) *webtest.House {
	t.Helper()
	return openDemo(t, p, "")
}

// openDemo is a house that says where to get a new link.
func openDemo(t *testing.T, p everything, newLink string) *webtest.House {
	t.Helper()
	return webtest.OpenHouse(t, p, func(h *webtest.House) []web.Feature {
		return []web.Feature{
			home.New(p, nil),
			signin.New(signin.Config{Accounts: h.Accounts, Factors: h.Accounts, Origin: h.Base, NewLink: newLink}),
			admin.New(admin.Config{Accounts: h.Accounts, Projects: p, Origin: h.Base, Now: h.Clock.Now}),
		}
	})
}

func TestFirstRunLinkMakesTheAdministratorOnce(t *testing.T) {
	h := openHouse(t)
	token, err := h.Accounts.FirstRun()
	if err != nil {
		t.Fatal(err)
	}
	p := h.Person(t)
	if _, body := p.See("/sign-in"); !strings.Contains(body, "There is no account yet") {
		t.Error("the sign-in page does not say that nobody has an account")
	}
	if status, body := p.Send("/welcome", "/welcome", url.Values{"code": {h.Base + "/welcome#" + token}}); status != 200 || !strings.Contains(body, "Welcome to hide") {
		t.Fatalf("open link: status %d\n%s", status, body)
	}
	if status, body := p.Enter(token, "Ada", "short"); status != 422 || !strings.Contains(body, "A password has") {
		t.Errorf("short password: status %d", status)
	}
	if status, body := p.Enter(token, "Ada", "password1234"); status != 422 || !strings.Contains(body, "This password is easy to guess") {
		t.Errorf("guessable password: status %d", status)
	}
	if status, _ := p.Enter(token, "Ada", webtest.GoodPassword); status != 200 {
		t.Fatalf("status %d", status)
	}
	if status, body := p.See("/people"); status != 200 || !strings.Contains(body, "Ada") {
		t.Errorf("people: status %d", status)
	}
	for name, says := range map[string]string{"\u0410\u0501\u0430": "looks like that of another account", "\u0410da": "written in one script", "System": "reserved for the program"} {
		if status, body := p.Send("/people", "/people", url.Values{"name": {name}, "role": {"annotator"}}); status != 422 || !strings.Contains(body, says) {
			t.Errorf("a person called %q: status %d, should say: %s", name, status, says)
		}
	}
	if status, _ := h.Person(t).Enter(token, "Eve", webtest.GoodPassword); status != 422 {
		t.Errorf("second use of the link: status %d, want 422", status)
	}
	if strings.Contains(h.Log.String(), token) || strings.Contains(h.Log.String(), "Ada") {
		t.Error("the log holds the token or the name")
	}
}

func TestInvitedPersonHasTheRoleThatWasGiven(t *testing.T) {
	h := openHouse(t)
	admin := h.Admin(t)
	guest := h.Person(t)
	if status, _ := guest.Enter(admin.Invite("Rita", account.Reviewer), "", webtest.OtherPassword); status != 200 {
		t.Fatalf("enter: status %d", status)
	}
	for path, want := range map[string]int{"/": 200, "/p/p1": 200, "/people": 403, "/audit": 403} {
		if status, _ := guest.See(path); status != want {
			t.Errorf("%s: status %d, want %d", path, status, want)
		}
	}
	_, home := guest.See("/p/p1")
	for _, word := range []string{"/p/p1/annotate", "/p/p1/import", "Train"} {
		if strings.Contains(home, word) {
			t.Errorf("a reviewer is shown %s", word)
		}
	}
}

func TestExtraFieldsGiveNoRights(t *testing.T) {
	h := openHouse(t)
	admin := h.Admin(t)
	guest := h.Person(t)
	token := admin.Invite("Anna", account.Annotator)
	guest.Send("/welcome", "/welcome/enter", url.Values{"code": {token}, "name": {"Ada"}, "role": {"admin"}, "is_admin": {"true"}, "password": {webtest.OtherPassword}, "again": {webtest.OtherPassword}})
	if status, _ := guest.See("/people"); status != 403 {
		t.Errorf("people: status %d, want 403", status)
	}
	if status, _ := admin.Send("/people", "/people", url.Values{"name": {"Rob"}, "role": {"root"}}); status != 422 {
		t.Errorf("unknown role: status %d, want 422", status)
	}
}

func TestChangesOfAnAccountEndItsSessionsAtOnce(t *testing.T) {
	acts := map[string]url.Values{"disable": {}, "role": {"role": {"reviewer"}}, "sign-out": {}}
	for act, form := range acts {
		t.Run(act, func(t *testing.T) {
			h := openHouse(t)
			admin, guest := h.Admin(t), h.Person(t)
			guest.Enter(admin.Invite("Anna", account.Annotator), "", webtest.OtherPassword)
			u, err := h.Accounts.Find("anna")
			if err != nil {
				t.Fatal(err)
			}
			if status, body := admin.Send("/people", "/people/"+u.ID+"/"+act, form); status != 200 {
				t.Fatalf("status %d\n%s", status, body)
			}
			if _, body := guest.See("/"); !strings.Contains(body, "Sign in to hide") {
				t.Error("the session goes on")
			}
		})
	}
}

func TestLastAdministratorCannotBeDemoted(t *testing.T) {
	h := openHouse(t)
	admin := h.Admin(t)
	u, err := h.Accounts.Find("ada")
	if err != nil {
		t.Fatal(err)
	}
	status, body := admin.Send("/people", "/people/"+u.ID+"/role", url.Values{"role": {"reviewer"}})
	if status != 422 || !strings.Contains(body, "last active admin") {
		t.Errorf("status %d\n%s", status, body)
	}
}

func TestSignOutEndsTheSessionAndClearsTheBrowser(t *testing.T) {
	h := openHouse(t)
	admin := h.Admin(t)
	base, _ := url.Parse(h.Base)
	before := admin.Client.Jar.Cookies(base)
	admin.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := admin.Client.PostForm(h.Base+"/sign-out", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if got := answer.Header.Get("Clear-Site-Data"); answer.StatusCode != 303 || !strings.Contains(got, "storage") {
		t.Errorf("status %d, Clear-Site-Data %q", answer.StatusCode, got)
	}
	r, _ := http.NewRequest(http.MethodGet, h.Base+"/", nil)
	for _, c := range before {
		r.AddCookie(c)
	}
	again, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	again.Body.Close()
	if again.StatusCode != 303 {
		t.Errorf("the old cookie gives status %d", again.StatusCode)
	}
}

func TestIdleSessionEndsAndWatchingIsNotUse(t *testing.T) {
	h := openHouse(t)
	admin := h.Admin(t)
	h.Clock.Advance(account.IdleFor - time.Minute)
	if _, body := admin.See("/"); !strings.Contains(body, "<h1>Projects</h1>") {
		t.Fatal("the session ended early")
	}
	h.Clock.Advance(account.IdleFor - time.Minute)
	r, _ := http.NewRequest(http.MethodGet, h.Base+"/p/p1/live?topics=nothing", nil)
	r.Header.Set("Upgrade", "websocket")
	r.Header.Set("Origin", h.Base)
	answer, err := admin.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != 404 {
		t.Fatalf("live: status %d", answer.StatusCode)
	}
	h.Clock.Advance(2 * time.Minute)
	if _, body := admin.See("/"); !strings.Contains(body, "Sign in to hide") {
		t.Error("the session goes on after 16 minutes without use")
	}
}

func TestSignInSaysTheSameForEveryReasonAndSlowsDown(t *testing.T) {
	h := openHouse(t)
	h.Admin(t)
	p := h.Person(t)
	_, unknown := p.Send("/sign-in", "/sign-in", url.Values{"name": {"nobody"}, "password": {"x"}})
	_, wrong := p.Send("/sign-in", "/sign-in", url.Values{"name": {"Ada"}, "password": {"x"}})
	if a, b := strings.ReplaceAll(unknown, "nobody", "NAME"), strings.ReplaceAll(wrong, "Ada", "NAME"); a != b {
		t.Error("an unknown name is told from a wrong password")
	}
	status := 0
	for range 10 {
		status, _ = p.Send("/sign-in", "/sign-in", url.Values{"name": {"Ada"}, "password": {"x"}})
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("after ten tries: status %d, want 429", status)
	}
	if status, _ := p.Send("/sign-in", "/sign-in", url.Values{"name": {"Ada"}, "password": {webtest.GoodPassword}}); status != http.StatusTooManyRequests {
		t.Errorf("while it has to wait, the right password gives status %d", status)
	}
}

// TestStrangersDoNotShutOutTheOnlyAdministrator: the browser that the account was used in
// signs in at once, and another one after the stated wait.
func TestStrangersDoNotShutOutTheOnlyAdministrator(t *testing.T) {
	h := openHouse(t)
	known, stranger, other := h.Admin(t), h.Person(t), h.Person(t)
	known.Send("/", "/sign-out", nil)
	for range 12 {
		stranger.Send("/sign-in", "/sign-in", url.Values{"name": {"Ada"}, "password": {"x"}})
	}
	right := url.Values{"name": {"Ada"}, "password": {webtest.GoodPassword}}
	if status, body := stranger.Send("/sign-in", "/sign-in", right); status != http.StatusTooManyRequests || !strings.Contains(body, "wait 2 seconds and try again") {
		t.Errorf("the stranger: status %d\n%.500s", status, body)
	}
	if status, body := known.Send("/sign-in", "/sign-in", right); status != 200 || !strings.Contains(body, "<h1>Projects</h1>") {
		t.Errorf("the known browser: status %d", status)
	}
	h.Clock.Advance(2 * time.Second)
	if status, _ := other.Send("/sign-in", "/sign-in", right); status != 200 {
		t.Errorf("another browser after the wait: status %d", status)
	}
}

func TestSignInLeadsToThePageThatWasAskedFor(t *testing.T) {
	h := openHouse(t)
	h.Admin(t)
	p := h.Person(t)
	_, body := p.Send("/p/p1", "/sign-in", url.Values{"name": {"ADA"}, "password": {webtest.GoodPassword}, "next": {"/p/p1"}})
	if !strings.Contains(body, "<h1>Discharge letters</h1>") {
		t.Errorf("got\n%.600s", body)
	}
}

func TestNewPasswordEndsOtherSessions(t *testing.T) {
	h := openHouse(t)
	here := h.Admin(t)
	there := h.Person(t)
	there.Send("/sign-in", "/sign-in", url.Values{"name": {"Ada"}, "password": {webtest.GoodPassword}})
	form := url.Values{"current": {"wrong wrong wrong"}, "password": {webtest.OtherPassword}, "again": {webtest.OtherPassword}}
	if status, body := here.Send("/password", "/password", form); status != 422 || !strings.Contains(body, "present password is wrong") {
		t.Errorf("wrong present password: status %d", status)
	}
	form.Set("current", webtest.GoodPassword)
	if status, body := here.Send("/password", "/password", form); status != 200 || !strings.Contains(body, "Your password is changed") {
		t.Fatalf("status %d\n%.500s", status, body)
	}
	if _, body := here.See("/"); !strings.Contains(body, "<h1>Projects</h1>") {
		t.Error("the session here ended")
	}
	if _, body := there.See("/"); !strings.Contains(body, "Sign in to hide") {
		t.Error("the session there goes on")
	}
}

func TestSignInLinkOpensASessionByItself(t *testing.T) {
	h := openHouse(t)
	h.Admin(t)
	u, err := h.Accounts.Find("Ada")
	if err != nil {
		t.Fatal(err)
	}
	token, err := h.Accounts.SignInLink(u.ID, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, body := h.Person(t).Send("/welcome", "/welcome", url.Values{"code": {token}}); !strings.Contains(body, "<h1>Projects</h1>") {
		t.Errorf("got\n%.600s", body)
	}
}

// A link that is replaced or used says so. In a demo the page says where to get another.
func TestAnOldLinkSaysWhereToGetANewOne(t *testing.T) {
	const says = "For a new sign-in link, press Enter in the terminal."
	h := openDemo(t, newProjects(), says)
	h.Admin(t)
	u, err := h.Accounts.Find("Ada")
	if err != nil {
		t.Fatal(err)
	}
	old, err := h.Accounts.SignInLink(u.ID, time.Minute)
	if err == nil {
		_, err = h.Accounts.SignInLink(u.ID, time.Minute)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := h.Person(t)
	if _, body := p.See("/welcome"); strings.Contains(body, says) {
		t.Error("a new link is offered to somebody whose link works")
	}
	_, refused := p.Send("/welcome", "/welcome", url.Values{"code": {old}})
	_, signIn := p.See("/sign-in")
	for name, body := range map[string]string{"the link": refused, "signing in": signIn} {
		if !strings.Contains(body, says) || strings.Contains(body, "it has no passwords") {
			t.Errorf("%s: got\n%.900s", name, body)
		}
	}
	if !strings.Contains(refused, "was replaced by a newer link") {
		t.Error("the page does not say that a newer link was made")
	}
}
