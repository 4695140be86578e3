// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"strings"
	"testing"

	"hide/internal/annotate"
)

func TestPublishedIsWhatAReaderHas(t *testing.T) {
	d := NewDoc(annotate.Annotated{Document: annotate.Document{Text: " Dr. Ana Ruiz,\nward 7"}}, nil)
	v := View{Doc: &d, Redacted: []bool{false, false, true, true, false, false, true}}
	text, tokens := v.Published()
	if want := " Dr. [NAME],\nward [NAME]"; text != want {
		t.Fatalf("got %q, want %q", text, want)
	}
	for x, token := range tokens {
		if got := text[token.Start:token.End]; got != v.Word(x) {
			t.Errorf("token %d reads %q, want %q", x, got, v.Word(x))
		}
	}
}

func TestPublishedWithoutPlacesHasBlanks(t *testing.T) {
	d := Doc{Words: strings.Fields("seen by Ana today")}
	if text, _ := (View{Doc: &d, Redacted: []bool{false, false, true, false}}).Published(); text != "seen by [NAME] today" {
		t.Errorf("got %q", text)
	}
	if text, _ := (View{Doc: &d, Redacted: nil}).Published(); text != "seen by Ana today" {
		t.Errorf("got %q", text)
	}
}
