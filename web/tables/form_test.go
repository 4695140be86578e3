// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"errors"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/incognito"
	"hide/web/webtest"
)

// TestAFormOfManyTablesIsRefusedBeforeTheyAreMade has 150 numbers in each field, which are
// 3375000 settings.
func TestAFormOfManyTablesIsRefusedBeforeTheyAreMade(t *testing.T) {
	var many tableRequest
	for i := range 150 {
		many.Ks, many.Ls, many.Ts = append(many.Ks, i+2), append(many.Ls, float64(i+2)), append(many.Ts, float64(i)/200)
	}
	var refused *project.Error
	allocated := testing.AllocsPerRun(1, func() {
		sets, err := many.settings()
		if !errors.As(err, &refused) || refused.Kind != project.Invalid || sets != nil {
			t.Fatalf("%d settings, %v", len(sets), err)
		}
	})
	if allocated > 100 {
		t.Errorf("%v allocations to refuse a form", allocated)
	}
	if sets, err := (tableRequest{Ks: []int{2, 3, 4}, Ls: []float64{2, 3, 4, 5}, Ts: []float64{.1, .2}}).settings(); err != nil || len(sets) != release.MaxPreviews {
		t.Errorf("%d settings, %v; want %d", len(sets), err, release.MaxPreviews)
	}
}

// A form that is refused for a missing tick comes back with the chosen levels unfolded.
func TestARefusedTableKeepsItsChosenLevels(t *testing.T) {
	s, path := previewed(t, url.Values{"ks": {"5"}, "cut": {"incognito"}})
	page := s.Get(account.Broker, path).Body.String()
	names := regexp.MustCompile(`name="table" value="([^"]*at level[^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(names) == 0 {
		t.Fatalf("%d other levels are offered", len(names))
	}
	chosen := html.UnescapeString(names[0][1])
	w := s.Post(account.Broker, path, url.Values{"table": {chosen}, "people": {"40"}})
	body := w.Body.String()
	if ticked := regexp.MustCompile(`name="table" value="([^"]*)" checked`).FindAllStringSubmatch(body, -1); w.Code != http.StatusUnprocessableEntity || len(ticked) != 1 || html.UnescapeString(ticked[0][1]) != chosen {
		t.Errorf("status %d, ticked %q, want %q", w.Code, ticked, chosen)
	}
	if !regexp.MustCompile(`<details class="fold" open[^>]*>\s*<summary>[^<]*at other levels`).MatchString(body) {
		t.Error("the levels are folded away")
	}
	if !strings.Contains(body, "table="+url.QueryEscape(chosen)) {
		t.Error("the live part does not know of it")
	}
}

// If somebody starts another preview while the page is open, the page cannot publish a table
// that it has not shown.
func TestATableOfAnEarlierPreviewIsNotReleased(t *testing.T) {
	s, path := previewed(t, url.Values{"ks": {"5"}})
	seen := regexp.MustCompile(`name="preview" value="([^"]+)"`).FindStringSubmatch(s.Get(account.Broker, path).Body.String())
	if len(seen) != 2 {
		t.Fatal("the form does not say which preview it is of")
	}
	form := url.Values{"table": {"k = 5"}, "people": {"40"}, "confirm": {"yes"}, "preview": {"another"}}
	if w := s.Post(account.Broker, path, form); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), previewedAgain) {
		t.Errorf("another preview: status %d", w.Code)
	}
	form.Set("preview", seen[1])
	if w := s.Post(account.Broker, path, form); w.Code != http.StatusSeeOther {
		t.Errorf("the preview that was seen: status %d", w.Code)
	}
}

// previewed is a server with a project of 40 patients and a finished preview, and the path
// of its page.
func previewed(t *testing.T, asked url.Values) (*webtest.Server, string) {
	t.Helper()
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(40))
	s := newServer(t, projects)
	path := "/p/" + string(id) + "/publish/table"
	if w := s.Post(account.Broker, path+"/preview", asked); w.Code != http.StatusSeeOther {
		t.Fatalf("preview: status %d", w.Code)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if body := s.Get(account.Broker, path).Body.String(); strings.Contains(body, "confirm-title") {
			return s, path
		}
		if time.Now().After(end) {
			t.Fatal("there is no preview after a minute")
		}
	}
}

func TestALatticeSaysWhichAttributesHaveNoLevelBetween(t *testing.T) {
	c := twoNodes()
	page := latticePage{more: func(int) templ.SafeURL { return "" }}
	for _, test := range []struct {
		top  []int
		want string // of the advice, "" for none
	}{
		{[]int{1, 3}, c.Lattice.Attributes[0] + " can only be kept or suppressed as a whole"},
		{[]int{2, 3}, ""},
	} {
		c.Lattice.Top = test.top
		body := webtest.Rendered(t, lattice("levels-0", "k = 5", c.Lattice, page))
		if test.want != "" && !strings.Contains(body, test.want) || test.want == "" && strings.Contains(body, "can only be kept or suppressed") {
			t.Errorf("top levels %v: want %q in %s", test.top, test.want, body)
		}
		if strings.Contains(webtest.Rendered(t, lattice("levels-0", "k = 5", c.Lattice, latticePage{})), "can only be kept or suppressed") {
			t.Error("advice beside a release, which nobody can change")
		}
	}
}

// A lattice of hundreds of nodes is shown a page at a time, each node once.
func TestALatticeOfManyNodesIsShownInPages(t *testing.T) {
	c := twoNodes()
	c.Lattice.Losses = nil
	for i := range 60 {
		c.Lattice.Losses = append(c.Lattice.Losses, incognito.Loss{Levels: []int{i, 0}, NCP: .1, Discernibility: float64(100000 + i)})
	}
	seen := map[string]int{}
	for _, from := range []string{"", "25", "50"} {
		v := tableView{asked: url.Values{"levels": {"k = 5"}, "from": {from}}}
		v.Project.ID = "p1"
		body := webtest.Rendered(t, lattice("levels-0", "k = 5", c.Lattice, v.latticePage(c, "levels-0")))
		rows := regexp.MustCompile(`<tr><td class="number">(\d+)</td>`).FindAllStringSubmatch(body, -1)
		if len(rows) > latticeRows {
			t.Errorf("%d rows from %q", len(rows), from)
		}
		for _, r := range rows {
			seen[r[1]]++
		}
		before, after := strings.Contains(body, "Rows before"), strings.Contains(body, "Rows after")
		if before != (from != "") || after != (from != "50") {
			t.Errorf("from %q: rows before %v, after %v", from, before, after)
		}
	}
	if len(seen) != 60 {
		t.Errorf("%d of 60 nodes are on the pages", len(seen))
	}
	for _, from := range []string{"-3", "x", "9999999"} {
		v := tableView{asked: url.Values{"levels": {"k = 5"}, "from": {from}}}
		if rows := v.latticePage(c, "levels-0").rows(c.Lattice); len(rows) == 0 || len(rows) > latticeRows {
			t.Errorf("from %q: %d rows", from, len(rows))
		}
	}
	all := latticePage{}
	if rows := all.rows(c.Lattice); len(rows) != 60 {
		t.Errorf("a release lists %d of 60", len(rows))
	}
}
