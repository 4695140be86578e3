// SPDX-License-Identifier: Apache-2.0

package site

import (
	"testing"

	"hide/internal/account"
	"hide/internal/browsertest"
	"hide/web"
)

// TestABrokerChoosesMembers adds a person, invites another, and is asked before leaving. Then
// the page of a member who is removed shows nothing any more.
func TestABrokerChoosesMembers(t *testing.T) {
	h := openHouse(t)
	bea, session := h.Person("Bea Novak", account.Broker)
	h.Join(bea, account.Broker)
	h.Person("Rob Klein", account.Reviewer)
	v := browsertest.Start(t)
	v.SetCookie(h.base, web.CookieName(h.base, false), session)
	members := h.base + "/p/" + string(h.Project) + "/members"
	v.Expect("422") // a refused name comes back as such
	v.Expect("404") // the page of a project that is not there any more
	v.Open(members)
	v.Shots("members")
	v.Axe()
	v.Type("#add-name", "Robert Klein")
	v.Click(`form[action$="/members"] button`)
	v.WaitText("#add-name-error", "There is no account with the name")
	v.Shots("members-unknown")
	v.Axe()
	v.Open(members)
	v.Type("#add-name", "rob klein")
	v.Click(`form[action$="/members"] button`)
	v.WaitText("table", "Rob Klein")
	v.Type("#invite-name", "Nina Hart")
	v.Click(`form[action$="/members/invite"] button`)
	v.WaitText(".secret", "/welcome#")
	v.WaitText("table", "Nina Hart")
	v.Shots("members-invited")
	v.Axe()
	v.Click(`[aria-label="Remove: Bea Novak"]`)
	v.WaitText(".notice.warn", "Leave the project?")
	v.Shots("members-leave")
	v.Axe()

	v.SetCookie(h.base, web.CookieName(h.base, false), h.session)
	v.Open(h.base + "/p/" + string(h.Project))
	v.WaitText("h1", "Ward 7")
	v.Wait("a live connection", `document.getElementById("live-state")?.dataset.connected === "true"`)
	if err := h.Projects.RemoveMember(t.Context(), bea, h.Project, h.ben.ID); err != nil {
		t.Fatal(err)
	}
	v.WaitText("h1", "Not found")
	v.Open(h.base + "/")
	v.WaitText(".empty", "Ask a broker or an administrator to add you")
	v.Shots("members-none")
}
