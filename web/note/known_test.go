// SPDX-License-Identifier: Apache-2.0

package note

import (
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
)

// knownNotes are the notes of the letter with what a hospital's structure says of it.
func knownNotes(t *testing.T) *fakeNotes {
	t.Helper()
	f := letterNotes(t)
	f.docs[1].document.Identities = []annotate.Identity{
		{Of: annotate.OfPatient, Label: "PATIENT", Value: "Anna-Maria Weiss", From: "PID-5"},
		{Of: annotate.OfPatient, Label: "MEDICALRECORD", Value: "00447192", From: "PID-3"},
		{Of: annotate.OfPatient, Label: "STREET", Value: "Rosengasse 3", From: "PID-11"},
		{Of: annotate.OfPatient, Label: "CITY", Value: "Ulm", From: "PID-11"},
		{Of: annotate.OfPatient, Label: "PHONE", Value: "+49 731 5550199", From: "PID-13"},
		{Of: annotate.OfRelative, Label: "PATIENT", Value: "Rose <b>Weiss</b>", From: "NK1-2"},
		{Of: annotate.OfClinician, Label: "DOCTOR", Value: "Frank Okafor", From: "PV1-7"},
		{Of: annotate.OfClinician, Label: "DOCTOR", Value: "Frank Okafor", From: "TXA-9"},
	}
	n := f.docs[1]
	n.proposed = append(n.proposed, annotate.Suggestion{Span: spanOf(t, letter, "Frank Okafor", "DOCTOR"), Score: 0.95, Known: true})
	return f
}

func TestTheNoteListsWhatIsKnownFromStructure(t *testing.T) {
	f := knownNotes(t)
	body := newServer(t, f).Get(account.Annotator, "/p/p1/notes/1").Body.String()
	for _, want := range []string{"Known from structure (7)", "PV1-7, TXA-9", "Rose &lt;b&gt;Weiss&lt;/b&gt;", "not in the note", "3 times", `data-known`, "suggested as a known identifier, 95 %"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(body, `id="note-known" open`) {
		t.Error("a long list is open")
	}
	f.docs[1].document.Identities = f.docs[1].document.Identities[:2]
	if body := newServer(t, f).Get(account.Annotator, "/p/p1/notes/1").Body.String(); !strings.Contains(body, `id="note-known" open`) {
		t.Error("a short list is folded")
	}
	if body := newServer(t, f).Get(account.Annotator, "/p/p1/notes/2").Body.String(); strings.Contains(body, "Known from structure") {
		t.Error("a note without identities lists some")
	}
}

func TestABlindNoteListsNothingFromStructure(t *testing.T) {
	f := knownNotes(t)
	n, err := f.Note(t.Context(), account.User{}, "p1", 1)
	if err != nil {
		t.Fatal(err)
	}
	n.Blind = true
	if got := newNoteView("p1", n).knownIdentities(); len(got) > 0 {
		t.Errorf("a blind note lists %d identities", len(got))
	}
}

func TestTheSourcesOfSuggestionsAreNamed(t *testing.T) {
	for words, by := range map[string]project.SuggestedBy{
		"rules": {}, "known identifiers": {Known: true, KnownOnly: true}, "known identifiers and rules": {Known: true}, "known identifiers and model 3": {Known: true, Model: 3},
	} {
		if got := suggesterWords(by); got != words {
			t.Errorf("%+v is %q", by, got)
		}
	}
}

func TestKnownIdentitiesFitThePage(t *testing.T) {
	f := knownNotes(t)
	v := openNote(t, f)
	v.Click("#note-known summary")
	v.Shots("note-known")
	v.Axe()
}
