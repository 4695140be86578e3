// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/services"
	"hide/internal/publish/idview"
	"hide/internal/publish/table"
	"hide/web/publishing"
	"hide/web/webtest"
)

var (
	hiddenFields = regexp.MustCompile(`<input type="hidden"[^>]* name="([^"]*)" value="([^"]*)"`)
	choiceFields = regexp.MustCompile(`(?s)<select name="([^"]*)"[^>]*>(.*?)</select>`)
	chosenOption = regexp.MustCompile(`<option value="([^"]*)" selected`)
)

// rolesTab is a tab with the page of tables, as a browser would send its form.
func rolesTab(t *testing.T, page string) url.Values {
	t.Helper()
	form := url.Values{"ks": {"2"}}
	for _, field := range hiddenFields.FindAllStringSubmatch(page, -1) {
		form.Set(html.UnescapeString(field[1]), html.UnescapeString(field[2]))
	}
	for _, field := range choiceFields.FindAllStringSubmatch(page, -1) {
		chosen := chosenOption.FindStringSubmatch(field[2])
		if chosen == nil {
			t.Fatalf("nothing is chosen in %s", field[1])
		}
		form.Set(html.UnescapeString(field[1]), html.UnescapeString(chosen[1]))
	}
	if form.Get("role.field:ward") == "" {
		t.Fatal("the page has no ward")
	}
	return form
}

// rolesBench is a project with two open tabs of the page of tables.
type rolesBench struct {
	t        *testing.T
	projects *services.All
	s        *webtest.Server
	id       project.ID
	base     string
	one, two url.Values
}

func newRolesBench(t *testing.T) *rolesBench {
	t.Helper()
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(8))
	b := &rolesBench{t: t, projects: projects, s: newServer(t, projects), id: id, base: "/p/" + string(id) + "/publish"}
	page := b.s.Get(account.Broker, b.base+"/table").Body.String()
	b.one, b.two = rolesTab(t, page), rolesTab(t, page)
	return b
}

func (b *rolesBench) post(path string, form url.Values, want int) *httptest.ResponseRecorder {
	b.t.Helper()
	w := b.s.Post(account.Broker, b.base+path, form)
	if w.Code != want {
		b.t.Fatalf("%s answers %d, want %d: %s", path, w.Code, want, w.Body)
	}
	return w
}

func (b *rolesBench) roles() map[string]table.Role {
	b.t.Helper()
	by := webtest.As(account.Broker)
	all, err := b.projects.Identifiers(b.t.Context(), by, b.id)
	if err != nil {
		b.t.Fatal(err)
	}
	roles := map[string]table.Role{}
	for _, a := range all.Attributes {
		roles[a.Name] = a.Role
	}
	return roles
}

func TestTwoTabsThatSaveRolesLoseNothing(t *testing.T) {
	b := newRolesBench(t)
	before := b.roles()
	b.one.Set("role.field:ward", "quasi")
	b.two.Set("role.field:admission", "sensitive")
	b.post("/roles", b.one, http.StatusSeeOther)
	b.post("/roles", b.two, http.StatusSeeOther)
	want := maps.Clone(before)
	want["ward"], want["admission"] = table.Quasi, table.Sensitive
	if got := b.roles(); !maps.Equal(got, want) {
		t.Errorf("after two tabs: %v, want %v", got, want)
	}
}

func TestTheSameAttributeInTwoTabsIsAskedAbout(t *testing.T) {
	b := newRolesBench(t)
	b.one.Set("role.field:ward", "quasi")
	b.two.Set("role.field:ward", "sensitive")
	b.two.Set("role.field:admission", "sensitive")
	b.post("/roles", b.one, http.StatusSeeOther)
	asked := b.post("/roles", b.two, http.StatusConflict).Body.String()
	for _, want := range []string{"somebody else has changed 1 attribute meanwhile", "quasi-identifier: generalize, words", "(You, ", "you chose sensitive: keep"} {
		if !strings.Contains(asked, want) {
			t.Errorf("the question has no %q", want)
		}
	}
	if got := b.roles(); got["ward"] != table.Quasi || got["admission"] == table.Sensitive {
		t.Errorf("before the answer: %v", got)
	}
	mine := rolesTab(t, asked)
	if mine.Get("role.field:ward") != "sensitive" || mine.Get("role.field:admission") != "sensitive" {
		t.Fatal("what was chosen is lost")
	}
	b.post("/roles", mine, http.StatusSeeOther)
	if got := b.roles(); got["ward"] != table.Sensitive || got["admission"] != table.Sensitive {
		t.Errorf("after the answer: %v", got)
	}
}

func TestAPreviewKeepsRolesThatWereNotSaved(t *testing.T) {
	b := newRolesBench(t)
	b.one.Set("role.field:ward", "quasi")
	b.one.Set("ks", "two")
	b.post("/table/preview", b.one, http.StatusUnprocessableEntity)
	if got := b.roles()["ward"]; got != table.Quasi {
		t.Errorf("a preview that is refused leaves the ward %s", got)
	}
	b.two.Set("role.field:ward", "direct")
	b.two.Set("was.field:ward", "insensitive words most")
	if asked := b.post("/table/preview", b.two, http.StatusConflict).Body.String(); !strings.Contains(asked, `value="2"`) {
		t.Error("the question forgets what was to be previewed")
	}
}

// The page of one attribute has more fields than the table: it is refused if any of them
// has changed.
func TestTheSameAttributeOnItsOwnPageIsAskedAbout(t *testing.T) {
	b := newRolesBench(t)
	of := publishing.KeyText(idview.Key{Source: idview.Label, Name: "CITY"})
	page := b.s.Get(account.Broker, b.base+"/roles?"+url.Values{"of": {of}}.Encode()).Body.String()
	seen := regexp.MustCompile(`name="seen" value="([^"]*)"`).FindStringSubmatch(page)
	form := url.Values{"of": {of}, "role": {"sensitive"}, "kind": {"nominal"}, "take": {"most"}, "seen": {seen[1]}}
	b.one.Set("role.label:CITY", "direct")
	b.post("/roles", b.one, http.StatusSeeOther)
	asked := b.post("/role", form, http.StatusConflict).Body.String()
	if !strings.Contains(asked, "Not saved: somebody else has changed this attribute meanwhile") || !strings.Contains(asked, `<option value="sensitive" selected`) {
		t.Error("the question does not show both")
	}
	form.Set("seen", regexp.MustCompile(`name="seen" value="([^"]*)"`).FindStringSubmatch(asked)[1])
	b.post("/role", form, http.StatusSeeOther)
	if got := b.roles()["CITY"]; got != table.Sensitive {
		t.Errorf("after the answer: %s", got)
	}
}

// towns is a hierarchy of n values in groups of ten.
func towns(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "town %d;county %d;country %d;*\n", i, i/10, i/100)
	}
	return b.String()
}

func TestTheTreeKnowsItsLevels(t *testing.T) {
	top := treeOf(readHierarchy(towns(20)))[0]
	if top.Level != 3 || top.Leafs != 20 || top.Below[0].Level != 2 || top.Below[0].Below[1].Level != 1 || top.Below[0].Below[1].Below[0].Level != 0 {
		t.Errorf("%+v", top)
	}
}
