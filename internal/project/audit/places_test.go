// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"math/rand/v2"
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

// One annotation that two findings stand under gets one label.
func TestTwoFindingsUnderOneAnnotationRelabelItOnce(t *testing.T) {
	text := "Dr. Ana Maria Weiss came."
	f := foundIn{
		Document: annotate.Document{Text: text}, tokens: annotate.Tokenize(text),
		stays: []annotate.Span{{Start: 0, End: 19, Label: "DOCTOR"}, {Start: 19, End: 20, Label: "ROOM"}}, // a blank is no word
	}
	var fresh []annotate.Span
	for _, found := range placed(text, "Ana|Weiss came") {
		fresh = append(fresh, f.fresh(found, fresh)...)
	}
	want := []annotate.Span{f.stays[0], placed(text, "came")[0]}
	if !slices.Equal(fresh, want) {
		t.Errorf("%v, want %v", fresh, want)
	}
}

// Every token outside the placeholders is found where it came from, in texts with
// letters of several bytes.
func TestMarksLeadToTheirPlacesInTheNote(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 9))
	words := []string{"Zoë", "🌡", "seen", "38.2", "Weiß", "ill", "—", "a"}
	for range 300 {
		note, n, want := madeRedaction(random, words)
		var at []annotate.Span
		for i := range annotate.Tokenize(n.text.Text) {
			if !n.inPlaceholder(i) {
				n.read.Marks = []int{i}
				spans, from, err := n.spans(note)
				if err != nil || len(spans) != 1 || from[0] != i {
					t.Fatalf("%v %v %v", spans, from, err)
				}
				at = append(at, spans[0])
			}
		}
		if !slices.Equal(at, want) {
			t.Fatalf("in %q as %q: %v, want %v", note, n.text.Text, at, want)
		}
	}
}

// inPlaceholder reports whether a token of the redacted text is in a placeholder.
func (n auditedNote) inPlaceholder(token int) bool {
	at, err := annotate.NewOffsets(n.text.Text).Rune(annotate.Tokenize(n.text.Text)[token].Start)
	return err == nil && slices.ContainsFunc(n.text.Redactions, func(r ReleasedAt) bool { return r.Start <= at && at < r.End })
}

// madeRedaction redacts some words of a random note, and says where the tokens of
// the others are.
func madeRedaction(random *rand.Rand, words []string) (note string, n auditedNote, left []annotate.Span) {
	var in, out strings.Builder
	runes := func() annotate.RuneOff { return annotate.RuneOff(len([]rune(out.String()))) }
	for range 1 + random.IntN(9) {
		word := words[random.IntN(len(words))]
		start, at := annotate.ByteOff(in.Len()), runes()
		in.WriteString(word)
		if random.IntN(3) == 0 {
			out.WriteString("[NAME]")
			n.places = append(n.places, auditPlace{start, annotate.ByteOff(in.Len())})
			n.text.Redactions = append(n.text.Redactions, ReleasedAt{at, runes(), "NAME"})
		} else {
			out.WriteString(word)
			for _, t := range annotate.Tokenize(word) {
				left = append(left, annotate.Span{Start: start + t.Start, End: start + t.End})
			}
		}
		in.WriteString(" ")
		out.WriteString(" ")
	}
	n.text.Text = out.String()
	return in.String(), n, left
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
