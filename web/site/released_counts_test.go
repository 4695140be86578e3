// SPDX-License-Identifier: Apache-2.0

package site

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project/dp"
	"hide/internal/project/release"
	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/web/webtest"
)

// countsReleased gives a server, the page of a release of counts by sex and age, cell by
// cell, and the release's folder.
func countsReleased(t *testing.T) (s *webtest.Server, page, dir string) {
	t.Helper()
	root := t.TempDir()
	projects, id := webtest.RealNotes(t, root, webtest.CohortNotes(60))
	broker := webtest.As(account.Broker)
	if err := projects.OpenBudget(t.Context(), broker, id, dp.BudgetOpening{Limit: ledger.One}); err != nil {
		t.Fatal(err)
	}
	set := dp.CubeSettings{Epsilon: 500_000, Source: "admission form", Method: cube.Identity, Dimensions: cube.Domain{
		{Name: "sex", Values: []string{"F", "M"}}, {Name: "AGE", Min: 0, Max: 99, Width: 2, Other: true}}}
	if err := projects.StartPublishCube(t.Context(), broker, id, release.Publish, set); err != nil {
		t.Fatal(err)
	}
	webtest.Released(t, projects, id)
	files, err := filepath.Glob(filepath.Join(root, "releases", "*", "release-1"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	return newServer(t, projects), "/p/" + string(id) + "/releases/1", files[0]
}

func TestTheFirstCellOfAReleaseIsOnItsPage(t *testing.T) {
	s, page, dir := countsReleased(t)
	raw, err := os.ReadFile(filepath.Join(dir, "cells.csv"))
	if err != nil {
		t.Fatal(err)
	}
	cell := regexp.MustCompile(`F,"\[0, 2\)",(-?\d+)\n`).FindStringSubmatch(string(raw))
	if cell == nil {
		t.Fatalf("%.60s", raw)
	}
	count := strings.Replace(cell[1], "-", "−", 1)
	shown := regexp.MustCompile(`<th scope="row">F</th><th scope="row">\[0, 2\)</th>\s*<td class="number">([^<]*)</td>`)
	w := s.Get(account.Reviewer, page+"?by=sex&and=AGE")
	if m := shown.FindStringSubmatch(w.Body.String()); w.Code != 200 || m == nil || strings.Replace(m[1], "-", "−", 1) != count {
		t.Errorf("status %d, %q, want %s", w.Code, m, count)
	}
	if !strings.Contains(w.Body.String(), "62 more groups are in release-1.zip, in cells.csv") || !strings.Contains(w.Body.String(), "spends no budget") {
		t.Error("it does not say what there is beyond")
	}
}

func TestAChoiceOfCountsThatCannotBeIsRefused(t *testing.T) {
	s, page, _ := countsReleased(t)
	for query, want := range map[string]int{"": 200, "?by=AGE": 200, "?and=AGE": 200, "?by=sex&and=sex": 200, "?by=CITY": 422, "?by=sex&and=CITY": 422, "?by=%00": 422} {
		if w := s.Get(account.Broker, page+query); w.Code != want {
			t.Errorf("%q: status %d, want %d", query, w.Code, want)
		}
	}
}

func TestAPageWithDamagedCountsSaysWhatToDo(t *testing.T) {
	s, page, dir := countsReleased(t)
	if err := os.WriteFile(filepath.Join(dir, "cells.csv"), []byte("sex,AGE,count\nF,1,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := s.Get(account.Broker, page)
	body := w.Body.String()
	if w.Code != 200 || !strings.Contains(body, "cells.csv is damaged or was changed") || !strings.Contains(body, "Restore a backup into another folder") || strings.Contains(body, `id="counts-1-title"`) {
		t.Errorf("status %d", w.Code)
	}
}
