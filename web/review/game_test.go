// SPDX-License-Identifier: Apache-2.0

package review

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/browsertest"
	"hide/internal/project/projecttest"
	"hide/internal/project/review"
	"hide/internal/words"
	"hide/web/webtest"
)

// playRest lets members answer what is left of a game. Each marks the first words of a passage.
func (b *board) playRest(people ...account.User) {
	b.T.Helper()
	for _, who := range people {
		for {
			g, err := b.GameState(b.T.Context(), who, b.id, b.number)
			b.must(err)
			if g.Ended != nil {
				return
			}
			p, err := b.NextGuess(b.T.Context(), who, b.id, b.number)
			b.must(err)
			if p == nil {
				break
			}
			var found []review.Suspicion
			for _, one := range pieces(*p) {
				if one.Word == 0 {
					found = append(found, review.Suspicion{Selection: review.Selection{Start: one.Start, End: one.End}, Sure: review.Likely})
				}
			}
			b.must(b.Guess(b.T.Context(), who, b.id, b.number, p.Draw, p.Position, found, 30))
		}
	}
}

// TestMembersPlayInTwoBrowsers goes through a game: the broker starts it, a member plays by
// keyboard, the broker sees how far, judges, and both see the scores beside the machine's.
func TestMembersPlayInTwoBrowsers(t *testing.T) {
	b := newBoard(t)
	base := webtest.Serve(t, b.All, b.features()...)
	broker, rob := signIn(t, base, account.Broker), signIn(t, base, account.Reviewer)
	page := base + b.path("")
	for _, v := range []*browsertest.Browser{broker, rob} {
		v.Open(page)
		v.Wait("a live page", `document.querySelector("#live-state").dataset.connected === "true"`)
	}
	broker.Click("#mine-game summary")
	for field, n := range map[string]string{"#game-budget": "4", "#game-plants": "2"} {
		broker.Focus(field)
		broker.Press("Control+a")
		broker.Type(field, n)
	}
	broker.Click(`form[action$="/game/start"] button`)
	rob.WaitText("#mine-next", "4 passages left")
	rob.Click("#mine-next a.primary")
	rob.WaitText("#read-progress", "You have answered 0 of 4")
	rob.Wait("the first word", `document.activeElement.matches("#read-text input")`)
	rob.Press("n")
	rob.WaitText("#read-progress", "You have answered 1 of 4")
	rob.Wait("the first word", `document.activeElement.matches("#read-text input")`)
	rob.Press("Shift+ArrowRight")
	rob.Wait("a selection", `!document.querySelector("#read-mark").hidden`)
	rob.Axe()
	rob.Press("3")
	rob.WaitText("#read-marks", "sure")
	rob.Shots("review-game-play")
	rob.Press("s")
	rob.WaitText("#read-progress", "You have answered 2 of 4")
	broker.WaitText("#review-game", "2 of 4")
	if got := broker.Text("#review-game"); strings.Contains(got, "anked") || strings.Contains(got, "lanted") {
		t.Errorf("before the end the page says %q", got)
	}
	b.playRest(projecttest.Annotator, projecttest.Reviewer)
	broker.WaitText("#review-game", "so far")
	broker.Open(page)
	broker.Wait("the finds", `document.querySelector(".game-finds button") !== null`)
	broker.Shots("review-game-judge")
	broker.Click(`#mine-game > .game-finds button[value=yes]`)
	broker.WaitText("#mine-game", "Judged already (1)")
	rob.Open(page)
	rob.WaitText("#game-table", "The machine")
	rob.WaitText("#game-utility", "95 %")
	rob.Shots("review-game-scores")
	lookClosely(rob)
}

// TestTheGameIsPlayedWithoutAScript also shows what is said to those who cannot play.
func TestTheGameIsPlayedWithoutAScript(t *testing.T) {
	b := newBoard(t)
	s := b.server()
	if body := s.Get(account.Reviewer, b.path("/game")).Body.String(); !strings.Contains(body, "has no game") {
		t.Error("the page does not say that no game was started")
	}
	if w := s.Post(account.Broker, b.path("/game/start"), url.Values{"budget": {"5"}, "plants": {"1"}}); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "Choose an even number") {
		t.Errorf("a game of 5 passages: status %d", w.Code)
	}
	if w := s.Post(account.Broker, b.path("/game/start"), url.Values{"budget": {"4"}, "plants": {"1"}}); w.Code != http.StatusSeeOther {
		t.Fatalf("a game of 4 passages: status %d\n%s", w.Code, w.Body)
	}
	if body := s.Get(account.Broker, b.path("/game")).Body.String(); !strings.Contains(body, "does not play") {
		t.Error("the broker plays")
	}
	p, err := b.NextGuess(t.Context(), projecttest.Reviewer, b.id, b.number)
	b.must(err)
	form := url.Values{"draw": {"1"}, "position": {words.Number(p.Position)}, "word": {wordValue(pieces(*p)[0])}}
	if w := s.Post(account.Reviewer, b.path("/game"), form); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "how sure you are") {
		t.Errorf("a mark without a sureness: status %d", w.Code)
	}
	form.Set("sure", "2")
	for _, want := range []string{"/game", "/game?again=1"} {
		if w := s.Post(account.Reviewer, b.path("/game"), form); w.Code != http.StatusSeeOther || !strings.HasSuffix(w.Header().Get("Location"), want) {
			t.Errorf("the answer leads to %q, status %d, want %s", w.Header().Get("Location"), w.Code, want)
		}
	}
	if w := s.Post(account.Broker, b.path("/game/end"), nil); w.Code != http.StatusSeeOther {
		t.Errorf("the game was not ended: status %d", w.Code)
	}
	if w := s.Get(account.Broker, b.path("")); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "1 find is not judged yet") {
		t.Errorf("the page of the broker has no find to judge: status %d", w.Code)
	}
	if w := s.Post(account.Broker, b.path("/game/judge"), url.Values{"game": {"1"}, "find": {"1"}, "real": {"yes"}, "label": {"PATIENT"}}); w.Code != http.StatusSeeOther {
		t.Errorf("a find was not judged: status %d", w.Code)
	}
	body := s.Get(account.Reviewer, b.path("")).Body.String()
	for _, want := range []string{"The machine", "1 of 1 (100 %)", "Ranked first"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
