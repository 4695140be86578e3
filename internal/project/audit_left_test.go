// SPDX-License-Identifier: Apache-2.0

package project

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

func TestOfAFindingEveryWordIsLeftThatNoSpanTouches(t *testing.T) {
	for _, c := range []struct{ text, redacted, want string }{
		{"John Smith", "", "John Smith"},
		{"John Smith", "Smith", "John"},
		{"John Smith", "John Smith", ""},
		{"John Smith", "John|Smith", ""},
		{"Smithson", "Smith", ""}, // a token goes whole
		{"John A. Smith", "A", "John|Smith"},
		{"Smith, John", "Smith|John", ""},
		{"Smith, John W., M.D.", "Smith", "John W., M.D"},
		{"(John Smith)", "John Smith", ""},
		{"(John Smith)", "Smith", "John"},
		{"Juan de Silva", "Juan|Silva", "de"},
		{"Ward 7", "Ward", "7"},
		{"--", "", "--"}, // nothing else was marked
		{"--", "--", ""},
	} {
		text := "By " + c.text + " today."
		f := foundIn{Document: annotate.Document{Text: text}, tokens: annotate.Tokenize(text)}
		var got []string
		for _, span := range f.left(placed(text, c.text)[0], placed(text, c.redacted)) {
			got = append(got, span.Surface(text))
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("of %q without %q %q are left, want %q", c.text, c.redacted, got, c.want)
		}
	}
}

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

// readAuditOf marks the words of the first note that read so, none in the others.
func (b *bench) readAuditOf(id ID, phrase string) SampleAudit {
	b.t.Helper()
	n, err := b.SampleAuditNote(b.t.Context(), annotator, id, 0, 1)
	if err != nil {
		b.t.Fatal(err)
	}
	at := strings.Index(n.Text.Text, phrase)
	if at < 0 {
		b.t.Fatalf("%q is not to be read in the note", phrase)
	}
	before := 0
	for i, token := range annotate.Tokenize(n.Text.Text) {
		if int(token.Start) < at && checkMarks(n.Text, []int{i}) == nil {
			before++
		}
	}
	var places []int
	for i := range annotate.Tokenize(phrase) {
		places = append(places, before+i)
	}
	return b.readAudit(id, places...)
}

// tagged makes a span of a phrase of a note.
func (b *bench) tagged(id ID, doc annotate.DocumentID, phrase string, label annotate.Label) *Note {
	b.t.Helper()
	n := b.mustNote(annotator, id, doc)
	span := placed(n.Document.Text, phrase)[0]
	span.Label = label
	return b.mustEdit(annotator, id, doc, n.Layer.Revision, annotate.Edit{Verb: annotate.VerbTag, Spans: []annotate.Span{span}})
}

// surfaces are the spans of a note as "label: text".
func surfaces(n *Note) []string {
	var out []string
	for _, s := range n.Layer.Spans() {
		out = append(out, string(s.Label)+": "+s.Surface(n.Document.Text))
	}
	return out
}

func TestHalfOfAFindingLeavesTheOtherHalfOpen(t *testing.T) {
	b := newBench(t)
	id, bundle := b.drawnAudit()
	a := b.readAuditOf(id, "cough and fever")
	doc := a.Notes[0].Document
	b.tagged(id, doc, "fever", "HOSPITAL")
	if open := b.openFound(id, bundle); open.Found != 1 {
		t.Errorf("%+v, want the half that would be published", open)
	}
	wantKind(t, b.StartPublish(t.Context(), broker, id, bundle, Despite{Unaudited: "to see"}), Invalid)
	f := b.findings(id)
	if f.Open() != 1 || f.All[0].Text != "cough and" || !strings.HasPrefix(f.All[0].After, " fever") {
		t.Fatalf("offered is %+v, want what is left", f.All)
	}
	if n, err := b.AddAuditFindings(t.Context(), annotator, id, 0, chosen(f, "PATIENT")); err != nil || n != 1 {
		t.Fatalf("added %d, %v", n, err)
	}
	got := surfaces(b.mustNote(annotator, id, doc))
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
	id, bundle := b.drawnAudit()
	a := b.readAuditOf(id, "for cough and")
	doc := a.Notes[0].Document
	b.tagged(id, doc, "cough", "HOSPITAL")
	f := b.findings(id)
	if open := b.openFound(id, bundle); open.Found != 1 || f.Open() != 1 || f.All[0].Text != "for cough and" {
		t.Errorf("%+v, %+v, want one from the first word left to the last", open, f)
	}
	twice := slices.Concat(chosen(f, "PATIENT"), chosen(f, "DATE"))
	if n, err := b.AddAuditFindings(t.Context(), annotator, id, 0, twice); err != nil || n != 1 {
		t.Fatalf("added %d, %v", n, err)
	}
	got := surfaces(b.mustNote(annotator, id, doc))
	for _, want := range []string{"PATIENT: for", "HOSPITAL: cough", "PATIENT: and"} {
		if !slices.Contains(got, want) {
			t.Errorf("the note has %q, want %q too", got, want)
		}
	}
}
