// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"testing"

	"hide/internal/account"
)

// Going back, or reloading, after a form was refused shows its page as it is by then,
// and sends nothing again.
func TestBackAfterARefusedFormSendsNothingAgain(t *testing.T) {
	f := newFakeSample()
	v := openBrowser(t, account.Broker, f)
	v.Expect("status of 422") // what a refused form is answered with
	v.Open(v.Base + "/p/p1/audits")
	v.Eval(`document.querySelector("input[name=random]").value = "2"`, nil)
	v.Click(".audit-new form button")
	v.WaitText("#sample-shows", "2 random notes show little.")
	v.Wait("the page, with its scripts", `document.readyState === "complete"`)
	v.Open(v.Base + "/p/p1/publish")
	v.Eval(`history.back()`, nil)
	v.Wait("the page", `location.pathname === "/p/p1/audits" && document.readyState === "complete" && document.querySelector("input[name=random]")?.value === "20"`)
	if v.Count(".notice.warn[role=alert]") > 0 {
		t.Error("going back sent the form again")
	}
	v.Eval(`document.querySelector("input[name=random]").value = "2"`, nil)
	v.Click(".audit-new form button")
	v.WaitText("#sample-shows", "2 random notes show little.")
	v.Wait("the page, with its scripts", `document.readyState === "complete"`)
	v.Reload()
	v.WaitText("#sample-shows", "Even if people find nothing")
	if len(f.drawn) > 0 {
		t.Errorf("drawn: %v", f.drawn)
	}
}
