// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"testing"

	"hide/internal/account"
	"hide/web/webtest"
)

// By keyboard only: a query is refused, estimated and answered.
func TestQueriesByKeyboard(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(40))
	v := openBrowser(t, account.Broker, projects)
	v.Expect("422")
	v.Open(v.Base + "/p/" + string(id) + "/publish/questions")
	v.WaitText("h1", "Publish answers")
	v.Type("#limit", "2")
	v.Focus(`input[name="confirm"]`)
	v.Press("Space", "Enter")
	v.WaitText("dl.budget", "ε 2")
	v.Type("#dimensions", "CITY: Arden, Bilton, Corley, other")
	v.Type("#source", "list of towns")
	v.Type("#question", "SELECT COUNT(*) GROUP BY ward")
	v.Focus(`button[value="check"]`)
	v.Press("Enter")
	v.WaitText(".notice.error", "unknown column")
	v.Axe()
	v.Focus("#question")
	v.Press("Control+a")
	v.Type("#question", "SELECT COUNT(*) GROUP BY CITY")
	v.Focus(`button[value="check"]`)
	v.Press("Enter")
	v.WaitText("#estimate", "4 counts")
	v.Axe()
	v.Focus(`input[name="confirm"]`)
	v.Press("Space")
	v.Focus(`button[value="publish"]`)
	v.Press("Enter")
	v.WaitText("#counts-state tbody", "release-1")
	v.WaitText("#answer-1", "release-1")
	v.Axe()
	v.Shots("questions")
	v.Size(390, 800)
	var beside float64
	v.Eval(`(() => { const card = document.querySelector("#answers .release"), inner = (e) => e.getBoundingClientRect().width; const style = getComputedStyle(card); return inner(card) - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 2 - inner(card.querySelector(".scroll")) })()`, &beside)
	if beside > 1 {
		t.Errorf("on a phone %.0f pixels of the card are lost to the answer's table", beside)
	}
}
