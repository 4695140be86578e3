// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/web/outcome"
	"hide/web/webtest"
)

func TestWhatStaysIsCountedInEveryWay(t *testing.T) {
	o := greedy.Outcome{
		Identifiers: 980, Sensitive: 1220, Informative: 700, Documents: 216, Patients: 90,
		IdentifiersMissed: greedy.Estimate{Value: 7, AtMost: 14.2}, Residual: greedy.Estimate{Value: 9, AtMost: 20},
		InformativeMissed: greedy.Estimate{Value: 3, AtMost: 8}, DocumentsWithLeak: greedy.Estimate{Value: 5, AtMost: 11},
		PatientsWithLeak: greedy.Estimate{Value: 4, AtMost: 0},
	}
	html := webtest.Rendered(t, remainingTable(o))
	for _, row := range []string{
		`identifiers</th><td>7</td><td>15</td><td>980</td>`, `words</th><td>9</td><td>20</td><td>1,220</td>`, `informative words</th><td>3</td><td>8</td><td>700</td>`,
		`notes</th><td>5</td><td>11</td><td>216</td>`, `patients</th><td>4</td><td>–</td><td>90</td>`,
	} {
		if !strings.Contains(html, row) {
			t.Errorf("no row %s", row)
		}
	}
	o.Patients, o.Informative = o.Documents, 0 // nobody is known; a run of an earlier version
	if html := webtest.Rendered(t, remainingTable(o)); strings.Contains(html, "patients") || strings.Contains(html, "informative") {
		t.Error("rows about what nobody counted")
	}
}

func TestKindsStandMostFirstWithBarsOfOneScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for range 200 {
		var o greedy.Outcome
		for i := range 1 + rng.IntN(60) {
			e := greedy.Estimate{Value: float64(rng.IntN(50))}
			if rng.IntN(3) > 0 {
				e.AtMost = e.Value + float64(rng.IntN(90))
			}
			o.ByLabel = append(o.ByLabel, greedy.Category{Label: annotate.Label(fmt.Sprintf("K%02d", i)), SpansMissed: e})
		}
		all := labels(o)
		if len(all) != min(len(o.ByLabel), mostLabels) {
			t.Fatalf("%d of %d kinds", len(all), len(o.ByLabel))
		}
		longest := 0.0
		for i, c := range all {
			if i > 0 && c.SpansMissed.Value > all[i-1].SpansMissed.Value {
				t.Fatal("not most first")
			}
			expected, most := labelBar(all, c)
			if !(expected >= 0 && expected <= most && most <= 100) {
				t.Fatalf("bars of %v and %v", expected, most)
			}
			longest = max(longest, most)
		}
		if reach := slices.MaxFunc(all, func(a, b greedy.Category) int { return int(reach(a) - reach(b)) }); longest != 100 && reach.SpansMissed.Value > 0 {
			t.Fatalf("the longest bar is %v", longest)
		}
	}
}

func TestKindsSayHowBadTheyAreAndHowManyMoreThereAre(t *testing.T) {
	r := webtest.MadeRun()
	r.Params.LossByLabel = map[annotate.Label]float64{"DATE": 0.5, "PATIENT": 3, "AGE": 0}
	for i := range 50 {
		r.Choices[3].Outcome.ByLabel = append(r.Choices[3].Outcome.ByLabel, greedy.Category{Label: annotate.Label(fmt.Sprintf("ODD%d", i)), Spans: 1, Sensitive: 1})
	}
	body := newServer(t, newFakeSanitize(r)).Get(account.Reviewer, "/p/p1/sanitize?lc=10").Body.String()
	for _, want := range []string{"half as bad</small>", "<small>costs nothing</small>", "3 times as bad</small>", "13 more labels have at most as many remaining identifiers as these.", "Remaining PHI by label, L/C 10"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	date, patient := strings.Index(body, "DATE <small>half"), strings.Index(body, "PATIENT <small>3 times")
	if date < 0 || patient < date {
		t.Errorf("DATE, of which most is left, stands at %d, PATIENT at %d", date, patient)
	}
}

func TestWhatGoesIsToldByKindOfWord(t *testing.T) {
	r := webtest.MadeRun()
	r.Params.CostByKind = greedy.Prices{greedy.Punctuation: 0.2}
	o := &r.Choices[3].Outcome
	body := func() string {
		return strings.Join(strings.Fields(newServer(t, newFakeSanitize(r)).Get(account.Reviewer, "/p/p1/sanitize?lc=10").Body.String()), " ")
	}
	if strings.Contains(body(), ">over-redacted</th>") {
		t.Error("a run of an earlier version has a table of what goes")
	}
	o.ByKind = []greedy.OverRedacted{{Kind: greedy.Punctuation, Words: 3000, Redacted: greedy.Estimate{Value: 12, High: 20, AtMost: 20}}, {Kind: "runes", Words: 7}}
	for _, want := range []string{">over-redacted</th>", "punctuation <small>0.2 times as much</small></th><td>12</td><td>20</td><td>3,000</td>", "runes </th><td>0</td><td>–</td><td>7</td>"} {
		if !strings.Contains(body(), want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestCertificateIsPutInWords(t *testing.T) {
	certified := func(name string, tp, fp int, lc float64) greedy.Certified {
		cost, gain := float64(fp), lc*float64(tp)
		return greedy.Certified{Learner: name, Counts: greedy.Counts{TP: tp, FP: fp}, Cost: cost, Gain: gain, Pays: cost < gain}
	}
	none := []greedy.Certified{certified("crf", 1, 40, 10), certified("svm", 0, 0, 10)}
	one := []greedy.Certified{certified("crf", 1, 40, 10), certified("svm", 12, 30, 10)}
	both := []greedy.Certified{certified("crf", 9, 3, 10), certified("svm", 12, 30, 10)}
	for _, c := range []struct {
		mode          greedy.Mode
		all           []greedy.Certified
		verdict, part string
	}{
		{greedy.Default, none, "No attack by crf or svm is profitable any more.", "2 attackers have trained on the notes as published."},
		{greedy.Default, one, "The limit of rounds stopped the run: svm would still be profitable.", "svm would find 12 sensitive words and mark 30 others."},
		{greedy.Default, both, "The limit of rounds stopped the run: crf and svm would still be profitable.", "crf would find 9"},
		{greedy.Cost, none, "No attack by crf or svm is profitable any more.", ""},
		{greedy.Cost, one, "Svm would still be profitable.", "does not continue until no attack is profitable. svm would find 12"},
	} {
		p, result := sanitize.Params{Mode: c.mode}, sanitize.Result{LC: 10, Certificate: c.all}
		if verdict, why, but := sanitize.CertificateWords(p, result); but != "" || verdict != c.verdict || !strings.Contains(why, c.part) {
			t.Errorf("%s: %q %q", c.mode, verdict, why)
		}
	}
	html := webtest.Rendered(t, certificate(sanitize.Params{}, sanitize.Result{LC: 10, Done: true, Certificate: one}))
	if !strings.Contains(html, "<td>12</td><td>30</td><td>120</td><td>30</td>") || strings.Count(html, "<small>pays</small>") != 1 {
		t.Errorf("the table is %s", html)
	}
	if html := webtest.Rendered(t, certificate(sanitize.Params{Mode: greedy.Paper}, sanitize.Result{LC: 10, Done: true})); !strings.Contains(html, "has no such check") {
		t.Error("the papers' mode does not say that it has none")
	}
}

func TestWhereNothingIsLeftNoAttackIsTheBest(t *testing.T) {
	all := greedy.Counts{FP: 12333} // of scores that are all alike the best threshold marks everything
	c := sanitize.Result{LC: 10, Done: true, Certificate: []greedy.Certified{{Learner: "crf", Counts: all, Cost: 12333}}}
	html := webtest.Rendered(t, certificate(sanitize.Params{}, c))
	if strings.Contains(html, "12,333") || !strings.Contains(html, `<td colspan="4">no sensitive words remain</td>`) || !strings.Contains(html, "On held-out notes, no sensitive words remain") {
		t.Errorf("the certificate is %s", html)
	}
	c.Rounds = []greedy.Round{{Number: 1, Accepted: true, Counts: greedy.Counts{TP: 7, FP: 2, TN: 12333}}, {Number: 2, Counts: all}}
	wrong := roundPlots(c)[0].Series[1]
	if wrong.Class != measureWrong.Class || len(wrong.Points) != 1 {
		t.Errorf("%s has %d points", wrong.Name, len(wrong.Points))
	}
	c.Rounds[1].Counts.FN = 1
	for _, s := range roundPlots(c)[0].Series {
		if len(s.Points) != 2 || strings.Contains(s.Path, "L") {
			t.Errorf("%s: %d points, and the line goes to a round that was not used: %s", s.Name, len(s.Points), s.Path)
		}
	}
}

func TestCertificateSaysWhatOtherAttackersOfTheRunStillGain(t *testing.T) {
	by := func(kind attack.Kind, learner string, tp, fp int, worth float64) attack.Result {
		return attack.Result{Kind: kind, Learner: learner, Marked: greedy.Counts{TP: tp, FP: fp}, Worth: worth}
	}
	c := sanitize.Result{LC: 10, Done: true, Certificate: []greedy.Certified{{Learner: "svm", Counts: greedy.Counts{FP: 1}, Cost: 1}}, Attackers: []attack.Result{
		by(attack.Uniform, "", 0, 0, 0), by(attack.Ranked, "svm", 15, 60, 3), by(attack.Ranked, "bayes", 6, 60, 6), by(attack.Dictionary, "", 7, 69, 7), by(attack.Repeat, "", 0, 4, 0),
	}}
	p := sanitize.Params{Share: 0.25}
	verdict, _, but := sanitize.CertificateWords(p, c)
	if want := "But the ranked attacker with svm, trained on a quarter of the notes as published, profits: 15 sensitive words found and 60 others marked, a gain of 150 for a cost of 60; " +
		"the dictionary attacker profits: 7 sensitive words found and 69 others marked, a gain of 70 for a cost of 69. "; verdict != "No attack by svm is profitable any more." || !strings.HasPrefix(but, want) {
		t.Errorf("%q, %q", verdict, but)
	}
	html := webtest.Rendered(t, certificate(p, c))
	for _, want := range []string{"2 other attacks still pay", "label a quarter of the notes as published", "an attacker who trains on other notes may find more", "ranked attacker, with svm", "dictionaries and patterns"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not say %q: %s", want, html)
		}
	}
	if rows := strings.Count(html, `<tr class="pays">`); rows != 2 {
		t.Errorf("%d rows pay, want those of the two other attackers", rows)
	}
	p.LossByLabel = map[annotate.Label]float64{"DATE": 0.2}
	if _, _, but := sanitize.CertificateWords(p, c); strings.Contains(but, "ranked") || !strings.Contains(but, "dictionary") {
		t.Errorf("where most of it costs little: %q", but)
	}
	p.LossByLabel = nil
	p.CostByKind = greedy.Prices{greedy.Number: 5}
	c.Attackers[1].Cost, c.Attackers[2].Cost, c.Attackers[3].Cost = 160, 60, 69
	if _, _, but := sanitize.CertificateWords(p, c); strings.Contains(but, "ranked") || !strings.Contains(but, "dictionary") {
		t.Errorf("where what it marks wrongly costs much: %q", but)
	}
	p.CostByKind, c.Certificate[0].Pays = nil, true
	if _, _, but := sanitize.CertificateWords(p, c); !strings.HasPrefix(but, "And the ranked attacker") {
		t.Errorf("beside a certified attack that pays: %q", but)
	}
	c.Attackers = c.Attackers[2:3]
	if _, _, but := sanitize.CertificateWords(p, c); but != "" {
		t.Errorf("as cost and gain are equal: %q", but)
	}
}

func TestFrontierHasTheFirstRoundAndTheRunsComparedWith(t *testing.T) {
	r := webtest.MadeRun()
	p := frontierPlot(r, []*sanitize.Run{webtest.MadePaperRun(), webtest.MadeRunning()})
	var names []string
	for _, s := range p.Series {
		names = append(names, s.Name)
		if s.Class != measureLeft.Class && slices.ContainsFunc(s.Points, func(d chart.Dot) bool { return d.LC != 0 || d.YLow != d.YHigh }) {
			t.Errorf("%s has points to pick, or intervals", s.Name)
		}
	}
	if want := []string{"remaining identifiers in run 2", "remaining identifiers in run 4", measureFirst.Name, measureLeft.Name}; !slices.Equal(names, want) {
		t.Fatalf("the series are %q, want %q", names, want)
	}
	for i, d := range p.Series[2].Points {
		if left := r.Choices[i].Rounds[0].Outcome.IdentifiersMissed.Value; left < r.Choices[i].Outcome.IdentifiersMissed.Value {
			t.Fatal("made up wrongly")
		} else if at := p.Series[3].Points[i]; d.Y > at.Y {
			t.Errorf("L/C %g: one round leaves less than all", r.Choices[i].LC)
		}
	}
	for i := range r.Choices { // one round each
		r.Choices[i].Rounds = r.Choices[i].Rounds[:1]
	}
	if first := firstRounds(r); first != nil {
		t.Errorf("the first round of %d results is drawn over themselves", len(first))
	}
}

func TestRunsAreLaidOverEachOther(t *testing.T) {
	older := webtest.MadePaperRun()
	older.Name, older.Changed = "by the book", true
	third := webtest.MadeRun()
	third.Number = 1
	s := newServer(t, newFakeSanitize(webtest.MadeRun(), older, third))
	body := s.Get(account.Reviewer, "/p/p1/sanitize/3?with=2&with=1&with=2&with=x").Body.String()
	for _, want := range []string{
		"Run 2, by the book", "remaining identifiers in run 2, by the book", "remaining identifiers, run 1", "non-PHI words kept, run 2",
		"notes changed since", `href="/p/p1/sanitize/3?with=1">stop comparing`, `href="/p/p1/sanitize/3?with=2">stop comparing`,
		"with=2&amp;with=1", // the sliders' links keep them
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if body := s.Get(account.Reviewer, "/p/p1/sanitize/2").Body.String(); !strings.Contains(body, `href="/p/p1/sanitize/2?with=3">compare with run 2`) || !strings.Contains(body, "This run is newer than the one on this page.") {
		t.Error("no link to compare, or no word of the newer run")
	}
}

// What greedy-union does in each of its many rounds is counted, not measured.
func TestRunsThatCannotBeComparedSaySo(t *testing.T) {
	page := func(change func(*sanitize.Run)) string {
		other := webtest.MadeRun()
		other.Number = 2
		change(other)
		v := view{Run: webtest.MadeRun(), Others: []*sanitize.Run{other}}
		v.choose(10)
		return webtest.Rendered(t, frontierFigure(v))
	}
	for name, c := range map[string]struct {
		change func(*sanitize.Run)
		want   string
	}{
		"alike":           {func(r *sanitize.Run) { r.Params.LC = r.Params.LC[:3] }, ""},
		"labels":          {func(r *sanitize.Run) { r.Params.Labels = []annotate.Label{"FAX"} }, "These runs count different labels: run 3 all labels, run 2 FAX. Their numbers of identifiers cannot be compared."},
		"words near":      {func(r *sanitize.Run) { r.Params.Context = &greedy.Context{Redact: true} }, "run 3 all labels, run 2 all labels and contextual identifiers."},
		"more documents":  {func(r *sanitize.Run) { r.Documents++ }, "These runs used different notes or different annotations"},
		"other documents": {func(r *sanitize.Run) { r.Corpus = "aa" }, ""}, // run 3 did not keep what it read
	} {
		html := page(c.change)
		at := strings.Index(html, c.want)
		if at < 0 || at > strings.Index(html, "<svg") || strings.Contains(html, "notice") != (c.want != "") {
			t.Errorf("%s: no %q above the chart", name, c.want)
		}
	}
	a, b := webtest.MadeRun(), webtest.MadeRun()
	a.Params.Labels, b.Params.Labels = []annotate.Label{"FAX", "AGE"}, []annotate.Label{"AGE", "FAX"}
	a.Corpus, b.Corpus = "aa", "bb"
	if !sameLabels(a.Params, b.Params) || !otherNotes(a, b) || a.Params.Labels[0] != "FAX" {
		t.Error("labels in another order are other labels, or other documents are the same")
	}
}

func TestRoundsThatWereNotMeasuredShowWhatTheyFind(t *testing.T) {
	r := webtest.MadeRunning()
	r.Params.Mode = greedy.GreedyUnion
	for i := range r.Choices {
		for k := range r.Choices[i].Rounds {
			r.Choices[i].Rounds[k].Outcome = greedy.Outcome{}
		}
	}
	if plots := roundPlots(r.Choices[0]); len(plots) != 1 || points(plots[0]) == 0 {
		t.Fatalf("%d charts of the rounds", len(plots))
	}
	if html := webtest.Rendered(t, roundsTable(r.Choices[0])); strings.Contains(html, "remaining identifiers") || !strings.Contains(html, "FP") {
		t.Error("the table of rounds has columns that nothing stands in")
	}
	body := newServer(t, newFakeSanitize(r)).Get(account.Broker, "/p/p1/sanitize?lc=2").Body.String()
	if !strings.Contains(body, "L/C 2 is not finished: its figures follow after the last round.") {
		t.Error("it is not said that figures come last")
	}
	if n := strings.Count(body, "identifiers in 216 notes would stay readable"); n != 2 || strings.Contains(body, "not known") {
		t.Errorf("%d sentences, want those of the one L/C that is finished", n)
	}
}

func TestWhatIsLostIsListedOncePerWord(t *testing.T) {
	var lost []project.Excerpt
	for i, text := range strings.Fields("HIV HIV HIV MRI MRI once") {
		lost = append(lost, project.Excerpt{Document: annotate.DocumentID(i + 1), Text: text})
	}
	lost[3].Often, lost[4].Often = 9, 9 // the others are of a run of an earlier version
	v := view{Project: project.Overview{Project: project.Project{ID: "p1"}}, Run: webtest.MadeRun()}
	html := webtest.Rendered(t, lostList(v, 10, lost))
	for _, want := range []string{`HIV</mark> <small>3 times</small></summary>`, `MRI</mark> <small>9 times; 2 are listed</small></summary>`} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Count(html, "<details>") != 2 || strings.Count(html, `href="/p/p1/notes/`) != len(lost) {
		t.Errorf("not each place leads to its note: %s", html)
	}
	for i := range 40 {
		lost = append(lost, project.Excerpt{Text: fmt.Sprint("word", i)})
	}
	if html := webtest.Rendered(t, lostList(v, 10, lost)); !strings.Contains(html, "Show all 43</a>") {
		t.Error("not words, but places are listed")
	}
}

func TestScoresAndTicksAreWrittenAsOtherNumbersAre(t *testing.T) {
	for score, want := range map[float64]string{0: "below 0.1 %", 0.0004: "below 0.1 %", 0.001: "0.1 %", 0.31: "31.0 %"} {
		if got := leakScore(score); got != want {
			t.Errorf("a score of %v is %q", score, got)
		}
	}
	for lc, want := range map[float64]string{0.25: "0.25", 100: "100", 1000: "1,000", 2000.5: "2000.5", 1e6: "1,000,000"} {
		if got := chart.RatioTick(lc); got != want {
			t.Errorf("the tick of %v is %q", lc, got)
		}
	}
}

func TestListOfRunsIsAliveBeforeTheFirst(t *testing.T) {
	f := newFakeSanitize()
	s := newServer(t, f)
	body := s.Get(account.Reviewer, "/p/p1/sanitize").Body.String()
	if !strings.Contains(body, "topics=sanitize-runs") || !strings.Contains(body, `id="sanitize-runs" class="runs" hidden`) {
		t.Error("a page before the first run does not wait for it")
	}
	f.RunList = append(f.RunList, webtest.MadeRunning())
	if html := webtest.LivePart(t, New(f), account.Reviewer, "sanitize-runs", nil); !strings.Contains(html, `href="/p/p1/sanitize/4"`) || strings.Contains(html, "hidden") {
		t.Errorf("the list is %s", html)
	}
}

func TestWhereEverythingIsRedactedNothingIsInspected(t *testing.T) {
	o := greedy.Outcome{Tokens: 40, Sensitive: 4, Attack: greedy.Attack{Ranked: map[int]greedy.Estimate{50: {High: 3.7}}}}
	if got := outcome.RankedWords(o, 50); got != "Every word is redacted: there is nothing to inspect, and an attacker finds 0." {
		t.Errorf("%q", got)
	}
}

func TestTheShareThatAttackersLabelIsSaidInWords(t *testing.T) {
	for share, want := range map[float64]string{0: "half", .5: "half", .4: "a third", .25: "a quarter", .15: "one in 7", .1: "one in 10"} {
		if got := sanitize.LabelledWords(share); got != want {
			t.Errorf("%g is %q, want %q", share, got, want)
		}
	}
}
