// SPDX-License-Identifier: Apache-2.0

package home_test

import (
	"strings"
	"testing"

	"hide/internal/account"
	"hide/web/home"
	"hide/web/webtest"
)

// A broker renames, merges and retires a label, and each page says what will happen before.
func TestLabelsAreChangedAfterTheirCountsAreShown(t *testing.T) {
	projects, id := webtest.RealProject(t, 4)
	v := webtest.Open(t, account.Broker, projects, home.New(projects, nil))
	v.Expect("422") // a refused name comes back as such
	v.Open(v.Base + "/p/" + string(id) + "/labels")
	v.WaitText("h1", "Labels")
	v.Axe()
	v.Shots("labels")

	v.Open(v.Base + "/p/" + string(id) + "/labels/rename?label=PATIENT")
	v.WaitText("main li", "spans in 4 notes")
	v.Focus("#to")
	v.Press("D", "A", "T", "E", "Enter")
	v.WaitText("#to-error", "already has a label DATE")
	v.Axe()
	v.Shots("labels-rename")
	v.Press("Control+a", "P", "E", "R", "S", "O", "N", "Enter")
	v.WaitText(".notice.good", "new name in all notes")
	v.WaitText("#labels tbody", "PERSON")

	v.Open(v.Base + "/p/" + string(id) + "/labels/merge?label=PERSON&into=DOCTOR")
	v.WaitText("main", "cannot be undone")
	if said := v.Text("main"); !strings.Contains(said, "All its spans get the label DOCTOR") || !strings.Contains(said, "It will have") {
		t.Errorf("before the merge the page says %q", said)
	}
	v.Axe()
	v.Shots("labels-merge")
	v.Type("#confirm", "DOCTOR") // that one stays
	v.Click("main form .danger")
	v.WaitText("#confirm-error", "the label that disappears")
	if typed := v.Value("#confirm"); typed != "DOCTOR" {
		t.Errorf("the page has forgotten what was typed: %q", typed)
	}
	v.Axe()
	v.Press("Control+a", "Delete")
	v.Type("#confirm", "PERSON")
	v.Click("main form .danger")
	v.WaitText(".notice.good", "merged in all notes")

	v.Open(v.Base + "/p/" + string(id) + "/labels/retire?label=AGE")
	v.WaitText("main", "It has no spans.")
	if said := v.Text("main"); strings.Contains(said, "redacted as before") || !strings.Contains(said, "Unread notes get no suggestion") {
		t.Errorf("before a label without spans is retired the page says %q", said)
	}
	v.Open(v.Base + "/p/" + string(id) + "/labels/retire?label=DOCTOR")
	v.WaitText("main", "redacted as before")
	v.Click("main form .primary")
	v.WaitText("#labels tbody", "retired")
	v.Axe()
	v.Shots("labels-retired")
}
