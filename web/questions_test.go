// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/publish/cube"
)

func TestDimensionsAreWrittenAsTheyAreRead(t *testing.T) {
	text := "sex: F, M\nAGE: -5 to 99 by 2.5, other\n"
	var d cube.Domain
	for _, line := range lines(text) {
		dim, err := parseDimension(line)
		if err != nil {
			t.Fatal(err)
		}
		d = append(d, dim)
	}
	if got := dimensionLines(d); got != text {
		t.Errorf("got %q, want %q", got, text)
	}
}

func TestQuestionsAreAnsweredOnceAndTheRefusedCostNothing(t *testing.T) {
	projects, id := realNotes(t, cohortNotes(12))
	s := newTestServer(t, projects)
	page := "/p/" + string(id) + "/publish/questions"
	if code, to, _ := budgetAsk(s, id, "", "questions", url.Values{"limit": {"1"}}); code != 303 || !strings.HasSuffix(to, "/publish/questions#budget") {
		t.Fatalf("status %d, to %q", code, to)
	}
	broker := account.User{ID: "b", Role: account.Broker}
	ask := func(question, epsilon, do, confirm string) (int, string) {
		w := post(s, account.Broker, page, url.Values{
			"question": {question}, "dimensions": {"CITY: Arden, Bilton, other"}, "source": {"list of towns"}, "epsilon": {epsilon}, "do": {do}, "confirm": {confirm},
		})
		return w.Code, w.Body.String()
	}
	for question, want := range map[string]string{"SELECT name": "counts are all", "SELECT COUNT(*) GROUP BY ward": "no such column", "SELECT COUNT(*) WHERE CITY = 'Weiss'": "no such value"} {
		if code, body := ask(question, "0.2", "publish", "yes"); code != 422 || !strings.Contains(body, want) {
			t.Errorf("%s: status %d", question, code)
		}
	}
	if code, body := ask("SELECT COUNT(*) GROUP BY CITY", "0.2", "check", ""); code != 200 || !strings.Contains(body, "Before: 1 of 1 left. After: 0.8") || !strings.Contains(body, "3 counts") {
		t.Errorf("estimate: status %d", code)
	}
	if code, _ := ask("SELECT COUNT(*) GROUP BY CITY", "0.2", "publish", ""); code != 422 {
		t.Errorf("without confirming: status %d", code)
	}
	for range 2 {
		if code, _ := ask("SELECT COUNT(*) GROUP BY CITY", "0.2", "publish", "yes"); code != 303 {
			t.Fatalf("status %d", code)
		}
		waitPublished(t, projects, id)
		b, err := projects.Budget(t.Context(), broker, id)
		if err != nil || b.Spent != 200_000 || len(b.Debits) != 1 {
			t.Errorf("%v spent in %d debits, %v", b.Spent, len(b.Debits), err)
		}
	}
	body := get(s, account.Broker, page).Body.String()
	for _, want := range []string{"release-1 has the answer", "SELECT COUNT(*) GROUP BY CITY", "Bilton", "at most ±15 95 times of 100"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if w := get(s, account.Reviewer, page); w.Code != 403 {
		t.Errorf("a reviewer: status %d", w.Code)
	}
}

// waitPublished waits for the release under way.
func waitPublished(t *testing.T, projects Projects, id project.ID) {
	t.Helper()
	for {
		st, err := projects.Publishing(t.Context(), account.User{ID: "b", Role: account.Broker}, id)
		if err != nil || st.Error != "" {
			t.Fatalf("%v, %s", err, st.Error)
		}
		if !st.Running {
			return
		}
	}
}
