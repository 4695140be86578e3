// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"testing"

	"hide/internal/account"
	"hide/internal/project/draft"
	"hide/internal/publish/policy"
)

func TestReleaseTablePagesAreAccessible(t *testing.T) {
	f := madeDraft(t)
	v := openBrowser(t, account.Broker, f)
	for _, page := range []struct{ name, path string }{
		{"draft-table", "/p/p1/draft"},
		{"draft-choose", "/p/p1/draft?policy=safe-harbor"},
		{"draft-choose-surrogates", "/p/p1/draft?policy=surrogates"},
		{"draft-people", "/p/p1/draft/people?patient=a-000004"},
	} {
		v.Open(v.Base + page.path)
		v.Eval(`document.querySelectorAll("details").forEach(d => { d.open = true })`, nil)
		v.Axe()
		v.Eval(`document.querySelectorAll("details").forEach(d => { d.open = false })`, nil)
		v.Shots(page.name)
	}
	f.status = draft.Status{Running: true, Doing: "finding identifiers", Done: 40, Total: 480}
	f.draft = nil
	v.Open(v.Base + "/p/p1/draft")
	v.Axe()
	v.Shots("draft-preparing")
}

// By keyboard alone: an undecided place is ticked and decided, then the release is signed.
func TestAReleaseTableIsDecidedAndSignedByKeyboard(t *testing.T) {
	f := madeDraft(t)
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/draft")
	v.TabTo(`a[href*="open=1"]`)
	v.Press("Enter")
	v.Wait("the one undecided place", `document.querySelectorAll(".draft-rows tbody tr").length === 1`)
	v.TabTo(`#choice`)
	v.Press("p", "l")
	v.TabTo(`input[name="place"]`)
	v.Press("Space")
	v.Wait("the button counts", `document.querySelector("[data-ticked]").textContent === "Change 1 ticked place"`)
	v.TabTo(`[data-ticked]`)
	v.Press("Enter")
	v.WaitText("[role=status]", "1 place was changed.")
	if len(f.choices) != 1 || f.choices[0].Action != policy.Placeholder || len(f.decided[0].Places) != 1 || f.decided[0].Places[0].Start != 60 || f.decided[0].Seen != "7" {
		t.Fatalf("decided %+v, %+v", f.decided, f.choices)
	}
	v.TabTo(`#statement`)
	v.Type(`#statement`, "Ada Okonjo")
	v.Press("Enter")
	v.Wait("published", `location.hash === "#publish-state"`)
	if len(f.answers) != 1 || f.answers[0].Statement != "Ada Okonjo" {
		t.Fatalf("published with %+v", f.answers)
	}
}

// The states of the preparation and of the table come over the stream. Here a script writes them.
func TestThePageFollowsThePreparationAndTheTable(t *testing.T) {
	v := openBrowser(t, account.Broker, madeDraft(t))
	v.Open(v.Base + "/p/p1/draft?open=1")
	v.Settle()
	v.Eval(`document.querySelector("#draft-standing").dataset.version = "8"`, nil)
	v.Wait("another version of the table shows", `!document.querySelector("#draft-changed").hidden`)
	v.Eval(`document.querySelector("#draft-state").toggleAttribute("data-running", true)`, nil)
	v.Eval(`setTimeout(() => document.querySelector("#draft-state").toggleAttribute("data-running", false), 50)`, nil)
	v.Wait("the page is loaded again without the filter", `location.search === "" && document.querySelector("#draft-changed")?.hidden`)
}
