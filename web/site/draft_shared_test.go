// SPDX-License-Identifier: Apache-2.0

package site

import (
	"os"
	"testing"

	"hide/internal/account"
	"hide/internal/project/draft"
	"hide/internal/publish/policy"
	"hide/web/webtest"
)

// Two browsers show one release table. What one decides the other is told, and cannot overwrite
// unseen. A change is sent once, however often its button is pressed. When one publishes, the
// other cannot publish again.
func TestTwoBrowsersAtOneReleaseTable(t *testing.T) {
	text, err := os.ReadFile(generatedFile(t))
	if err != nil {
		t.Fatal(err)
	}
	projects, id := webtest.RealNotes(t, t.TempDir(), string(text))
	broker := webtest.As(account.Broker)
	p, err := policy.Find("placeholders")
	if err != nil {
		t.Fatal(err)
	}
	if err := projects.PrepareDraft(t.Context(), broker, id, draft.Settings{Policy: p}); err != nil {
		t.Fatal(err)
	}
	first, second := openBrowser(t, account.Broker, projects), openBrowser(t, account.Broker, projects)
	for _, v := range []*webtest.Browser{first, second} {
		v.Open(v.Base + "/p/" + string(id) + "/draft")
		v.WaitText("#draft-standing", "Every place is decided.")
		v.Wait("a live page", `document.querySelector("#live-state")?.dataset.connected === "true"`)
	}

	first.Eval(`document.querySelector("#choice").value = "keep"; for (const n of [1, 2, 3]) document.querySelector("[name=do][value=all]").click(); null`, nil)
	first.WaitText("#table-title + .good", "places were changed.")
	if d, err := projects.Draft(t.Context(), broker, id); err != nil || d.Undo != 1 || d.Chosen != d.Places {
		t.Fatalf("%d changes to undo, %d of %d places chosen, %v", d.Undo, d.Chosen, d.Places, err)
	}
	second.Wait("the notice", `!document.querySelector("#draft-changed").hidden`)
	second.Shots("draft-changed")
	second.Expect("409")
	second.Eval(`document.querySelector("#choice").value = "placeholder"; document.querySelector("[name=do][value=all]").click(); null`, nil)
	second.WaitText("main", "The draft has changed since you saw it.")
	second.Open(second.Base + "/p/" + string(id) + "/draft?label=DATE")
	second.Eval(`document.querySelector('form[action$="/draft/undo"] button').click(); null`, nil)
	second.WaitText("#table-title + .good", "The last change was undone")
	if got := second.Value("#label"); got != "DATE" {
		t.Errorf("after undoing the filter is %q", got)
	}

	first.Wait("the notice", `!document.querySelector("#draft-changed").hidden`)
	second.Eval(`document.querySelector('form[action$="/draft/publish"] .primary').click(); null`, nil)
	for _, v := range []*webtest.Browser{first, second} {
		v.WaitText("#draft-standing", "This table is published as release-1")
		v.Wait("no form that publishes", `!document.querySelector(".publish-bundle").checkVisibility()`)
	}
	first.Shots("draft-published")
}
