// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/browsertest"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/sanitize"
)

// visited is a server on a loopback port with a browser signed in.
type visited struct {
	*browsertest.Browser
	base     string
	requests atomic.Int64 // pages and fragments asked for, without files and live connections
}

// visitAs serves projects and signs a browser in with the role.
func visitAs(t *testing.T, projects allProjects, role account.Role) *visited {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	v := &visited{base: "http://" + l.Addr().String()}
	s, err := New(Config{Accounts: fakeAccounts{}, Projects: projects, Legacy: projects, Features: everything(projects), PublicOrigin: v.base, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/static/") && r.Header.Get("Upgrade") == "" {
			v.requests.Add(1)
		}
		s.Handler().ServeHTTP(w, r)
	})
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: handler}}
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(s.stopLive)
	v.Browser = browsertest.Start(t)
	v.SetCookie(v.base, s.cookie, string(role))
	return v
}

// liveSanitize is a fake whose run a test replaces while the page is open.
type liveSanitize struct {
	*fakeSanitize
	mu  sync.Mutex // guards now
	now *sanitize.Run
}

func (f *liveSanitize) Run(context.Context, account.User, project.ID, int) (*sanitize.Run, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now, nil
}

func (f *liveSanitize) become(r *sanitize.Run) {
	f.mu.Lock()
	f.now = r
	f.mu.Unlock()
	f.events <- project.Event{Project: "p1", Topic: project.TopicSanitize}
}

func TestSliderAnswersByKeyboardWithoutARequest(t *testing.T) {
	v := visitAs(t, newFakeSanitize(madePaperRun()), account.Broker)
	v.Open(v.base + "/p/p1/sanitize")
	v.Wait("live connection", `!document.getElementById("live-state") || document.getElementById("live-state").hidden`)
	v.WaitText("#lc-out", "10")
	before := v.requests.Load()
	was := v.Text(".sanitize-words > section:not([hidden]) .say")
	v.Focus("#lc")
	v.Press("ArrowRight", "ArrowRight")
	v.WaitText("#lc-out", "50")
	if now := v.Text(".sanitize-words > section:not([hidden]) .say"); now == was || now == "" {
		t.Errorf("figures at L/C 50 are %q, as at 10", now)
	}
	if got := v.Text(".sanitize-words > section:not([hidden]) h2"); got != "With L/C 50" {
		t.Errorf("heading is %q", got)
	}
	if got := v.Count(`.dot.current[data-lc="50"]`); got != 2 { // seen and unseen documents
		t.Errorf("%d points of L/C 50 are marked, want 2", got)
	}
	if got := v.Count(`.dot.current[data-lc]:not([data-lc="50"])`); got != 0 {
		t.Errorf("%d points of another L/C are marked", got)
	}
	if got := v.Attribute("#lc", "aria-valuetext"); got != "L over C 50" {
		t.Errorf("a screen reader says %q", got)
	}
	v.Focus("#budget")
	v.Press("Home")
	v.WaitText("#budget-out", "25")
	v.WaitText(".sanitize-words > section:not([hidden]) .m-ranked:not([hidden])", "the 25 likeliest")
	if after := v.requests.Load(); after != before {
		t.Errorf("the sliders made %d requests", after-before)
	}
	v.Axe()
}

func TestRoundAppearsWithoutReloadAndKeepsTheChoice(t *testing.T) {
	f := &liveSanitize{fakeSanitize: newFakeSanitize(madeRunning()), now: madeRunning()}
	v := visitAs(t, f, account.Broker)
	v.Open(v.base + "/p/p1/sanitize")
	v.Eval(`window.before = true`, nil)
	v.Focus("#lc")
	v.Press("Home", "ArrowRight")
	v.WaitText("#lc-out", "2")
	v.WaitText("#sanitize-progress", "training fold 3 of 4")
	v.Eval(`document.querySelector('[data-part-lc="2"] .panels ~ details').open = true`, nil)
	next := madeRunning()
	next.Choices[1].Rounds = madeResult(2, 2).Rounds[:2]
	next.Progress = sanitize.Progress{Doing: "L/C 2, round 3: training fold 1 of 4", Share: 0.4}
	f.become(next)
	v.WaitText("#sanitize-progress", "round 3")
	v.Wait("second round in the table", `document.querySelectorAll('[data-part-lc="2"] .panels ~ details tbody tr').length === 2`)
	v.WaitText(".sanitize-words > section:not([hidden]) h2", "With L/C 2")
	v.WaitText(".sanitize-words > section:not([hidden])", "113 of 980 names")
	var same bool
	v.Eval(`window.before === true && document.activeElement.id === "lc" && document.querySelector('[data-part-lc="2"] .panels ~ details').open`, &same)
	if !same {
		t.Error("the page was reloaded, the slider lost the focus, or what was unfolded is folded")
	}
	v.Axe()
	v.Shots("sanitize-running")
}

// Whoever has not chosen an L/C sees the usual one in the end, and that another run
// may begin.
func TestSliderFollowsARunUntilSomebodyChooses(t *testing.T) {
	running := madeRunning()
	for i := range running.Choices {
		running.Choices[i] = sanitize.Result{LC: running.Choices[i].LC}
	}
	f := &liveSanitize{fakeSanitize: newFakeSanitize(running), now: running}
	v := visitAs(t, f, account.Broker)
	v.Open(v.base + "/p/p1/sanitize")
	v.WaitText("#lc-out", "1")
	v.Wait("it is said that the run has to end", `document.getElementById("start-waits").textContent.includes("run 4 has to end first")`)
	done := madeRun()
	done.Number = running.Number
	f.runs[0] = done
	f.become(done)
	f.events <- project.Event{Project: "p1", Topic: project.TopicRuns}
	v.WaitText("#lc-out", "10")
	v.WaitText(".sanitize-words > section:not([hidden]) h2", "With L/C 10")
	v.Wait("another run may begin", `document.getElementById("start-waits").hidden`)
	v.Focus("#lc")
	v.Press("Home")
	v.Eval(`document.activeElement.blur()`, nil)
	f.become(done)
	v.WaitText("#lc-out", "1")
}

func TestSanitizePagesAreAccessible(t *testing.T) {
	other, third := madePaperRun(), madeRunning()
	other.Name, other.Changed = "by the book", true
	f := madePublish()
	f.runs = append(f.runs, other, third)
	v := visitAs(t, f, account.Broker)
	for _, page := range []struct{ name, path string }{
		{"sanitize", "/p/p1/sanitize"},
		{"sanitize-compare", "/p/p1/sanitize/3?with=2&with=4&lc=20"},
		{"sanitize-paper", "/p/p1/sanitize/2"},
		{"publish", "/p/p1/publish"},
		{"release", "/p/p1/releases/1"},
	} {
		v.Open(v.base + page.path)
		v.Axe()
		v.Shots(page.name)
	}
}

func TestEmptySanitizePagesAreAccessible(t *testing.T) {
	v := visitAs(t, newFakeSanitize(), account.Broker)
	for _, page := range []struct{ name, path string }{{"sanitize-empty", "/p/p1/sanitize"}, {"publish-empty", "/p/p1/publish"}} {
		v.Open(v.base + page.path)
		v.Axe()
		v.Shots(page.name)
	}
}

// The text before the passage holds letters that are one code point and two or
// four bytes, and one of two UTF-16 units.
func TestLeakOpensItsNoteAtItsPlace(t *testing.T) {
	f := newFakeNotes("Zoë 🌡 38.2. " + strings.Repeat("All well. ", 400) + "Seen by Rose today.")
	v := visitAs(t, f, account.Broker)
	start := 12 + 10*400 + len("Seen by ")
	url := placeURL("p1", project.Excerpt{Document: 1, Start: annotate.RuneOff(start), End: annotate.RuneOff(start + 4)})
	v.Open(v.base + string(url))
	v.Wait("the passage is selected", `getSelection().toString() === "Rose"`)
	v.Wait("the passage is in view", `(() => { const box = getSelection().getRangeAt(0).getBoundingClientRect(); return box.top > 0 && box.bottom < innerHeight; })()`)
}

func TestComparingKeepsTheChoice(t *testing.T) {
	v := visitAs(t, newFakeSanitize(madeRun(), madePaperRun()), account.Broker)
	v.Open(v.base + "/p/p1/sanitize/3")
	v.Focus("#lc")
	v.Press("ArrowRight", "ArrowRight")
	v.WaitText("#lc-out", "50")
	v.Focus("#budget")
	v.Press("Home")
	v.Click("#sanitize-runs summary")
	v.Click(`#sanitize-runs a[href*="with=2"]`)
	v.WaitText(".comparison", "run 2")
	v.WaitText("#lc-out", "50")
	v.WaitText("#budget-out", "25")
}

// leakedNotes are notes with a run in which one of their passages leaks.
type leakedNotes struct {
	*fakeNotes
	run *sanitize.Run
}

func (f leakedNotes) Runs(context.Context, account.User, project.ID) ([]sanitize.Run, error) {
	return []sanitize.Run{*f.run}, nil
}

func (f leakedNotes) Run(context.Context, account.User, project.ID, int) (*sanitize.Run, error) {
	return f.run, nil
}

func (leakedNotes) SampleAudits(context.Context, account.User, project.ID) ([]audit.Audit, audit.Drawing, error) {
	return nil, audit.Drawing{}, nil
}

func TestLeakIsReachedAndLeftByKeyboard(t *testing.T) {
	run := madeRun()
	at := annotate.RuneOff(len("All well. Seen by "))
	for i := range run.Choices {
		run.Choices[i].Leaks = []project.Excerpt{
			{Document: 1, Start: 0, End: 3, Text: "All", Label: "PATIENT"}, {Document: 1, Start: at, End: at + 4, Text: "Rose", Label: "DOCTOR"},
		}
	}
	v := visitAs(t, leakedNotes{newFakeNotes("All well. Seen by Rose today."), run}, account.Broker)
	v.Open(v.base + "/p/p1/sanitize?lc=20")
	v.Focus("#leaks-20-1-0")
	v.Press("ArrowDown", "Enter")
	v.WaitPath("/p/p1/notes/1")
	v.Wait("the passage is selected", `getSelection().toString() === "Rose"`)
	v.WaitText("#note-back", "Back to the run")
	v.Axe()
	v.Shots("note-from-run")
	v.Press("<")
	v.WaitPath("/p/p1/sanitize")
	v.Wait("the entry has the focus", `document.activeElement.id === "leaks-20-1-18"`)
	v.WaitText("#lc-out", "20")
	v.Press("ArrowUp", "ArrowUp")
	v.Wait("the first entry has the focus", `document.activeElement.id === "leaks-20-1-0"`)
	v.Open(v.base + "/p/p1/notes/1")
	v.Wait("no way back", `document.getElementById("note-back").hidden`)
}

// What is lost in several places is one entry, which the arrow keys lead into once it
// is unfolded, and a note that was opened from it comes back to it.
func TestPlacesOfALostWordAreReachedByKeyboard(t *testing.T) {
	run := madeRun()
	at := annotate.RuneOff(len("All well. Seen by "))
	for i := range run.Choices {
		run.Choices[i].Lost = []project.Excerpt{
			{Document: 1, Start: 0, End: 3, Text: "All", Often: 2}, {Document: 1, Start: at, End: at + 4, Text: "All", Often: 2}, {Document: 1, Start: 4, End: 8, Text: "well", Often: 1},
		}
	}
	v := visitAs(t, leakedNotes{newFakeNotes("All well. Seen by Rose today."), run}, account.Broker)
	v.Open(v.base + "/p/p1/sanitize?lc=20")
	v.Focus("#lost-20-1-4")
	v.Press("ArrowUp")
	v.Wait("the word has the focus", `document.activeElement.matches("summary")`)
	v.Press("Enter", "ArrowDown", "ArrowDown")
	v.Wait("its second place has the focus", `document.activeElement.id === "lost-20-1-18"`)
	v.Press("Enter")
	v.WaitPath("/p/p1/notes/1")
	v.Wait("the passage is selected", `getSelection().toString() === "Rose"`)
	v.Press("<")
	v.WaitPath("/p/p1/sanitize")
	v.Wait("the entry has the focus, and stands open", `document.activeElement.id === "lost-20-1-18" && document.activeElement.checkVisibility()`)
	v.Press("ArrowDown")
	v.Wait("the next word has the focus", `document.activeElement.id === "lost-20-1-4"`)
	v.Axe()
	v.Shots("sanitize-lost")
}

// One person starts a run by keyboard; what it finds arrives.
func TestRunIsStartedByKeyboardAndItsRoundsArrive(t *testing.T) {
	projects, id := realProject(t, 16)
	v := visitAs(t, projects, account.Broker)
	v.Open(v.base + "/p/" + string(id) + "/sanitize")
	v.Axe()
	v.TabTo("#lc")
	v.Press("Control+a", "5")
	v.TabTo(".start details:nth-of-type(1) > summary")
	v.Press("Enter")
	v.TabTo(`[name="loss:PATIENT"]`)
	v.Press("Control+a", "3")
	v.TabTo(".start details:nth-of-type(2) > summary")
	v.Press("Enter")
	v.TabTo(`[name="learners"][value="bayes"]`)
	v.Press("Space")
	v.Shots("sanitize-form")
	v.Size(1280, 800)
	v.TabTo(".start button.primary")
	v.Press("Enter")
	v.WaitPath("/p/" + string(id) + "/sanitize/1")
	v.WaitText("#sanitize-title", "a leaked PATIENT is 3 times as bad")
	v.WaitText("#sanitize-title", "crf and bayes")
	const patience = 2 * time.Minute
	v.WaitFor("the certificate", `document.querySelectorAll(".certificate tbody tr").length === 2`, patience)
	v.WaitFor("the end of the run", `document.getElementById("sanitize-progress").textContent.includes("Run 1 finished")`, patience)
	v.WaitText(".kinds-left", "PATIENT")
	v.WaitText(".certificate", "pays any more")
	v.WaitText(".panels ~ details", "The same numbers")
	v.Axe()
	v.Legible()
	v.Shots("sanitize-real")
}
