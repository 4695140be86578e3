// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"errors"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	greedyaudit "hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/web/publishing"
	"hide/web/webtest"
)

func TestPublishPageSaysWhatWillHappen(t *testing.T) {
	body := newServer(t, madePublish()).Get(account.Broker, "/p/p1/publish").Body.String()
	for _, want := range []string{
		"Redaction model 2: L/C 10", "Figures of run 3 on 216 annotated notes", "34 of 980 identifiers in 216 notes would stay readable", "In the 216 finished notes, everything that people marked is redacted",
		"Publish 480 notes", "/p/p1/releases/1/zip", "hide verify release-1.zip", webtest.MadeRelease().SHA256,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
}

// The page shows the warnings of the manifest beforehand, each once.
func TestPublishPageShowsTheWarningsOfTheRelease(t *testing.T) {
	f := madeAudited()
	f.Open = audit.OpenFindings{Found: 3, Audit: 4}
	oldNames := "Redaction model 2 is older than a change of labels, and its placeholders may say DOCTOR for CLINICIAN."
	f.Warnings = []string{audit.Words(*f.AuditList[0].Result), f.Open.Words(), oldNames}
	f.RunList[0].Changed = true
	body := newServer(t, f).Get(account.Broker, "/p/p1/publish").Body.String()
	for _, want := range append(f.RunList[0].Warnings(), f.Warnings...) {
		if at := strings.Index(body, html.EscapeString(want)); at < 0 || at > strings.Index(body, `name="confirm"`) || strings.Count(body, html.EscapeString(want)) != 1 {
			t.Errorf("not before the confirmation, or not once: %q", want)
		}
	}
}

// After publishing the page leads with the release, and nobody publishes twice by mistake.
func TestAPublishedReleaseComesFirst(t *testing.T) {
	const again, made = `<summary>Publish again</summary>`, "Release 1 is published and verified."
	f := madePublish()
	s := newServer(t, f)
	page := func() string { return s.Get(account.Broker, "/p/p1/publish").Body.String() }
	f.Status = release.Status{Running: true, Total: 480}
	f.ReleaseList = nil
	if body := page(); !strings.Contains(body, again) || strings.Index(body, "Publishing: note 0") > strings.Index(body, "bundle-title") {
		t.Error("while it is published, the form is open or the progress stands below it")
	}
	f.Status, f.ReleaseList = release.Status{Made: 1}, []release.Release{webtest.MadeRelease()}
	body := page()
	for _, want := range []string{made, `class="button primary" href="/p/p1/releases/1/zip"`, `<details class="fold"><summary>Publish again`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Index(body, made) > strings.Index(body, "bundle-title") {
		t.Error("the release stands below the redaction model")
	}
	if w := s.Post(account.Broker, "/p/p1/publish", url.Values{"bundle": {"2"}, "documents": {"480"}}); !strings.Contains(w.Body.String(), `<details class="fold" open>`) {
		t.Error("a refused form is folded")
	}
	f.Status.Made = 0
	if body := page(); strings.Contains(body, made) || !strings.Contains(body, again) {
		t.Error("an earlier release is announced as new, or the form is open")
	}
	if body := s.Get(account.Broker, "/p/p1/publish?bundle=1").Body.String(); strings.Contains(body, again) || strings.Index(body, "release-1.zip") < strings.Index(body, "bundle-title") {
		t.Error("another redaction model is said to have published")
	}
	f.Status.Made, f.ReleaseList[0].Verified = 1, false
	if body := page(); strings.Contains(body, made) {
		t.Error("a release is said to be verified that is not")
	}
}

func TestPublishPageProjectsOntoWhatNobodyAnnotated(t *testing.T) {
	f := madePublish()
	s := newServer(t, f)
	page := func() string {
		return strings.Join(strings.Fields(s.Get(account.Broker, "/p/p1/publish").Body.String()), " ")
	}
	for _, want := range []string{ // 34 and 58 identifiers in 216 notes, 264 unfinished ones
		"Of about 1,198 identifiers in the 264 unfinished notes, about 42 are expected to remain readable, upper bound 71.",
		"This is a forecast from 216 annotated notes of run 3, not a count. It holds only if the unfinished notes are like the annotated ones.",
		"These figures are for the redaction model alone, without the annotations of these notes.",
	} {
		if !strings.Contains(page(), want) {
			t.Errorf("no %q", want)
		}
	}
	if body := page(); strings.Index(body, "34 of 980") < strings.Index(body, `<details class="measured">`) {
		t.Error("the count of the sample is shown as that of all notes")
	}
	f.Overview.Documents = 10_000
	if body := page(); !strings.Contains(body, "Of about 44,390 identifiers in the 9,784 unfinished notes, about 1,540 are expected to remain readable, upper bound 2,628.") {
		t.Error("the forecast for 10,000 notes is that for 216")
	}
	f.Overview.Documents = f.Overview.Done
	if body := page(); strings.Contains(body, "expected to remain") || !strings.Contains(body, "Every note is finished: everything that people marked is redacted, and everything else that the model finds.") {
		t.Error("a forecast for no note")
	}
}

// Counts on training notes say nothing about other notes.
func TestPublishPageProjectsFromUnseenDocumentsOnly(t *testing.T) {
	f := madePublish()
	f.RunList[0] = webtest.MadePaperRun()
	f.RunList[0].Number, f.RunList[0].Measured = 3, f.RunList[0].Random // of a random sample, which carries over
	s := newServer(t, f)
	if body := s.Get(account.Broker, "/p/p1/publish").Body.String(); !strings.Contains(body, "Of about 1,198 identifiers in the 264 unfinished notes, about 42 are expected to remain readable, upper bound 71.") {
		t.Error("the forecast is not from notes that the classifiers have not seen")
	}
	f.RunList[0].Choices[3].Outcome.HeldOut = nil
	body := s.Get(account.Broker, "/p/p1/publish").Body.String()
	if strings.Contains(body, "are expected to remain readable, upper bound") || !strings.Contains(body, "it is not known how many identifiers will remain readable") {
		t.Error("the forecast is from training counts")
	}
}

func TestExpectedIdentifiersAreNotRoundedToNone(t *testing.T) {
	for n, want := range map[float64]string{
		0: "no identifier is", 0.03: "fewer than 0.1 identifiers are", 0.4: "about 0.4 identifiers are", 1: "about 1 identifier is", 1.02: "about 1 identifier is",
		2: "about 2 identifiers are", 9.97: "about 10 identifiers are", 41.6: "about 42 identifiers are", 1540.4: "about 1,540 identifiers are",
	} {
		if got := expectedNumber(n, " identifier", " identifiers"); got != want {
			t.Errorf("%g: %q, want %q", n, got, want)
		}
	}
	if got := expectedNumber(41.6, "", "") + ", " + expectedNumber(0, "", ""); got != "about 42 are, none is" {
		t.Errorf("without a noun: %q", got)
	}
}

func TestAModelOfATargetSaysSo(t *testing.T) {
	f := madePublish()
	f.RunList[0] = webtest.MadeTargeted()
	f.BundleList[0].Target, f.BundleList[0].LC, f.BundleList[0].Run = &f.RunList[0].Target.Choice, 237.1, f.RunList[0].Number
	body := newServer(t, f).Get(account.Broker, "/p/p1/publish").Body.String()
	for _, want := range []string{": a target of 5 % of the notes</h2>", "1 of 90 calibration notes leak, and 1 may.", "not a certificate", "with a target of 5 % of the notes", "Figures of run 3 on 216"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestAVoidTargetIsSaidToBeVoid(t *testing.T) {
	f := madePublish()
	f.RunList[0] = webtest.MadeTargeted()
	f.RunList[0].Later = 3
	f.BundleList[0].Target, f.BundleList[0].LC, f.BundleList[0].Run = &f.RunList[0].Target.Choice, 237.1, f.RunList[0].Number
	body := newServer(t, f).Get(account.Broker, "/p/p1/publish").Body.String()
	if !strings.Contains(body, `<p class="notice warn">The target is void: 3 notes were imported after the run`) {
		t.Error("the page does not say that the target is void")
	}
}

func TestLabelsThatStayAreNamedBeforeTheConfirmation(t *testing.T) {
	f := madePublish()
	s := newServer(t, f)
	page := func() string {
		return strings.Join(strings.Fields(s.Get(account.Broker, "/p/p1/publish").Body.String()), " ")
	}
	if body := page(); strings.Contains(body, "stay readable.</strong>") || !strings.Contains(body, "In the 216 finished notes, everything that people marked is redacted, and everything else that the model finds.") {
		t.Error("labels are said to stay readable that do not")
	}
	f.BundleList[0].Excluded = []annotate.Label{"AGE", "CITY", "PROFESSION"}
	body := page()
	warning := strings.Index(body, "<strong>AGE, CITY and PROFESSION stay readable.</strong>")
	if warning < 0 || warning > strings.Index(body, `name="confirm"`) {
		t.Error("no warning before the confirmation")
	}
	if !strings.Contains(body, "In the 216 finished notes, everything that people marked, except AGE, CITY and PROFESSION, is redacted, and everything else that the model finds.") {
		t.Error("everything that people marked is said to be redacted")
	}
	if strings.Contains(body, "Everything marked") || !strings.Contains(body, "upper bound 71. This count leaves out AGE, CITY and PROFESSION, which stay readable.") {
		t.Error("the forecast does not say which labels it counts, or a label is confirmed that no note has")
	}
	f.BundleList[0].Excluded = slices.DeleteFunc(f.Overview.Labels.Labels(), func(l annotate.Label) bool { return l == "PATIENT" })
	if !strings.Contains(page(), "upper bound 71. Only the label PATIENT is counted. All other labels stay readable.") {
		t.Error("the forecast does not say that it counts PATIENT alone")
	}
}

func TestOneTickConfirmsTheLabelsThatStay(t *testing.T) {
	f := madePublish()
	f.BundleList[0].Excluded, f.Labels = []annotate.Label{"AGE", "CITY", "PROFESSION"}, []annotate.Label{"AGE", "CITY"}
	s := newServer(t, f)
	body := strings.Join(strings.Fields(s.Get(account.Broker, "/p/p1/publish").Body.String()), " ")
	for _, want := range []string{`name="readable" value="AGE,CITY"`, "with L/C 10. Everything marked AGE and CITY stays readable.</label>"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	form := url.Values{"bundle": {"2"}, "documents": {"480"}, "confirm": {"yes"}}
	for _, readable := range []string{"", "AGE", "AGE,CITY,PROFESSION"} {
		form.Set("readable", readable)
		if w := s.Post(account.Broker, "/p/p1/publish", form); w.Code != http.StatusConflict || len(f.Started) != 0 || !strings.Contains(w.Body.String(), "Nothing was published") {
			t.Errorf("%q: status %d, started %v", readable, w.Code, f.Started)
		}
	}
	form.Set("readable", "AGE,CITY")
	if w := s.Post(account.Broker, "/p/p1/publish", form); w.Code != http.StatusSeeOther || !slices.Equal(f.Despite.Readable, f.Labels) {
		t.Errorf("status %d, despite %+v", w.Code, f.Despite)
	}
}

func TestPublishingIsConfirmedByItsCount(t *testing.T) {
	for _, c := range []struct {
		name, documents, confirm string
		want                     int
		started                  []int
	}{
		{"confirmed", "480", "yes", http.StatusSeeOther, []int{2}},
		{"box not ticked", "480", "", http.StatusUnprocessableEntity, nil},
		{"count has changed", "479", "yes", http.StatusConflict, nil},
		{"no count", "", "yes", http.StatusConflict, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := madePublish()
			w := newServer(t, f).Post(account.Broker, "/p/p1/publish", url.Values{"bundle": {"2"}, "documents": {c.documents}, "confirm": {c.confirm}})
			if w.Code != c.want || !slices.Equal(f.Started, c.started) {
				t.Errorf("status %d, started %v", w.Code, f.Started)
			}
		})
	}
}

func TestPublishWithoutABundleSaysWhatToDo(t *testing.T) {
	frame, published := webtest.MadeUnpublished()
	body := newServer(t, &fakeRelease{Frame: frame, Published: published}).Get(account.Broker, "/p/p1/publish").Body.String()
	if !strings.Contains(body, `href="/p/p1/sanitize"`) || strings.Contains(body, `name="confirm"`) {
		t.Error("no way on, or something to confirm")
	}
}

func TestRunningPublicationShowsHowFarItIs(t *testing.T) {
	f := madePublish()
	f.Status = release.Status{Running: true, Done: 120, Total: 480}
	body := newServer(t, f).Get(account.Broker, "/p/p1/publish").Body.String()
	for _, want := range []string{"Publishing: note 120 of 480.", `value="0.250"`, "Cancel publishing"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if !strings.Contains(body, `name="confirm"`) {
		t.Error("the form is gone, and nothing brings it back when publishing ends")
	}
	w := newServer(t, busyPublish{f}).Post(account.Broker, "/p/p1/publish", url.Values{"bundle": {"2"}, "documents": {"480"}, "confirm": {"yes"}})
	if body := w.Body.String(); w.Code != http.StatusConflict || !strings.Contains(body, "A release is being written already. Wait for it. Nothing was published.") || !strings.Contains(body, `name="confirm"`) {
		t.Errorf("a second publication: status %d", w.Code)
	}
}

// busyPublish is publishing already.
type busyPublish struct{ *fakeRelease }

func (busyPublish) StartPublish(context.Context, account.User, project.ID, release.Ending, int, release.Despite) error {
	return &project.Error{Kind: project.Stale, Message: "a release is being written already", Hint: "wait for it"}
}

func TestReviewerGetsReleasesAndNoBundle(t *testing.T) {
	s := newServer(t, madePublish())
	for path, want := range map[string]int{
		"/p/p1/publish": 200, "/p/p1/releases/1": 200, "/p/p1/releases/1/zip": 200, "/p/p1/bundles/2": 403, "/p/p1/releases/2": 404, "/p/p1/releases/2/zip": 404,
	} {
		if w := s.Get(account.Reviewer, path); w.Code != want {
			t.Errorf("%s: status %d, want %d", path, w.Code, want)
		}
	}
	body := s.Get(account.Reviewer, "/p/p1/publish").Body.String()
	if strings.Contains(body, "/bundles/") || strings.Contains(body, `name="confirm"`) {
		t.Error("a reviewer is offered the bundle or publishing")
	}
}

func TestReleaseIsDownloadedUnderItsName(t *testing.T) {
	w := newServer(t, madePublish()).Get(account.Broker, "/p/p1/releases/1/zip")
	if got := w.Header().Get("Content-Disposition"); got != `attachment; filename="release-1.zip"` {
		t.Errorf("disposition %q", got)
	}
	if w.Header().Get("Content-Type") != "application/zip" || w.Body.String() != "PK" {
		t.Errorf("type %q, body %q", w.Header().Get("Content-Type"), w.Body)
	}
}

// brokenRelease has lost the files of its releases.
type brokenRelease struct{ *fakeRelease }

func (brokenRelease) WriteRelease(context.Context, account.User, project.ID, int, io.Writer) error {
	return errors.New("no such file")
}

func TestDownloadThatFailsIsAPage(t *testing.T) {
	w := newServer(t, brokenRelease{madePublish()}).Get(account.Broker, "/p/p1/releases/1/zip")
	if w.Code != http.StatusInternalServerError || w.Header().Get("Content-Disposition") != "" || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		t.Errorf("status %d, headers %v", w.Code, w.Header())
	}
}

func TestReleasedTextIsShownByteForByte(t *testing.T) {
	texts := []audit.ReleasedText{
		{Text: "  [A] <b>x</b>\n\n\t[A][B]  é[B]\n", Redactions: []audit.ReleasedAt{{Start: 2, End: 5, Label: "A"}, {Start: 18, End: 21, Label: "A"}, {Start: 21, End: 24, Label: "B"}, {Start: 27, End: 30, Label: "B"}}},
		{Text: "overlaps and ends beyond", Redactions: []audit.ReleasedAt{{Start: 3, End: 8}, {Start: 5, End: 9}, {Start: 20, End: 99}, {Start: 12, End: 12}}},
		{Text: ""},
	}
	tags := regexp.MustCompile(`<[^>]*>`)
	for _, d := range texts {
		out := webtest.Rendered(t, publishing.ReleasedText(d))
		if got := html.UnescapeString(tags.ReplaceAllString(out, "")); got != d.Text {
			t.Errorf("shown %q, released %q", got, d.Text)
		}
	}
	if got := strings.Count(webtest.Rendered(t, publishing.ReleasedText(texts[0])), `class="placeholder"`); got != 4 {
		t.Errorf("%d placeholders marked, want 4", got)
	}
}

func TestUnverifiedReleaseIsNotToBeHandedOut(t *testing.T) {
	f := madePublish()
	f.ReleaseList[0].Verified = false
	for _, path := range []string{"/p/p1/publish", "/p/p1/releases/1"} {
		if body := newServer(t, f).Get(account.Reviewer, path).Body.String(); !strings.Contains(body, "not verified: do not hand this out") {
			t.Errorf("%s does not warn", path)
		}
	}
}

// In the papers' mode the figures on the page are those of unseen notes.
func TestPublishingShowsWhatUnseenDocumentsShow(t *testing.T) {
	f := madePublish()
	f.RunList[0] = webtest.MadePaperRun()
	f.RunList[0].Number = 3
	f.ReleaseList[0].Outcome = f.RunList[0].Choices[3].Outcome
	s := newServer(t, f)
	for _, path := range []string{"/p/p1/publish", "/p/p1/releases/1"} {
		body := s.Get(account.Broker, path).Body.String()
		if !strings.Contains(body, "34 of 980 identifiers") || strings.Contains(body, "1 of 980 identifiers") {
			t.Errorf("%s shows counts of notes that the classifiers have seen", path)
		}
	}
}

func TestWhatAnAuditFoundAsksForATickOfItsOwn(t *testing.T) {
	f := madePublish()
	f.Open = audit.OpenFindings{Found: 3, Audit: 2}
	s := newServer(t, f)
	body := strings.Join(strings.Fields(s.Get(account.Broker, "/p/p1/publish").Body.String()), " ")
	for _, want := range []string{
		"<strong>3 identifiers marked in an audit are not fully redacted and would be published.</strong>",
		`class="button primary" href="/p/p1/audits?audit=2"`, `name="found" value="3" required`, `name="confirm"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	form := url.Values{"bundle": {"2"}, "documents": {"480"}, "confirm": {"yes"}}
	for _, found := range []string{"", "2", "4", "yes"} {
		form.Set("found", found)
		w := s.Post(account.Broker, "/p/p1/publish", form)
		if w.Code != http.StatusUnprocessableEntity || len(f.Started) != 0 || !strings.Contains(w.Body.String(), "Nothing was published") {
			t.Errorf("found %q: status %d, started %v", found, w.Code, f.Started)
		}
	}
	form.Set("found", "3")
	if w := s.Post(account.Broker, "/p/p1/publish", form); w.Code != http.StatusSeeOther || !slices.Equal(f.Started, []int{2}) || f.Despite.Found != 3 {
		t.Errorf("status %d, started %v despite %+v", w.Code, f.Started, f.Despite)
	}
	f.Open = audit.OpenFindings{}
	if body := s.Get(account.Broker, "/p/p1/publish").Body.String(); strings.Contains(body, `name="found"`) || strings.Contains(body, "would be published.") {
		t.Error("a tick is asked for nothing")
	}
}

func TestReleasePageHasItsWarningsFirstThenBothSides(t *testing.T) {
	f := madePublish()
	r := greedyaudit.Count(264, []int{2, 0}, []int{1}, 1)
	f.ReleaseList[0].Warnings = []string{"Only 48 finished notes: a test.", audit.Words(r), "Documents have changed since this run: a test."}
	page := func() string {
		return strings.Join(strings.Fields(newServer(t, f).Get(account.Reviewer, "/p/p1/releases/1").Body.String()), " ")
	}
	before := func(body string, all ...string) {
		t.Helper()
		at := 0
		for _, want := range all {
			i := strings.Index(body[at:], want)
			if i < 0 {
				t.Fatalf("no %q, or too early", want)
			}
			at += i
		}
	}
	before(page(), "Before you trust these figures", "Only 48 finished notes", "people found 3 identifiers", "Documents have changed", "Expected before reading", "At most after reading, 95 %", "Nobody has read a sample of this release.", "Figures of its run")
	f.ReleaseList[0].Audit = &r
	body := page()
	before(body, "Only 48 finished notes", "Documents have changed", "At most after reading, 95 %", `<p class="say m-left">Audit: in 2 random notes`, "Figures of its run")
	if strings.Count(body, "people found 3 identifiers") != 1 {
		t.Error("the audit is said twice")
	}
	f.ReleaseList[0].Audit, f.ReleaseList[0].Warnings = nil, nil
	f.Read = release.Sampled{Review: 5, Candidate: 1, Forecast: "Before reading: a test.", Certificate: "After reading: a test.", Certified: true, Void: "notes have changed"}
	body = page()
	before(body, "Before reading: a test.", "After reading: a test.", `href="/p/p1/reviews/5"`)
	if strings.Contains(body, "Before you trust") || strings.Contains(body, "notes have changed") {
		t.Error("warnings of a release that has none, or what was read of it is said to hold no more")
	}
}

func TestPublishPageShowsWhatPeopleReadBesideTheForecast(t *testing.T) {
	const asks, forecast = "Let people read a sample before you publish.", "are expected to remain readable"
	const unknown = "How many identifiers would remain in the notes to be published is unknown: the annotated notes are not a random sample."
	f := madeAudited()
	s := newServer(t, f)
	published := func() string { return s.Get(account.Broker, "/p/p1/publish").Body.String() }
	if body := published(); !strings.Contains(body, forecast) || !strings.Contains(body, "people found 3 identifiers") || strings.Contains(body, asks) || !strings.Contains(body, `href="/p/p1/audits"`) {
		t.Error("an audit of an earlier version is not shown beside the forecast")
	}
	f.AuditList[0].Changed = true
	f.RunList[0].Random, f.RunList[0].Measured = 3, f.RunList[0].Documents
	body := published()
	if strings.Contains(body, forecast) {
		t.Error("a forecast that does not hold is shown")
	}
	for _, want := range []string{asks, unknown, "<h3>In the 216 measured notes alone</h3>", "Nobody has read a sample of these notes.", `href="#what-title">Freeze for review`, `name="uncertified"`, `class="primary" formnovalidate>Freeze for review`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q where the forecast does not hold", want)
		}
	}
	form := url.Values{"bundle": {"2"}, "documents": {"480"}, "confirm": {"yes"}, "do": {"publish"}}
	if w := s.Post(account.Broker, "/p/p1/publish", form); w.Code != http.StatusUnprocessableEntity || len(f.Started) > 0 || !strings.Contains(w.Body.String(), "Give your reason for publishing without a certificate") {
		t.Errorf("published without a reason: status %d, %v", w.Code, f.Started)
	}
	form.Set("uncertified", "a test")
	if w := s.Post(account.Broker, "/p/p1/publish", form); w.Code != http.StatusSeeOther || f.Despite.Uncertified != "a test" {
		t.Errorf("published with a reason: status %d, %+v", w.Code, f.Despite)
	}
	f.Read = release.Sampled{Review: 5, Candidate: 2, Forecast: "Before reading: a test.", Certificate: "After reading: a test.", Certified: true}
	if body := published(); strings.Contains(body, asks) || strings.Contains(body, `name="uncertified"`) || !strings.Contains(body, "After reading: a test.") || !strings.Contains(body, unknown) {
		t.Error("a certificate does not stand beside the unknown forecast, or a reason is asked for all the same")
	}
}

func TestUnknownBundleIsNotReplacedByAnother(t *testing.T) {
	f := madePublish()
	f.BundleList = append(f.BundleList, sanitize.Bundle{Number: 9, Run: 3, LC: 10})
	s := newServer(t, f)
	for _, asked := range []string{"77", "0", "-1", "x", "09"} {
		w := s.Get(account.Broker, "/p/p1/publish?bundle="+asked)
		body := w.Body.String()
		if w.Code != http.StatusNotFound || strings.Contains(body, "bundle-title") || !strings.Contains(body, "There is no redaction model &#34;"+asked) || !strings.Contains(body, "and 9.") {
			t.Errorf("redaction model %q: status %d, or another one, or the known numbers are missing", asked, w.Code)
		}
		if w := s.Post(account.Broker, "/p/p1/publish", url.Values{"bundle": {asked}, "documents": {"480"}, "confirm": {"yes"}}); w.Code != http.StatusNotFound || len(f.Started) > 0 {
			t.Errorf("publishing with redaction model %q: status %d, published %v", asked, w.Code, f.Started)
		}
	}
	if w := s.Get(account.Broker, "/p/p1/publish?bundle=9"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "Redaction model 9: L/C 10") {
		t.Errorf("redaction model 9: status %d", w.Code)
	}
}
