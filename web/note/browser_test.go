// SPDX-License-Identifier: Apache-2.0

package note

import (
	"context"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/training"
)

const letter = "DISCHARGE SUMMARY\r\n\r\n" +
	"Patient:\tAnna-Maria Weiss 👩🏽‍⚕️   MRN 00-4471-92\r\n" +
	"Admitted 03/04/2021, discharged 9 March 2021.\r\n\r\n" +
	"Mrs. Weiss is a 91 year old retired teacher from Ulm who was brought in by her daughter Rose after a fall at home. " +
	"She was seen by Dr. Frank Okafor in the Parkinson's clinic and by Dr. Okafor again two days later. " +
	"Blood pressure <120/80 & stable>; no “rebound”.\r\n\r\n" +
	"Her husband can be reached on (0731) 555-0199; the pharmacy is on Rose Street 12. " +
	"Name in the referring letter: יעל כהן.\r\n\r\n" +
	"Weiss should come back on 17 March. Dictated by F. Okafor, St. Elsewhere Hospital.\r\n"

func letterNotes(t *testing.T) *fakeNotes {
	t.Helper()
	f := newFakeNotes(letter, "Seen by Dr. Okafor.\n", "Third note.\n")
	f.propose(t, 1, "Anna-Maria Weiss", "PATIENT", 0.97)
	f.propose(t, 1, "00-4471-92", "MEDICALRECORD", 0.93)
	f.propose(t, 1, "03/04/2021", "DATE", 0.99)
	f.propose(t, 1, "Ulm", "CITY", 0.71)
	f.propose(t, 1, "Parkinson", "DOCTOR", 0.58)
	f.propose(t, 1, "St. Elsewhere Hospital", "HOSPITAL", 0.88)
	return f
}

func TestWholeJobByKeyboard(t *testing.T) {
	f := letterNotes(t)
	v := openNote(t, f)

	v.caretTo(t, "Frank")
	v.Press("Shift+ArrowRight", "o")
	v.saved(1)
	f.want(t, "tagging", "Frank Okafor/DOCTOR")

	v.Press("p")
	v.saved(2)
	f.want(t, "relabelling what was just tagged", "Frank Okafor/PATIENT")
	v.Press("{")
	v.saved(3)
	f.want(t, "narrowing at the start", "Okafor/PATIENT")
	v.Press("[", "[", "[")
	v.saved(6)
	f.want(t, "widening at the start", "Dr. Frank Okafor/PATIENT")
	v.Press("}")
	v.saved(7)
	f.want(t, "narrowing at the end", "Dr. Frank/PATIENT")
	v.Press("]")
	v.saved(8)
	v.Press("Alt+]")
	v.saved(9)
	f.want(t, "widening by a character", "Dr. Frank Okafor /PATIENT")
	v.Press("u", "u")
	v.saved(11)
	v.Press("Shift+U")
	v.saved(12)
	f.want(t, "two undone, one redone", "Dr. Frank Okafor/PATIENT")
	v.Press("x")
	v.saved(13)
	f.want(t, "removing")
	v.Press("Control+z")
	v.saved(14)
	f.want(t, "undoing the removal", "Dr. Frank Okafor/PATIENT")
	v.Press("Control+y")
	v.saved(15)
	f.want(t, "redoing the removal")

	v.Press("Escape", "n")
	v.WaitText("#note-chosen", "Anna-Maria Weiss (patient suggested, 97 %)")
	v.Press("a")
	v.saved(16)
	v.WaitText("#note-chosen", "00-4471-92")
	v.Press("r")
	v.saved(17)
	v.WaitText("#note-chosen", "03/04/2021")
	v.Press("Shift+N")
	v.WaitText("#note-status", "No suggestion before this.")
	f.want(t, "accepting and rejecting", "Anna-Maria Weiss/PATIENT")

	v.Press("Shift+A")
	v.Press("Control+a", "9", "0") // the driver also types the A
	v.WaitText("#note-bulk-count", "1 of 4 reach 90 %")
	v.Press("Control+a", "8", "0")
	v.WaitText("#note-bulk-count", "2 of 4 reach 80 %")
	v.Press("Enter")
	v.saved(18)
	f.want(t, "accepting many", "Anna-Maria Weiss/PATIENT", "03/04/2021/DATE", "St. Elsewhere Hospital/HOSPITAL")

	v.Focus("#note-text")
	v.caretTo(t, "Okafor")
	v.Press("o")
	v.saved(19)
	v.Press("m")
	v.WaitText("#note-matches-title", "“Okafor” as doctor")
	v.Press("Enter")
	v.saved(20)
	f.want(t, "tagging all matches", "Anna-Maria Weiss/PATIENT", "03/04/2021/DATE", "Okafor/DOCTOR", "Okafor/DOCTOR", "Okafor/DOCTOR", "St. Elsewhere Hospital/HOSPITAL")
	v.Press("u")
	v.saved(21)
	f.want(t, "one undo for all matches", "Anna-Maria Weiss/PATIENT", "03/04/2021/DATE", "Okafor/DOCTOR", "St. Elsewhere Hospital/HOSPITAL")

	v.Expect("409")
	v.Press("d")
	v.WaitText("#note-question", "2 suggestions are undecided")
	v.Press("a")
	v.WaitText("#note-status", "Answer the question above first")
	v.Press("Escape")
	v.WaitText("#note-chosen", "Ulm (city suggested, 71 %)")
	v.Press("r", "d")
	v.WaitText("#note-question", "1 suggestion is undecided")
	v.Axe()
	v.Shots("note-undecided")
	v.Press("Enter") // nobody has decided yet, so it leads back and finishes nothing
	v.WaitText("#note-status", "Not finished yet")
	v.WaitText("#note-chosen", "suggested")
	if state := f.stateOf(1); state == annotate.Done {
		t.Error("d and Enter finish a note with an undecided suggestion")
	}
	v.Press("d")
	v.WaitText("#note-question", "Finish all the same")
	v.Press("Tab", "Enter")
	v.WaitPath("/p/p1/notes/2")
	if state := f.docs[1].layer.State; state != annotate.Done {
		t.Errorf("the note is %s", state)
	}
	v.Press("k")
	v.WaitPath("/p/p1/notes/1")
	v.WaitText("#note-finished", "Finished by you")
	v.saved(23)
	v.Press("u")
	v.WaitText("#note-question", "undo your last change: finished the note")
	v.Axe()
	v.Shots("note-finished")
	v.Press("Escape")
	v.WaitText("#note-status", "as it was saved last")
	v.caretTo(t, "Ulm")
	v.Press("t")
	v.WaitText("#note-question", "tag “Ulm” as date")
	if state := f.docs[1].layer.State; state != annotate.Done {
		t.Errorf("the finished note is %s", state)
	}
	v.Press("Enter")
	v.saved(24)
	if state := f.docs[1].layer.State; state != annotate.InProgress {
		t.Errorf("the note that was opened again is %s", state)
	}
	v.Press("j")
	v.WaitPath("/p/p1/notes/2")
}

func TestLabelWithoutAKeyIsFoundByName(t *testing.T) {
	f := letterNotes(t)
	v := openNote(t, f)
	v.caretTo(t, "Rose")
	v.Press("Shift+ArrowRight", "Shift+ArrowLeft", "l")
	v.Wait("the list of labels", `document.querySelector("#note-labels").open`)
	v.Press("Control+a", "s", "t", "r", "e", "e", "Enter") // the driver also types the l
	v.saved(1)
	f.want(t, "label by name", "Rose/STREET")
	v.caretTo(t, "Ulm")
	v.Press("z")
	v.saved(2)
	f.want(t, "use the last label again", "Ulm/STREET", "Rose/STREET")
}

func TestKeysCanBeSwitchedOff(t *testing.T) {
	f := letterNotes(t)
	v := openNote(t, f)
	v.Click("#note-single")
	v.Focus("#note-text")
	v.caretTo(t, "Rose")
	v.Press("p", "d", "s")
	v.Reload()
	v.Wait("the choice to be remembered", `document.querySelector("#note-single")?.checked === false`)
	if f.docs[1].layer.Revision != 0 || v.Path() != "/p/p1/notes/1" {
		t.Error("a letter still did something")
	}
	v.Click("#note-single")
}

func TestTabLeavesTheTextWhenNoSuggestionIsLeft(t *testing.T) {
	v := openNote(t, letterNotes(t))
	v.Press("Tab", "Tab")
	v.WaitText("#note-chosen", "00-4471-92")
	v.Press("Tab", "Tab", "Tab", "Tab")
	v.WaitText("#note-chosen", "St. Elsewhere Hospital")
	v.Press("Tab")
	v.Wait("the focus to go on", `document.activeElement.id !== "note-text"`)
}

func TestMouseSelectionSnapsToWords(t *testing.T) {
	f := letterNotes(t)
	v := openNote(t, f)
	v.selectText("daughter Rose", 2, -2)
	v.Press("p")
	v.saved(1)
	f.want(t, "a sloppy selection", "daughter Rose/PATIENT")
	v.selectText(" on Rose Street ", 0, 0)
	v.Press("y")
	v.saved(2)
	f.want(t, "outer spaces", "daughter Rose/PATIENT", "on Rose Street/CITY")
	v.selectExactly("555-01")
	v.Press("v")
	v.saved(3)
	f.want(t, "exact characters", "daughter Rose/PATIENT", "555-01/PHONE", "on Rose Street/CITY")
	v.selectText("יעל כהן", 1, 0)
	v.Press("p")
	v.saved(4)
	f.want(t, "right to left", "daughter Rose/PATIENT", "555-01/PHONE", "on Rose Street/CITY", "יעל כהן/PATIENT")
	v.selectText("👩🏽‍⚕️   MRN", 0, 0)
	v.Press("q")
	v.saved(5)
	f.want(t, "emoji", "👩🏽‍⚕️   MRN/OTHER", "daughter Rose/PATIENT", "555-01/PHONE", "on Rose Street/CITY", "יעל כהן/PATIENT")
	v.selectText("2021.\r\n\r\nMrs", 0, 0)
	v.Press("t")
	v.saved(6)
	if got := f.surfaces(1)[1]; got != "2021.\r\n\r\nMrs/DATE" {
		t.Errorf("across lines: %q", got)
	}
}

func TestButtonsDoWhatKeysDo(t *testing.T) {
	f := letterNotes(t)
	v := openNote(t, f)
	v.Click(`.spans li[data-suggested] button[data-answer="accept"]`)
	v.saved(1)
	f.want(t, "accept in the list", "Anna-Maria Weiss/PATIENT")
	v.Click(`.spans li[data-id="1"] a`)
	v.Click(`#note-legend button[data-label="DOCTOR"]`)
	v.saved(2)
	f.want(t, "relabel by the legend", "Anna-Maria Weiss/DOCTOR")
	v.Click(`#note-tools button[data-action="narrowLeft"]`)
	v.saved(3)
	f.want(t, "narrow", "-Maria Weiss/DOCTOR")
	v.Click(`#note-tools button[data-action="remove"]`)
	v.saved(4)
	v.Click(`.note-head button[data-action="undo"]`)
	v.saved(5)
	f.want(t, "undo", "-Maria Weiss/DOCTOR")
	v.Click(`mark[data-kind="CITY"]`)
	v.WaitText("#note-chosen", "Ulm")
	v.Click(`#note-tools button[data-action="reject"]`)
	v.saved(6)
	v.Click("#note-show")
	v.Wait("suggestions hidden", `getComputedStyle(document.querySelector("mark[data-suggested]"), "::before").content === "none"`)
	v.Expect("409")
	v.Click(`.note-head button[data-action="finish"]`)
	v.WaitText("#note-question", "undecided")
	v.Click(`#note-question button[data-yes]`)
	v.WaitPath("/p/p1/notes/2")
}

func TestConflictShowsBothAndRedoesMine(t *testing.T) {
	f := letterNotes(t)
	v := openNote(t, f)
	elsewhere(t, f, "Frank Okafor", "PATIENT")
	v.Expect("409")
	v.caretTo(t, "Frank")
	v.Press("Shift+ArrowRight", "o")
	v.WaitText("#note-question", "tag “Frank Okafor” as doctor")
	v.WaitText("#note-question", "“Frank Okafor” is patient")
	v.WaitText("#note-status", "Not saved")
	f.want(t, "before an answer", "Frank Okafor/PATIENT")
	v.Axe()
	v.Shots("note-conflict")
	v.WaitText("#note-question", "Some other changed this note meanwhile")
	v.Press("Enter")
	v.saved(2)
	f.want(t, "mine on the new version", "Frank Okafor/DOCTOR")
	if v.Count("#note-question") != 0 {
		t.Error("the question is still there")
	}

	elsewhere(t, f, "Ulm", "CITY")
	v.caretTo(t, "Ulm")
	v.Press("Shift+ArrowRight", "t")
	v.WaitText("#note-question", "“Ulm” is city")
	v.Press("Escape", "u")
	v.saved(4)
	f.want(t, "left, and going on", "Ulm/CITY", "Frank Okafor/PATIENT")
}

// A second press of the key that answers one question does not answer the next.
func TestASecondQuestionIsSeenBeforeItTakesAnAnswer(t *testing.T) {
	f := letterNotes(t)
	v := openNote(t, f)
	v.Expect("409")
	v.Press("d")
	v.WaitText("#note-question", "undecided")
	elsewhere(t, f, "Frank Okafor", "PATIENT")
	// A second press in the moment that the second question comes, and later its repeat.
	v.Eval(`{
		const enter = (repeat) => {
			const event = new KeyboardEvent("keydown", { key: "Enter", repeat, bubbles: true, cancelable: true });
			document.activeElement.dispatchEvent(event);
			return event.defaultPrevented;
		};
		window.held = [];
		new MutationObserver(() => {
			if (held.length > 0 || !document.getElementById("note-question")?.innerText.includes("Since you opened it")) return;
			held.push(false);
			setTimeout(() => { held[0] = enter(false); }, 0);
			setTimeout(() => held.push(enter(true), enter(false)), 800);
		}).observe(document.body, { childList: true, subtree: true });
		0
	}`, nil)
	v.Click("#note-question [data-yes]")
	v.Wait("three presses", `window.held.length === 3`)
	var held []bool
	v.Eval(`window.held`, &held)
	if !held[0] || !held[1] || held[2] {
		t.Errorf("kept from the question: at once %v, a repeat %v, later %v; want true, true, false", held[0], held[1], held[2])
	}
	if f.stateOf(1) == annotate.Done {
		t.Error("the note is finished")
	}
}

// An annotator with selected words sees that the note changed elsewhere, before an edit is
// refused, and can load it.
func TestAChangeElsewhereShowsWhileWordsAreSelected(t *testing.T) {
	f := letterNotes(t)
	v := openNote(t, f)
	v.caretTo(t, "Frank")
	elsewhere(t, f, "Ulm", "CITY")
	v.Eval(`document.getElementById("note-newest").dataset.revision = "1"`, nil)
	v.Wait("the sign", `!document.getElementById("note-elsewhere").hidden`)
	v.Axe()
	v.Shots("note-elsewhere")
	if at := v.Attribute(".note-head", "data-revision"); at != "0" {
		t.Errorf("the note changed under the selection, to revision %s", at)
	}
	v.Click("#note-elsewhere button")
	v.Wait("the note as it is", `document.querySelector(".note-head").dataset.revision === "1" && document.getElementById("note-elsewhere").hidden`)
	v.WaitText("#note-status", "Changed elsewhere")
}

// elsewhere tags as another person would in another window.
func elsewhere(t *testing.T, f *fakeNotes, surface string, label annotate.Label) {
	t.Helper()
	f.mu.Lock()
	n := f.docs[1]
	revision := n.layer.Revision
	f.mu.Unlock()
	edit := annotate.Edit{Verb: annotate.VerbTag, Spans: []annotate.Span{spanOf(t, n.document.Text, surface, label)}}
	if _, err := f.EditNote(context.Background(), account.User{ID: "u-other"}, "p1", &project.Note{ID: 1}, revision, edit); err != nil {
		t.Fatal(err)
	}
}

func TestUnsavedEditIsKeptAndSentAgain(t *testing.T) {
	f := letterNotes(t)
	v := openNote(t, f)
	v.Expect("500")
	f.mu.Lock()
	f.broken = true
	f.mu.Unlock()
	v.caretTo(t, "Rose")
	v.Press("p")
	v.WaitText("#note-status", "Not saved")
	var warns bool
	v.Eval(`!dispatchEvent(new Event("beforeunload", { cancelable: true }))`, &warns)
	if !warns {
		t.Error("leaving would lose the edit without a warning")
	}
	f.mu.Lock()
	f.broken = false
	f.mu.Unlock()
	v.Click("#note-retry")
	v.saved(1)
	f.want(t, "after another try", "Rose/PATIENT")
}

func TestAnnotationPageIsAccessible(t *testing.T) {
	f := letterNotes(t)
	v := openNote(t, f)
	v.caretTo(t, "Rose")
	v.Press("p")
	v.saved(1)
	v.Axe()
	v.Shots("note")
	v.Press("m")
	v.Wait("the matches", `document.querySelector("#note-matches").open`)
	v.Axe()
	v.Shots("note-matches")
	v.Press("Escape", "?")
	v.Wait("the help", `document.querySelector("#note-help").open`)
	v.Axe()
	v.Shots("note-help")
	v.Press("Escape", "l")
	v.Wait("the labels", `document.querySelector("#note-labels").open`)
	v.Axe()
	v.Press("Escape")
}

func TestHostileNoteIsInert(t *testing.T) {
	text := `<img src=x onerror="document.title='taken'"> <script>document.title='taken'</script> <hx-partial hx-target="body">x</hx-partial> ' " & Ann ${1} {{1}}`
	f := newFakeNotes(text)
	f.propose(t, 1, `<script>document.title='taken'</script>`, "PATIENT", 0.9)
	v := openNote(t, f)
	v.caretTo(t, "Ann")
	v.Press("p")
	v.saved(1)
	var shown, title string
	v.Eval(`[...document.querySelectorAll("#note-text .chunk")].map((c) => { const d = c.cloneNode(true); d.querySelectorAll("[data-aside]").forEach((a) => a.remove()); return d.textContent; }).join("")`, &shown)
	v.Eval(`document.title`, &title)
	if shown != text || strings.Contains(title, "taken") {
		t.Errorf("the note is shown as %q, the title is %q", shown, title)
	}
}

func TestANoteShowsWhatRulesSuggestAndWhatWaits(t *testing.T) {
	f := letterNotes(t)
	for _, p := range f.docs[1].proposed {
		if p.Span.Label == "DATE" || p.Span.Label == "MEDICALRECORD" {
			p.Model = 0
			f.docs[2].proposed = append(f.docs[2].proposed, p)
		}
	}
	f.docs[1].proposed = f.docs[2].proposed
	f.docs[2].proposed = nil
	f.training.Offer = training.Offer{Level: 0.95, Rules: true, Patients: 90, ByRules: []training.RuleRecall{
		{Label: "DATE", Recall: f.training.Scores.Precision, Documents: 200, Shown: true}, {Label: "MEDICALRECORD", Recall: f.training.Scores.Precision, Documents: 150, Shown: true},
		{Label: "DOCTOR", Recall: f.training.Scores.Recall, Documents: 180},
	}}
	v := openNote(t, f)
	v.WaitText("#suggestions-wait", "Its suggestions are not shown yet: recall 94 % [92–96], required 95 %.")
	v.WaitText("#rules-suggest", "Rules suggest date and medicalrecord meanwhile.")
	if n := v.Count("mark[data-suggested][data-rule]"); n != 2 {
		t.Errorf("%d suggestions by rules, want 2", n)
	}
	v.Press("n")
	v.WaitText("#note-chosen", "suggested by a rule")
	v.Axe()
	v.Shots("note-rules")
}
