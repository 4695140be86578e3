// SPDX-License-Identifier: Apache-2.0

package model

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/services"
	"hide/internal/project/training"
	"hide/web/webtest"
)

// waitForCurves waits until nothing is being measured.
func waitForCurves(t *testing.T, s *services.All, id project.ID) training.CurveStatus {
	t.Helper()
	by := webtest.As(account.Broker)
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		st, err := s.Curves(t.Context(), by, id)
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("waiting for curves: %v", err)
		}
		if !st.Running {
			return st
		}
	}
}

func TestCurvesAreMeasuredShownAndPutToUse(t *testing.T) {
	projects, id := webtest.RealProject(t, 6)
	s, path := newServer(t, projects), "/p/"+string(id)+"/curves"
	page := s.Get(account.Broker, path).Body.String()
	for _, want := range []string{`name="shares" value="50, 20, 10, 5"`, `name="windows" value="16, 8, 4, 2"`, ">Measure<"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page before measuring lacks %q", want)
		}
	}
	form := url.Values{"shares": {"50 %; 10"}, "windows": {""}, "costs": {"PATIENT 3, DATE 2\r\n\r\nO: 0.5\r\n"}, "learner": {"bayes"}}
	if w := s.Post(account.Broker, path, form); w.Code != http.StatusSeeOther || w.Header().Get("Location") != path {
		t.Fatalf("status %d to %q\n%s", w.Code, w.Header().Get("Location"), w.Body)
	}
	st := waitForCurves(t, projects, id)
	if st.Error != "" || len(st.Last.Settings) != 5 {
		t.Fatalf("measuring ended as %+v", st)
	}
	page = s.Get(account.Broker, path).Body.String()
	for _, want := range []string{
		"all words</th>", "10 % of non-PHI words</th>", "cost DATE 2, PATIENT 3</th>", "cost O 0.5</th>", "in use</span>",
		"with naive Bayes", `name="shares" value="50, 10"`, `name="windows" value=""`, "DATE 2, PATIENT 3\nO 0.5</textarea>", `value="bayes" selected`, "Trained on all words, the model has a recall of", "share of non-PHI words 50 %: recall",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page after measuring lacks %q", want)
		}
	}
	if w := s.Post(account.Broker, path+"/use", url.Values{"setting": {"2"}}); w.Code != http.StatusSeeOther {
		t.Fatalf("status %d\n%s", w.Code, w.Body)
	}
	if st := waitForCurves(t, projects, id); st.InUse != "o=0.1+seed=1" {
		t.Errorf("in use: %q", st.InUse)
	}
	page = s.Get(account.Reviewer, path).Body.String()
	if strings.Contains(page, "<form method=\"post\" action=\"/p/") || !strings.Contains(page, "10 % of non-PHI words</th>") {
		t.Error("a reviewer sees a form, or no figures")
	}
	if strings.Contains(page, "Abel") {
		t.Error("the page holds text of a note")
	}
}

func TestCurvesSayWhatIsWrongBesideTheField(t *testing.T) {
	projects, id := webtest.RealProject(t, 4)
	s, path := newServer(t, projects), "/p/"+string(id)+"/curves"
	for _, c := range []struct{ field, typed, want string }{
		{"shares", "half", "Enter percentages above 0 and at most 100."},
		{"shares", "0", "Enter percentages"},
		{"shares", "101", "Enter percentages"},
		{"windows", "2.5", "Enter whole numbers from 1 to 1,000."},
		{"windows", "-4", "Enter whole numbers"},
		{"costs", "PATIENT", "Line 1: enter labels, each with a number."},
		{"costs", "\nPATIENT 3+o=.5 1", "Line 2: enter a number above 0 for PATIENT."},
		{"costs", "NOBODY 3", "one of the labels is not a label of this project"},
		{"costs", "PATIENT -3", "Line 1: enter a number above 0 for PATIENT."},
	} {
		t.Run(c.typed, func(t *testing.T) {
			w := s.Post(account.Broker, path, url.Values{c.field: {c.typed}})
			page := w.Body.String()
			if w.Code != http.StatusUnprocessableEntity || !strings.Contains(page, c.want) {
				t.Errorf("status %d, and the page does not say %q", w.Code, c.want)
			}
			if typed := strings.TrimSpace(c.typed); !strings.Contains(page, typed) {
				t.Errorf("what was typed is gone")
			}
		})
	}
	w := s.Post(account.Broker, path, url.Values{})
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "Give at least one setting") {
		t.Errorf("an empty form: status %d", w.Code)
	}
	if w := s.Post(account.Broker, path+"/use", url.Values{"setting": {"x"}}); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("a setting without a number: status %d", w.Code)
	}
	if w := s.Post(account.Broker, path+"/use", url.Values{"setting": {"0"}}); w.Code != http.StatusNotFound {
		t.Errorf("a setting never measured: status %d", w.Code)
	}
}

func TestCurvesSayWhatIsMissing(t *testing.T) {
	projects, id := webtest.RealProject(t, 2)
	page := newServer(t, projects).Get(account.Broker, "/p/"+string(id)+"/curves").Body.String()
	if !strings.Contains(page, "It needs 1 more finished note.") || strings.Contains(page, `name="shares"`) {
		t.Error("the page does not say what is missing, or offers to measure")
	}
}

// A new measurement replaces only one of the same settings. Two learners are drawn side by
// side, and earlier measurements can be chosen.
func TestCurvesOfTwoLearnersStandSideBySide(t *testing.T) {
	projects, id := webtest.RealProject(t, 6)
	s, path := newServer(t, projects), "/p/"+string(id)+"/curves"
	measure := func(shares, learner string) {
		t.Helper()
		if w := s.Post(account.Broker, path, url.Values{"shares": {shares}, "learner": {learner}}); w.Code != http.StatusSeeOther {
			t.Fatalf("status %d", w.Code)
		}
		if st := waitForCurves(t, projects, id); st.Error != "" {
			t.Fatal(st.Error)
		}
	}
	page := func(query string) string {
		return strings.Join(strings.Fields(s.Get(account.Broker, path+query).Body.String()), " ")
	}
	measure("50", "bayes")
	measure("50", "bayes")
	if strings.Contains(page(""), "Side by side") {
		t.Error("a measurement that was repeated is compared with itself")
	}
	measure("50, 20", "svm")
	body := page("")
	for _, want := range []string{
		"Side by side: svm and naive Bayes", "m-trade1 m-earlier", "naive Bayes: share of non-PHI words", "svm: share of non-PHI words",
		`<th scope="row">20 % of non-PHI words</th>`, "One of the two learners does not distinguish labels",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if !regexp.MustCompile(`<th scope="row">20 % of non-PHI words</th> ?<td class="number">[0-9.]+</td> ?<td class="number">[0-9.]+</td> ?<td class="number">–</td>`).MatchString(body) {
		t.Error("what only one of them measured is not told")
	}
	measure("10", "bayes")
	if body := page("?with=2"); !strings.Contains(body, "Side by side: naive Bayes, now and naive Bayes, ") || !strings.Contains(page("?with=x"), "Side by side: naive Bayes and svm") {
		t.Error("another measurement cannot be chosen")
	}
	for _, shares := range []string{"11", "12", "13", "14", "15"} {
		measure(shares, "bayes")
	}
	if st := waitForCurves(t, projects, id); len(st.Earlier) != training.MostCurves-1 {
		t.Errorf("%d earlier measurements are kept", len(st.Earlier))
	}
}
