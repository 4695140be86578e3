// SPDX-License-Identifier: Apache-2.0

package links

import (
	"slices"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/links"
	"hide/web/webtest"
)

func TestLinkPagesAreAccessible(t *testing.T) {
	f := madeLinks()
	f.decisions = []links.Decision{{Number: 7, Pair: links.PairID{A: 5, B: 6}, Same: true, By: "Some broker"}, {Number: 6, Pair: links.PairID{A: 8, B: 92}, By: "Ben Ode", Gone: true}}
	v := openBrowser(t, account.Broker, f)
	for _, page := range []struct{ name, path string }{
		{"links-queue", ""},
		{"links-pair-decided", "/pair?a=5&b=6"},
		{"links-thresholds", "/thresholds?link=0.9&floor=0.05"},
		{"links-clusters", "/clusters"},
		{"links-patients", "/patients"},
		{"links-decisions", "/decisions"},
	} {
		v.Open(v.Base + "/p/p1/links" + page.path)
		v.Eval(`document.querySelectorAll("details").forEach(d => { d.open = true })`, nil)
		v.Axe()
		v.Legible()
		v.Eval(`document.querySelectorAll("details").forEach(d => { d.open = false })`, nil)
		v.Shots(page.name)
	}
	v.Open(v.Base + "/p/p1/links")
	v.Size(390, 800)
	var below bool
	v.Eval(`[...document.querySelectorAll(".pair-actions .primary")].some((b) => b.getBoundingClientRect().bottom > innerHeight)`, &below)
	if below {
		t.Error("the answers are not in sight on a phone")
	}
	v.Size(1280, 800)
	f.state, f.progress = links.State{}, links.Progress{}
	v.Open(v.Base + "/p/p1/links")
	v.Axe()
	v.Shots("links-never")
	f.progress = links.Progress{Running: true, Doing: "comparing records", Pass: 1, Done: 300, Total: 1204}
	v.Reload()
	v.Axe()
	v.Shots("links-running")
}

// arrives waits for a page with words in an element, and for its modules.
func arrives(v *webtest.Browser, selector, words string) {
	v.WaitText(selector, words)
	v.Wait("the modules of the page", `document.readyState === "complete"`)
}

// By keys alone: one pair is postponed, one is the same person, and one is different. The last
// decision is undone.
func TestPairsAreDecidedByKeys(t *testing.T) {
	f := madeLinks()
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/links")
	arrives(v, "#pair-title", "Records 12 and 15")
	v.Press("n")
	arrives(v, "#pair-title", "Records 3 and 9")
	v.Press("s")
	arrives(v, "#pair-title", "Records 20 and 31")
	v.WaitText("#undo-what", "records 3 and 9, same person")
	v.Press("d")
	arrives(v, ".empty", "You put off 1 pair.")
	var askew float64 // of undo in the box, whose text is centred
	v.Eval(`(() => {
		const box = document.querySelector(".empty").getBoundingClientRect()
		const first = document.querySelector(".empty [data-does=undo]").getBoundingClientRect(), last = document.querySelector("#undo-what").getBoundingClientRect()
		return Math.abs(first.left + Math.max(first.right, last.right) - box.left - box.right)
	})()`, &askew)
	if askew > 2 {
		t.Errorf("undo is %v px off the middle of the box", askew/2)
	}
	v.Press("u")
	v.WaitText("[role=status]", "The decision was undone.")
	arrives(v, "#pair-title", "Records 20 and 31")
	v.Press("s")
	arrives(v, "#pair-title", "Records 12 and 15")
	want := []string{"decide 3,9 true false", "decide 20,31 false false", "undo 2", "decide 20,31 true false"}
	if !slices.Equal(f.asked, want) {
		t.Errorf("asked %q, want %q", f.asked, want)
	}
}

// By keys alone: a decision that contradicts earlier ones is asked about, and replaces them.
func TestAContradictionIsAnsweredByKeyboard(t *testing.T) {
	f := madeLinks()
	f.against = []links.Decision{{Number: 4, Pair: links.PairID{A: 12, B: 40}, Same: true, By: "Ben Ode", At: webtest.MadeAt}, {Number: 5, Pair: links.PairID{A: 15, B: 40}, By: "Cy Fall", At: webtest.MadeAt}}
	v := openBrowser(t, account.Broker, f)
	v.Expect("409")
	v.Open(v.Base + "/p/p1/links")
	arrives(v, "#pair-title", "Records 12 and 15")
	v.Press("s")
	arrives(v, "#contradiction", "contradicts 2 earlier decisions")
	v.Axe()
	v.Shots("links-contradiction")
	v.TabTo("#contradiction .danger")
	v.Press("Enter")
	arrives(v, "#pair-title", "Records 3 and 9")
	if want := []string{"decide 12,15 true false", "decide 12,15 true true"}; !slices.Equal(f.asked, want) {
		t.Errorf("asked %q, want %q", f.asked, want)
	}
}

// A key that reaches a field, or that is switched off, decides nothing.
func TestKeysAreSwitchedOff(t *testing.T) {
	f := madeLinks()
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/links")
	v.Wait("the switch", `!document.querySelector("#links-single").closest("label").hidden`)
	v.Focus("#links-single")
	v.Press("Space")
	v.Press("s")
	v.Open(v.Base + "/p/p1/links/patients")
	v.Type("#words", "sd")
	v.Press("Enter")
	v.WaitText(".empty", "No patient has this key or value.")
	if len(f.asked) > 0 {
		t.Errorf("asked %q", f.asked)
	}
}

// The page shows the decision of another broker about its pair, and the pair stays.
func TestADecisionOfAnotherBrokerShows(t *testing.T) {
	f := madeLinks()
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/links")
	v.Settle()
	f.mu.Lock()
	f.pairs = f.pairs[1:]
	f.decisions = []links.Decision{{Number: 1, Pair: links.PairID{A: 12, B: 15}, Same: true, By: "Ben Ode"}}
	f.mu.Unlock()
	f.Events <- project.Event{Topic: project.TopicLinks}
	v.WaitText("#pair-news", "Ben Ode decided: same person.")
	v.WaitText("#links-state", "2 pairs wait for your decision")
	v.WaitText("#pair-title", "Records 12 and 15")
}

// A slider moves its field, and the page says what the threshold gives before it is used.
func TestThresholdsMoveWithSliders(t *testing.T) {
	f := madeLinks()
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/links/thresholds")
	v.Wait("the slider", `!document.querySelector("[data-moves=link]").hidden`)
	v.Focus("[data-moves=link]")
	v.Press("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")
	v.WaitText("#gives", "Chosen: 0.8")
	if got := v.Value("#link"); got != "0.8" {
		t.Errorf("the field has %s, want 0.8: odds of 4", got)
	}
	v.TabTo(`button[formmethod="post"]`)
	v.Press("Enter")
	v.WaitText("#gives", "Now: 0.8")
	if want := []string{"thresholds 0.8 0.05"}; !slices.Equal(f.asked, want) {
		t.Errorf("asked %q, want %q", f.asked, want)
	}
}
