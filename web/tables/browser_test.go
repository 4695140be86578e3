// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/idview"
	"hide/internal/publish/risk"
	"hide/web/webtest"
)

// By keyboard only: roles are chosen, several k compared, one of them published.
func TestATableByKeyboard(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(60))
	v := openBrowser(t, account.Broker, projects)
	v.Expect("422")
	v.Open(v.Base + "/p/" + string(id) + "/publish/table")
	v.WaitText("h1", "Publish a table")
	v.Axe()
	v.Shots("table-roles")
	v.Size(390, 800)
	var lines int
	v.Eval(`(() => { const name = document.querySelector(".attribute"), was = name.textContent; name.textContent = "MEDICALRECORD"; const lines = name.getClientRects().length; name.textContent = was; return lines })()`, &lines)
	if lines != 1 {
		t.Errorf("on a phone the name of an attribute is broken into %d lines", lines)
	}
	v.Size(1280, 800)
	v.Focus(`select[name="role.field:ward"]`)
	v.Press("ArrowDown")
	v.Focus(`.roles p button`)
	v.Press("Enter")
	v.WaitText(".notice.good", "Saved.")
	if got := v.Value(`select[name="role.field:ward"]`); got != "quasi" {
		t.Errorf("the ward is %q", got)
	}
	v.Focus("#ks")
	v.Press("Control+a")
	v.Type("#ks", "two")
	v.Press("Enter")
	v.WaitText("#preview .notice.error", "nter whole numbers")
	v.Axe()
	v.Focus("#ks")
	v.Press("Control+a")
	v.Type("#ks", "2 5 10 25")
	v.Eval(`document.querySelectorAll(".ask details").forEach(d => { d.open = true; })`, nil)
	v.Focus("#l")
	v.Type("#l", "0 3")
	v.Focus("#people")
	v.Type("#people", "5000")
	v.Press("Enter")
	v.Wait("eight tables", `document.querySelectorAll("#table-preview .compare tbody tr").length === 9 && !document.querySelector("#table-preview progress")`)
	v.Axe()
	v.Shots("table-preview")
	v.Eval(`document.querySelectorAll("main details").forEach(d => { d.open = true; })`, nil)
	v.Axe()
	v.Legible()
	v.Shots("table-open")
	v.Focus(`.confirm input[value="k = 5"]`)
	v.Press("Space")
	v.Focus(`.confirm input[name="confirm"]`)
	v.Press("Space", "Enter")
	v.WaitText(".release", "A table of 60 patients with")
	v.WaitText(".release", "k = 5; information loss")
	v.Axe()
}

func TestAnAttributeByKeyboard(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(20))
	v := openBrowser(t, account.Broker, projects)
	v.Expect("422")
	v.Open(v.Base + "/p/" + string(id) + "/publish/table")
	v.Focus(`a[href$="roles?of=label%3ACITY"]`)
	v.Press("Enter")
	v.WaitText("h1", "CITY")
	v.Axe()
	v.Focus("#take")
	v.Press("Home")
	v.Focus(`.hierarchy button[value="start"]`)
	v.Press("Enter")
	v.WaitText(".notice.warn", "not saved yet")
	if got := v.Value("#take"); got != "most" {
		t.Errorf("an edit forgot what else was chosen: %q", got)
	}
	for _, town := range []string{"Arden", "Bilton"} {
		v.Focus(`.tree input[value="0:` + town + `"]`)
		v.Press("Space")
	}
	v.Focus("#label")
	v.Type("#label", "north")
	v.Press("Enter")
	v.WaitText(".tree", "north")
	v.Axe()
	v.Focus(`.hierarchy button[value="rename"]`)
	v.Press("Enter")
	v.WaitText(".notice.error", "The hierarchy was not changed")
	v.Focus(`.tree input[value="1:north"]`)
	v.Press("Space")
	v.Focus("#label")
	v.Type("#label", "hills")
	v.Focus(`.hierarchy button[value="rename"]`)
	v.Press("Enter")
	v.WaitText(".tree", "hills")
	v.Shots("attribute-draft")
	v.Eval(`document.querySelector("#role-form details").open = true`, nil)
	v.Focus("#hierarchy")
	v.Press("Control+a")
	v.Type("#hierarchy", "Arden;north;*\nBilton;north;*")
	v.Focus("#role-form .primary")
	v.Press("Enter")
	v.WaitText(".notice.error", "missing from the hierarchy")
	v.Focus(`.hierarchy button[value="missing"]`)
	v.Press("Enter")
	v.WaitText(".tree", "Corley")
	v.Focus("#role-form .primary")
	v.Press("Enter")
	v.WaitText(".notice.good", "Saved.")
	v.Focus(`a[href$="roles?of=label%3ACITY"]`)
	v.Press("Enter")
	v.WaitText(".tree", "north")
	v.Axe()
	v.Shots("attribute")
}

func TestTablePagesAreTheBrokersAlone(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(4))
	s := newServer(t, projects)
	for _, path := range []string{"/publish/table", "/publish/roles?of=label%3ACITY"} {
		for role, want := range map[account.Role]int{account.Broker: 200, account.Annotator: 403, account.Reviewer: 403} {
			if w := s.Get(role, "/p/"+string(id)+path); w.Code != want {
				t.Errorf("%s as %s: status %d, want %d", path, role, w.Code, want)
			}
		}
	}
}

func TestFiguresOfATableAreThoseOfThePreview(t *testing.T) {
	good := release.TableChoice{TableSettings: release.TableSettings{K: 5}, Least: 5}
	good.Utility.NCP, good.Utility.MeanClass, good.After.Classes = 0.2512, 6.67, 9
	good.After.Prosecutor = risk.Attacker{Highest: 0.2, Success: 0.15}
	v := tableView{Preview: release.TablePreview{
		Before:  &risk.Figures{Prosecutor: risk.Attacker{Highest: 1, Success: 0.9, AtRisk: 1}},
		Choices: []release.TableChoice{good, {TableSettings: release.TableSettings{K: 90}, Error: "k is 90 and there are 60 rows"}},
	}}
	body := webtest.Rendered(t, tableComparison(v))
	for _, want := range []string{"25.1 %", "20.0 %", "15.0 %", "90.0 %", "6.7", "K is 90 and there are 60 rows.", "original values"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestTheFormOfATableShowsWhatItWasSentWith(t *testing.T) {
	for _, sent := range []url.Values{
		{"ks": {"2 5"}, "l": {"2.5"}, "diversity": {"entropy"}, "t": {"0.2"}},
		{"ks": {"2 5"}, "l": {"0 2 3"}, "diversity": {"distinct"}, "t": {"0.2 0.4"}},
		{"ks": {"2"}, "among": {"people"}, "people": {"48000"}},
		{"ks": {"3"}, "cut": {"nearest"}},
		{"ks": {"3"}, "cut": {"incognito"}, "suppression": {"5"}},
		{"ks": {"7"}, "l": {"3"}, "diversity": {"recursive"}, "c": {"2"}},
	} {
		form, ask := readTableForm(sent)
		sets, err := ask.settings()
		if err != nil || !form.OK() {
			t.Fatalf("%v: %v, %v", sent, err, form.Problems())
		}
		again := formOf(release.TablePreview{Tried: sets})
		for name, texts := range sent {
			if got := again.Field(name).Text(); got != texts[0] {
				t.Errorf("%v: %s is shown as %q", sent, name, got)
			}
		}
	}
	if form, _ := readTableForm(url.Values{"ks": {"2 5 x"}, "t": {"2"}}); len(form.Problems()) != 2 || form.Problems()[0].Text != "enter whole numbers of at least 2, such as 2, 5, 11" || form.Field("t").Text() != "2" {
		t.Errorf("problems %v", form.Problems())
	}
}

// TestAPopulationIsAddedByFile goes all the way from the form to the risks.
func TestAPopulationIsAddedByFile(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(8))
	s := newServer(t, projects)
	file := func(content string) *httptest.ResponseRecorder {
		return s.Upload(t, account.Broker, "/p/"+string(id)+"/publish/population", false, nil, map[string]string{"people.csv": content})
	}
	if w := file("age\n1\n"); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "no column for quasi-identifier") {
		t.Errorf("status %d", w.Code)
	}
	var people strings.Builder
	people.WriteString("sex,surname,AGE,CITY,DATE\n")
	for i := range 40 {
		fmt.Fprintf(&people, "%s,Flintstone,%d,Arden,%d/3/2019\n", []string{"F", "M"}[i%2], 20+i, i%12+1)
	}
	if w := file(people.String()); w.Code != http.StatusSeeOther {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	if body := s.Get(account.Broker, "/p/"+string(id)+"/publish/table").Body.String(); !strings.Contains(body, "40 people") || !strings.Contains(body, `name="among"`) {
		t.Error("the page does not show the population")
	}
	checkReplacing(t, s, id, people.String())
	by := webtest.As(account.Broker)
	if err := projects.StartTablePreview(t.Context(), by, id, []release.TableSettings{{K: 2, Among: true}}); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; {
		p, err := projects.TablePreview(t.Context(), by, id)
		if err != nil || p.Error != "" {
			t.Fatal(err, p.Error)
		}
		if !p.Running {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the preview does not end")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if body := s.Get(account.Broker, "/p/"+string(id)+"/publish/table").Body.String(); !strings.Contains(body, "Highest risk in the population") {
		t.Error("the risk in the population is not drawn")
	}
}

// checkReplacing replaces the stored population as the page does: the page names the columns
// that are not stored, and a form that has not shown the stored population cannot replace it.
func checkReplacing(t *testing.T, s *webtest.Server, id project.ID, stored string) {
	t.Helper()
	page := "/p/" + string(id) + "/publish/table"
	body := s.Get(account.Broker, page).Body.String()
	if !strings.Contains(body, "1 other column of the file, not generalized and not stored: surname.") || strings.Contains(body, "Flintstone") {
		t.Error("the page does not name the column that is not stored, or it shows its values")
	}
	first, more, _ := strings.Cut(stored, "\n")
	line, _, _ := strings.Cut(more, "\n")
	send := func(path string) *httptest.ResponseRecorder {
		return s.Upload(t, account.Broker, path, false, nil, map[string]string{"one.csv": first + "\n" + line + "\n"})
	}
	if w := send("/p/" + string(id) + "/publish/population"); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "Somebody has added another population meanwhile") {
		t.Errorf("a form for none: status %d", w.Code)
	}
	form := regexp.MustCompile(`action="(/p/[^"]+/publish/population\?replaces=[^"]+)"`).FindStringSubmatch(body)
	if form == nil || !regexp.MustCompile(`replaces the 40 people, added [^<]+, by [^<]+\. They are deleted`).MatchString(body) {
		t.Fatal("the form does not say what it replaces")
	}
	shown := regexp.MustCompile(`name="version" value="([^"]+)"`)
	version := shown.FindStringSubmatch(body)
	if version == nil {
		t.Fatal("the form that deletes does not say what")
	}
	if w := send(form[1]); w.Code != http.StatusSeeOther {
		t.Errorf("a form that has shown it: status %d", w.Code)
	}
	if body = s.Get(account.Broker, page).Body.String(); !strings.Contains(body, "1 person, added") {
		t.Error("it was not replaced")
	}
	remove := func(version string) *httptest.ResponseRecorder {
		return s.Post(account.Broker, "/p/"+string(id)+"/publish/population/remove", url.Values{"version": {version}})
	}
	if w := remove(version[1]); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "Nothing was deleted") || !strings.Contains(s.Get(account.Broker, page).Body.String(), "1 person, added") {
		t.Errorf("an older page deletes another population: status %d", w.Code)
	}
	form = regexp.MustCompile(`action="(/p/[^"]+/publish/population\?replaces=[^"]+)"`).FindStringSubmatch(body)
	if w := s.Upload(t, account.Broker, form[1], false, nil, map[string]string{"people.csv": stored}); w.Code != http.StatusSeeOther {
		t.Errorf("back again: status %d", w.Code)
	}
}

func TestAPageSaysWhatItsPopulationLacks(t *testing.T) {
	lacking := release.Population{People: 40, Columns: []release.PopulationColumn{{Key: idview.Key{Source: idview.Label, Name: "AGE"}, Column: "AGE"}}, Lacking: []string{"CITY", "sex"}}
	var page strings.Builder
	if err := storedPopulation("p", lacking).Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), "It has no column for CITY and sex. These attributes became generalized after it was added") {
		t.Error(page.String())
	}
}

func TestTheFormOfATableRefusesWhatIsNoNumber(t *testing.T) {
	for name, values := range map[string]url.Values{
		"words": {"ks": {"two"}}, "a share of k": {"ks": {"2.5"}}, "no number": {"ks": {"NaN"}}, "a class of one": {"ks": {"-3 0 1"}}, "a number past all": {"ks": {"1e30"}},
		"l": {"ks": {"2"}, "l": {"x"}}, "t": {"ks": {"2"}, "t": {"0,2,x"}}, "people": {"ks": {"2"}, "people": {"10.5"}}, "two c": {"ks": {"2"}, "c": {"1 2"}},
	} {
		if form, _ := readTableForm(values); form.OK() {
			t.Errorf("%s: nothing is wrong with it", name)
		}
	}
}
