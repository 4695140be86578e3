// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/web/webtest"
)

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
	f.Events <- project.Event{Project: "p1", Topic: project.TopicSanitize}
}

func TestSliderAnswersByKeyboardWithoutARequest(t *testing.T) {
	r := webtest.MadePaperRun()
	r.Name, r.Changed = "by the book", true
	v := openBrowser(t, account.Broker, newFakeSanitize(r))
	v.Open(v.Base + "/p/p1/sanitize")
	v.Wait("live connection", `!document.getElementById("live-state") || document.getElementById("live-state").hidden`)
	v.WaitText("#shown-lc-out", "10")
	before := v.Requests.Load()
	was := v.Text(".sanitize-lead > section:not([hidden]) .say.m-kept")
	v.Focus("#shown-lc")
	v.Press("ArrowRight", "ArrowRight")
	v.WaitText("#shown-lc-out", "50")
	if now := v.Text(".sanitize-lead > section:not([hidden]) .say.m-kept"); now == was || now == "" {
		t.Errorf("figures at L/C 50 are %q, as at 10", now)
	}
	if got := v.Text(".sanitize-lead > section:not([hidden]) h2"); got != "With L/C 50" {
		t.Errorf("heading is %q", got)
	}
	if got := v.Count(`.dot.current[data-lc="50"]`); got != 2 { // seen and unseen documents
		t.Errorf("%d points of L/C 50 are marked, want 2", got)
	}
	if got := v.Count(`.dot.current[data-lc]:not([data-lc="50"])`); got != 0 {
		t.Errorf("%d points of another L/C are marked", got)
	}
	if got := v.Attribute("#shown-lc", "aria-valuetext"); got != "L over C 50" {
		t.Errorf("a screen reader says %q", got)
	}
	v.Focus("#shown-budget")
	v.Press("Home")
	v.WaitText("#shown-budget-out", "25")
	v.WaitText(".sanitize-lead > section:not([hidden]) .say span:not([hidden])", "An attacker who inspects 25 words finds")
	if after := v.Requests.Load(); after != before {
		t.Errorf("the sliders made %d requests", after-before)
	}
	v.Axe()
	v.Shots("sanitize-paper")
}

func TestRoundAppearsWithoutReloadAndKeepsTheChoice(t *testing.T) {
	f := &liveSanitize{fakeSanitize: newFakeSanitize(webtest.MadeRunning()), now: webtest.MadeRunning()}
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/sanitize")
	v.Eval(`window.before = true`, nil)
	v.Focus("#shown-lc")
	v.Press("Home", "ArrowRight")
	v.WaitText("#shown-lc-out", "2")
	v.WaitText("#sanitize-progress", "training fold 3 of 4")
	v.Eval(`document.querySelector('[data-part-lc="2"] .panels ~ details').open = true`, nil)
	next := webtest.MadeRunning()
	next.Choices[1].Rounds = webtest.MadeResult(2, 2).Rounds[:2]
	next.Progress = sanitize.Progress{Doing: "L/C 2, round 3: training fold 1 of 4", Share: 0.4}
	f.become(next)
	v.WaitText("#sanitize-progress", "round 3")
	v.Wait("second round in the table", `document.querySelectorAll('[data-part-lc="2"] .panels ~ details tbody tr').length === 2`)
	v.WaitText(".sanitize-lead > section:not([hidden]) h2", "With L/C 2")
	v.WaitText(".sanitize-lead > section:not([hidden])", "113 of 980 identifiers")
	var same bool
	v.Eval(`window.before === true && document.activeElement.id === "shown-lc" && document.querySelector('[data-part-lc="2"] .panels ~ details').open`, &same)
	if !same {
		t.Error("the page was reloaded, the slider lost the focus, or what was unfolded is folded")
	}
	v.Axe()
	v.Shots("sanitize-running")
}

// A reader who has not chosen an L/C sees the usual one in the end, and that another run
// may begin.
func TestSliderFollowsARunUntilSomebodyChooses(t *testing.T) {
	running := webtest.MadeRunning()
	for i := range running.Choices {
		running.Choices[i] = sanitize.Result{LC: running.Choices[i].LC}
	}
	f := &liveSanitize{fakeSanitize: newFakeSanitize(running), now: running}
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/sanitize")
	v.WaitText("#shown-lc-out", "1")
	v.Wait("it is said that the run has to end", `document.getElementById("start-waits").textContent.includes("wait until run 4 has ended")`)
	done := webtest.MadeRun()
	done.Number = running.Number
	f.RunList[0] = done
	f.become(done)
	f.Events <- project.Event{Project: "p1", Topic: project.TopicRuns}
	v.WaitText("#shown-lc-out", "10")
	v.WaitText(".sanitize-lead > section:not([hidden]) h2", "With L/C 10")
	v.Wait("another run may begin", `document.getElementById("start-waits").hidden`)
	v.Focus("#shown-lc")
	v.Press("Home")
	v.Eval(`document.activeElement.blur()`, nil)
	f.become(done)
	v.WaitText("#shown-lc-out", "1")
}

// Other tests look at the pages that they use.
func TestSanitizePagesAreAccessible(t *testing.T) {
	other, third, alarm := webtest.MadePaperRun(), webtest.MadeRunning(), foretoldRun()
	other.Name, other.Changed, alarm.Number = "by the book", true, 5
	f := newFakeSanitize(webtest.MadeRun(), other, third, alarm)
	v := openBrowser(t, account.Broker, f)
	for _, page := range []struct{ name, path string }{
		{"sanitize-compare", "/p/p1/sanitize/3?with=2&with=4&lc=20"},
		{"sanitize-alarm", "/p/p1/sanitize/5"},
	} {
		v.Open(v.Base + page.path)
		v.Axe()
		v.Shots(page.name)
	}
}

func TestEmptySanitizePagesAreAccessible(t *testing.T) {
	v := openBrowser(t, account.Broker, newFakeSanitize())
	v.Open(v.Base + "/p/p1/sanitize")
	for _, width := range []int{1280, 390} {
		v.Size(width, 800)
		inView(t, v, width, ".start button.primary")
	}
	v.Axe()
	v.Shots("sanitize-empty")
}

// inView fails where an element is not wholly in the window, at the top of the page.
func inView(t *testing.T, v *webtest.Browser, width int, selector string) {
	t.Helper()
	var bottom float64
	v.Eval(`scrollTo(0, 0); document.querySelector('`+selector+`').getBoundingClientRect().bottom`, &bottom)
	if bottom <= 0 || bottom > 800 {
		t.Errorf("%d px wide, %s ends at %g of 800", width, selector, bottom)
	}
}

// The first results are few words; the rest is folded and complete.
func TestResultsLeadWithFewWordsAndAnotherRunIsOneButtonAway(t *testing.T) {
	v := openBrowser(t, account.Broker, newFakeSanitize(webtest.MadeRun()))
	for _, width := range []int{1280, 390} {
		v.Size(width, 800)
		v.Open(v.Base + "/p/p1/sanitize")
		var words int
		v.Eval(`document.querySelector(".sanitize-head").innerText.concat(" ", document.querySelector(".sanitize-lead").innerText).split(/\s+/).length`, &words)
		if words > 150 {
			t.Errorf("%d words before the first fold", words)
		}
		inView(t, v, width, ".sanitize-lead > section:not([hidden]) .use button")
		inView(t, v, width, ".start > summary")
		v.Click(".start > summary")
		inView(t, v, width, ".start form button.primary")
	}
	v.Shots("sanitize-another")
	v.Eval(`document.querySelectorAll("details").forEach(d => { d.open = true })`, nil)
	v.Axe()
	v.Shots("sanitize-unfolded")
}

// growing is a fake that gets runs while the page is open.
type growing struct {
	*fakeSanitize
	mu  sync.Mutex // guards all
	all []*sanitize.Run
}

func (f *growing) add(r *sanitize.Run) {
	f.mu.Lock()
	f.all = append([]*sanitize.Run{r}, f.all...)
	f.mu.Unlock()
	f.Events <- project.Event{Project: "p1", Topic: project.TopicRuns}
}

// now is a fake that does not change any more.
func (f *growing) now() *webtest.Published {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &webtest.Published{RunList: slices.Clone(f.all)}
}

func (f *growing) Runs(ctx context.Context, by account.User, id project.ID) ([]sanitize.Run, error) {
	return f.now().Runs(ctx, by, id)
}

func (f *growing) NewestRun(ctx context.Context, by account.User, id project.ID) (int, error) {
	return f.now().NewestRun(ctx, by, id)
}

func (f *growing) Run(ctx context.Context, by account.User, id project.ID, number int) (*sanitize.Run, error) {
	return f.now().Run(ctx, by, id, number)
}

// A page whose address names no run shows the first run as it starts, and then the next one.
func TestOpenPageFollowsTheNewestRun(t *testing.T) {
	f := &growing{fakeSanitize: newFakeSanitize()}
	v := openBrowser(t, account.Reviewer, f)
	v.Open(v.Base + "/p/p1/sanitize")
	v.WaitText("#sanitize-lead", "Nothing has been measured yet")
	v.Wait("live connection", `document.getElementById("live-state").dataset.connected === "true"`)
	for _, next := range []*sanitize.Run{webtest.MadeRun(), webtest.MadeRunning()} {
		f.add(next)
		v.WaitText("#sanitize-title", runName(next))
		v.WaitText(".sanitize-lead > section:not([hidden])", "would stay readable")
		v.Wait("figures in place of nothing, and no newer run", `!document.querySelector(".sanitize-empty, #sanitize-runs .notice")`)
	}
	v.Focus("#shown-lc")
	v.Press("Home")
	v.WaitText(".sanitize-lead > section:not([hidden]) h2", "With L/C 1")
	v.Axe()
}

func TestComparingKeepsTheChoice(t *testing.T) {
	v := openBrowser(t, account.Broker, newFakeSanitize(webtest.MadeRun(), webtest.MadePaperRun()))
	v.Open(v.Base + "/p/p1/sanitize/3")
	v.Shots("sanitize")
	v.Focus("#shown-lc")
	v.Press("ArrowRight", "ArrowRight")
	v.WaitText("#shown-lc-out", "50")
	v.Focus("#shown-budget")
	v.Press("Home")
	v.Click("#sanitize-runs summary")
	v.Click(`#sanitize-runs a[href*="with=2"]`)
	v.WaitText(".comparison", "run 2")
	v.WaitText("#shown-lc-out", "50")
	v.WaitText("#shown-budget-out", "25")
}

// One person starts a run by keyboard; what it finds arrives.
func TestRunIsStartedByKeyboardAndItsRoundsArrive(t *testing.T) {
	projects, id := webtest.RealProject(t, 16)
	v := openBrowser(t, account.Broker, projects)
	v.Open(v.Base + "/p/" + string(id) + "/sanitize")
	v.TabTo(".advanced > summary")
	v.Press("Enter")
	v.TabTo("#lc")
	v.Press("Control+a", "1", "0")
	v.TabTo(".advanced .options:nth-of-type(1) > summary")
	v.Press("Enter")
	v.TabTo(`[name="loss:PATIENT"]`)
	v.Press("Control+a", "3")
	v.TabTo(".advanced .options:nth-of-type(2) > summary")
	v.Press("Enter")
	v.TabTo(`[name="learners"][value="bayes"]`)
	v.Press("Space")
	v.WaitText(".advanced > summary", "changed: Values of L/C to try, Cost of missed PHI, by label, Learners of the attackers")
	v.Shots("sanitize-form")
	v.Size(1280, 800)
	v.TabTo(".start button.primary")
	v.Press("Enter")
	v.WaitPath("/p/" + string(id) + "/sanitize/1")
	v.WaitText("#sanitize-title", "a missed PATIENT is 3 times as bad")
	v.WaitText("#sanitize-title", "crf and bayes")
	const patience = 2 * time.Minute
	v.WaitFor("the certificate", `document.querySelectorAll(".certificate tbody tr").length === 2`, patience)
	v.WaitFor("the end of the run", `document.getElementById("sanitize-progress").textContent.includes("Run 1 finished")`, patience)
	v.Eval(`document.querySelectorAll(".result").forEach(d => { d.open = true })`, nil)
	v.WaitText(".kinds-left", "PATIENT")
	v.WaitText(".certificate", "profitable any more")
	v.WaitText(".panels ~ details", "The same numbers")
	v.Axe()
	v.Legible()
	v.Shots("sanitize-real")
}
