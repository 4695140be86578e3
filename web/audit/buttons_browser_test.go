// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"testing"

	"hide/internal/account"
)

func TestButtonOfARefusedAuditStandsApartFromWhatIsAbove(t *testing.T) {
	v := openBrowser(t, account.Broker, newFakeSample())
	v.Expect("status of 422") // what a refused form is answered with
	v.Open(v.Base + "/p/p1/audits")
	v.Eval(`document.querySelector("input[name=random]").value = "2"`, nil)
	v.Click(".audit-new form button")
	v.WaitText("#sample-shows", "2 random notes show little.")
	var gap float64
	v.Eval(`document.querySelector(".audit-new form button").getBoundingClientRect().top - document.getElementById("sample-shows").getBoundingClientRect().bottom`, &gap)
	if gap < 8 {
		t.Errorf("%v pixels", gap)
	}
	v.Shots("audit-form-refused")
}
