// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"testing"

	"hide/internal/account"
	"hide/web/webtest"
)

// By keyboard only: sequences are estimated and published.
func TestSequencesByKeyboard(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(40))
	v := openBrowser(t, account.Broker, projects)
	v.Expect("422")
	v.Open(v.Base + "/p/" + string(id) + "/publish/sequences")
	v.WaitText("h1", "Publish sequences")
	v.Type("#limit", "2")
	v.Focus(`input[name="confirm"]`)
	v.Press("Space", "Enter")
	v.WaitText("h1", "Publish sequences") // where it was asked for
	v.WaitText("dl.budget", "ε 2")
	v.Choose("#of", "label:CITY")
	v.Type("#alphabet", "Arden, Bilton, Corley")
	v.Focus("#height")
	v.Press("Control+a")
	v.Type("#height", "two")
	v.Focus(`button[value="check"]`)
	v.Press("Enter")
	v.WaitText(".notice.error", "nter a whole number")
	v.Axe()
	v.Focus("#height")
	v.Press("Control+a")
	v.Type("#height", "2")
	v.Type("#source", "list of towns")
	v.Focus(`input[name="other"]`)
	v.Press("Space")
	v.Focus(`button[value="check"]`)
	v.Press("Enter")
	v.WaitText("#estimate", "±2")
	v.Axe()
	v.Focus(`input[name="confirm"]`)
	v.Press("Space")
	v.Focus(`button[value="publish"]`)
	v.Press("Enter")
	v.WaitText("#counts-state tbody", "release-1")
	v.Axe()
	v.Shots("sequences")
}
