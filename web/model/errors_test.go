// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/web/ui"
	"hide/web/webtest"
)

// fakeErrors answers the page of errors.
type fakeErrors struct {
	*frame
	page  training.ErrorsPage
	asked training.ErrorFilter
}

func (f *fakeErrors) Errors(_ context.Context, _ account.User, _ project.ID, filter training.ErrorFilter) (training.ErrorsPage, error) {
	f.asked = filter
	return f.page, nil
}

// canaryPlace is an error on a text that must stay on the page.
func canaryPlace(doc int, text string) training.ErrorPlace {
	return training.ErrorPlace{
		Excerpt: project.Excerpt{Document: annotate.DocumentID(doc), Start: 12, End: 18, Label: "DOCTOR", Text: text, Before: "seen by ", After: " today", Score: 0.31},
		Name:    "note-" + webtest.Canary, Reason: "unseen",
	}
}

// madeErrors is a check with two texts missed and one false alarm.
func madeErrors() *fakeErrors {
	unseen := training.ReasonCount{Kind: training.Miss, Reason: "unseen", Count: 5, Documents: 4, Leaks: 6}
	alarm := training.ReasonCount{Kind: training.Alarm, Reason: "elsewhere", Count: 1, Documents: 1}
	tally := training.Tally{
		Precision: 0.9, Recall: 0.75, F1: 0.818, TP: 90, FP: 10, FN: 30,
		Interval: &training.Intervals{Precision: training.Interval{Low: 0.8, High: 0.95}, Recall: training.Interval{Low: 0.6, High: 0.85}, F1: training.Interval{Low: 0.7, High: 0.9}, Groups: 38},
	}
	report := &training.Report{Documents: 40}
	report.Entity = training.Level{Micro: tally, Labels: map[annotate.Label]training.Tally{"DOCTOR": tally, "DATE": {FP: 1}}, Macro: training.Mean{Precision: 0.5, Recall: 0.5, F1: 0.5, Over: 1}}
	report.Overlap.Micro, report.Binary = tally, tally
	report.Leaks.Documents = training.Share{Count: 4, Of: 40, Share: 0.1, Interval: &training.Interval{Low: 0.02, High: 0.2}}
	report.Leaks.Patients = &training.Share{Count: 3, Of: 30, Share: 0.1}
	report.Leaks.Tokens = training.Share{Count: 6, Of: 200, Share: 0.03}
	report.Leaks.Labels = map[annotate.Label]training.Share{"DOCTOR": {Count: 6, Of: 180}}
	report.Bootstrap.Resamples, report.Bootstrap.Groups = 1000, 38
	report.Calibration.Tokens = madeCalibration()
	f := &fakeErrors{frame: newFrame()}
	f.training = training.Status{Model: 3, Documents: 40, Finished: time.Now(), Scores: training.Scores{Folds: 3, Documents: 40, Model: 3, At: checkedAt}}
	f.page = training.ErrorsPage{
		Check:  training.Check{At: checkedAt, Model: 3, Documents: 40, Folds: 3, Report: report, Wrong: 6, Misses: 5, Alarms: 1},
		Labels: []annotate.Label{"DATE", "DOCTOR"}, Reasons: []training.ReasonCount{unseen, alarm}, Matching: 6, Texts: 120,
	}
	many := training.ErrorGroup{Kind: training.Miss, Label: "DOCTOR", Text: webtest.Canary, Count: 30, Documents: 4, Leaks: 6, Reasons: []training.ReasonCount{unseen}}
	for i := range 5 {
		many.Places = append(many.Places, canaryPlace(i+1, webtest.Canary))
	}
	many.Places[1].Changed = true
	one := training.ErrorGroup{Kind: training.Alarm, Label: "DATE", Text: "mai", Count: 1, Documents: 1, Reasons: []training.ReasonCount{alarm}, Places: []training.ErrorPlace{canaryPlace(7, "Mai")}}
	f.page.Leaking = []training.LeakingNote{{Document: 9, Name: "note-" + webtest.Canary, Words: 4, Start: 3, End: 8}, {Document: 11, Name: "note-11", Words: 1, Start: 0, End: 2}}
	f.page.Groups = []training.ErrorGroup{many, one}
	return f
}

var checkedAt = time.Date(2026, 11, 20, 18, 5, 0, 7, time.UTC)

func madeCalibration() *training.Calibration {
	c := &training.Calibration{Count: 1000, Predicted: 0.3, Observed: 0.28, ECE: 0.02, ECEMass: 0.03, MCE: 0.11, Brier: 0.0123}
	for i := range 10 {
		v := float64(i)/10 + 0.05
		b := training.Bin{Low: float64(i) / 10, High: float64(i+1) / 10, Count: 1000 >> i, Predicted: v, Observed: v * v, Interval: &training.Interval{Low: v * v * 0.8, High: min(1, v*v*1.2)}}
		c.Width = append(c.Width, b)
		b.Count = 100
		c.Mass = append(c.Mass, b)
	}
	return c
}

func TestErrorsPageShowsReasonsPlacesAndFigures(t *testing.T) {
	page := newServer(t, madeErrors()).Get(account.Annotator, "/p/p1/errors").Body.String()
	for _, want := range []string{
		"40 finished notes, in 3 parts", "There were 5 missed spans and 1 false alarm.",
		"4 of 40 notes (10.0 % [2.0–20.0]) and 3 of 30 patients (10.0 %) contain missed PHI", "6 of 200 sensitive words (3.0 %)",
		ui.NotRandomWords, "95 % intervals from resampling 38 groups",
		"Word not seen in training</a>", "Add a dictionary that has the word", "A mark may have been forgotten",
		"30 spans in 4 notes, 6 missed words", "2 more places", "and 25 more", "probability of PHI 31 %, changed since",
		`href="/p/p1/notes/7#at-12-18"`, `href="/p/p1/notes/9#at-3-8"`, "4 words</span>", "1 to 2 of 120", `href="/p/p1/errors?from=50#wrong"`,
		"90.0 % [80.0–95.0]", "mean of 1 label", "6 of 180", "Expected calibration error 2.0 percentage points", "constant score: 0.2016", "Right, of marked", `id="reliability-tokens-title"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(page, "reliability-spans") {
		t.Error("there is a diagram of what was not measured")
	}
	if title := webtest.Kept(page); strings.Contains(title, webtest.Canary) {
		t.Error("an address or the title has text of a note")
	}
}

func TestErrorsFilterIsReadFromTheAddressAndKeptInLinks(t *testing.T) {
	f := madeErrors()
	page := newServer(t, f).Get(account.Broker, "/p/p1/errors?kind=miss&label=DOCTOR&reason=unseen&sort=leaks&from=50").Body.String()
	want := training.ErrorFilter{Kind: training.Miss, Label: "DOCTOR", Reason: "unseen", Sort: training.ByLeaks, Offset: 50, Limit: errorsSize}
	if f.asked != want {
		t.Errorf("asked for %+v, want %+v", f.asked, want)
	}
	for _, want := range []string{
		`<option value="miss" selected>`, `<option value="DOCTOR" selected>`, `<option value="unseen" selected>`, `<option value="leaks" selected>`,
		`href="/p/p1/errors?kind=miss&amp;label=DOCTOR&amp;reason=unseen&amp;sort=leaks#wrong"`, // earlier
		`href="/p/p1/errors?kind=alarm&amp;label=DOCTOR&amp;reason=elsewhere&amp;sort=leaks#wrong"`,
		"Show all",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	newServer(t, f).Get(account.Broker, "/p/p1/errors?"+url.Values{"kind": {"x"}, "label": {"<b>"}, "reason": {"y"}, "sort": {"z"}, "from": {"-3"}}.Encode())
	if want := (training.ErrorFilter{Sort: training.ByCount, Limit: errorsSize}); f.asked != want {
		t.Errorf("of a senseless filter %+v is left", f.asked)
	}
}

func TestEmptyErrorsPageSaysWhatToDo(t *testing.T) {
	for name, test := range map[string]struct {
		page     training.ErrorsPage
		training training.Status
		want     string
	}{
		"too few notes":    {training.ErrorsPage{Check: training.Check{NeedMore: 2, Patients: 1}}, training.Status{NeedMore: 2}, "Finish 2 more notes."},
		"too few patients": {training.ErrorsPage{Check: training.Check{Patients: 1}}, training.Status{Model: 1}, "Finish notes of 1 more patient."},
		"under way":        {training.ErrorsPage{}, training.Status{Model: 1, Running: true, Phase: "checking"}, "being trained or checked"},
		"never checked":    {training.ErrorsPage{}, training.Status{Model: 1}, "Train it: it is checked afterwards"},
	} {
		f := &fakeErrors{frame: newFrame(), page: test.page}
		f.training = test.training
		w := newServer(t, f).Get(account.Annotator, "/p/p1/errors")
		page := w.Body.String()
		if w.Code != http.StatusOK || !strings.Contains(page, test.want) {
			t.Errorf("%s: status %d, no %q", name, w.Code, test.want)
		}
		if begins := strings.Contains(page, "Annotate the next note"); begins != (test.page.Patients > 0) {
			t.Errorf("%s: the way to annotate is shown: %t", name, begins)
		}
	}
}

func TestErrorsPageHearsOfANewerCheck(t *testing.T) {
	f := madeErrors()
	query := url.Values{"checked": {stamp(checkedAt)}}
	shown := func() string {
		return webtest.LivePart(t, New(f), account.Annotator, "errors", query)
	}
	if strings.Contains(shown(), "checked again") {
		t.Error("the check on the page is said to be old")
	}
	f.change(func() { f.training.Scores.At = checkedAt.Add(time.Second) })
	if !strings.Contains(shown(), "checked again") {
		t.Error("nothing is said of a newer check")
	}
	page := newServer(t, f).Get(account.Annotator, "/p/p1/errors").Body.String()
	if !strings.Contains(page, "checked="+url.QueryEscape(stamp(checkedAt))) {
		t.Error("the page does not watch for newer checks")
	}
}

var placeLink = regexp.MustCompile(`href="/p/p1/notes/(\d+)#at-(\d+)-(\d+)"`)

func TestErrorsOfARealCheckLeadIntoTheirNotes(t *testing.T) {
	s, id := webtest.RealNotes(t, t.TempDir(), webtest.HardNotes(9))
	webtest.Checked(t, s, id)
	page := newServer(t, s).Get(account.Annotator, "/p/"+string(id)+"/errors?kind=miss&label=PATIENT").Body.String()
	_, list, _ := strings.Cut(page, `class="error-groups"`)
	found := placeLink.FindAllStringSubmatch(list, -1)
	if len(found) != 3 {
		t.Fatalf("%d places, want 3", len(found))
	}
	by := webtest.As(account.Annotator)
	for _, place := range found {
		var doc annotate.DocumentID
		var start, end int
		if _, err := fmt.Sscan(place[1]+" "+place[2]+" "+place[3], &doc, &start, &end); err != nil {
			t.Fatal(err)
		}
		n, err := s.Note(t.Context(), by, id, doc)
		if err != nil {
			t.Fatal(err)
		}
		if got := string([]rune(n.Document.Text)[start:end]); got != "rash" {
			t.Errorf("note %d at %d to %d is %q", doc, start, end, got)
		}
	}
}
