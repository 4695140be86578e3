// SPDX-License-Identifier: Apache-2.0

package note

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/static"
	"hide/web/ui"
	"hide/web/webtest"
)

func TestNotePageWorksWithoutScripts(t *testing.T) {
	f := newFakeNotes("Ann saw Bob.")
	f.propose(t, 1, "Bob", "DOCTOR", 0.9)
	s := newServer(t, f)
	page := s.Get(account.Annotator, "/p/p1/notes/1")
	for _, want := range []string{
		`<mark data-id="s8-11-DOCTOR"`, `formaction="/p/p1/notes/1/undo"`, `href="/p/p1/notes/1?span=s8-11-DOCTOR"`, `name="do" value="finish"`, "Model 12, 214 notes",
	} {
		if !strings.Contains(page.Body.String(), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	chosen := s.Get(account.Annotator, "/p/p1/notes/1?span=s8-11-DOCTOR").Body.String()
	for _, want := range []string{`<input type="hidden" name="id" value="s8-11-DOCTOR">`, `<input type="hidden" name="surface" value="Bob">`} {
		if !strings.Contains(chosen, want) {
			t.Errorf("following the link gives no %s", want)
		}
	}
	answer := s.Post(account.Annotator, "/p/p1/notes/1/edit", url.Values{"revision": {"0"}, "do": {"accept"}, "id": {"s8-11-DOCTOR"}, "surface": {"Bob"}})
	if answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != "/p/p1/notes/1" {
		t.Errorf("accepting answers %d, to %s", answer.Code, answer.Header().Get("Location"))
	}
	f.want(t, "accepted", "Bob/DOCTOR")
	if answer := s.Post(account.Annotator, "/p/p1/notes/1/undo", url.Values{"revision": {"1"}}); answer.Code != http.StatusSeeOther {
		t.Errorf("undo answers %d", answer.Code)
	}
	f.want(t, "undone")
}

// A new model's suggestions come without a new revision.
func TestAcceptAboveTakesNothingThatThePageDidNotShow(t *testing.T) {
	f := newFakeNotes("Ann saw Bob.")
	f.propose(t, 1, "Bob", "DOCTOR", 0.97)
	s := newServer(t, f)
	if page := s.Get(account.Annotator, "/p/p1/notes/1").Body.String(); !strings.Contains(page, `name="model" value="12"`) {
		t.Error("the page does not say whose suggestions it shows")
	}
	f.docs[1].proposed = []annotate.Suggestion{{Span: spanOf(t, "Ann saw Bob.", "saw Bob", "DATE"), Score: 0.99, Model: 13}}
	form := url.Values{"revision": {"0"}, "do": {"accept-above"}, "threshold": {"90"}, "model": {"12"}}
	for name, send := range map[string]func(*webtest.Server, account.Role, string, url.Values) *httptest.ResponseRecorder{"script": (*webtest.Server).PostFragment, "form": (*webtest.Server).Post} {
		answer := send(s, account.Annotator, "/p/p1/notes/1/edit", form)
		if answer.Code != http.StatusConflict || !strings.Contains(answer.Body.String(), "has read the note since") {
			t.Errorf("%s: status %d", name, answer.Code)
		}
	}
	f.want(t, "after the model was swapped")
	form.Set("model", "13")
	s.Post(account.Annotator, "/p/p1/notes/1/edit", form)
	f.want(t, "with the suggestions as they are", "saw Bob/DATE")
	// Nor with a new number of the model: a run's detector adds to what it suggests.
	f.propose(t, 1, "Ann", "PATIENT", 0.95)
	f.detector = 2
	form = url.Values{"revision": {"1"}, "do": {"accept-above"}, "threshold": {"90"}, "model": {"12"}}
	if answer := s.Post(account.Annotator, "/p/p1/notes/1/edit", form); answer.Code != http.StatusConflict {
		t.Errorf("after a run: status %d", answer.Code)
	}
	form.Set("model", "12 with 2")
	s.Post(account.Annotator, "/p/p1/notes/1/edit", form)
	f.want(t, "with those of the run", "Ann/PATIENT", "saw Bob/DATE")
}

func TestConflictCarriesTheWordsAlong(t *testing.T) {
	text := "Ann saw Bob."
	f := newFakeNotes(text)
	s := newServer(t, f)
	s.PostFragment(account.Annotator, "/p/p1/notes/1/edit", editForm(t, text, "Ann", "PATIENT", 0))
	answer := s.PostFragment(account.Broker, "/p/p1/notes/1/edit", url.Values{"revision": {"0"}, "do": {"remove"}, "id": {"1"}, "surface": {"Ann"}})
	if answer.Code != http.StatusConflict || !strings.Contains(answer.Body.String(), `name="surface" value="Ann"`) {
		t.Errorf("status %d, or the form to repeat it has no words", answer.Code)
	}
}

func TestFinishingLeadsToTheNextNote(t *testing.T) {
	f := newFakeNotes("Ann.", "Bob.")
	s := newServer(t, f)
	form := url.Values{"revision": {"0"}, "do": {"finish"}}
	if answer := s.Post(account.Annotator, "/p/p1/notes/1/edit", form); answer.Header().Get("Location") != "/p/p1/notes/2" {
		t.Errorf("leads to %s", answer.Header().Get("Location"))
	}
	if answer := s.PostFragment(account.Annotator, "/p/p1/notes/2/edit", form); answer.Header().Get("HX-Redirect") != "/p/p1/notes" {
		t.Errorf("the last leads to %s, want the list", answer.Header().Get("HX-Redirect"))
	}
}

func TestEditAnswersWithTheWholeNote(t *testing.T) {
	f := newFakeNotes("Ann saw Bob.")
	answer := newServer(t, f).PostFragment(account.Annotator, "/p/p1/notes/1/edit", editForm(t, "Ann saw Bob.", "Ann", "PATIENT", 0))
	body := answer.Body.String()
	for _, part := range []string{`data-part="head" data-revision="1"`, `data-part="text"`, `data-part="spans"`, `<mark data-id="1" data-kind="PATIENT"`} {
		if answer.Code != http.StatusOK || !strings.Contains(body, part) {
			t.Errorf("status %d, no %s", answer.Code, part)
		}
	}
	if strings.Contains(body, "<html") {
		t.Error("the fragment is a page")
	}
}

func TestStaleEditShowsBothVersions(t *testing.T) {
	text := "Ann saw Bob."
	f := newFakeNotes(text)
	s := newServer(t, f)
	s.PostFragment(account.Annotator, "/p/p1/notes/1/edit", editForm(t, text, "Ann saw", "PATIENT", 0))
	for name, send := range map[string]func(*webtest.Server, account.Role, string, url.Values) *httptest.ResponseRecorder{"script": (*webtest.Server).PostFragment, "form": (*webtest.Server).Post} {
		answer := send(s, account.Broker, "/p/p1/notes/1/edit", editForm(t, text, "Ann", "DOCTOR", 0))
		body := answer.Body.String()
		if answer.Code != http.StatusConflict {
			t.Fatalf("%s: status %d", name, answer.Code)
		}
		for _, want := range []string{"tag “Ann” as doctor", "“Ann saw” is patient", `name="revision" value="1"`, `name="start" value="0"`, `name="surface" value="Ann"`} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: no %s", name, want)
			}
		}
	}
	f.want(t, "after conflicts", "Ann saw/PATIENT")
}

func TestStaleEditOfAGoneSpanIsAConflictToo(t *testing.T) {
	text := "Ann saw Bob."
	f := newFakeNotes(text)
	s := newServer(t, f)
	s.PostFragment(account.Annotator, "/p/p1/notes/1/edit", editForm(t, text, "Ann", "PATIENT", 0))
	s.PostFragment(account.Annotator, "/p/p1/notes/1/edit", url.Values{"revision": {"1"}, "do": {"label DATE"}, "id": {"1"}})
	answer := s.PostFragment(account.Broker, "/p/p1/notes/1/edit", url.Values{"revision": {"1"}, "do": {"remove"}, "id": {"1"}})
	if answer.Code != http.StatusConflict || strings.Contains(answer.Body.String(), "Make my change on this version") {
		t.Errorf("status %d; a button offers what cannot be done", answer.Code)
	}
}

func TestRefusedWordsQuoteNothing(t *testing.T) {
	text := "Ann Secretname saw Bob."
	f := newFakeNotes(text)
	form := editForm(t, text, "Secretname", "PATIENT", 0)
	form.Set("end", "12")
	answer := newServer(t, f).PostFragment(account.Annotator, "/p/p1/notes/1/edit", form)
	if answer.Code != http.StatusConflict || strings.Contains(answer.Body.String(), "Secret") {
		t.Errorf("status %d, %s", answer.Code, answer.Body)
	}
}

func TestMatchesAreListedBeforeTheyAreTagged(t *testing.T) {
	text := "Okafor, then okafor, then OKAFOR; not Okafors."
	f := newFakeNotes(text)
	s := newServer(t, f)
	s.PostFragment(account.Annotator, "/p/p1/notes/1/edit", editForm(t, text, "Okafor", "DOCTOR", 0))
	form := url.Values{"revision": {"1"}, "id": {"1"}}
	list := s.PostFragment(account.Annotator, "/p/p1/notes/1/matches", form).Body.String()
	if n := strings.Count(list, `name="place"`); n != 0 || !strings.Contains(list, "no other untagged place") {
		t.Errorf("%d places with case, want none", n)
	}
	form.Set("fold", "1")
	list = s.Post(account.Annotator, "/p/p1/notes/1/matches", form).Body.String()
	if n := strings.Count(list, `name="place"`); n != 2 || !strings.Contains(list, "2 places") {
		t.Errorf("%d places without case, want 2", n)
	}
	if f.docs[1].layer.Revision != 1 {
		t.Error("looking changed the note")
	}
}

func TestUnknownNoteIsNotThere(t *testing.T) {
	s := newServer(t, newFakeNotes("Ann."))
	for _, path := range []string{"/p/p1/notes/9", "/p/p1/notes/x", "/p/p1/notes/-1", "/p/p9/notes"} {
		if answer := s.Get(account.Broker, path); answer.Code != http.StatusNotFound {
			t.Errorf("%s answers %d", path, answer.Code)
		}
	}
}

// TestCommandKeysAreNoLabelKeys keeps the page's keys and annotate's reserved ones
// in step.
func TestCommandKeysAreNoLabelKeys(t *testing.T) {
	commands := map[string]string{}
	for _, group := range noteKeyGroups {
		for _, k := range group.keys {
			for _, key := range k.keys {
				if other, taken := commands[key]; taken {
					t.Errorf("%s does %s and %s", key, other, k.action)
				}
				commands[key] = k.action
			}
		}
	}
	labels := annotate.I2B2()
	for _, name := range []annotate.Label{"ALPHA", "BRAVO", "CHARLIE", "DELTA", "ECHO", "FOXTROT", "GOLF", "HOTEL", "INDIA", "JULIET", "KILO", "LIMA", "MIKE", "NOVEMBER", "OSCAR"} {
		labels = labels.With(name)
	}
	for _, set := range []annotate.LabelSet{labels, annotate.LabelSet{}.With(labels.Labels()...)} {
		for _, info := range set {
			if action, taken := commands[info.Key]; taken && info.Key != "" {
				t.Errorf("%s is the key of %s and of %s", info.Key, info.Label, action)
			}
		}
	}
}

func TestEveryKeyOfTheTableDoesSomething(t *testing.T) {
	script, err := static.Files.ReadFile("js/note_actions.js")
	if err != nil {
		t.Fatal(err)
	}
	actions := string(script)
	for _, group := range noteKeyGroups {
		for _, k := range group.keys {
			if k.action != "" && !strings.Contains(actions, "\n      "+k.action+": ") {
				t.Errorf("%s is not an action", k.action)
			}
		}
	}
}

// TestAFinishedNoteIsNotOpenedByTheWay edits, undoes and redoes a finished note. Each
// raises a question first, and is done after a yes.
func TestAFinishedNoteIsNotOpenedByTheWay(t *testing.T) {
	f := newFakeNotes("Ann saw Bob.")
	s := newServer(t, f)
	edit := editForm(t, "Ann saw Bob.", "Ann", "PATIENT", 0)
	s.PostFragment(account.Annotator, "/p/p1/notes/1/edit", edit)
	if w := s.PostFragment(account.Annotator, "/p/p1/notes/1/edit", url.Values{"revision": {"1"}, "do": {"finish"}}); w.Code != http.StatusNoContent && w.Code != http.StatusOK {
		t.Fatalf("finishing answers %d", w.Code)
	}
	if page := s.Get(account.Broker, "/p/p1/notes/1").Body.String(); !strings.Contains(page, "Finished by Some annotator on ") {
		t.Error("the page does not say who finished the note")
	}
	later := editForm(t, "Ann saw Bob.", "Bob", "DOCTOR", 2)
	for name, send := range map[string]struct {
		path string
		form url.Values
		want string
	}{
		"an edit": {"/edit", later, "tag “Bob” as doctor"},
		"undoing": {"/undo", url.Values{"revision": {"2"}}, "undo"},
		"redoing": {"/redo", url.Values{"revision": {"2"}}, "redo the change that you undid last"},
	} {
		w := s.PostFragment(account.Broker, "/p/p1/notes/1"+send.path, send.form)
		for _, want := range []string{"This note is finished", "Finished by Some annotator on ", send.want, `name="reopens" value="1"`} {
			if body := w.Body.String(); w.Code != http.StatusConflict || !strings.Contains(body, want) {
				t.Errorf("%s answers %d without %q", name, w.Code, want)
			}
		}
	}
	if l := f.docs[1].layer; l.State != annotate.Done || l.Revision != 2 {
		t.Fatalf("the note is %s at revision %d", l.State, l.Revision)
	}
	if w := s.PostFragment(account.Broker, "/p/p1/notes/1/edit", url.Values{"revision": {"2"}, "do": {"finish"}}); w.Header().Get("HX-Redirect") == "" {
		t.Errorf("finishing a finished note answers %d and leads nowhere", w.Code)
	}
	old := editForm(t, "Ann saw Bob.", "Bob", "DOCTOR", 1)
	if w := s.PostFragment(account.Broker, "/p/p1/notes/1/edit", old); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "This note was finished meanwhile") || !strings.Contains(w.Body.String(), "Some annotator finished the note") {
		t.Errorf("an old tab's edit of a finished note answers %d", w.Code)
	}
	later.Set("reopens", "1")
	if w := s.PostFragment(account.Broker, "/p/p1/notes/1/edit", later); w.Code != http.StatusOK {
		t.Errorf("an edit that says so answers %d", w.Code)
	}
	f.want(t, "opened again", "Ann/PATIENT", "Bob/DOCTOR")
}

func TestDoneAsksOnceAboutUndecidedSuggestions(t *testing.T) {
	f := newFakeNotes("Ann saw Bob.", "Next.")
	f.propose(t, 1, "Ann", "PATIENT", 0.9)
	f.propose(t, 1, "Bob", "DOCTOR", 0.8)
	s := newServer(t, f)
	form := url.Values{"revision": {"0"}, "do": {"finish"}}
	w := s.Post(account.Annotator, "/p/p1/notes/1/edit", form)
	for _, want := range []string{"2 suggestions are undecided", "“Bob” as doctor suggested, 80 %", `name="undecided" value="2"`} {
		if w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), want) {
			t.Errorf("done answers %d without %q", w.Code, want)
		}
	}
	if f.docs[1].layer.State == annotate.Done {
		t.Fatal("the note is done without an answer")
	}
	form.Set("undecided", "2")
	if w := s.Post(account.Annotator, "/p/p1/notes/1/edit", form); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/p/p1/notes/2" {
		t.Errorf("the answer leads to %q with %d", w.Header().Get("Location"), w.Code)
	}
	if f.docs[1].layer.State != annotate.Done {
		t.Error("the note is not done after the answer")
	}
}

func TestAConflictSaysWhoDidWhatMeanwhile(t *testing.T) {
	f := newFakeNotes("Ann saw Bob.")
	s := newServer(t, f)
	s.PostFragment(account.Annotator, "/p/p1/notes/1/edit", editForm(t, "Ann saw Bob.", "Ann", "PATIENT", 0))
	s.PostFragment(account.Annotator, "/p/p1/notes/1/edit", editForm(t, "Ann saw Bob.", "Bob", "DOCTOR", 1))
	body := s.PostFragment(account.Broker, "/p/p1/notes/1/edit", editForm(t, "Ann saw Bob.", "Bob", "DATE", 1)).Body.String()
	for _, want := range []string{"Some annotator changed this note meanwhile", "tag “Bob” as date", "“Bob” is doctor", "Some annotator tagged “Bob” as doctor, "} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(body, "tagged “Ann”") {
		t.Error("it lists what was seen already")
	}
	mine := s.PostFragment(account.Annotator, "/p/p1/notes/1/undo", url.Values{"revision": {"1"}}).Body.String()
	if !strings.Contains(mine, "You changed this note meanwhile") || !strings.Contains(mine, "undo your last change: tagged “Bob” as doctor") {
		t.Error("another tab of one's own is not told apart, or undo does not say what it would take back")
	}
}

func TestRoundingNeverClaimsAllOrNothing(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0 %", 0.0001: "0.01 %", 0.004: "0.4 %", 0.0049: "0.5 %", 0.006: "1 %", 0.5: "50 %", 0.94: "94 %",
		0.994: "99 %", 0.995: "99.5 %", 0.996: "99.6 %", 0.9996: "99.96 %", 0.9999999: "99.999 %", 1e-9: "0.001 %", 1: "100 %",
	} {
		if got := ui.Percent(share); got != want {
			t.Errorf("%g is %q, want %q", share, got, want)
		}
	}
	if got := ui.ProgressPercent(0.996); got != "99.6 %" {
		t.Errorf("a progress of 0.996 is %q", got)
	}
	if got := ui.ProgressPercent(7); got != "100 %" {
		t.Errorf("a progress beyond its end is %q", got)
	}
	f := newFakeNotes("Ann saw Bob.")
	f.propose(t, 1, "Ann", "PATIENT", 0.996)
	f.propose(t, 1, "Bob", "DOCTOR", 0.004)
	f.training.Scores.Recall = greedy.Estimate{Value: 0.996, Low: 0.004, High: 0.9999}
	page := newServer(t, f).Get(account.Annotator, "/p/p1/notes/1").Body.String()
	for _, want := range []string{`data-score="99"`, "patient suggested, 99 %", `data-score="&lt;1"`, "recall 99.6 % [0.4–99.99]"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
}

func TestPageOfANoteWithoutTokens(t *testing.T) {
	f := newFakeNotes("", "Ann saw Bob.")
	s := newServer(t, f)
	page := s.Get(account.Annotator, "/p/p1/notes/1")
	if page.Code != http.StatusOK || !strings.Contains(page.Body.String(), `name="do" value="finish"`) {
		t.Errorf("status %d: it cannot be finished", page.Code)
	}
}
