// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/web/outcome"
	"hide/web/ui"
	"hide/web/webtest"
)

// shownParts lists the L/C whose parts are not hidden.
func shownParts(html string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`data-part-lc="([^"]*)"( hidden)?`).FindAllStringSubmatch(html, -1) {
		if m[2] == "" && !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	return out
}

func TestLinkShowsItsLCWithoutJavaScript(t *testing.T) {
	s := newServer(t, newFakeSanitize(webtest.MadeRun()))
	for query, want := range map[string]string{"": "10", "?lc=50": "50", "?lc=1&b=25": "1", "?lc=77": "10", "?lc=words": "10"} {
		body := s.Get(account.Broker, "/p/p1/sanitize"+query).Body.String()
		if got := shownParts(body); !slices.Equal(got, []string{want}) {
			t.Errorf("%q shows the parts of L/C %v, want %s", query, got, want)
		}
		if !strings.Contains(body, `data-pick-lc="`+want+`" aria-current="true"`) {
			t.Errorf("%q: L/C %s is not current", query, want)
		}
	}
}

func TestRunRemembersTheChosenLC(t *testing.T) {
	r := webtest.MadeRun()
	r.Chosen = 5
	body := newServer(t, newFakeSanitize(r)).Get(account.Broker, "/p/p1/sanitize/3").Body.String()
	if got := shownParts(body); !slices.Equal(got, []string{"5"}) {
		t.Errorf("shown are %v, want the chosen 5", got)
	}
}

func TestReviewerSeesFiguresAndNoText(t *testing.T) {
	s := newServer(t, newFakeSanitize(webtest.MadeRun()))
	w := s.Get(account.Reviewer, "/p/p1/sanitize")
	body := w.Body.String()
	if w.Code != http.StatusOK || !strings.Contains(body, "34 of 980 identifiers in 216 notes would stay readable, upper bound 58.") {
		t.Fatalf("status %d, or no figures", w.Code)
	}
	for _, forbidden := range []string{"harbour master", "metoprolol", "/notes/", "Choose L/C", "Start another run", "Cancel the run"} {
		if strings.Contains(body, forbidden) {
			t.Errorf("a reviewer is shown %q", forbidden)
		}
	}
	if !strings.Contains(s.Get(account.Broker, "/p/p1/sanitize").Body.String(), "harbour master") {
		t.Error("a broker is not shown what would leak")
	}
}

func TestChartSaysWhatItsBoundsAllowFor(t *testing.T) {
	v := view{Run: webtest.MadeRun()}
	v.choose(10)
	html := webtest.Rendered(t, frontierFigure(v))
	if at := strings.Index(html, "shrink with more finished notes, and hardly with L/C"); at < 0 || at > strings.Index(html, "<svg") {
		t.Errorf("the sentence stands at %d", at)
	}
}

func TestReviewersLivePartHoldsNoText(t *testing.T) {
	h := New(newFakeSanitize(webtest.MadeRun()))
	for _, p := range h.Parts() {
		html := webtest.LivePart(t, h, account.Reviewer, p.Name, url.Values{"run": {"3"}})
		if strings.Contains(html, "harbour master") {
			t.Errorf("part %s holds text", p.Name)
		}
		if want := `id="` + strings.TrimPrefix(p.Target, "#") + `"`; !strings.Contains(html, want) {
			t.Errorf("part %s renders no element %s", p.Name, p.Target)
		}
	}
}

func sanitizeValues() url.Values {
	v := url.Values{"mode": {string(greedy.Default)}, "lc": {"10, 1 5"}, "folds": {"4"}, "learners": {"crf", "bayes"}, "first": {"none"}}
	for _, l := range annotate.I2B2() {
		v.Add("sensitive", string(l.Label))
	}
	return v
}

func TestStartAsksForWhatTheFormSays(t *testing.T) {
	f := newFakeSanitize()
	w := newServer(t, f).Post(account.Broker, "/p/p1/sanitize", sanitizeValues())
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/p/p1/sanitize/7" {
		t.Fatalf("status %d to %q", w.Code, w.Header().Get("Location"))
	}
	got := f.started[0]
	if got.Mode != greedy.Default || !slices.Equal(got.LC, []float64{1, 5, 10}) || got.Folds != 4 || got.Labels != nil {
		t.Errorf("started %+v", got)
	}
	if !slices.Equal(got.Learners, []string{"crf", "bayes"}) || got.First != "none" || got.LossByLabel != nil {
		t.Errorf("started %+v", got)
	}
	some := sanitizeValues()
	some["sensitive"] = []string{"PATIENT"}
	newServer(t, f).Post(account.Broker, "/p/p1/sanitize", some)
	if got := f.started[1].Labels; !slices.Equal(got, []annotate.Label{"PATIENT"}) {
		t.Errorf("sensitive are %v", got)
	}
}

func TestStartRefusesWithAReason(t *testing.T) {
	for _, c := range []struct{ name, field, value, want string }{
		{"no L/C", "lc", " , ", "Enter at least one value, such as 1, 10, 100."},
		{"word", "lc", "1, ten", "Enter numbers above 0 and at most 1,000,000,000, such as 1, 10, 100."},
		{"one or several", "lc", "0,5", "&#34;0,5&#34; may be one number or several"},
		{"too great", "lc", "1, 1e10", "Enter numbers above 0"},
		{"zero", "lc", "0", "Enter numbers above 0"},
		{"NaN", "lc", "NaN", "Enter numbers above 0"},
		{"infinite", "lc", "Inf", "Enter numbers above 0"},
		{"too many", "lc", strings.Join(numbersTo(sanitize.MaxLCs+1), " "), "41 values are too many: enter at most 40."},
		{"one fold", "folds", "1", "Enter a whole number from 2 to 20."},
		{"mode", "mode", "magic", "Unknown value &#34;magic&#34;; choose from default, paper, cost."},
		{"no label", "sensitive", "", "Choose at least one."},
		{"no attacker", "learners", "", "Choose at least one."},
		{"loss in words", "loss:PATIENT", "three", "PATIENT: enter a number from 0 to 1,000."},
		{"loss below 0", "loss:PATIENT", "-1", "PATIENT: enter a number from 0"},
		{"loss NaN", "loss:DATE", "NaN", "DATE: enter a number from 0"},
		{"loss too great", "loss:DATE", "1001", "DATE: enter a number from 0"},
		{"cost in words", "cost:number", "two", "Number: enter a number from 0.001 to 1,000."},
		{"cost of nothing", "cost:punctuation", "0", "Punctuation: enter a number"},
		{"cost below 0", "cost:common", "-1", "Common: enter a number"},
		{"cost NaN", "cost:other", "NaN", "Other: enter a number"},
		{"cost too great", "cost:other", "1001", "Other: enter a number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFakeSanitize()
			v := sanitizeValues()
			v.Set(c.field, c.value)
			if c.value == "" {
				v.Del(c.field)
			}
			w := newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v)
			if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("status %d, and no %q", w.Code, c.want)
			}
			if len(f.started) != 0 {
				t.Error("a run was started")
			}
		})
	}
}

func TestFormIsShownAgainAsTyped(t *testing.T) {
	v := sanitizeValues()
	v.Set("lc", "3 <apples>")
	body := newServer(t, newFakeSanitize()).Post(account.Broker, "/p/p1/sanitize", v).Body.String()
	if !strings.Contains(body, `value="3 &lt;apples&gt;"`) {
		t.Error("what was typed is lost")
	}
}

func TestChoosingAnLCLeadsToPublishing(t *testing.T) {
	f := newFakeSanitize(webtest.MadeRun())
	w := newServer(t, f).Post(account.Broker, "/p/p1/sanitize/3/choose", url.Values{"lc": {"2.5"}})
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/p/p1/publish?bundle=2" || !slices.Equal(f.chosen, []float64{2.5}) {
		t.Errorf("status %d to %q, chosen %v", w.Code, w.Header().Get("Location"), f.chosen)
	}
}

func TestOnlyThoseWhoMaySanitizeAct(t *testing.T) {
	f := withBundles()
	s := newServer(t, f)
	for _, role := range []account.Role{account.Reviewer, account.Annotator} {
		for _, path := range []string{"/p/p1/sanitize", "/p/p1/sanitize/cancel", "/p/p1/sanitize/3/choose"} {
			if w := s.Post(role, path, sanitizeValues()); w.Code != http.StatusForbidden {
				t.Errorf("%s posts to %s: status %d", role, path, w.Code)
			}
		}
	}
	if len(f.started)+len(f.chosen) > 0 {
		t.Error("something was done")
	}
}

func TestUnknownRunIsNotFound(t *testing.T) {
	s := newServer(t, newFakeSanitize(webtest.MadeRun()))
	for _, path := range []string{"/p/p1/sanitize/99", "/p/p1/sanitize/0", "/p/p1/sanitize/x", "/p/p1/sanitize/3?with=99"} {
		if w := s.Get(account.Broker, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
}

func TestSliderCoversEveryLCAskedForAndReadsAheadOfTheRun(t *testing.T) {
	body := newServer(t, newFakeSanitize(webtest.MadeRunning())).Get(account.Broker, "/p/p1/sanitize?lc=100").Body.String()
	for _, want := range []string{
		`id="shown-lc" min="0" max="6" step="1" value="6"`,
		"The run has not reached L/C 100 yet.",
		"L/C 2 is not finished: these are the figures after 1 round.",
		"L/C 2, round 2: training fold 3 of 4.",
		`<progress max="1" value="0.210"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(body, "Choose L/C") {
		t.Error("a running run can be chosen from")
	}
}

func TestPapersModeShowsUnseenDocumentsFirst(t *testing.T) {
	body := newServer(t, newFakeSanitize(webtest.MadePaperRun())).Get(account.Broker, "/p/p1/sanitize").Body.String()
	unseen, seen := strings.Index(body, "In unseen notes"), strings.Index(body, "In the training notes")
	if unseen < 0 || seen < unseen {
		t.Errorf("unseen at %d, seen at %d", unseen, seen)
	}
}

// No step leads to an L/C that the slider does not have.
func TestTheLargestLCLeadsToAnotherRun(t *testing.T) {
	r := webtest.MadeRun()
	v := view{Run: r}
	says := func(at int) string { return v.next(r.Choices[at], true).says }
	last := len(r.Choices) - 1
	for _, paying := range []bool{false, true} {
		r.Choices[0].Certificate[0].Pays, r.Choices[last].Certificate[0].Pays = paying, paying
		if !strings.Contains(says(0), "move the slider to a larger L/C") {
			t.Errorf("the smallest: %q", says(0))
		}
		if got := says(last); strings.Contains(got, "slider") || !strings.Contains(got, "start another run with larger values of L/C, under Advanced") {
			t.Errorf("the largest: %q", got)
		}
	}
}

// The number of notes of a run may differ from the number behind its figures.
func TestARunSaysWhichNotesItsFiguresComeFrom(t *testing.T) {
	r := webtest.MadeRun()
	r.Random, r.Measured = 200, 200
	body := newServer(t, newFakeSanitize(r)).Get(account.Reviewer, "/p/p1/sanitize").Body.String()
	if !strings.Contains(body, "216 notes (figures from the 200 of the random sample)") {
		t.Error("the title does not say it")
	}
}

func TestWarningsStandOverTheFigures(t *testing.T) {
	r := webtest.MadeRun()
	r.Random = 30
	var b strings.Builder
	if err := outcome.Warnings(r.Warnings()).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "Before you trust these figures") || !strings.Contains(b.String(), "The random sample has 30 of the 216 finished notes") {
		t.Errorf("the notice says %q", b.String())
	}
}

func TestARunOfSomeKindsSaysSoWhereItIsRead(t *testing.T) {
	r := webtest.MadeRun()
	r.Params.Labels, r.Uncounted = []annotate.Label{"FAX"}, 1476
	s := newServer(t, newFakeSanitize(r))
	body := s.Get(account.Reviewer, "/p/p1/sanitize").Body.String()
	for _, want := range []string{"34 of 980 FAX in 216 notes would stay readable", "1,476 marked passages with other labels stay readable.", "216 notes; counts only FAX, ", "Only passages marked as FAX count as identifiers here."} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	for want, labels := range map[string][]annotate.Label{"34 of 980 FAX and PHONE in": {"FAX", "PHONE"}, "34 of 980 identifiers of 4 labels in": {"FAX", "PHONE", "AGE", "DATE"}, "34 of 980 identifiers in": nil} {
		r.Params.Labels = labels
		if got := outcome.RemainingWords(r.Params, r.Choices[3].Outcome); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSentencesGiveDenominatorsExpectedAndAtMost(t *testing.T) {
	o := greedy.Outcome{
		LC: 10, Tokens: 15554, Sensitive: 1220, Identifiers: 980, Documents: 216,
		IdentifiersMissed: greedy.Estimate{Value: 7, Low: 3, High: 17, AtMost: 15},
		Residual:          greedy.Estimate{Value: 9, Low: 4, High: 23, AtMost: 20},
		DocumentsWithLeak: greedy.Estimate{Value: 5, Low: 2, High: 12, AtMost: 11},
		NonsensitiveKept:  greedy.Estimate{Value: 0.96, Low: 0.954, High: 0.965},
		FalsePositives:    greedy.Estimate{Value: 573, Low: 500, High: 670, AtMost: 660},
		PublishedRatio:    greedy.Estimate{Value: 0.885},
		Attack:            greedy.Attack{Ranked: map[int]greedy.Estimate{1000: {Value: 7, Low: 2, High: 14, AtMost: 12}}},
	}
	for got, want := range map[string]string{
		outcome.RemainingWords(sanitize.Params{}, o): "7 of 980 identifiers in 216 notes would stay readable, upper bound 15.",
		outcome.PlacesWords(o):                       "That is 9 of 1,220 sensitive words, upper bound 20, in 5 of 216 notes, upper bound 11.",
		outcome.KeptWords(o):                         "96.0 % of non-PHI words are kept [95.4–96.5].",
		outcome.RemovedWords(o):                      "573 of 14,334 non-PHI words would be redacted, upper bound 660.",
		outcome.RankedWords(o, 1000):                 "An attacker who inspects the 1,000 most suspicious of 13,765 published words finds 7 of the sensitive words, upper bound 12; reading as many at random finds 0.7.",
		outcome.RankedWords(o, 25):                   "The ranked attacker has not been run with 25 words.",
	} {
		if got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

// Example 1 of the papers' section 4: of 26 instances 17 are not predicted, 2 of
// those sensitive; B words read at random find B FN/|P|.
func TestReadingAtRandomFindsItsShare(t *testing.T) {
	o := greedy.Outcome{Tokens: 26, PublishedRatio: chart.Exact(17.0 / 26), Residual: chart.Exact(2)}
	for b, want := range map[int]float64{0: 0, 17: 2, 1000: 2} {
		if got := outcome.AtRandom(o, b); got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%d words find %v, want %v", b, got, want)
		}
	}
	if got := outcome.AtRandom(greedy.Outcome{}, 10); got != 0 {
		t.Errorf("nothing published, %v found", got)
	}
}

func TestResultsMatchGoldenFile(t *testing.T) {
	v := view{Project: project.Overview{Project: project.Project{ID: "p1"}}, Run: outcome.SoFar(webtest.MadeRunning())}
	v.choose(2)
	v.chooseBudget(100)
	webtest.Golden(t, "sanitize-results.html", webtest.Rendered(t, results(v)))
}

// numbersTo are 1 to n.
func numbersTo(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i + 1)
	}
	return out
}

func TestUnfinishedLCShowsTheRoundsUsedSoFar(t *testing.T) {
	r := webtest.MadeRunning()
	r.Choices[1].Rounds = webtest.MadeResult(2, 2).Rounds // the third was tried and not used
	if got, want := outcome.SoFar(r).Choices[1].Outcome.IdentifiersMissed, r.Choices[1].Rounds[1].Outcome.IdentifiersMissed; got != want {
		t.Errorf("shown is %v, want %v of round 2", got, want)
	}
	if r.Choices[1].Outcome.Identifiers != 0 {
		t.Error("the run that the service gave was changed")
	}
}

// fewNotes refuses to start, as the service does with too few documents.
type fewNotes struct{ *fakeSanitize }

func (fewNotes) StartSanitize(context.Context, account.User, project.ID, sanitize.Params) (int, error) {
	return 0, &project.Error{Kind: project.Invalid, Message: "sanitizing needs at least 4 finished notes, there are 2", Hint: "finish more notes first"}
}

func TestRefusalOfTheServiceStandsAtTheForm(t *testing.T) {
	w := newServer(t, fewNotes{newFakeSanitize()}).Post(account.Broker, "/p/p1/sanitize", sanitizeValues())
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "there are 2: finish more notes first.") {
		t.Errorf("status %d, or no reason", w.Code)
	}
}

// busyRun refuses to start, as the service does while another run is under way.
type busyRun struct{ *fakeSanitize }

func (busyRun) StartSanitize(context.Context, account.User, project.ID, sanitize.Params) (int, error) {
	return 0, &project.Error{Kind: project.Stale, Message: "run 4 is under way", Hint: "wait for it, or cancel it first"}
}

func TestStartingBesideARunningRunKeepsTheFormAndLeadsThere(t *testing.T) {
	values := sanitizeValues()
	values.Set("lc", "3, 33")
	w := newServer(t, busyRun{newFakeSanitize(webtest.MadeRunning())}).Post(account.Broker, "/p/p1/sanitize", values)
	body := w.Body.String()
	if w.Code != http.StatusConflict {
		t.Errorf("status %d", w.Code)
	}
	for _, want := range []string{"Run 4 is under way: wait for it, or cancel it first.", `<a href="/p/p1/sanitize/4">Open run 4</a>`, `name="lc" value="3, 33"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(body, "Nothing has been measured yet") {
		t.Error("it is said that nothing has been measured")
	}
}

func TestContextIsCutAtWords(t *testing.T) {
	for _, c := range []struct{ before, after, wantBefore, wantAfter string }{
		{"per ", ", continue", "per ", ", continue"},
		{"ATE OF BIRTH: 07/19/1936 MR #: 9001331  ", " who will call on Monday and then agai", "… OF BIRTH: 07/19/1936 MR #: 9001331 ", " who will call on Monday and then agai"},
		{strings.Repeat("x", 40), strings.Repeat("y ", 20), strings.Repeat("x", 40), strings.TrimSuffix(strings.Repeat("y ", 20), " ") + " …"},
		{"", "", "", ""},
	} {
		l := project.Excerpt{Before: c.before, After: c.after}
		if got := ui.Before(l.Before); got != c.wantBefore {
			t.Errorf("before: got %q, want %q", got, c.wantBefore)
		}
		if got := ui.After(l.After); got != c.wantAfter {
			t.Errorf("after: got %q, want %q", got, c.wantAfter)
		}
	}
}

func TestRunUnderWayOpensWhereItsFiguresAre(t *testing.T) {
	s := newServer(t, newFakeSanitize(webtest.MadeRunning()))
	if got := shownParts(s.Get(account.Broker, "/p/p1/sanitize").Body.String()); !slices.Equal(got, []string{"2"}) {
		t.Errorf("shown are %v, want 2, the last with figures", got)
	}
	fresh := webtest.MadeRunning()
	fresh.Choices = nil
	s = newServer(t, newFakeSanitize(fresh))
	if got := shownParts(s.Get(account.Broker, "/p/p1/sanitize").Body.String()); !slices.Equal(got, []string{"1"}) {
		t.Errorf("shown are %v, want 1, which comes first", got)
	}
}

func TestSecondRunCanBeStartedOnAPageThatSawTheFirstEnd(t *testing.T) {
	body := newServer(t, newFakeSanitize(webtest.MadeRunning())).Get(account.Broker, "/p/p1/sanitize").Body.String()
	if !strings.Contains(body, "Start the run") || !strings.Contains(body, "wait until run 4 has ended") {
		t.Error("no form, or no word that the run has to end")
	}
}

// In the papers' mode the ranked attacker is asked once, at the end: what has no
// figures of it, leaves it out.
func TestWithoutARankedAttackerItsSeriesIsLeftOut(t *testing.T) {
	run := webtest.MadePaperRun()
	for _, p := range roundPlots(run.Choices[3]) {
		for _, s := range p.Series {
			if s.Class == measureRanked.Class || len(s.Points) == 0 {
				t.Errorf("%s draws the series %q of %d points", p.ID, s.Name, len(s.Points))
			}
		}
	}
	page := newServer(t, newFakeSanitize(run)).Get(account.Broker, "/p/p1/sanitize?lc=10").Body.String()
	rounds := webtest.Rendered(t, roundsTable(run.Choices[3]))
	if strings.Contains(rounds, "found at B") || strings.Contains(rounds, "not known") {
		t.Error("the table of rounds has columns that nothing stands in")
	}
	if !strings.Contains(page, "found at B = 1,000") || !strings.Contains(page, "An attacker who inspects") {
		t.Error("what the attacker found at the end is not shown")
	}

	run.State, run.Choices = sanitize.Running, run.Choices[:1]
	run.Choices[0].Done, run.Choices[0].Outcome = false, greedy.Outcome{}
	during := newServer(t, newFakeSanitize(run)).Get(account.Broker, "/p/p1/sanitize").Body.String()
	run.State = sanitize.Cancelled
	after := newServer(t, newFakeSanitize(run)).Get(account.Broker, "/p/p1/sanitize").Body.String()
	for name, page := range map[string]string{"during": during, "after": after} {
		for _, wrong := range []string{"found at B", "has not been run", "What an attacker finds", "not known", `value="-1"`, `max="-1"`} {
			if strings.Contains(page, wrong) {
				t.Errorf("%s the run: %q", name, wrong)
			}
		}
	}
	if strings.Contains(after, `id="budget"`) || !strings.Contains(after, "Round by round") {
		t.Error("a slider for figures that no one has, or no rounds")
	}
}

func TestAForgottenRunOffersItsBundlesInsteadOfItsLCs(t *testing.T) {
	f := withBundles()
	s := newServer(t, f)
	page := func(u account.Role) string {
		return strings.Join(strings.Fields(s.Get(u, "/p/p1/sanitize/3").Body.String()), " ")
	}
	if body := page(account.Broker); !strings.Contains(body, ">Choose L/C 10</button>") || strings.Contains(body, "too old") {
		t.Fatal("a run that can be used is not offered")
	}
	f.RunList[0].Forgotten = true
	f.BundleList = append(f.BundleList, sanitize.Bundle{Number: 3, Run: 7, LC: 20})
	body := page(account.Broker)
	for _, want := range []string{
		"Run 3 is too old: only the newest 5 runs keep their classifiers.", "finished, too old to be used",
		`<a href="/p/p1/publish?bundle=2">Redaction model 2</a> was frozen from L/C 10 and can still be used to publish.`, "Start another run to choose L/C 20.",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(body, "Choose L/C") || strings.Contains(body, "bundle=3") {
		t.Error("what is gone is offered, or the bundle of another run")
	}
	if body := page(account.Reviewer); strings.Contains(body, "bundle=2") {
		t.Error("who may not publish is led to it")
	}
}
