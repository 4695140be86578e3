// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/project/release"
	"hide/internal/project/services"
	"hide/web/webtest"
)

func TestDimensionsAreWrittenAsTheyAreRead(t *testing.T) {
	for _, line := range []string{"sex: F, M", "AGE: -5 to 99 by 2.5, other", "COST: 0 to 1000000 by 100000, other", "from: Referred to X by GP, by letter"} {
		d, err := parseDimension(line)
		if got := dimensionText(d); err != nil || got != line {
			t.Errorf("%v, got %q, want %q", err, got, line)
		}
	}
	for line, want := range map[string]string{"COST: 0 to 1,000,000 by 100,000, other": "COST: 0 to 1000000 by 100000, other", "ID: 0 to 1234567890123 by 1": "ID: 0 to 1234567890123 by 1", "code: 1,000": "code: 1, 000"} {
		if d, err := parseDimension(line); err != nil || dimensionText(d) != want {
			t.Errorf("%q: %v, got %q, want %q", line, err, dimensionText(d), want)
		}
	}
	for _, line := range []string{"COST: 0 to 1e+06 by 100000, other", "AGE: 0 TO 99 BY 10", "AGE: 1.2.3 to 9 by 1", "AGE: 0 to 99 by 10, unknown", "COST: 0 to 1,00,000 by 10"} {
		if d, err := parseDimension(line); err == nil {
			t.Errorf("%q is read as %+v", line, d)
		}
	}
}

// answeredQueries has an earlier answer.
type answeredQueries struct {
	failedCounts
	asked release.Asked
}

func (f answeredQueries) Releases(context.Context, account.User, project.ID) ([]release.Release, error) {
	return []release.Release{{Number: 1, Kind: release.KindQuery, Strong: &release.StrongRelease{Epsilon: 250_000, Source: "form", Asked: &f.asked}}}, nil
}

func TestTheFormOfQueriesAsksTheSameAgain(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(4))
	form := func(question string) queryForm {
		return queryForm{countsForm{source: "form", epsilon: "0.25", dimensions: "COST: 0 to 1000000 by 100000, other", nameless: namelessForm{each: true, times: "3"}}, question}
	}
	failed, err := form("SELECT COUNT(*)").settings()
	if err != nil {
		t.Fatal(err)
	}
	asked := release.Asked{Question: "SELECT COUNT(*) GROUP BY COST", Domain: failed.Dimensions, Unjoined: failed.Unjoined}
	for status, want := range map[release.Status]queryForm{
		{Asked: &failed}: form(asked.Question),
		{Asked: &failed, Error: "the disk is full"}: form(failed.Question),
		{Asked: &failed, Running: true}:             form(failed.Question),
	} {
		h := New(answeredQueries{failedCounts{projects, status}, asked})
		v, err := h.queriesView(t.Context(), webtest.As(account.Broker), id)
		if err != nil || v.form != want {
			t.Errorf("%+v: %+v, %v", status, v.form, err)
		}
	}
}

// busyQueries is writing another release.
type busyQueries struct{ *services.All }

func (busyQueries) StartQuery(context.Context, account.User, project.ID, release.Ending, dp.QuerySettings) error {
	return &project.Error{Kind: project.Stale, Message: "a release is being written already", Hint: "wait for it"}
}

func TestAQueryStaysWhileAnotherReleaseIsWritten(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(4))
	s := newServer(t, busyQueries{projects})
	budgetAsk(s, id, "", "questions", url.Values{"limit": {"1"}})
	w := s.Post(account.Broker, "/p/"+string(id)+"/publish/questions", url.Values{
		"question": {"SELECT COUNT(*)"}, "dimensions": {"CITY: Arden, other"}, "source": {"list of towns"}, "epsilon": {"0.2"}, "do": {"publish"}, "confirm": {"yes"},
	})
	for _, want := range []string{"A release is being written already", "SELECT COUNT(*)</textarea>", "CITY: Arden, other</textarea>"} {
		if body := w.Body.String(); w.Code != 422 || !strings.Contains(body, want) {
			t.Errorf("status %d, no %q", w.Code, want)
		}
	}
}

func TestQueriesAreAnsweredOnceAndTheRefusedCostNothing(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(12))
	s := newServer(t, projects)
	page := "/p/" + string(id) + "/publish/questions"
	if code, to, _ := budgetAsk(s, id, "", "questions", url.Values{"limit": {"1"}}); code != 303 || !strings.HasSuffix(to, "/publish/questions#budget") {
		t.Fatalf("status %d, to %q", code, to)
	}
	ask := func(question, epsilon, do, confirm string) (int, string) {
		w := s.Post(account.Broker, page, url.Values{
			"question": {question}, "dimensions": {"CITY: Arden, Bilton, other"}, "source": {"list of towns"}, "epsilon": {epsilon}, "do": {do}, "confirm": {confirm},
		})
		return w.Code, w.Body.String()
	}
	for question, want := range map[string]string{"SELECT name": "only counts are answered", "SELECT COUNT(*) GROUP BY ward": "nknown column", "SELECT COUNT(*) WHERE CITY = 'Weiss'": "nknown value"} {
		if code, body := ask(question, "0.2", "publish", "yes"); code != 422 || !strings.Contains(body, want) {
			t.Errorf("%s: status %d", question, code)
		}
	}
	if code, body := ask("SELECT COUNT(*)", "1.5", "check", ""); code != 200 || !strings.Contains(body, "1 of 1 is left. The query would exceed it.") || strings.Contains(body, "after this query") {
		t.Errorf("more than is left: status %d", code)
	}
	if code, body := ask("SELECT COUNT(*) GROUP BY CITY", "0.2", "check", ""); code != 200 || !strings.Contains(body, "1 of 1 is left, and 0.8 after this query.") || !strings.Contains(body, "3 counts") {
		t.Errorf("estimate: status %d", code)
	}
	if code, _ := ask("SELECT COUNT(*) GROUP BY CITY", "0.2", "publish", ""); code != 422 {
		t.Errorf("without confirming: status %d", code)
	}
	for range 2 {
		if code, _ := ask("SELECT COUNT(*) GROUP BY CITY", "0.2", "publish", "yes"); code != 303 {
			t.Fatalf("status %d", code)
		}
		webtest.Released(t, projects, id)
		b, err := projects.Budget(t.Context(), webtest.As(account.Broker), id)
		if err != nil || b.Spent != 200_000 || len(b.Debits) != 1 {
			t.Errorf("%v spent in %d debits, %v", b.Spent, len(b.Debits), err)
		}
	}
	body := s.Get(account.Broker, page).Body.String()
	for _, want := range []string{"release-1 has the answer", "SELECT COUNT(*) GROUP BY CITY", "Bilton", "at most ±15 in 95 of 100 cases"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if w := s.Get(account.Reviewer, page); w.Code != 403 {
		t.Errorf("a reviewer: status %d", w.Code)
	}
}
