// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"testing"

	"hide/internal/account"
	"hide/internal/project/audit"
	"hide/web/webtest"
)

// By keyboard only: settings are compared, k is chosen, and one is published.
func TestNotesWithFieldsByKeyboard(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(40))
	v := openBrowser(t, account.Broker, projects)
	v.Expect("422")
	v.Open(v.Base + "/p/" + string(id) + "/publish/joint")
	v.WaitText("h1", "Publish notes with their fields")
	v.Focus("#lambdas")
	v.Press("Control+a")
	v.Type("#lambdas", "0 2")
	v.Press("Enter")
	v.WaitText("#preview .notice.error", "from 0 to 1")
	v.Focus("#lambdas")
	v.Press("Control+a")
	v.Type("#lambdas", "0 0.5 1")
	v.Focus("#ks")
	v.Press("Control+a")
	v.Type("#ks", "2 3 5")
	v.Press("Enter")
	v.Wait("settings", `document.querySelector("#joint-trade-desc") && !document.querySelector("#joint-preview progress")`)
	v.Settle()
	v.Focus("#k")
	v.Press("Home") // the select changes, and what depends on it follows
	v.WaitText("#losses-title", "k = 2")
	v.WaitText("#joint-at .say", "in the terms")
	v.Eval(`document.querySelectorAll("main details").forEach(d => { d.open = true; })`, nil)
	v.Axe()
	v.Legible()
	v.Shots("joint")
	v.Focus(`.confirm input[name="confirm"]`)
	v.Press("Space", "Enter")
	v.WaitText(".release", ", k = 2, ")
}

// Findings of an audit are shown before the confirmation, with a link to the audit.
func TestFindingsBeforeNotesWithFieldsByKeyboard(t *testing.T) {
	f := newFakeJoint()
	f.open = audit.OpenFindings{Found: 3, Audit: 2}
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/publish/joint")
	v.Axe()
	v.Shots("joint-found")
	v.Focus(`.confirm input[name="open"]`)
	v.Press("Space")
	v.Focus(`.confirm input[name="confirm"]`)
	v.Press("Space", "Enter")
	v.Wait("published", `location.hash === "#publish-state"`)
	if f.known != 3 || len(f.chosen) != 1 {
		t.Errorf("released %v, of %d known", f.chosen, f.known)
	}
}
