// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// An empty text is a note without tokens, in every format that has a place for notes of
// their own: messages without text have no note, and plain text has no spans.
func TestEmptyTextsAreNotes(t *testing.T) {
	note := annotate.Annotated{Document: annotate.Document{Name: "b", Text: "Anna left."}, Spans: []annotate.Span{{Start: 0, End: 4, Label: "NAME"}}}
	for _, name := range Writable() {
		if slices.Contains([]string{"text", "hl7", "ccda", "fhir"}, name) {
			continue
		}
		docs := []annotate.Annotated{{Document: annotate.Document{Name: "a"}}, note, {Document: annotate.Document{Name: "c"}}}
		var b bytes.Buffer
		if err := Write(&b, name, sequence(docs)); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		kind, _ := findKind(name)
		got, _, err := readAll(Options{Format: name}, file("a"+kind.Ending, b.String()))
		if err != nil || len(got) != 3 || got[0].Text != "" || got[2].Text != "" || !slices.Equal(got[1].Spans, note.Spans) {
			t.Errorf("%s: read %+v, %v", name, got, err)
		}
	}
}

func TestMessagesWithoutTextAreSaidToBeLost(t *testing.T) {
	lost, err := Losses("hl7", sequence([]annotate.Annotated{{Document: annotate.Document{Name: "a"}}}))
	if err != nil || !strings.Contains(strings.Join(lost, "\n"), "the note is left out, as it has no text") {
		t.Errorf("%q, %v", lost, err)
	}
}

func TestFilesWithoutTextAreNotes(t *testing.T) {
	for name, f := range map[string][]File{
		"an empty file":    {file("a.txt", "")},
		"white space only": {file("a.txt", " \n\t\u00a0\r\n")},
		"mark only":        {file("a.txt", "\ufeff")},
		"brat":             {file("a.txt", ""), file("a.ann", "")},
		"CSV":              {file("a.csv", "id,text\n1,\n")},
		"JSONL":            {file("a.jsonl", `{"text":""}`)},
		"i2b2":             {file("a.xml", i2b2File(" \n", ""))},
		"UIMA":             {file("a.json", casFile(`" "`, ""))},
	} {
		docs, report := mustRead(t, Options{}, f...)
		if len(docs) != 1 || report.Documents != 1 || len(annotate.Tokenize(docs[0].Text)) != 0 {
			t.Errorf("%s: %+v", name, docs)
		}
	}
}
