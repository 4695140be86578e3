// SPDX-License-Identifier: Apache-2.0

package review

import (
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/browsertest"
	"hide/internal/project/projecttest"
	"hide/internal/testsize"

	"hide/web/webtest"
)

// TestABoardDecidesInThreeBrowsers goes through a review with a broker and two members: what
// one moves the others see, passages are read by keyboard, the bound appears, and the vote
// comes to a decision.
func TestABoardDecidesInThreeBrowsers(t *testing.T) {
	b := newBoard(t)
	base := webtest.Serve(t, b.All, b.features()...)
	broker, ann, rob := signIn(t, base, account.Broker), signIn(t, base, account.Annotator), signIn(t, base, account.Reviewer)
	page := base + b.path("")
	for _, v := range []*browsertest.Browser{broker, ann, rob} {
		v.Open(page)
		v.Wait("a live page", `document.querySelector("#live-state").dataset.connected === "true"`)
	}
	rob.WaitText("#review-here", "3 of 3 here")

	// The slider of one is seen by the others.
	ann.Click("#floor-take button")
	ann.Wait("the floor", `!document.querySelector("#look-lc").disabled`)
	rob.WaitText("#shown-floor", "Some annotator has the floor")
	ann.Focus("#look-lc")
	ann.Press("Home")
	rob.WaitText("#look-lc-is", "1")
	ann.Press("End")
	rob.WaitText("#look-lc-is", "10")
	rob.Click("#look-own")
	rob.Focus("#look-lc")
	rob.Press("Home")
	ann.Press("Home", "End")
	broker.WaitText("#look-lc-is", "10")
	rob.WaitText("#look-lc-theirs", "The others look at 10.")
	if got := rob.Text("#look-lc-is"); got != "1" {
		t.Errorf("who looks alone sees L/C %s", got)
	}

	// The draw, and passages read by keyboard.
	broker.Shots("review-plan")
	for field, n := range map[string]string{"#draw-random": "20", "#draw-doubtful": "5"} {
		broker.Focus(field)
		broker.Press("Control+a")
		broker.Type(field, n)
	}
	broker.Click(`form[action$="/draw"] button`)
	broker.WaitText("#mine-reading", "Another member has to give a number")
	rob.Wait("the form for a number", `document.querySelector("#digits") !== null`)
	rob.Type("#digits", "4711")
	rob.Click(`form[action$="/number"] button`)
	rob.WaitText("#mine-next", "Read passages")
	rob.Click("#mine-next a.primary")
	rob.WaitText("#read-progress", "You have read 0")
	rob.Wait("the first word", `document.activeElement.matches("#read-text input")`) // the script has begun
	rob.Shots("review-read")
	rob.Press("n")
	rob.WaitText("#read-progress", "You have read 1")
	rob.Wait("the first word", `document.activeElement.matches("#read-text input")`)
	rob.Press("Shift+ArrowRight", "Enter")
	rob.WaitText("#read-marks", "not sure what")
	rob.Press("Control+z")
	rob.Wait("the mark is taken away", `document.querySelector("#read-marks").children.length === 0`)
	rob.Press("Enter")
	rob.Wait("a mark", `document.querySelector("#read-marks input").value.length > 2`)
	rob.Axe()
	// Without a connection the answer waits on the device, and holds no text.
	rob.Eval(`globalThis.online = globalThis.fetch; globalThis.fetch = () => Promise.reject(new TypeError()); null`, nil)
	rob.Press("s")
	rob.WaitText("#read-says", "kept on this device")
	var kept []string
	rob.Eval(`Object.values(localStorage).filter((v) => v.includes("position"))`, &kept)
	if len(kept) != 1 || !strings.Contains(kept[0], "mark=") || strings.Contains(kept[0], "MRN") {
		t.Errorf("the device keeps %q", kept)
	}
	rob.Eval(`globalThis.fetch = globalThis.online; dispatchEvent(new Event("online")); null`, nil)
	rob.WaitText("#read-progress", "You have read 2")
	ann.WaitText("#review-progress", "2 of")
	b.readRest()
	broker.WaitText("#bound-certificate", "at most")
	broker.WaitText("#review-readers", "Some")
	broker.Wait("the repair", `document.querySelector('form[action$="/repair"]') !== null`)
	broker.Shots("review-read-all")
	lookClosely(broker)

	// The broker lets them read on, to the last passage.
	broker.Click(`#review-more button`)
	broker.WaitText("#review-progress", "25 of 40 passages")
	ann.WaitText("#mine-next", "Read passages")
	b.readRest()
	broker.WaitText("#bound-certificate", "After reading all 40 passages")

	// The vote.
	broker.Click(`.review-steps button`)
	ann.Wait("the form to vote", `document.querySelector("#vote-form") !== null`)
	ann.Shots("review-vote")
	ann.Axe()
	ann.Click(`#vote-form input[value=approve]`)
	ann.Click(`#vote-form input[name=if-recipients]`)
	ann.Click(`#vote-form button.primary`)
	ann.WaitText("#my-vote", "approved if: only these recipients: Dr. Weiss")
	rob.Open(page)
	rob.WaitText("#review-votes", "u-annotator has voted")
	if rob.Count("#review-cast") > 0 {
		t.Error("votes are shown before the vote is closed")
	}
	rob.Click(`#vote-form input[value=approve]`)
	rob.Click(`#vote-form button.primary`)
	for _, v := range []*browsertest.Browser{broker, ann, rob} {
		v.WaitText("#review-outcome", "Approved, under conditions")
	}
	rob.WaitText("#review-gate", "may be published to Dr. Weiss")
	rob.Shots("review-decided")
	rob.Size(1920, 1080)
	rob.Open(page + "?view=wall")
	rob.WaitText("#bound-certificate", "After reading all 40")
	rob.Shots("review-wall")
	lookClosely(rob)
}

// lookClosely checks pages that are much like those that are always checked, when there is time.
func lookClosely(v *browsertest.Browser) {
	for range testsize.Of(0, 1) {
		v.Axe()
	}
}

// readRest lets both members answer what is left, without marks.
func (b *board) readRest() {
	b.T.Helper()
	for i := 0; ; i++ {
		who := []account.User{projecttest.Annotator, projecttest.Reviewer}[i%2]
		p, err := b.NextPassage(b.T.Context(), who, b.id, b.number)
		b.must(err)
		if p == nil {
			return
		}
		b.must(b.AnswerPassage(b.T.Context(), who, b.id, b.number, p.Draw, p.Position, nil, 30))
	}
}
