// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"net/url"
	"strings"
	"testing"

	"hide/internal/publish/idview"
	"hide/internal/publish/table"
	"hide/web/webtest"
)

// attribute is a page about values of a kind, with a hierarchy.
func attribute(kind table.Kind, hierarchy string, values ...string) roleView {
	var v roleView
	v.Identifier.Kind, v.Identifier.Hierarchy = kind, hierarchy
	for _, value := range values {
		v.Values = append(v.Values, idview.Value{Text: value, People: 1})
	}
	return v
}

// A user who ticked fifty values and forgot the label need not tick them again.
func TestARefusedEditKeepsItsTicks(t *testing.T) {
	v := attribute(table.Nominal, "a;x;*\nb;x;*\nc;c;*")
	v.Hierarchy = readHierarchy(v.Identifier.Hierarchy)
	v.Tree = treeOf(v.Hierarchy)
	v.Edit = readEditFields(url.Values{"tick": {"0:a", "1:x"}, "label": {"south"}, "level": {"0"}})
	got := webtest.Rendered(t, hierarchyEditor(v))
	for _, want := range []string{`value="0:a" checked`, `value="1:x" checked`, `name="label" value="south"`, `<option value="0" selected`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if strings.Contains(got, `value="0:b" checked`) {
		t.Error("what was not ticked is ticked")
	}
}

func TestButtonsEditTheHierarchyOfTheForm(t *testing.T) {
	const towns = "Arden;north;*\nBilton;north;*\nCorley;south;*"
	for _, test := range []struct {
		name   string
		v      roleView
		values url.Values
		want   string // or how the refusal starts
	}{
		{"start", attribute(table.Nominal, "", "b", "a"), url.Values{"op": {editStart}}, "b;*\na;*"},
		{"start of nothing", attribute(table.Nominal, ""), url.Values{"op": {editStart}}, "a hierarchy needs at least one row"},
		{"intervals", attribute(table.Number, "", "61", "20", "9"), url.Values{"op": {editSteps}}, "9;[5, 10);[0, 10);[0, 20);[0, 40);*\n20;[20, 25);[20, 30);[20, 40);[0, 40);*\n61;[60, 65);[60, 70);[60, 80);[40, 80);*"},
		{"dates", attribute(table.Date, "", "2020-03-04", "2019-01-02"), url.Values{"op": {editSteps}}, "2019-01-02;2019-01;2019;2010s;2000-2099;*\n2020-03-04;2020-03;2020;2020s;2000-2099;*"},
		{"codes", attribute(table.Code, "", "537", "512"), url.Values{"op": {editSteps}}, "512;51*;5*;*\n537;53*;5*;*"},
		{"words that are called numbers", attribute(table.Number, "", "old"), url.Values{"op": {editSteps}}, "first save the type of values as numbers"},
		{"words that are called dates", attribute(table.Date, "", "old"), url.Values{"op": {editSteps}}, "first save the type of values as dates"},
		{"a group in a flat one", attribute(table.Nominal, "a;*\nb;*\nc;*"), url.Values{"op": {editGroup}, "tick": {"0:a", "0:b"}, "label": {"x"}, "level": {"0"}}, "a;x;*\nb;x;*\nc;c;*"},
		{"the key, where a label is written", attribute(table.Nominal, towns), url.Values{"op": {editEnter}, "tick": {"1:north"}, "label": {" south "}, "level": {"1"}}, "Arden;south;*\nBilton;south;*\nCorley;south;*"},
		{"another name", attribute(table.Nominal, towns), url.Values{"op": {editRename}, "tick": {"1:north"}, "label": {"hills"}}, "Arden;hills;*\nBilton;hills;*\nCorley;south;*"},
		{"another name for two", attribute(table.Nominal, towns), url.Values{"op": {editRename}, "tick": {"1:north", "1:south"}, "label": {"x"}}, "tick one label"},
		{"another name for a value", attribute(table.Nominal, towns), url.Values{"op": {editRename}, "tick": {"0:Arden"}, "label": {"x"}}, "tick one label"},
		{"a level more", attribute(table.Nominal, "a;*"), url.Values{"op": {editLevel}, "level": {"0"}}, "a;a;*"},
		{"a level less", attribute(table.Nominal, towns), url.Values{"op": {editNoLevel}, "level": {"1"}}, "Arden;*\nBilton;*\nCorley;*"},
		{"what is missing", attribute(table.Nominal, towns, "Dover", "Arden"), url.Values{"op": {editMissing}}, towns + "\nDover;Dover;*"},
		{"drawn as text has it", attribute(table.Nominal, "a;b;*\nb;a;*"), url.Values{"op": {editDraw}}, "row 2 makes a loop"},
		{"an unknown edit", attribute(table.Nominal, towns), url.Values{"op": {"burn"}}, "the form asks for an unknown edit"},
		{"nonsense", attribute(table.Nominal, towns), url.Values{"op": {editGroup}, "tick": {"x", "-1:y", "9:z"}, "label": {"x"}, "level": {"x"}}, "level 0 is not between"},
	} {
		err := test.v.edit(editOf(test.values), test.values)
		got := test.v.Identifier.Hierarchy
		if err != nil {
			got = err.Error()
		}
		if got != test.want && (err == nil || !strings.HasPrefix(got, test.want)) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	if op := editOf(url.Values{"op": {editEnter}, "label": {" "}}); op != "" {
		t.Errorf("the key alone asks for %q, not to save", op)
	}
}
