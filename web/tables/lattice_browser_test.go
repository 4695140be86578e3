// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project/release"
	"hide/internal/publish/incognito"
	"hide/internal/publish/kanonymity"
	"hide/web/webtest"
)

// twoNodes is a table that could be published at two vectors of levels.
func twoNodes() release.TableChoice {
	c := release.TableChoice{TableSettings: release.TableSettings{K: 5}}
	c.Method.Name = kanonymity.Incognito
	c.Lattice = &kanonymity.Lattice{Attributes: []string{"AGE", "sex"}, Top: []int{4, 1}, Nodes: 10, Holding: 4, Minimal: 2, Taken: []int{1, 1}, Best: []int{1, 1}, Losses: []incognito.Loss{
		{Levels: []int{1, 1}, Minimal: true, NCP: .25, Classes: 9, Discernibility: 400},
		{Levels: []int{2, 0}, Minimal: true, NCP: .5, Classes: 7, Suppressed: 3, Discernibility: 612},
	}}
	return c
}

func TestEveryMinimalNodeIsListedAndCanBeChosen(t *testing.T) {
	c := twoNodes()
	body := webtest.Rendered(t, lattice("levels", "k = 5", c.Lattice, latticePage{}))
	for _, want := range []string{"4 of 10 combinations of generalization levels satisfy the requirements. 2 are minimal", "25.0 %", "50.0 %", "612", "selected, least loss, minimal", `id="levels-title"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in %s", want, body)
		}
	}
	v := tableView{Preview: release.TablePreview{Choices: []release.TableChoice{c}}}
	body = webtest.Rendered(t, tableConfirm(v))
	const other = "k = 5, AGE at level 2, sex at level 0"
	if !strings.Contains(body, `value="`+other+`"`) || !strings.Contains(body, "3 patients suppressed") || strings.Count(body, `name="table"`) != 2 {
		t.Errorf("the other node is not offered: %s", body)
	}
	if set := v.named(other); set == nil || set.Method.Levels["AGE"] != 2 || set.Method.Levels["sex"] != 0 || set.K != 5 {
		t.Errorf("it is read as %+v", set)
	}
	if set := v.named("k = 5"); set == nil || set.Method.Levels != nil {
		t.Errorf("the one with the least loss is read as %+v", set)
	}
	if v.named("k = 5, AGE at level 0, sex at level 0") != nil {
		t.Error("a node that is not listed can be chosen")
	}
}

// By keyboard only: whole attributes are generalized, and other levels than those with the
// least information loss are published.
func TestOtherLevelsByKeyboard(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(60))
	v := openBrowser(t, account.Broker, projects)
	v.Open(v.Base + "/p/" + string(id) + "/publish/table")
	v.Focus("#ks")
	v.Press("Control+a")
	v.Type("#ks", "10")
	v.Eval(`document.querySelectorAll(".ask details").forEach(d => { d.open = true; }); document.querySelector("#cut").value = "incognito"`, nil)
	v.Press("Enter")
	v.Wait("a table", `document.querySelectorAll("#table-preview .compare tbody tr").length === 2 && !document.querySelector("#table-preview progress")`)
	v.WaitText("#table-preview", "Generalization levels")
	v.Eval(`document.querySelectorAll("main details").forEach(d => { d.open = true; })`, nil)
	v.Axe()
	v.Legible()
	v.Shots("table-levels")
	var name string
	v.Eval(`document.querySelector(".confirm details input[name=table]").value`, &name)
	v.Focus(".confirm details input[name=table]")
	v.Press("Space")
	v.Focus(`.confirm input[name="confirm"]`)
	v.Press("Space", "Enter")
	v.WaitText(".release", "A table of")
	if !strings.Contains(name, "at level") {
		t.Errorf("the other table is called %q", name)
	}
}
