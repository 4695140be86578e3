// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/publish/cube"
	"hide/web/webtest"
)

// By keyboard only: a budget is opened, and a request estimated, published and repeated.
func TestCountsByKeyboard(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(60))
	v := openBrowser(t, account.Broker, projects)
	v.Expect("422")
	v.Open(v.Base + "/p/" + string(id) + "/publish/counts")
	v.WaitText("h1", "Publish counts")
	v.Axe()
	v.Shots("counts-empty")
	v.Type("#limit", "1")
	v.Press("Enter")
	v.WaitText(".notice.error", "Tick the box")
	v.Focus(`input[name="confirm"]`)
	v.Press("Space", "Enter")
	v.WaitText("dl.budget", "ε 1")
	v.Axe()
	over := func(field, text string) {
		v.Focus(field)
		v.Press("Control+a")
		v.Type(field, text)
	}
	ask := func() { // also over a form that is still filled
		over("#dimensions", "sex: F, M\nAGE: 0 to 99 by 20, other")
		over("#source", "admission form")
		over("#epsilon", "0.25")
		v.Focus(`button[value="check"]`)
		v.Press("Enter")
		v.WaitText("#estimate", "12 cells")
	}
	v.Type("#dimensions", "sex F")
	v.Focus(`button[value="check"]`)
	v.Press("Enter")
	v.WaitText(".notice.error", "Line 1 of the categories has no colon")
	v.Axe()
	v.Focus("#dimensions")
	v.Press("Control+a", "Delete")
	ask()
	v.Axe()
	v.Legible()
	v.Shots("counts-estimate")
	publish := func() {
		v.Focus(`input[name="confirm"]`)
		v.Press("Space")
		v.Focus(`button[value="publish"]`)
		v.Press("Enter")
	}
	publish()
	v.WaitText("#counts-state tbody", "release-1")
	v.WaitText("dl.budget", "ε 0.75")
	v.Axe()
	v.Shots("counts")
	ask()
	publish()
	v.WaitText("#counts-state .notice.good", "Nothing was spent")
	v.WaitText("dl.budget", "ε 0.75")
}

func TestCategoriesAreReadFromLines(t *testing.T) {
	for line, want := range map[string]cube.Dimension{
		"sex: F, M":                  {Name: "sex", Values: []string{"F", "M"}},
		"age: 0 to 99 by 10, other":  {Name: "age", Min: 0, Max: 99, Width: 10, Other: true},
		"t: -5.5 to 5 by 0.5":        {Name: "t", Min: -5.5, Max: 5, Width: 0.5},
		"city: Arden , other":        {Name: "city", Values: []string{"Arden"}, Other: true},
		"time: a:b, c":               {Name: "time", Values: []string{"a:b", "c"}},
		"empty:":                     {Name: "empty"},
		"stage: I < II < III, other": {Name: "stage", Values: []string{"I", "II", "III"}, Ordered: true, Other: true},
		"ward: A < B < other":        {Name: "ward", Values: []string{"A", "B"}, Ordered: true, Other: true},
		"los: <5, 5-9, >9":           {Name: "los", Values: []string{"<5", "5-9", ">9"}},
		"odd: 1 to 2 by 3 by 4, end": {Name: "odd", Values: []string{"1 to 2 by 3 by 4", "end"}},
	} {
		got, err := parseDimension(line)
		if err != nil || got.Name != want.Name || !slices.Equal(got.Values, want.Values) || got.Min != want.Min || got.Max != want.Max || got.Width != want.Width || got.Other != want.Other || got.Ordered != want.Ordered {
			t.Errorf("%q: %+v, %v, want %+v", line, got, err, want)
		}
	}
	for _, line := range []string{"sex F M", "age: . to 1 by 1", "stage: I < II, III"} {
		if _, err := parseDimension(line); err == nil {
			t.Errorf("%q is read", line)
		}
	}
}

func TestAnEstimateSaysWhenTheBudgetIsShort(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(20))
	s := newServer(t, projects)
	path := "/p/" + string(id) + "/publish/"
	s.Post(account.Broker, path+"budget", map[string][]string{"limit": {"0.5"}, "confirm": {"yes"}})
	for epsilon, want := range map[string]bool{"0.5": false, "0.500001": true} {
		w := s.Post(account.Broker, path+"counts", map[string][]string{"dimensions": {"sex: F, M"}, "source": {"form"}, "epsilon": {epsilon}, "method": {"identity"}, "do": {"check"}})
		if got := strings.Contains(w.Body.String(), "are left. The request will be refused"); w.Code != 200 || got != want {
			t.Errorf("epsilon %s: status %d, warned %t", epsilon, w.Code, got)
		}
	}
}

func TestCountsPageRefusesWhatIsNotConfirmed(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(4))
	s := newServer(t, projects)
	path := "/p/" + string(id) + "/publish/"
	if w := s.Post(account.Broker, path+"budget", map[string][]string{"limit": {"1"}}); w.Code != 422 || !strings.Contains(w.Body.String(), "Tick the box") {
		t.Errorf("status %d", w.Code)
	}
	for role, want := range map[account.Role]int{account.Broker: 200, account.Annotator: 403, account.Reviewer: 403} {
		if w := s.Get(role, path+"counts"); w.Code != want {
			t.Errorf("as %s: status %d, want %d", role, w.Code, want)
		}
	}
}
