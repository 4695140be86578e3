// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/testsize"
)

// placed are the places of words, which bars divide.
func placed(text, words string) []annotate.Span {
	var out []annotate.Span
	for word := range strings.SplitSeq(words, "|") {
		if at := annotate.ByteOff(strings.Index(text, word)); word != "" {
			out = append(out, annotate.Span{Start: at, End: at + annotate.ByteOff(len(word))})
		}
	}
	return out
}

// tagged makes a span of a phrase of a note.
func (b *bench) tagged(id project.ID, doc annotate.DocumentID, phrase string, label annotate.Label) *project.Note {
	b.T.Helper()
	n := b.MustNote(projecttest.Annotator, id, doc)
	span := placed(n.Document.Text, phrase)[0]
	span.Label = label
	return b.MustEdit(projecttest.Annotator, id, doc, n.Layer.Revision, annotate.Edit{Verb: annotate.VerbTag, Spans: []annotate.Span{span}})
}

// surfaces are the spans of a note as "label: text".
func surfaces(n *project.Note) []string {
	var out []string
	for _, s := range n.Layer.Spans() {
		out = append(out, string(s.Label)+": "+s.Surface(n.Document.Text))
	}
	return out
}

func TestHalfOfAFindingLeavesTheOtherHalfOpen(t *testing.T) {
	b := newBench(t)
	id, bundle := b.OpenNotes()
	a := b.StoreAudit(id, bundle, projecttest.Phrase("cough and fever"))
	doc := a.Notes[0].Document
	b.tagged(id, doc, "fever", "HOSPITAL")
	if open := b.openFound(id, bundle); open.Found != 1 {
		t.Errorf("%+v, want the half that would be published", open)
	}
	projecttest.WantKind(t, b.StartPublish(t.Context(), projecttest.Broker, id, release.Publish, bundle, release.Despite{Uncertified: "to see"}), project.Invalid)
	f := b.findings(id)
	if f.Open() != 1 || f.All[0].Text != "cough and" || !strings.HasPrefix(f.All[0].After, " fever") {
		t.Fatalf("offered is %+v, want what is left", f.All)
	}
	if n, err := b.AddAuditFindings(t.Context(), projecttest.Annotator, id, 0, chosen(f, "PATIENT")); err != nil || n != 1 {
		t.Fatalf("added %d, %v", n, err)
	}
	got := surfaces(b.MustNote(projecttest.Annotator, id, doc))
	for _, want := range []string{"PATIENT: cough and", "HOSPITAL: fever"} {
		if !slices.Contains(got, want) {
			t.Errorf("the note has %q, want %q too", got, want)
		}
	}
	if open, f := b.openFound(id, bundle), b.findings(id); open.Found != 0 || f.Open() != 0 || f.All[0].Text != "cough and fever" {
		t.Errorf("%+v and %+v when all of it is in its note", open, f)
	}
}

// What stands on both sides of a span is one identifier still, and two spans.
func TestBothSidesOfAHalfBecomeSpansOfOneIdentifier(t *testing.T) {
	b := newBench(t)
	id, bundle := b.OpenNotes()
	a := b.StoreAudit(id, bundle, projecttest.Phrase("for cough and"))
	doc := a.Notes[0].Document
	b.tagged(id, doc, "cough", "HOSPITAL")
	f := b.findings(id)
	if open := b.openFound(id, bundle); open.Found != 1 || f.Open() != 1 || f.All[0].Text != "for cough and" {
		t.Errorf("%+v, %+v, want one from the first word left to the last", open, f)
	}
	twice := slices.Concat(chosen(f, "PATIENT"), chosen(f, "DATE"))
	if n, err := b.AddAuditFindings(t.Context(), projecttest.Annotator, id, 0, twice); err != nil || n != 1 {
		t.Fatalf("added %d, %v", n, err)
	}
	got := surfaces(b.MustNote(projecttest.Annotator, id, doc))
	for _, want := range []string{"PATIENT: for", "HOSPITAL: cough", "PATIENT: and"} {
		if !slices.Contains(got, want) {
			t.Errorf("the note has %q, want %q too", got, want)
		}
	}
}

// A label that the bundle lets pass redacts nothing, so that it closes nothing either.
func TestAnAnnotationThatIsLetPassClosesNoFinding(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	id, bundle := b.OpenNotesOf("PATIENT", "DATE", "MEDICALRECORD")
	for doc := annotate.DocumentID(11); doc <= 16; doc++ {
		b.tagged(id, doc, "cough and fever", "DOCTOR")
	}
	a := b.StoreAudit(id, bundle, projecttest.Phrase("cough"))
	if open := b.openFound(id, bundle); open != (audit.OpenFindings{Found: 1, Audit: 1}) {
		t.Errorf("%+v, want the word that stays readable", open)
	}
	projecttest.WantKind(t, b.StartPublish(t.Context(), projecttest.Broker, id, release.Publish, bundle, release.Despite{}), project.Invalid)
	f := b.findings(id)
	if f.Open() != 1 || f.All[0].Text != "cough and fever" || !slices.Equal(f.All[0].Passing, []annotate.Label{"DOCTOR"}) || slices.Contains(f.Labels, "DOCTOR") {
		t.Fatalf("offered is %+v under %v, want the annotation whole, under another label", f.All, f.Labels)
	}
	_, err := b.AddAuditFindings(t.Context(), projecttest.Annotator, id, 0, chosen(f, "DOCTOR"))
	projecttest.WantKind(t, err, project.Invalid)
	before := surfaces(b.MustNote(projecttest.Annotator, id, a.Notes[0].Document))
	if n, err := b.AddAuditFindings(t.Context(), projecttest.Annotator, id, 0, chosen(f, "DATE")); err != nil || n != 1 {
		t.Fatalf("added %d, %v", n, err)
	}
	if got := surfaces(b.MustNote(projecttest.Annotator, id, a.Notes[0].Document)); len(got) != len(before) || !slices.Contains(got, "DATE: cough and fever") {
		t.Errorf("the note has %q, had %q", got, before)
	}
	if open, f := b.openFound(id, bundle), b.findings(id); open.Found != 0 || f.Open() != 0 || b.NewestAudit(id).Changed {
		t.Errorf("%+v and %+v when it goes", open, f)
	}
	b.releasesWithout(id, bundle, "cough and fever")
}

// Notes with fields leave without every label, whatever the bundle of the audit lets pass.
func TestWhatABundleLetsPassIsNotOpenInNotesWithFields(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	id, bundle := b.OpenNotesOf("PATIENT", "DATE", "MEDICALRECORD")
	a := b.StoreAudit(id, bundle, projecttest.Phrase("cough"))
	doc := a.Notes[0].Document
	b.Finish(projecttest.Annotator, id, doc)
	open := func() int {
		t.Helper()
		open, err := b.OpenInFinished(t.Context(), projecttest.Broker, id)
		if err != nil {
			t.Fatal(err)
		}
		return open.Found
	}
	if n := open(); n != 1 {
		t.Fatalf("%d are open, want the one", n)
	}
	b.tagged(id, doc, "cough", "DOCTOR")
	b.Finish(projecttest.Annotator, id, doc)
	if n, with := open(), b.openFound(id, bundle); n != 0 || with.Found != 1 {
		t.Errorf("%d are open with fields, %d with the bundle, want 0 and 1", n, with.Found)
	}
}

// releasesWithout publishes, and wants the text in one note fewer than there are.
func (b *bench) releasesWithout(id project.ID, bundle int, text string) {
	b.T.Helper()
	readable, err := b.Readable(b.T.Context(), projecttest.Broker, id, bundle)
	if err != nil {
		b.T.Fatal(err)
	}
	if err := b.StartPublish(b.T.Context(), projecttest.Broker, id, release.Publish, bundle, release.Despite{Readable: readable}); err != nil {
		b.T.Fatal(err)
	}
	b.Wait("publishing", func() bool { s, _ := b.Publishing(b.T.Context(), projecttest.Broker, id); return !s.Running })
	released, err := b.ReleaseSample(b.T.Context(), projecttest.Broker, id, 1, 16)
	if err != nil {
		b.T.Fatal(err)
	}
	gone := slices.DeleteFunc(released, func(r audit.ReleasedText) bool { return strings.Contains(r.Text, text) })
	if len(gone) != 1 {
		b.T.Errorf("%q is gone from %d notes, want one", text, len(gone))
	}
}
