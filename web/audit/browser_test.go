// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/web/webtest"
)

// Going back or reloading after a form was refused shows the page as it is now and does
// not send the form again.
func TestBackAfterARefusedFormSendsNothingAgain(t *testing.T) {
	f := newFakeSample()
	v := openBrowser(t, account.Broker, f)
	v.Expect("status of 422") // what a refused form is answered with
	v.Open(v.Base + "/p/p1/audits")
	v.Eval(`document.querySelector("input[name=random]").value = "2"`, nil)
	v.Click(".audit-new form button")
	v.WaitText("#sample-shows", "2 random notes show little.")
	v.Wait("the page, with its scripts", `document.readyState === "complete"`)
	v.Open(v.Base + "/p/p1/audits/4/1")
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
	v.WaitText("#sample-shows", "Even if nobody finds anything")
	if len(f.drawn) > 0 {
		t.Errorf("drawn: %v", f.drawn)
	}
}

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

func TestAuditIsReadByKeyboardAlone(t *testing.T) {
	f := newFakeSample()
	v := openBrowser(t, account.Annotator, f)
	v.Open(v.Base + "/p/p1/audits/read")
	v.WaitText("#audit-count", "0 identifiers")
	v.Axe()
	v.Press("ArrowRight", "ArrowRight", "Space") // Seen, by, on
	v.WaitText("#audit-count", "1 identifier marked")
	v.Press("ArrowLeft", "Space")
	v.WaitText("#audit-count", "2 identifiers marked") // by and on have a placeholder between them
	v.Press("n")
	v.WaitText("#audit-count", "2 identifiers marked: press Enter to save")
	v.Shots("audit-note")
	canHaveRead(v)
	v.Press("Enter")
	v.WaitPath("/p/p1/audits/4/2")
	if got := f.words(1); got != "by on" {
		t.Errorf("marked %q", got)
	}
	v.WaitText("#audit-count", "0 identifiers")
	canHaveRead(v)
	v.Press("ArrowDown", "n")
	v.WaitPath("/p/p1/audits/4/3")
	v.WaitText("#audit-count", "0 identifiers")
	canHaveRead(v)
	v.Press("n")
	v.WaitText(".audit-read", "All notes of this audit are read")
	if _, hasty := f.answers(); hasty > 0 {
		t.Errorf("%d answers are said to have come too soon", hasty)
	}
}

// canHaveRead waits until the note was in view long enough to read it.
func canHaveRead(v *webtest.Browser) {
	v.Wait("the note can have been read", `!document.querySelector("#audit-form [name=seen]").disabled`)
}

// "None left" for a note whose end was not in view is questioned once. The second answer is
// saved, and the audit records that it came too early.
func TestAnAnswerBeforeTheEndIsAskedAboutOnce(t *testing.T) {
	f := newFakeSample()
	f.text = auditedNote + strings.Repeat("\n", 200) + "The end."
	v := openBrowser(t, account.Annotator, f)
	v.Open(v.Base + "/p/p1/audits/read")
	v.WaitText("#audit-count", "0 identifiers")
	v.Press("n")
	v.WaitText("#audit-ask", "The end of this note has not been in view.")
	v.Axe()
	v.Shots("audit-asked")
	if saved, _ := f.answers(); saved > 0 {
		t.Fatal("the first answer was saved")
	}
	v.Press("n")
	v.WaitPath("/p/p1/audits/4/2")
	if _, hasty := f.answers(); hasty != 1 {
		t.Errorf("%d answers are said to have come too soon, want 1", hasty)
	}
	v.WaitText("#audit-count", "0 identifiers")
	v.Eval(`document.querySelector("#audit-end").scrollIntoView(), 0`, nil)
	canHaveRead(v)
	v.Press("n")
	v.WaitPath("/p/p1/audits/4/3")
	if _, hasty := f.answers(); hasty != 1 {
		t.Error("an answer after the end was in view is said to have come too soon")
	}
}

func TestAuditPageIsAccessible(t *testing.T) {
	f := newFakeSample()
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/audits")
	v.Axe()
	v.Shots("audit-begun")
	f.mu.Lock()
	f.marks = map[int][]int{1: {14}, 2: nil, 3: nil}
	f.mu.Unlock()
	v.Reload()
	v.WaitText("#audits", "people found 3 identifiers")
	v.Axe()
	v.Shots("audit-result")
}

func TestWhatWasFoundIsAddedToItsNoteWithOneKey(t *testing.T) {
	f := newFakeSample()
	f.marks = map[int][]int{1: {14, 20}, 2: {11}, 3: nil}
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/audits")
	v.WaitText(".findings", "3 identifiers in 2 notes.")
	v.Axe()
	v.Shots("audit-findings")
	v.Size(1280, 800)
	v.TabTo(`.findings [name="find"][value="1-20"]`)
	v.Press("Space")
	v.TabTo(`.findings [name="label-2-11"]`)
	v.Press("ArrowUp")
	v.TabTo(".findings button.primary")
	v.Press("Enter")
	v.WaitText(".notice.good", "2 identifiers were added to their notes as spans.")
	f.mu.Lock()
	if got := fmt.Sprint(f.added); got != "[{1 14 PATIENT} {2 11 HOSPITAL}]" {
		t.Errorf("added %s", got)
	}
	f.mu.Unlock()
	if n := v.Count(".findings .badge.good"); n != 2 {
		t.Errorf("%d of them are said to be in their notes, want 2", n)
	}
	v.Axe()
}
