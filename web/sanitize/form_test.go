// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/learners"
	"hide/internal/greedy/settings"
	"hide/internal/project/sanitize"
	"hide/web/ui"
	"hide/web/webtest"
)

func TestStartAsksForTheLossPerLabel(t *testing.T) {
	f := newFakeSanitize()
	v := sanitizeValues()
	v.Set("loss:PATIENT", " 3 ")
	v.Set("loss:DATE", "0")
	v.Set("loss:DOCTOR", "1")
	v.Set("loss:PHONE", "")
	v.Set("loss:NO-SUCH-LABEL", "7")
	newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v)
	want := map[annotate.Label]float64{"PATIENT": 3, "DATE": 0}
	if len(f.started) != 1 || !maps.Equal(f.started[0].LossByLabel, want) {
		t.Fatalf("started %+v, want losses %v", f.started, want)
	}
	v.Set("loss:PATIENT", "words")
	v["sensitive"] = slices.DeleteFunc(v["sensitive"], func(l string) bool { return l == "PATIENT" })
	newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v)
	if len(f.started) != 2 || len(f.started[1].LossByLabel) != 1 {
		t.Error("what is typed beside a label that does not count is read")
	}
}

func TestStartAsksForTheCostPerKindOfWord(t *testing.T) {
	f := newFakeSanitize()
	v := sanitizeValues()
	v.Set("cost:punctuation", " 0.2 ")
	v.Set("cost:number", "2")
	v.Set("cost:common", "1")
	v.Set("cost:other", "")
	newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v)
	want := greedy.Prices{greedy.Punctuation: 0.2, greedy.Number: 2}
	if len(f.started) != 1 || !maps.Equal(f.started[0].CostByKind, want) {
		t.Fatalf("started %+v, want prices %v", f.started, want)
	}
	v.Set("cost:number", "<dear>")
	body := strings.Join(strings.Fields(newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v).Body.String()), " ")
	for _, want := range []string{`name="cost:number" value="&lt;dear&gt;"`, `name="cost:punctuation" value="0.2"`, `name="cost:other" value="1"`,
		"Cost of over-redaction, by kind of word: number=&lt;dear&gt;, punctuation=0.2</small>", "Number: enter a number from 0.001 to 1,000.", `<details class="fold options" open><summary>` + settings.GroupSensitive} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	if len(f.started) != 1 {
		t.Error("started by a price that is no number")
	}
}

func TestLCIsExplainedWhereItIsAskedFor(t *testing.T) {
	body := newServer(t, newFakeSanitize()).Get(account.Broker, "/p/p1/sanitize").Body.String()
	for _, want := range []string{`aria-describedby="lc-help"`, `id="lc-help">The loss of a missed word: with L/C 10 one missed word of PHI is as bad as 10 over-redacted words`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
}

func TestEveryKindOfWordHasAPriceAndAName(t *testing.T) {
	for i, k := range greedy.WordKinds() {
		if len(wordKinds) != len(greedy.WordKinds()) || wordKinds[i].kind != k || wordKinds[i].title == "" {
			t.Errorf("%s is not offered", k)
		}
	}
}

func TestARunLearnsFromTheWordsAskedFor(t *testing.T) {
	f := newFakeSanitize()
	v := sanitizeValues()
	v.Set("sample-share", "20")
	v.Set("sample-window", "4")
	v.Set("sample-costs", "DATE 0.5, O: 2")
	newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v)
	if len(f.started) != 1 || f.started[0].Sampling.String() != "o=0.2+window=4+cost=DATE:0.5,O:2" {
		t.Fatalf("started %+v", f.started)
	}
	for field, wrong := range map[string]string{"sample-share": "20, 50", "sample-window": "0", "sample-costs": "DATE"} {
		v := sanitizeValues()
		v.Set(field, wrong)
		body := strings.Join(strings.Fields(newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v).Body.String()), " ")
		if len(f.started) != 1 || !strings.Contains(body, `name="`+field+`" value="`+wrong+`"`) || !strings.Contains(body, `id="`+field+`-error">Enter `) || !strings.Contains(body, `<details class="fold options" open><summary>`+settings.GroupLearners) {
			t.Errorf("%s %q: %d started, or not said", field, wrong, len(f.started))
		}
	}
}

func TestOnlyTheDefaultModeHasADetector(t *testing.T) {
	f := newFakeSanitize()
	for _, mode := range []greedy.Mode{greedy.Default, greedy.Paper, greedy.Cost} {
		v := sanitizeValues()
		v.Set("mode", string(mode))
		v.Set("first", "detector")
		if w := newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v); w.Code != http.StatusSeeOther {
			t.Errorf("%s: status %d", mode, w.Code)
		}
		last := f.started[len(f.started)-1]
		if last.Mode != mode || (last.First == "detector") != (mode == greedy.Default) {
			t.Errorf("%s: started %+v", mode, last)
		}
	}
	v := sanitizeValues()
	v.Set("mode", string(greedy.Paper))
	v.Set("ceiling", "1")
	if w := newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "Has no effect unless Mode is hide&#39;s default: leave it as it was.") {
		t.Errorf("a ceiling in the papers' mode: status %d", w.Code)
	}
}

func TestFormRemembersEverythingAfterAnError(t *testing.T) {
	v := sanitizeValues()
	v.Set("mode", string(greedy.Default))
	v["learners"] = []string{"bayes", "crf-hide"}
	v.Set("first", "bayes")
	v.Set("folds", "7")
	v.Set("loss:PATIENT", "3")
	v.Set("loss:DATE", "<many>")
	v["sensitive"] = slices.DeleteFunc(v["sensitive"], func(l string) bool { return l == "AGE" })
	w := newServer(t, newFakeSanitize(webtest.MadeRun())).Post(account.Broker, "/p/p1/sanitize", v)
	body := strings.Join(strings.Fields(w.Body.String()), " ")
	for _, want := range []string{
		`value="default" checked`, `name="learners" value="bayes" checked`, `name="learners" value="crf-hide" checked`, `name="learners" value="crf">`,
		`<option value="bayes" selected`, `name="folds" value="7"`,
		`name="loss:PATIENT" value="3"`, `name="loss:DATE" value="&lt;many&gt;"`, `name="loss:DOCTOR" value="1"`,
		`name="sensitive" value="AGE">`, `name="sensitive" value="PATIENT" checked`, `DATE: enter a number from 0 to 1,000.`,
		`<a href="#loss">Cost of missed PHI, by label</a>`, "Folds for cross-fitting: 7</small>", "Learner of round 1: bayes; Learners of the attackers: bayes, crf-hide</small>",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	if !strings.Contains(body, `<details class="fold options" open><summary>`+settings.GroupSensitive) || strings.Count(body, `<details class="fold options" open>`) != 1 {
		t.Error("not just the part in which something is wrong stands open")
	}
}

func TestOfferedAreLearnersWhoseClassifiersAreKept(t *testing.T) {
	names := map[string]bool{}
	for _, m := range greedy.Modes() {
		names[modeWords(m)] = true
	}
	if len(names) != len(greedy.Modes()) {
		t.Errorf("%d modes have the names %v", len(greedy.Modes()), names)
	}
	body := newServer(t, newFakeSanitize()).Get(account.Broker, "/p/p1/sanitize").Body.String()
	for _, name := range learners.Names() {
		if got := strings.Contains(body, `name="learners" value="`+name+`"`); got != slices.Contains(learners.Kept(), name) {
			t.Errorf("%s is offered: %v", name, got)
		}
	}
}

func TestRunSaysWhatItWasAskedFor(t *testing.T) {
	r := webtest.MadeRun()
	r.Name = "strict about <patients>"
	r.Params.Learners = []string{"crf", "bayes"}
	r.Params.LossByLabel = map[annotate.Label]float64{"PATIENT": 3, "DATE": 0.5, "AGE": 0}
	r.Params.CostByKind = greedy.Prices{greedy.Punctuation: 0.2, greedy.Number: 2, greedy.OtherWord: 0.5}
	r.Params.Labels = []annotate.Label{"PATIENT", "DATE", "AGE"}
	body := newServer(t, newFakeSanitize(r)).Get(account.Reviewer, "/p/p1/sanitize").Body.String()
	for _, want := range []string{
		"run 3, strict about &lt;patients&gt;", "hide&#39;s default, crf and bayes, 216 notes; counts only PATIENT, DATE and AGE; a missed AGE costs nothing, a missed DATE is half as bad, a missed PATIENT is 3 times as bad; a redacted punctuation mark costs 0.2 times as much, a redacted number costs twice as much, any other redacted word costs half as much",
		"<dt>Cost of over-redaction, by kind of word</dt><dd>number=2, other=0.5, punctuation=0.2</dd>", "<dt>Learner of round 1</dt><dd>detector</dd>", "<dt>Learners of the attackers</dt><dd>crf, bayes</dd>",
		"<dt>Share of the notes that attackers label</dt><dd>50 %</dd>", "<dt>Folds for cross-fitting</dt><dd>4</dd>", "<dt>Labels that count as sensitive</dt><dd>PATIENT, DATE, AGE</dd>",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(body, "run-name") {
		t.Error("a reviewer may name a run")
	}
	for _, a := range asked(sanitize.Params{Mode: greedy.Cost, LC: []float64{1}}) {
		if a.Name == "first" {
			t.Error("one classifier alone has a detector before it")
		}
	}
}

func TestRunIsNamed(t *testing.T) {
	f := newFakeSanitize(webtest.MadeRun())
	s := newServer(t, f)
	v := sanitizeValues()
	v.Set("name", "no detector")
	if w := s.Post(account.Broker, "/p/p1/sanitize/3/name", v); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/p/p1/sanitize/3" {
		t.Errorf("status %d to %q", w.Code, w.Header().Get("Location"))
	}
	if w := s.Post(account.Reviewer, "/p/p1/sanitize/3/name", v); w.Code != http.StatusForbidden {
		t.Errorf("a reviewer names a run: status %d", w.Code)
	}
	if !slices.Equal(f.named, []string{"no detector"}) {
		t.Errorf("named %q", f.named)
	}
}

func TestStartAsksWhoElseAttacks(t *testing.T) {
	f := newFakeSanitize()
	v := sanitizeValues()
	v["attackers"] = []string{"dictionary", "repeat"}
	newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v)
	if len(f.started) != 1 || !slices.Equal(f.started[0].Attackers, []attack.Kind{attack.Dictionary, attack.Repeat}) {
		t.Fatalf("started %+v", f.started)
	}
	v["attackers"] = []string{"transfer", "dictionary"} // needs another project: only experiments have it
	body := newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v).Body.String()
	if len(f.started) != 1 || !strings.Contains(body, "Unknown value &#34;transfer&#34;") || !strings.Contains(body, `name="attackers" value="dictionary" checked`) {
		t.Error("an attacker that is not offered attacks, or what was ticked is lost")
	}
}

func TestStartAsksWhatTheRankedAttackerMayFind(t *testing.T) {
	f := newFakeSanitize()
	for typed, want := range map[string]float64{"": 0, " 1 ": 0.01, "2,5": 0.025, "0.1 %": 0.001} {
		v := sanitizeValues()
		v.Set("ceiling", typed)
		f.started = nil
		newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v)
		if len(f.started) != 1 || math.Abs(f.started[0].Ceiling-want) > 1e-12 {
			t.Errorf("%q: started %+v", typed, f.started)
		}
	}
	for _, typed := range []string{"0", "100", "-1", "NaN", "1 or 2", "1e308"} {
		v := sanitizeValues()
		v.Set("ceiling", typed)
		w := newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v)
		if body := w.Body.String(); w.Code != http.StatusUnprocessableEntity || !strings.Contains(body, "Enter a percentage above 0 and below 100, such as 1 %.") || !strings.Contains(body, `name="ceiling" value="`+typed+`"`) {
			t.Errorf("%q: status %d, without what is wrong or what was typed", typed, w.Code)
		}
	}
}

func TestARaisedLCIsSaidWithItsFigures(t *testing.T) {
	run := webtest.MadeRun()
	run.Params.Ceiling = 0.9
	for i := range run.Choices {
		run.Choices[i].At = 3 * run.Choices[i].LC
	}
	c := run.Choices[0]
	body := newServer(t, newFakeSanitize(run)).Get(account.Broker, "/p/p1/sanitize?lc="+ui.Ratio(c.LC)).Body.String()
	for _, want := range []string{"At L/C " + ui.Ratio(c.LC) + " the ceiling makes it redact as for L/C " + ui.Ratio(c.At), "at most 90.0 % of the sensitive words"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestAttackersAreOnTheForm(t *testing.T) {
	body := newServer(t, newFakeSanitize()).Get(account.Broker, "/p/p1/sanitize").Body.String()
	for _, e := range attack.Table() {
		if offered := strings.Contains(body, `name="attackers" value="`+string(e.Kind)+`"`); offered == slices.Contains(append([]attack.Kind{attack.Uniform, attack.Classifier, attack.Ranked}, attack.Transfer), e.Kind) {
			t.Errorf("%s is offered: %v", e.Kind, offered)
		}
	}
	for _, name := range []string{"stacked", "dictionary", "repeat"} {
		if !strings.Contains(body, `name="attackers" value="`+name+`" checked`) {
			t.Errorf("%s is not ticked", name)
		}
	}
}

func TestUnknownBudgetIsSaidAndNotSilentlyReplaced(t *testing.T) {
	s := newServer(t, newFakeSanitize(webtest.MadeRun()))
	const words = "has no figures for the B of this address. It has 25, 50, 100, 200, 500 and 1,000; the page shows 1,000."
	for query, missing := range map[string]bool{"": false, "?b=25": false, "?b=7": true, "?b=words": true, "?lc=50&b=1000": false} {
		if said := strings.Contains(s.Get(account.Broker, "/p/p1/sanitize"+query).Body.String(), words); said != missing {
			t.Errorf("%q: said to be missing: %v", query, said)
		}
	}
	r := webtest.MadeRun()
	for i := range r.Choices {
		c := &r.Choices[i]
		c.Outcome.Attack.Ranked = nil
		for k := range c.Rounds {
			c.Rounds[k].Outcome.Attack.Ranked = nil
		}
	}
	if body := newServer(t, newFakeSanitize(r)).Get(account.Broker, "/p/p1/sanitize?b=25").Body.String(); strings.Contains(body, "sanitize-no-such-b") {
		t.Error("a link from another run is a mistake where there is nothing to choose")
	}
}

func TestUnknownLCIsSaidAndNotSilentlyReplaced(t *testing.T) {
	s := newServer(t, newFakeSanitize(webtest.MadeRun()))
	for query, missing := range map[string]bool{"": false, "?lc=50": false, "?lc=10": false, "?lc=77": true, "?lc=words": true, "?lc=": true, "?lc=NaN": true} {
		body := strings.Join(strings.Fields(s.Get(account.Broker, "/p/p1/sanitize"+query).Body.String()), " ")
		if strings.Contains(body, "does not have the L/C of this address. It has 1, ") != missing {
			t.Errorf("%q: said to be missing: %v", query, !missing)
		}
		if missing && !strings.Contains(body, "the page shows 10.") {
			t.Errorf("%q: the page does not say what it shows", query)
		}
	}
}

// The answer to the second question is measured with the other values, and its figures are
// shown first.
func TestHowBadALeakIsDecidesWhatIsShownFirst(t *testing.T) {
	f := newFakeSanitize()
	v := sanitizeValues()
	v.Set("leak", "50")
	newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v)
	if len(f.started) != 1 || f.started[0].Leak != 50 || !slices.Equal(f.started[0].LC, []float64{1, 5, 10, 50}) {
		t.Fatalf("started %+v", f.started)
	}
	v.Set("leak", "7")
	if w := newServer(t, f).Post(account.Broker, "/p/p1/sanitize", v); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), `id="leak-error"`) {
		t.Errorf("an answer that is not offered: status %d", w.Code)
	}
	r := webtest.MadeRun()
	r.Params.Leak = 50
	shown := view{Run: r}
	if shown.choose(0); shown.LC != 50 {
		t.Errorf("the page shows L/C %g first", shown.LC)
	}
	r = webtest.MadeRunning() // has figures for L/C 1 and 2 only
	r.Params.Leak = 50
	shown = view{Run: r}
	if shown.choose(0); shown.LC != 50 {
		t.Errorf("while the run has no figures of L/C 50, the page shows L/C %g", shown.LC)
	}
}
