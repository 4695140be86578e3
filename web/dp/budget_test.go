// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"bytes"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/store"
	"hide/web/webtest"
)

// budgetAsk posts a form of the budget.
func budgetAsk(s *webtest.Server, id project.ID, path, from string, fields url.Values) (code int, location, body string) {
	values := url.Values{"from": {from}, "confirm": {"yes"}}
	for name, v := range fields {
		values[name] = v
	}
	w := s.Post(account.Broker, "/p/"+string(id)+"/publish/budget"+path, values)
	return w.Code, w.Header().Get("Location"), w.Body.String()
}

func TestABudgetIsOpenedWhereItWasAskedFor(t *testing.T) {
	for _, page := range []string{"counts", "sequences"} {
		projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(4))
		s := newServer(t, projects)
		if code, _, body := budgetAsk(s, id, "", page, url.Values{"limit": {"x"}}); code != 422 || !strings.Contains(body, "<h1>Publish "+page) {
			t.Errorf("refused from %s: status %d", page, code)
		}
		if code, to, _ := budgetAsk(s, id, "", page, url.Values{"limit": {"1"}}); code != 303 || !strings.HasSuffix(to, "/publish/"+page+"#budget") {
			t.Errorf("from %s: status %d, to %q", page, code, to)
		}
	}
}

// TestARefusedBudgetKeepsItsTick checks that a number that cannot be read can be corrected
// without confirming again, and that a refusal ticks nothing.
func TestARefusedBudgetKeepsItsTick(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(4))
	s := newServer(t, projects)
	for confirm, want := range map[string]bool{"yes": true, "": false} {
		_, _, body := budgetAsk(s, id, "", "counts", url.Values{"limit": {"x"}, "confirm": {confirm}})
		if got := strings.Contains(body, `name="confirm" value="yes" checked`); got != want {
			t.Errorf("confirm %q: ticked %t", confirm, got)
		}
	}
}

// Raising the budget keeps the entries of the other form, which may be the reason to raise
// it.
func TestARaisedBudgetKeepsWhatIsTyped(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(4))
	s := newServer(t, projects)
	budgetAsk(s, id, "", "counts", url.Values{"limit": {"1"}})
	for page, name := range map[string]string{"counts": "dimensions", "sequences": "alphabet", "questions": "question"} {
		raise := url.Values{"limit": {"1"}, "reason": {"the board agreed"}, name: {"typed before"}}
		if code, _, body := budgetAsk(s, id, "/raise", page, raise); code != 422 || !strings.Contains(body, ">typed before</textarea>") {
			t.Errorf("%s, refused: status %d", page, code)
		}
	}
	code, _, body := budgetAsk(s, id, "/raise", "questions", url.Values{"limit": {"2"}, "reason": {"the board agreed"}, "question": {"typed before"}})
	if code != 200 || !strings.Contains(body, ">typed before</textarea>") || !strings.Contains(body, "Raised from 1 to 2") {
		t.Errorf("raised: status %d", code)
	}
}

func TestRaisingTheBudgetKeepsWhatIsTypedOnThePage(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(4))
	budgetAsk(newServer(t, projects), id, "", "counts", url.Values{"limit": {"1"}})
	v := openBrowser(t, account.Broker, projects)
	v.Open(v.Base + "/p/" + string(id) + "/publish/counts")
	v.Type("#dimensions", "sex: F, M")
	v.Eval(`document.querySelector("#limit").closest("details").open = true`, nil)
	v.Type("#limit", "2")
	v.Type("#reason", "the board agreed")
	v.Focus(`form[action$="/raise"] input[name="confirm"]`)
	v.Press("Space", "Enter")
	v.WaitText("dl.budget", "ε 2")
	if typed := v.Value("#dimensions"); typed != "sex: F, M" {
		t.Errorf("the categories are %q", typed)
	}
}

func TestABoxTickedInTheOtherFormIsNoConsentToRaiseTheBudget(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(4))
	budgetAsk(newServer(t, projects), id, "", "counts", url.Values{"limit": {"1"}})
	v := openBrowser(t, account.Broker, projects)
	v.Open(v.Base + "/p/" + string(id) + "/publish/counts")
	v.Type("#dimensions", "sex: F, M")
	v.Type("#source", "admission form")
	v.Focus("#epsilon")
	v.Press("Control+a")
	v.Type("#epsilon", "0.25")
	v.Focus(`button[value="check"]`)
	v.Press("Enter")
	v.WaitText("#estimate", "2 cells")
	v.Focus(`#ask input[name="confirm"]`)
	v.Press("Space")
	v.Eval(`document.querySelector("#limit").closest("details").open = true`, nil)
	v.Type("#limit", "2")
	v.Type("#reason", "the board agreed")
	v.Expect("422")
	v.Press("Enter")
	v.WaitText(".notice.error", "ick the box to confirm")
	v.WaitText("dl.budget", "ε 1")
}

func TestOpeningAPageOpensNoBudget(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(4))
	s := newServer(t, projects)
	for _, page := range []string{"counts", "sequences"} {
		if w := s.Get(account.Broker, "/p/"+string(id)+"/publish/"+page); w.Code != 200 || !strings.Contains(w.Body.String(), "No privacy budget is set") {
			t.Errorf("%s: status %d", page, w.Code)
		}
	}
	b, err := projects.Budget(t.Context(), webtest.As(account.Broker), id)
	if err != nil || b.Open {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestABudgetIsRaisedWithAReasonThatThePageShows(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(4))
	s := newServer(t, projects)
	budgetAsk(s, id, "", "counts", url.Values{"limit": {"1"}})
	for name, fields := range map[string]url.Values{
		"reason":  {"limit": {"2"}},
		"raised":  {"limit": {"0.5"}, "reason": {"the board agreed in May"}},
		"confirm": {"limit": {"2"}, "reason": {"the board agreed in May"}, "confirm": {""}},
	} {
		if code, _, body := budgetAsk(s, id, "/raise", "counts", fields); code != 422 || !strings.Contains(body, name) {
			t.Errorf("%s: status %d", name, code)
		}
	}
	if code, _, _ := budgetAsk(s, id, "/raise", "counts", url.Values{"limit": {"2"}, "reason": {"the board agreed in May"}}); code != 303 {
		t.Fatalf("status %d", code)
	}
	if w := s.Get(account.Broker, "/p/"+string(id)+"/publish/counts"); !strings.Contains(w.Body.String(), "Raised from 1 to 2") || !strings.Contains(w.Body.String(), "the board agreed in May") {
		t.Error("the page does not say that it was raised")
	}
}

// TestThePageAsksWhyABudgetIsOpenedAfterARestore checks the field for the reason, that a
// refusal keeps it, and that the history shows it.
func TestThePageAsksWhyABudgetIsOpenedAfterARestore(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(4))
	if body := newServer(t, projects).Get(account.Broker, "/p/"+string(id)+"/publish/counts").Body.String(); strings.Contains(body, `name="despite"`) {
		t.Error("a reason is asked where nothing was restored")
	}
	projects, id = webtest.RealNotes(t, restoredData(t), webtest.CohortNotes(4))
	s := newServer(t, projects)
	page := func() string { return s.Get(account.Broker, "/p/"+string(id)+"/publish/counts").Body.String() }
	if body := page(); !strings.Contains(body, `name="despite"`) || !strings.Contains(body, "not known here") {
		t.Error("no reason is asked")
	}
	if code, _, body := budgetAsk(s, id, "", "counts", url.Values{"limit": {"1"}}); code != 422 || !strings.Contains(body, `role="alert"`) {
		t.Errorf("without a reason: status %d", code)
	}
	if code, _, body := budgetAsk(s, id, "", "counts", url.Values{"limit": {"1"}, "despite": {"short"}}); code != 422 || !strings.Contains(body, `value="short"`) {
		t.Errorf("with a short one: status %d", code)
	}
	if code, _, _ := budgetAsk(s, id, "", "counts", url.Values{"limit": {"1"}, "despite": {"nothing was published since"}}); code != 303 {
		t.Fatalf("status %d", code)
	}
	if body := page(); !strings.Contains(body, "Opened although a backup was restored") || !strings.Contains(body, "nothing was published since") {
		t.Error("the page does not show the reason")
	}
}

// restoredData is a folder whose "data" was restored from a backup.
func restoredData(t *testing.T) (dir string) {
	t.Helper()
	from := store.Options{Dir: filepath.Join(t.TempDir(), "from"), Create: true}
	st, err := store.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	var backup bytes.Buffer
	if err := errors.Join(st.Backup(t.Context(), &backup), st.Close()); err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	key, err := os.ReadFile(from.Dir + ".key")
	if err := errors.Join(err, os.WriteFile(filepath.Join(dir, "data.key"), key, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := store.Restore(&backup, store.Options{Dir: filepath.Join(dir, "data")}); err != nil {
		t.Fatal(err)
	}
	return dir
}
