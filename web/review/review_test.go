// SPDX-License-Identifier: Apache-2.0

package review

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project/projecttest"
	"hide/internal/project/review"
	"hide/web/webtest"
)

// TestOnlyMembersSeeAReview: a member of the project who is not a member of the review gets
// neither its page, nor its passages, nor its frames.
func TestOnlyMembersSeeAReview(t *testing.T) {
	b := newBoard(t)
	b.draw(review.Sampling{Random: 20})
	s := b.server()
	b.must(b.RemoveReviewer(t.Context(), projecttest.Broker, b.id, b.number, projecttest.Annotator.ID))
	for _, path := range []string{"", "/read", "/game", "?view=wall"} {
		if w := s.Get(account.Annotator, b.path(path)); w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), "Dr. Weiss") {
			t.Errorf("%s: status %d for somebody who is not a member", path, w.Code)
		}
		if w := s.Get(account.Reviewer, b.path(path)); w.Code != http.StatusOK {
			t.Errorf("%s: status %d for a member", path, w.Code)
		}
	}
	live := httptest.NewRequest(http.MethodGet, webtest.Origin+"/p/"+string(b.id)+"/live?topics=review-bound&review="+fmt.Sprint(b.number), nil)
	for name, value := range map[string]string{"Origin": webtest.Origin, "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="} {
		live.Header.Set(name, value)
	}
	if w := s.Ask(account.Annotator, live); w.Code != http.StatusForbidden {
		t.Errorf("a live connection of somebody who is not a member: status %d", w.Code)
	}
	for _, f := range New(b.All, b.All, b.All, webtest.Accounts{}, webtest.Origin).Parts() {
		q := url.Values{"review": {fmt.Sprint(b.number)}}
		if err := f.Admits(t.Context(), webtest.As(account.Annotator), b.id, q); err == nil {
			t.Errorf("%s is shown to somebody who is not a member", f.Name)
		}
		if err := f.Admits(t.Context(), webtest.As(account.Reviewer), b.id, q); err != nil {
			t.Errorf("%s is not shown to a member: %v", f.Name, err)
		}
	}
	for _, form := range []string{"/here", "/floor", "/question", "/number", "/vote"} {
		w := s.PostFragment(account.Annotator, b.path(form), url.Values{"text": {"?"}, "digits": {"4711"}, "choice": {"approve"}})
		if w.Code < 400 {
			t.Errorf("%s by somebody who is not a member: status %d", form, w.Code)
		}
	}
	if body := s.Get(account.Annotator, "/p/"+string(b.id)+"/reviews").Body.String(); !strings.Contains(body, "you are not a member") || strings.Contains(body, `/reviews/1"`) {
		t.Error("the list does not say that one is not a member")
	}
}

// TestNoOriginalTextReachesReviewers asks for every page and frame of a review as a reviewer,
// before, during and after the reading. The record numbers of the notes are redacted: none may
// appear.
func TestNoOriginalTextReachesReviewers(t *testing.T) {
	b := newBoard(t)
	base := webtest.Serve(t, b.All, b.features()...)
	s := b.server()
	seen := func(what, text string) {
		t.Helper()
		if text == "" {
			t.Errorf("%s is empty", what)
		}
		for i := range notes {
			if number := fmt.Sprint(7000000 + i*37); strings.Contains(text, number) {
				t.Errorf("%s shows record number %s", what, number)
			}
		}
	}
	parts := New(b.All, b.All, b.All, webtest.Accounts{}, webtest.Origin).Parts()
	var names []string
	for _, p := range parts {
		names = append(names, p.Name)
	}
	look := func(when string) {
		t.Helper()
		for _, path := range []string{"", "?view=wall", "/read", "/game", "/evidence.html", "/evidence.json"} {
			seen(when+" "+path, s.Get(account.Reviewer, b.path(path)).Body.String())
		}
		v := webtest.Look(t, base, account.Reviewer, string(b.id), strings.Join(names, ","), url.Values{"review": {fmt.Sprint(b.number)}})
		v.Until("all parts", func() bool { return v.Frames >= len(names) })
		for _, name := range names {
			seen(when+" "+name, v.Part(name))
		}
	}
	look("before")
	b.draw(review.Sampling{Random: 20, Doubtful: 5})
	read := s.Get(account.Reviewer, b.path("/read")).Body.String()
	if !strings.Contains(read, "[MEDICALRECORD]") {
		t.Error("the passage shows no placeholder")
	}
	p, err := b.NextPassage(t.Context(), projecttest.Reviewer, b.id, b.number)
	b.must(err)
	words := pieces(*p)
	for _, one := range words {
		if one.Word == 0 {
			w := s.Post(account.Reviewer, b.path("/read"), url.Values{"draw": {fmt.Sprint(p.Draw)}, "position": {fmt.Sprint(p.Position)}, "seconds": {"30"}, "word": {wordValue(one)}})
			if w.Code != http.StatusSeeOther {
				t.Fatalf("an answer without a script: status %d", w.Code)
			}
		}
	}
	look("while reading")
	b.readRest()
	look("after reading")
	b.must(b.StartGame(t.Context(), projecttest.Broker, b.id, b.number, 8, 2))
	look("while playing")
	b.playRest(projecttest.Annotator, projecttest.Reviewer)
	look("after playing")
	b.must(b.AdvanceReview(t.Context(), projecttest.Broker, b.id, b.number, review.Voting, ""))
	for _, role := range []account.Role{account.Reviewer, account.Annotator} {
		if w := s.Post(role, b.path("/vote"), url.Values{"choice": {"approve"}, "if-others": {"yes"}, "others": {"sign the agreement"}}); w.Code != http.StatusSeeOther {
			t.Fatalf("a vote: status %d\n%s", w.Code, w.Body)
		}
	}
	look("decided")
	if body := s.Get(account.Broker, b.path("")).Body.String(); !strings.Contains(body, "How was this met? sign the agreement") || !strings.Contains(body, "Publishing is refused") {
		t.Error("the page does not say what is missing")
	}
	s.Post(account.Broker, b.path("/met"), url.Values{"condition": {"0"}, "how": {"signed on Monday"}})
	b.must(b.DropCandidate(t.Context(), projecttest.Broker, b.id, b.candidate.Number, "a better one is there"))
	body := s.Get(account.Reviewer, b.path("")).Body.String()
	for _, want := range []string{"Approved, under conditions", "signed on Monday", "a better one is there", "After reading 25 of"} {
		if !strings.Contains(body, want) {
			t.Errorf("after the candidate was deleted the page does not say %q", want)
		}
	}
	look("dropped")
}

// A page fetches the sections that depend on its reader without the rest. Each of them must
// be among those, as the page shows it.
func TestAPageFetchesEverySectionOfItsReader(t *testing.T) {
	b := newBoard(t)
	s := b.server()
	b.draw(review.Sampling{Random: 5})
	section := regexp.MustCompile(`(?s)<div id="mine-[a-z]+" data-mine>.*?</div>`)
	for _, role := range []account.Role{account.Broker, account.Reviewer} {
		whole := s.Get(role, b.path("")).Body.String()
		r := httptest.NewRequest(http.MethodGet, webtest.Origin+b.path(""), nil)
		r.Header.Set("HX-Request", "true")
		part := s.Ask(role, r).Body.String()
		all := section.FindAllString(whole, -1)
		if len(all) < 6 || len(part) > len(whole)/2 || strings.Contains(part, "<header") {
			t.Errorf("%s: %d sections on the page, and %d of %d bytes are fetched", role, len(all), len(part), len(whole))
		}
		for _, one := range all {
			if !strings.Contains(part, one) {
				t.Errorf("%s: this section is not fetched as the page shows it: %.60s", role, one)
			}
		}
	}
}

// TestThePageSaysWhatToDoFirst: a draw whose plants cannot show what readers miss is told to
// be one before anybody reads, and a called vote goes before reading and playing.
func TestThePageSaysWhatToDoFirst(t *testing.T) {
	b := newBoard(t)
	s := b.server()
	_, err := b.CommitDraw(t.Context(), projecttest.Broker, b.id, b.number, review.Sampling{Random: 20, Plants: 5})
	b.must(err)
	page := s.Get(account.Reviewer, b.path("")).Body.String()
	for _, want := range []string{"cannot end with a certificate", "20 random passages", "with 5 planted identifiers"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	_, err = b.GiveNumber(t.Context(), projecttest.Reviewer, b.id, b.number, "4711")
	b.must(err)
	b.must(b.AdvanceReview(t.Context(), projecttest.Broker, b.id, b.number, review.Voting, ""))
	page = s.Get(account.Reviewer, b.path("")).Body.String()
	if !strings.Contains(page, "give your vote") || strings.Contains(page, "read a few passages") {
		t.Error("a called vote does not come first")
	}
}

func TestARefusedVoteKeepsWhatWasTyped(t *testing.T) {
	b := newBoard(t)
	s := b.server()
	b.must(b.AdvanceReview(t.Context(), projecttest.Broker, b.id, b.number, review.Voting, ""))
	for _, c := range []struct {
		form url.Values
		want []string
	}{
		{url.Values{"choice": {"refuse"}, "if-bound": {"yes"}, "bound": {"12"}}, []string{"A refusal needs a reason", `value="12"`}},
		{url.Values{"choice": {"approve"}, "if-bound": {"yes"}, "bound": {"few"}}, []string{"is not a number", `value="few"`}},
		{url.Values{"choice": {"approve"}, "if-recipients": {"yes"}, "recipients": {" \n"}}, []string{"No recipient is named"}},
		{url.Values{"choice": {"approve"}, "if-until": {"yes"}, "until": {"2001-01-01"}}, []string{"Choose a later day"}},
		{url.Values{"choice": {"no"}, "reason": {"never"}}, []string{"There is no such vote", ">never</textarea>"}},
	} {
		w := s.Post(account.Reviewer, b.path("/vote"), c.form)
		if w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%v: status %d", c.form, w.Code)
		}
		for _, want := range c.want {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%v: the page does not say %q", c.form, want)
			}
		}
	}
	if got, err := b.Review(t.Context(), projecttest.Reviewer, b.id, b.number); err != nil || len(got.Votes) != 0 {
		t.Errorf("a refused vote was kept: %+v, %v", got.Votes, err)
	}
}

// TestAnAnswerIsReadStrictly is about the form of the reading page, with and without its
// script.
func TestAnAnswerIsReadStrictly(t *testing.T) {
	at := url.Values{"draw": {"3"}, "position": {"7"}, "seconds": {"4.5"}}
	with := func(name string, values ...string) url.Values {
		v := url.Values{name: values}
		for k, one := range at {
			if v[k] == nil {
				v[k] = one
			}
		}
		return v
	}
	a, err := readAnswer(with("mark", "2-5:PATIENT", "9-12:"))
	if err != nil || a.draw != 3 || a.position != 7 || a.seconds != 4.5 || fmt.Sprint(a.found) != "[{2 5 PATIENT} {9 12 }]" {
		t.Errorf("marks of the script: %+v, %v", a, err)
	}
	a, err = readAnswer(with("word", "0:0-4", "1:5-9", "4:20-24"))
	if err != nil || len(a.found) != 2 || a.found[0] != (review.Selection{End: 9}) || a.found[1].Start != annotate.RuneOff(20) {
		t.Errorf("ticked words: %+v, %v", a, err)
	}
	if a, err := readAnswer(with("nothing", "yes")); err != nil || a.found != nil {
		t.Errorf("nothing: %+v, %v", a, err)
	}
	for _, bad := range []url.Values{{}, at, with("mark", "2:PATIENT"), with("word", "x:1-2"), with("seconds", "NaN"), with("position", "x")} {
		if _, err := readAnswer(bad); err == nil {
			t.Errorf("%v is an answer", bad)
		}
	}
	torn := with("nothing", "yes")
	torn.Set("mark", "2-5:")
	if _, err := readAnswer(torn); err == nil {
		t.Error("marks beside “Nothing here” are an answer")
	}
}

// TestABrokerPreparesAReviewOnThePage goes from the list to an invited member.
func TestABrokerPreparesAReviewOnThePage(t *testing.T) {
	b := newBoard(t)
	s := b.server()
	list := "/p/" + string(b.id) + "/reviews"
	w := s.Post(account.Broker, list, url.Values{"candidate": {fmt.Sprint(b.candidate.Number)}, "question": {" "}, "recipients": {"Dr. Ng"}})
	if body := w.Body.String(); w.Code != http.StatusUnprocessableEntity || !strings.Contains(body, "A question has 1 to") || !strings.Contains(body, ">Dr. Ng</textarea>") {
		t.Errorf("a review without a question: status %d", w.Code)
	}
	day := time.Now().AddDate(0, 0, 3).Format(dateForm)
	w = s.Post(account.Broker, list, url.Values{"candidate": {fmt.Sprint(b.candidate.Number)}, "question": {"May they go to Dr. Ng?"}, "agenda": {"one\n\ntwo"}, "until": {day}})
	if to := w.Header().Get("Location"); w.Code != http.StatusSeeOther || to != list+"/2#members" {
		t.Fatalf("status %d to %q", w.Code, to)
	}
	two, err := b.Review(t.Context(), projecttest.Broker, b.id, 2)
	if err != nil || len(two.Agenda) != 2 || two.Until.Local().Format(dateForm) != day {
		t.Errorf("the review is %+v, %v", two, err)
	}
	if w := s.Post(account.Broker, list+"/2/advance", url.Values{"to": {"open"}}); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "Invite more members") {
		t.Errorf("a review without members was opened: status %d", w.Code)
	}
	s.Post(account.Broker, list+"/2/members/add", url.Values{"person": {projecttest.Reviewer.ID}})
	if w := s.Post(account.Broker, list+"/2/advance", url.Values{"to": {"open"}}); w.Code != http.StatusSeeOther {
		t.Errorf("the review was not opened: status %d", w.Code)
	}
	for _, form := range []string{"/advance", "/members/add", "/draw", "/repair", "/met", "/game/start", "/game/end", "/game/judge"} {
		if w := s.Post(account.Reviewer, b.path(form), nil); w.Code != http.StatusForbidden {
			t.Errorf("%s by a reviewer: status %d", form, w.Code)
		}
	}
}
