// SPDX-License-Identifier: Apache-2.0

package site

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/browsertest"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/review"
	"hide/internal/project/sanitize"
	"hide/internal/publish/verify"
	"hide/internal/testsize"
	"hide/web"
	"hide/web/webtest"
)

// Notes of the board's project, and what the board reads of them. With perfect readers the
// any-time bound needs so many planted identifiers.
const (
	boardFinished = 40
	boardNotes    = 100
	boardPassages = 60
	boardPlants   = 50
)

// board is a house with a project, whose broker and four members sit at five browsers.
type board struct {
	*house
	t      *testing.T
	broker account.User
	rob    account.User
	people map[string]*browsertest.Browser
	known  map[string]bool // words of the candidate: any other word of a passage is planted
	notes  []annotate.Annotated
	bounds []int // that the broker's page has shown, in order
}

// TestFiveDecideAndPublishWhatTheyApproved is the whole way of a board: a candidate is frozen
// and reviewed, everybody sees the same page live, three of them read passages with planted
// identifiers while the bound falls, they play the finding game, ask, vote with a condition,
// and only what they approved is published. A stranger verifies the release against the evidence, and no page of
// a member ever shows what the candidate redacts.
func TestFiveDecideAndPublishWhatTheyApproved(t *testing.T) {
	b := openBoard(t)
	b.freeze()
	b.open()
	b.look()
	b.draw()
	b.read()
	b.play()
	b.ask()
	b.vote()
	b.publish()
	b.verify()
}

func openBoard(t *testing.T) *board {
	notes := projecttest.Notes(boardNotes)
	h := openHouseOf(t, jsonl(t, notes[:boardFinished]))
	b := &board{house: h, t: t, people: map[string]*browsertest.Browser{}, known: map[string]bool{}, notes: notes}
	var session string
	b.broker, session = h.Person("Bea Novak", account.Broker)
	h.Join(b.broker, account.Broker)
	_, err := h.Projects.Import(t.Context(), b.broker, h.Project, projecttest.JSONL(projecttest.Strip(notes[boardFinished:])), project.ImportOptions{})
	b.must(err)
	b.must(h.Projects.SetRule(t.Context(), b.broker, h.Project, project.DefaultRule()))
	b.choose(sanitize.Params{LC: []float64{1, 10}, Folds: 2, First: "crf"})
	b.choose(sanitize.Params{LC: []float64{10}, Folds: 2, First: "bayes", Learners: []string{"bayes"}, Labels: []annotate.Label{"PATIENT", "DOCTOR", "MEDICALRECORD"}}) // dates stay
	var robs string
	b.rob, robs = h.Person("Rob Klein", account.Reviewer)
	h.Join(b.rob, account.Reviewer)
	b.sit("Bea", session)
	b.sit("Ben", h.session)
	b.sit("Rob", robs)
	return b
}

// choose runs GreedySanitize and makes the next bundle, of L/C 10.
func (b *board) choose(p sanitize.Params) {
	number, err := b.Projects.StartSanitize(b.t.Context(), b.broker, b.Project, p)
	b.must(err)
	b.until("the run", func() bool {
		run, err := b.Projects.Run(b.t.Context(), b.broker, b.Project, number)
		b.must(err)
		return run.State != sanitize.Running
	})
	_, err = b.Projects.Choose(b.t.Context(), b.broker, b.Project, number, 10)
	b.must(err)
}

func jsonl(t *testing.T, notes []annotate.Annotated) string {
	t.Helper()
	r, err := projecttest.JSONL(notes)[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

func (b *board) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *board) until(what string, done func() bool) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 3*time.Minute)
	defer cancel()
	for !done() {
		select {
		case <-ctx.Done():
			b.t.Fatalf("%s did not end", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// sit gives a person a browser of their own, signed in already or not.
func (b *board) sit(name, session string) {
	b.t.Helper()
	v := browsertest.Start(b.t)
	b.people[name] = v
	if session != "" {
		v.SetCookie(b.base, web.CookieName(b.base, false), session)
	}
}

func (b *board) url(rest string) string { return b.base + "/p/" + string(b.Project) + rest }

// freeze freezes two candidates on the page that publishes, the second with readable dates.
func (b *board) freeze() {
	bea := b.people["Bea"]
	for i, bundle := range []int{1, 2} {
		bea.Open(b.url("/publish?bundle=" + strconv.Itoa(bundle)))
		bea.Click(`input[name=confirm]`)
		bea.Click(`button[value=freeze]`)
		bea.WaitText("main", fmt.Sprintf("Candidate %d is frozen and verified", i+1))
	}
	bea.Open(b.url("/candidates/1"))
	bea.Click(`a.button.primary[href*="/reviews?candidate="]`)
	bea.Type("#question", "May 100 redacted notes go to Dr. Weiss for one year?")
	bea.Type("#recipients", "Dr. Weiss")
	bea.Click(`form[action$="/reviews"] button`)
	bea.WaitText("h1", "May 100 redacted notes")
	b.live(bea)
	b.learn()
}

// learn reads the words of the candidate.
func (b *board) learn() {
	text, err := b.Projects.TextOf(b.Project, 1)
	b.must(err)
	for n, err := range text.All(b.t.Context()) {
		b.must(err)
		for _, w := range annotate.Tokenize(n.Text) {
			b.known[strings.ToLower(n.Text[w.Start:w.End])] = true
		}
	}
}

// live waits until a page is connected: whatever the server tells from then on it shows.
func (b *board) live(v *browsertest.Browser) {
	b.t.Helper()
	v.Wait("a live page", `document.querySelector("#live-state")?.dataset.connected === "true"`)
}

// open invites two people by link, adds two, and opens the review. All five look at its page.
func (b *board) open() {
	bea := b.people["Bea"]
	for _, name := range []string{"Ina Hart", "Leo Brandt"} {
		bea.Type("#invite-name", name)
		bea.Click(`form[action$="/members/invite"] button`)
		bea.WaitText(".secret", "/welcome#")
		bea.WaitText(".notice.good", "Give this link to "+name)
		b.enter(name, bea.Text(".secret"))
	}
	for _, person := range []string{b.ben.ID, b.rob.ID} {
		n := bea.Count(".review-people li")
		bea.Choose("#add-person", person)
		bea.Click(`form[action$="/members/add"] button`)
		bea.Wait("one more member", fmt.Sprintf(`document.querySelectorAll(".review-people li").length === %d`, n+1))
	}
	bea.Click("#mine-next button.primary")
	bea.WaitText("#review", "Call the vote")
	for _, v := range b.people {
		v.Open(b.url("/reviews/1"))
		b.live(v)
	}
	for _, v := range b.people {
		v.WaitText("#review-here", "5 of 5 here")
	}
}

// enter uses a one-time link.
func (b *board) enter(name, link string) {
	first, _, _ := strings.Cut(name, " ")
	b.sit(first, "")
	v := b.people[first]
	v.Open(strings.TrimSpace(link))
	v.WaitText("h1", "Welcome, "+name)
	v.Type("#password", webtest.GoodPassword)
	v.Type("#again", webtest.GoodPassword)
	v.Press("Enter")
	v.WaitText("h1", "Projects")
}

// look lets Rob move the slider; the others see each move. The times go to the log: no test
// fails because a machine is busy.
func (b *board) look() {
	rob := b.people["Rob"]
	rob.Click("#floor-take button")
	rob.Wait("the floor", `!document.querySelector("#look-lc").disabled`)
	for _, v := range b.people {
		v.Eval(`globalThis.moves = []; new MutationObserver(() => moves.push([Date.now(), document.querySelector("#look-lc-is").textContent])).observe(document.querySelector("#look-lc-is"), {childList: true, characterData: true, subtree: true}); null`, nil)
	}
	rob.Focus("#look-lc")
	for i, lc := range []string{"1", "10", "1", "10"} {
		rob.Press([]string{"Home", "End"}[i%2])
		for name, v := range b.people {
			v.Wait("the move", fmt.Sprintf(`document.querySelector("#look-lc-is").textContent === %q`, lc))
			if name != "Rob" {
				b.t.Logf("move %d reached %s after %d ms", i+1, name, b.moved(v, i)-b.moved(rob, i))
			}
		}
	}
	rob.Click("#floor-give button")
	for _, v := range b.people {
		v.WaitText("#shown-floor", "Nobody has the floor")
	}
}

// moved is when a move appeared on a page, in milliseconds.
func (b *board) moved(v *browsertest.Browser, i int) (at int64) {
	v.Eval(fmt.Sprintf("moves[%d][0]", i), &at)
	return at
}

// draw commits to a draw with planted identifiers; Ina gives the number.
func (b *board) draw() {
	bea, ina := b.people["Bea"], b.people["Ina"]
	for field, n := range map[string]int{"#draw-random": boardPassages - 5, "#draw-doubtful": 5, "#draw-plants": boardPlants} {
		bea.Focus(field)
		bea.Press("Control+a")
		bea.Type(field, strconv.Itoa(n))
	}
	bea.Click(`form[action$="/draw"] button`)
	bea.WaitText("#mine-reading", "Another member has to give a number")
	ina.Wait("the form for a number", `document.querySelector("#digits") !== null`)
	ina.Type("#digits", "20 31 44 7")
	ina.Click(`form[action$="/number"] button`)
	ina.WaitText("#mine-next", "Read passages")
}

// read lets three members read in turn. They catch every planted identifier. Without the long
// size of the tests the last passages are answered without a browser, for time.
func (b *board) read() {
	readers, inBrowsers := []string{"Ina", "Leo", "Ben"}, testsize.Of(15, boardPassages)
	for _, name := range readers {
		b.people[name].Open(b.url("/reviews/1/read"))
	}
	for i := range boardPassages {
		name := readers[i%len(readers)]
		if v := b.people[name]; i < inBrowsers {
			v.WaitText("#read-progress", fmt.Sprintf("You have read %d", i/len(readers)))
			b.answer(v)
			v.Wait("the next passage", fmt.Sprintf(`document.querySelector("#read-end") !== null || document.querySelector("#read-progress")?.textContent.startsWith("You have read %d")`, i/len(readers)+1))
			b.seen(v)
		} else {
			b.answerFor(name)
		}
		if i%10 == 9 {
			b.bound(fmt.Sprintf("%d of %d passages", i+1, boardPassages))
		}
	}
	b.people["Bea"].WaitText("#review-readers", "Leo Brandt")
	if !slices.IsSortedFunc(b.bounds, func(x, y int) int { return y - x }) || len(slices.Compact(b.bounds)) < 2 {
		b.t.Errorf("the bound did not fall: %d", b.bounds)
	}
	b.people["Rob"].WaitText("#bound-certificate", "at most")
	b.people["Bea"].Shots("board-read")
}

// answerFor answers a passage as a member does, without a browser.
func (b *board) answerFor(name string) {
	b.t.Helper()
	by := b.account(name)
	p, err := b.Projects.NextPassage(b.t.Context(), by, b.Project, 1)
	b.must(err)
	var found []review.Selection
	offsets := annotate.NewOffsets(p.Text)
	for _, w := range annotate.Tokenize(p.Text) {
		word := annotate.Span{Start: w.Start, End: w.End}
		if !slices.ContainsFunc(p.Places, word.Overlaps) && !b.known[strings.ToLower(p.Text[w.Start:w.End])] {
			start, end := offsets.Range(word)
			found = append(found, review.Selection{Start: start, End: end})
		}
	}
	b.must(b.Projects.AnswerPassage(b.t.Context(), by, b.Project, 1, p.Draw, p.Position, found, 30))
}

// account is that of a member.
func (b *board) account(name string) account.User {
	b.t.Helper()
	session, err := b.Projects.Review(b.t.Context(), b.broker, b.Project, 1)
	b.must(err)
	i := slices.IndexFunc(session.Members, func(m review.Member) bool { return strings.HasPrefix(m.Name, name) })
	return account.User{ID: session.Members[i].ID}
}

// answer marks what is planted in the passage on the screen, or says that nothing is there.
func (b *board) answer(v *browsertest.Browser) {
	b.ready(v)
	var words []string
	v.Eval(`[...document.querySelectorAll("#read-text .read-word")].map((w) => w.textContent.trim())`, &words)
	marked := false
	for i, w := range words {
		if !b.known[strings.ToLower(w)] {
			v.Eval(fmt.Sprintf(`(() => {
				const word = document.querySelectorAll("#read-text .read-word")[%d];
				word.querySelector("input").focus();
				word.querySelector("input").dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}));
			})(); null`, i), nil)
			marked = true
		}
	}
	if marked {
		v.Press("s")
	} else {
		v.Press("n")
	}
}

var atMost = regexp.MustCompile(`at most (\d+) may`)

// ready waits until a passage takes keys.
func (b *board) ready(v *browsertest.Browser) {
	b.t.Helper()
	v.Wait("the first word", `document.activeElement.matches("#read-text input")`)
}

// bound waits until the broker's page says that so much is read, and keeps the bound of then.
func (b *board) bound(read string) {
	bea := b.people["Bea"]
	bea.WaitText("#review-progress", read)
	if found := atMost.FindStringSubmatch(bea.Text("#bound-certificate")); found != nil {
		bound, err := strconv.Atoi(found[1])
		b.must(err)
		b.bounds = append(b.bounds, bound)
	}
}

// seen checks that a page shows no word that the candidate redacts.
func (b *board) seen(v *browsertest.Browser) {
	b.t.Helper()
	var page string
	v.Eval("document.documentElement.outerHTML", &page)
	for i := range b.notes {
		if number := strconv.Itoa(7000000 + i*37); strings.Contains(page, number) {
			b.t.Errorf("the page at %s shows record number %s", v.Path(), number)
		}
	}
}

// play is the finding game: Rob plays in the browser, the others without one. All see the
// scores beside the machine's.
func (b *board) play() {
	bea, rob := b.people["Bea"], b.people["Rob"]
	bea.Click("#mine-game summary")
	for field, n := range map[string]string{"#game-budget": "4", "#game-plants": "1"} {
		bea.Focus(field)
		bea.Press("Control+a")
		bea.Type(field, n)
	}
	bea.Click(`form[action$="/game/start"] button`)
	rob.WaitText("#mine-next", "4 passages left")
	rob.Click("#mine-next a.primary")
	for i := range 4 {
		rob.WaitText("#read-progress", fmt.Sprintf("You have answered %d of 4", i))
		b.seen(rob)
		b.ready(rob)
		rob.Press("n")
	}
	rob.WaitText("#read-end", "You have played to the end")
	for _, name := range []string{"Ina", "Leo", "Ben"} {
		by := b.account(name)
		for range 4 {
			p, err := b.Projects.NextGuess(b.t.Context(), by, b.Project, 1)
			b.must(err)
			b.must(b.Projects.Guess(b.t.Context(), by, b.Project, 1, p.Draw, p.Position, nil, 30))
		}
	}
	rob.Open(b.url("/reviews/1"))
	for _, v := range []*browsertest.Browser{bea, rob} {
		v.WaitText("#review-game", "Together members looked at 4 passages")
		v.WaitText("#game-table", "The machine")
		b.seen(v)
	}
}

// ask lets a member ask and the broker answer.
func (b *board) ask() {
	for _, name := range []string{"Ina", "Leo", "Ben"} {
		b.people[name].Open(b.url("/reviews/1"))
	}
	leo, bea := b.people["Leo"], b.people["Bea"]
	leo.Type("#ask-text", "Are dates of birth redacted?")
	leo.Click(`form[action$="/question"] button`)
	bea.WaitText("#review-questions", "Are dates of birth redacted?")
	bea.Wait("the form to answer", `document.querySelector("#answer-text") !== null`)
	bea.Type("#answer-text", "Yes, all dates are.")
	bea.Click(`form[action$="/question/answer"] button`)
	for _, v := range b.people {
		v.WaitText("#review-questions", "Yes, all dates are.")
		b.seen(v)
	}
}

// tick works by keyboard: a click can miss when the live page moves just then.
func (b *board) tick(v *browsertest.Browser, box string) {
	b.t.Helper()
	v.Focus(box)
	v.Press("Space")
	v.Wait("the tick", fmt.Sprintf("document.querySelector(%q).checked", box))
}

// vote takes four votes, one with a condition.
func (b *board) vote() {
	b.people["Bea"].Click(".review-steps button")
	for i, name := range []string{"Ben", "Rob", "Ina", "Leo"} {
		v := b.people[name]
		v.Wait("the form to vote", `document.querySelector("#vote-form") !== null`)
		b.tick(v, `#vote-form input[value=approve]`)
		if i == 0 {
			b.tick(v, `#vote-form input[name=if-recipients]`)
		}
		v.Click(`#vote-form button.primary`)
		if i < 3 {
			v.WaitText("#my-vote", "You have voted: approved")
		}
	}
	for _, v := range b.people {
		v.WaitText("#review-outcome", "Approved, under conditions")
		b.seen(v)
	}
	b.people["Ina"].Shots("board-decided")
}

// publish is refused for the other candidate and for other recipients, and then done.
func (b *board) publish() {
	bea := b.people["Bea"]
	bea.Expect("422")
	try := func(candidate int, recipients, says string) {
		b.t.Helper()
		bea.Open(b.url("/candidates/" + strconv.Itoa(candidate)))
		bea.Focus("#recipients")
		bea.Press("Control+a")
		bea.Type("#recipients", recipients)
		bea.Click(`form[action$="/publish"] input[name=confirm]`)
		bea.Click(`form[action$="/publish"] button`)
		bea.WaitText("main", says)
	}
	try(2, "Dr. Weiss", "no review has been opened on it")
	try(1, "Dr. Ng", "Dr. Ng is not among the approved recipients")
	b.noRelease()
	try(1, "Dr. Weiss", "Release 1 is published and verified")
}

func (b *board) noRelease() {
	b.t.Helper()
	if all, err := b.Projects.Releases(b.t.Context(), b.broker, b.Project); err != nil || len(all) != 0 {
		b.t.Errorf("there are %d releases, %v", len(all), err)
	}
}

// verify downloads the release and the evidence, and checks them as a stranger does. One
// changed byte anywhere in the pack is refused.
func (b *board) verify() {
	bea, rob, folder := b.people["Bea"], b.people["Rob"], b.t.TempDir()
	rob.SaveTo(folder)
	rob.Open(b.url("/reviews/1"))
	rob.Click(`a[href$="/evidence.json"]`)
	pack, err := os.ReadFile(rob.Saved(folder, "*.json"))
	b.must(err)
	bea.SaveTo(folder)
	bea.Open(b.url("/releases/1"))
	bea.Click(`a[href$="/releases/1/zip"]`)
	raw, err := os.ReadFile(bea.Saved(folder, "*.zip"))
	b.must(err)
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	b.must(err)
	release, err := fs.Sub(archive, "release-1")
	b.must(err)
	public, _, err := b.Projects.SigningKey(b.t.Context(), b.broker)
	b.must(err)
	key, err := verify.PublicKey(public)
	b.must(err)
	check := func(pack []byte) *verify.Report {
		b.t.Helper()
		result, err := verify.Release(release)
		b.must(err)
		r := result.Common()
		r.CheckEvidence(pack, key)
		return r
	}
	if r := check(pack); !r.OK || r.Evidence == nil || r.Found != 0 {
		b.t.Errorf("the release does not agree with its evidence: %+v", r.Problems)
	}
	step := testsize.Of(max(1, len(pack)/20), 97)
	for at := step / 2; at < len(pack); at += step {
		altered := bytes.Clone(pack)
		altered[at] ^= 1
		if check(altered).OK {
			b.t.Errorf("the pack is accepted with byte %d changed", at)
		}
	}
	b.seen(rob)
}
