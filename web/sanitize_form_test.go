// SPDX-License-Identifier: Apache-2.0

package web

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
	"hide/internal/greedy/detect"
	"hide/internal/greedy/learners"
	"hide/internal/project/sanitize"
)

func TestStartAsksForTheLossPerLabel(t *testing.T) {
	f := newFakeSanitize()
	v := sanitizeValues()
	v.Set("loss:PATIENT", " 3 ")
	v.Set("loss:DATE", "0")
	v.Set("loss:DOCTOR", "1")
	v.Set("loss:PHONE", "")
	v.Set("loss:NO-SUCH-LABEL", "7")
	post(newTestServer(t, f), account.Broker, "/p/p1/sanitize", v)
	want := map[annotate.Label]float64{"PATIENT": 3, "DATE": 0}
	if len(f.started) != 1 || !maps.Equal(f.started[0].LossByLabel, want) {
		t.Fatalf("started %+v, want losses %v", f.started, want)
	}
	v.Set("loss:PATIENT", "words")
	v["label"] = slices.DeleteFunc(v["label"], func(l string) bool { return l == "PATIENT" })
	post(newTestServer(t, f), account.Broker, "/p/p1/sanitize", v)
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
	v.Set("cost:verb", "7")
	post(newTestServer(t, f), account.Broker, "/p/p1/sanitize", v)
	want := greedy.Prices{greedy.Punctuation: 0.2, greedy.Number: 2}
	if len(f.started) != 1 || !maps.Equal(f.started[0].CostByKind, want) {
		t.Fatalf("started %+v, want prices %v", f.started, want)
	}
	v.Set("cost:number", "<dear>")
	body := strings.Join(strings.Fields(post(newTestServer(t, f), account.Broker, "/p/p1/sanitize", v).Body.String()), " ")
	for _, want := range []string{`name="cost:number" value="&lt;dear&gt;"`, `name="cost:punctuation" value="0.2"`, `name="cost:other" value="1"`,
		"each as bad as L/C says; 2 kinds of lost words cost more or less</small>", "<details open><summary>What is sensitive, and how bad"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	if len(f.started) != 1 {
		t.Error("started by a price that is no number")
	}
}

func TestLCIsExplainedWhereItIsAskedFor(t *testing.T) {
	body := get(newTestServer(t, newFakeSanitize()), account.Broker, "/p/p1/sanitize").Body.String()
	for _, want := range []string{`autocomplete="off" aria-describedby="lcs-help"`, `id="lcs-help">How bad a leak is. With L/C 10 one leaked word is as bad as 10 needlessly redacted ones`} {
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
	post(newTestServer(t, f), account.Broker, "/p/p1/sanitize", v)
	if len(f.started) != 1 || f.started[0].Sampling.String() != "o=0.2+window=4+cost=DATE:0.5,O:2" {
		t.Fatalf("started %+v", f.started)
	}
	for field, wrong := range map[string]string{"sample-share": "20, 50", "sample-window": "0", "sample-costs": "DATE"} {
		v := sanitizeValues()
		v.Set(field, wrong)
		w := post(newTestServer(t, f), account.Broker, "/p/p1/sanitize", v)
		if len(f.started) != 1 || !strings.Contains(w.Body.String(), `value="`+wrong+`"`) || !strings.Contains(w.Body.String(), "To learn from fewer words takes") || !strings.Contains(w.Body.String(), "<details open><summary>Who redacts, who attacks <small>none redacts; attackers: crf and bayes; learning from fewer words") {
			t.Errorf("%s %q: status %d, %d started", field, wrong, w.Code, len(f.started))
		}
	}
}

func TestOnlyTheDefaultModeHasADetector(t *testing.T) {
	f := newFakeSanitize()
	for _, m := range offeredModes {
		v := sanitizeValues()
		v.Set("mode", string(m.mode))
		v.Set("first", firstUsual)
		if w := post(newTestServer(t, f), account.Broker, "/p/p1/sanitize", v); w.Code != http.StatusSeeOther {
			t.Errorf("%s: status %d", m.mode, w.Code)
		}
		last := f.started[len(f.started)-1]
		if last.Mode != m.mode || (last.First == firstUsual) != (m.mode == greedy.Default) {
			t.Errorf("%s: started %+v", m.mode, last)
		}
	}
}

func TestFormRemembersEverythingAfterAnError(t *testing.T) {
	v := sanitizeValues()
	v.Set("mode", string(greedy.PaperHoldout))
	v["learner"] = []string{"bayes", "crf-hide"}
	v.Set("first", "bayes")
	v.Set("folds", "7")
	v.Set("loss:PATIENT", "3")
	v.Set("loss:DATE", "<many>")
	v["label"] = slices.DeleteFunc(v["label"], func(l string) bool { return l == "AGE" })
	w := post(newTestServer(t, newFakeSanitize(madeRun())), account.Broker, "/p/p1/sanitize", v)
	body := strings.Join(strings.Fields(w.Body.String()), " ")
	for _, want := range []string{
		`value="paper-holdout" checked`, `name="learner" value="bayes" checked`, `name="learner" value="crf-hide" checked`, `name="learner" value="crf">`,
		`<option value="bayes" selected`, `id="folds" name="folds" type="number" min="2" max="20" value="7"`,
		`name="loss:PATIENT" value="3"`, `name="loss:DATE" value="&lt;many&gt;"`, `name="loss:DOCTOR" value="1"`,
		`name="label" value="AGE">`, `name="label" value="PATIENT" checked`, `a leaked DATE is must be a number from 0 to 1,000.`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	if !strings.Contains(body, "<details open><summary>What is sensitive, and how bad") || strings.Count(body, "<details open><summary>") != 2 { // and the list of runs
		t.Error("not just the part in which something is wrong stands open")
	}
	for _, set := range []string{
		"<small>The papers&#39; algorithm, counted on other documents, 7 folds</small>", "<small>bayes redacts; attackers: bayes and crf-hide</small>",
		"weigh more or less than L/C says</small>", "<small>not looked for</small>",
	} {
		if !strings.Contains(body, set) {
			t.Errorf("no %s", set)
		}
	}
}

func TestOfferedAreAllModesAndLearnersWhoseClassifiersAreKept(t *testing.T) {
	words := map[string]bool{}
	for _, m := range greedy.Modes() {
		words[modeWords(m)] = true
		offered := slices.ContainsFunc(offeredModes, func(o offeredMode) bool { return o.mode == m })
		if !offered {
			t.Errorf("%s is not offered", m)
		}
	}
	if len(words) != len(greedy.Modes()) {
		t.Errorf("%d modes have the names %v", len(greedy.Modes()), words)
	}
	body := get(newTestServer(t, newFakeSanitize()), account.Broker, "/p/p1/sanitize").Body.String()
	for _, name := range learners.Names() {
		if got := strings.Contains(body, `name="learner" value="`+name+`"`); got != slices.Contains(learners.Kept(), name) {
			t.Errorf("%s is offered: %v", name, got)
		}
	}
	for _, name := range append(usualLearners, firstUsual) {
		if !slices.Contains(learners.Kept(), name) {
			t.Errorf("%s is usual and cannot be asked for", name)
		}
	}
}

func TestRunSaysWhatItWasAskedFor(t *testing.T) {
	r := madeRun()
	r.Name = "strict about <patients>"
	r.Params.Learners = []string{"crf", "bayes"}
	r.Params.LossByLabel = map[annotate.Label]float64{"PATIENT": 3, "DATE": 0.5, "AGE": 0}
	r.Params.CostByKind = greedy.Prices{greedy.Punctuation: 0.2, greedy.Number: 2, greedy.OtherWord: 0.5}
	r.Params.Labels = []annotate.Label{"PATIENT", "DATE", "AGE"}
	body := get(newTestServer(t, newFakeSanitize(r)), account.Reviewer, "/p/p1/sanitize").Body.String()
	for _, want := range []string{
		"run 3, strict about &lt;patients&gt;", "hide&#39;s default, crf and bayes, 216 documents; counts only PATIENT, DATE and AGE; a leaked AGE costs nothing, a leaked DATE is half as bad, a leaked PATIENT is 3 times as bad; a lost sign costs 0.2 times as much, a lost number costs twice as much, any other lost word costs half as much",
		"<dt>Lost words</dt><dd>a lost sign costs 0.2 times as much,",
		"<dt>Redacts first</dt><dd>detector</dd>", "<dt>Learners</dt><dd>crf and bayes</dd>", "<dt>Attackers label</dt><dd>half of the notes</dd>", "<dt>Folds</dt><dd>4</dd>", "<dt>Sensitive</dt><dd>PATIENT, DATE and AGE</dd>",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(body, "run-name") {
		t.Error("a reviewer may name a run")
	}
	for _, a := range asked(sanitize.Params{Mode: greedy.Cost, LC: []float64{1}}, nil) {
		if a.what == "Redacts first" {
			t.Error("one classifier alone has a detector before it")
		}
	}
}

func TestRunIsNamed(t *testing.T) {
	f := newFakeSanitize(madeRun())
	s := newTestServer(t, f)
	v := sanitizeValues()
	v.Set("name", "no detector")
	if w := post(s, account.Broker, "/p/p1/sanitize/3/name", v); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/p/p1/sanitize/3" {
		t.Errorf("status %d to %q", w.Code, w.Header().Get("Location"))
	}
	if w := post(s, account.Reviewer, "/p/p1/sanitize/3/name", v); w.Code != http.StatusForbidden {
		t.Errorf("a reviewer names a run: status %d", w.Code)
	}
	if !slices.Equal(f.named, []string{"no detector"}) {
		t.Errorf("named %q", f.named)
	}
}

func TestStartAsksWhoElseAttacksAndHow(t *testing.T) {
	f := newFakeSanitize()
	v := sanitizeValues()
	v["attacker"], v["without"] = []string{"dictionary", "transfer"}, []string{"trees", "bonus"}
	v.Set("transfer", "p9")
	v.Set("share", " 0,25 ")
	post(newTestServer(t, f), account.Broker, "/p/p1/sanitize", v)
	if len(f.started) != 1 {
		t.Fatal("no run is started")
	}
	p := f.started[0]
	if !slices.Equal(p.Attackers, []attack.Kind{attack.Dictionary, attack.Transfer}) || p.Transfer != "p9" || p.Share != 0.25 || !slices.Equal(p.WithoutParts, []string{"trees", "bonus"}) {
		t.Errorf("started %+v", p)
	}
	for _, wrong := range []struct{ field, value, want string }{
		{"share", "0.6", "must be a number from 0.1 to 0.5"}, {"share", "0", "must be a number from 0.1 to 0.5"}, {"share", "NaN", "must be a number"}, {"transfer", "", "choose one, or untick it"},
	} {
		bad := maps.Clone(v)
		bad[wrong.field] = []string{wrong.value}
		w := post(newTestServer(t, f), account.Broker, "/p/p1/sanitize", bad)
		body := strings.Join(strings.Fields(w.Body.String()), " ")
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(body, wrong.want) || !strings.Contains(body, `name="without" value="trees" checked`) || !strings.Contains(body, `name="attacker" value="dictionary" checked`) {
			t.Errorf("%s %q: status %d, without %q or what was ticked", wrong.field, wrong.value, w.Code, wrong.want)
		}
	}
}

func TestStartAsksWhatTheRankedAttackerMayFind(t *testing.T) {
	f := newFakeSanitize()
	for typed, want := range map[string]float64{"": 0, " 1 ": 0.01, "2,5": 0.025, "0.1 %": 0.001} {
		v := sanitizeValues()
		v.Set("ceiling", typed)
		f.started = nil
		post(newTestServer(t, f), account.Broker, "/p/p1/sanitize", v)
		if len(f.started) != 1 || math.Abs(f.started[0].Ceiling-want) > 1e-12 {
			t.Errorf("%q: started %+v", typed, f.started)
		}
	}
	for _, typed := range []string{"0", "100", "-1", "NaN", "1 or 2", "1e308"} {
		v := sanitizeValues()
		v.Set("ceiling", typed)
		w := post(newTestServer(t, f), account.Broker, "/p/p1/sanitize", v)
		if body := w.Body.String(); w.Code != http.StatusUnprocessableEntity || !strings.Contains(body, "a percentage above 0 and below 100") || !strings.Contains(body, `name="ceiling" value="`+typed+`"`) {
			t.Errorf("%q: status %d, without what is wrong or what was typed", typed, w.Code)
		}
	}
}

func TestARaisedLCIsSaidWithItsFigures(t *testing.T) {
	run := madeRun()
	run.Params.Ceiling = 0.9
	for i := range run.Choices {
		run.Choices[i].At = 3 * run.Choices[i].LC
	}
	c := run.Choices[0]
	body := get(newTestServer(t, newFakeSanitize(run)), account.Broker, "/p/p1/sanitize?lc="+formatRatio(c.LC)).Body.String()
	for _, want := range []string{"At L/C " + formatRatio(c.LC) + " it redacts as for L/C " + formatRatio(c.At), "no more than 90.0 % of the sensitive words"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestAttackersAndPartsAreOnTheForm(t *testing.T) {
	body := get(newTestServer(t, newFakeSanitize()), account.Broker, "/p/p1/sanitize").Body.String()
	for _, e := range attack.Table() {
		if offered := strings.Contains(body, `name="attacker" value="`+string(e.Kind)+`"`); offered == slices.Contains(sanitize.AlwaysAsked(), e.Kind) {
			t.Errorf("%s is offered: %v", e.Kind, offered)
		}
	}
	for _, name := range usualAttackers {
		if !strings.Contains(body, `name="attacker" value="`+name+`" checked`) {
			t.Errorf("%s is not ticked", name)
		}
	}
	for _, p := range detect.PartTable() {
		if offered := strings.Contains(body, `name="without" value="`+p.Name+`"`); offered != (detect.Default&p.Parts != 0) {
			t.Errorf("doing without %s is offered: %v", p.Name, offered)
		}
	}
}
