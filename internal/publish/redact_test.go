// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"hide/internal/annotate"
)

func testPolicy() Policy {
	return Policy{Placeholder: DefaultPlaceholder, Labels: []annotate.Label{"NAME", "DATE"}}
}

// marked reads "[[NAME:Dr. Weiss]]" as a span and returns text and spans.
func marked(t *testing.T, in string) (string, []annotate.Span) {
	t.Helper()
	var b strings.Builder
	var spans []annotate.Span
	for {
		before, rest, found := strings.Cut(in, "[[")
		b.WriteString(before)
		if !found {
			return b.String(), spans
		}
		inside, after, closed := strings.Cut(rest, "]]")
		label, words, named := strings.Cut(inside, ":")
		if !closed || !named {
			t.Fatalf("fixture: %q", in)
		}
		start := annotate.ByteOff(b.Len())
		b.WriteString(words)
		spans = append(spans, annotate.Span{Start: start, End: annotate.ByteOff(b.Len()), Label: annotate.Label(label)})
		in = after
	}
}

// apply redacts what is marked, and nothing else.
func apply(text string, spans []annotate.Span) (string, []Redaction) {
	tokens := annotate.Tokenize(text)
	m := make(mask, len(tokens))
	m.cover(tokens, spans)
	return testPolicy().replace(text, m.spans(text, tokens))
}

func TestRedaction(t *testing.T) {
	cases := []struct{ name, in, want string }{
		{"nothing", "Seen today.", "Seen today."},
		{"empty", "", ""},
		{"one", "Seen by [[NAME:Weiss]].", "Seen by [NAME]."},
		{"several tokens are one placeholder", "Seen by [[NAME:Dr. A. Weiss]].", "Seen by [NAME]."},
		{"neighbours of one label join", "[[NAME:Anna]] [[NAME:Weiss]] came", "[NAME] came"},
		{"across a line break", "[[NAME:Anna]]\r\n  [[NAME:Weiss]] came", "[NAME] came"},
		{"not across a blank line", "[[NAME:Anna]]\n\n[[NAME:Weiss]]", "[NAME]\n\n[NAME]"},
		{"not across a control character", "[[NAME:Anna]]\x00[[NAME:Weiss]]", "[NAME]\x00[NAME]"},
		{"not across another token", "[[NAME:Anna]], [[NAME:Weiss]]", "[NAME], [NAME]"},
		{"labels stay apart", "[[NAME:Anna]] [[DATE:3/4]]", "[NAME] [DATE]"},
		{"without a gap", "[[NAME:Anna]][[DATE:/]]x", "[NAME][DATE]x"},
		{"part of a word takes the word", "Mrs [[NAME:Smith]]son's hat", "Mrs [NAME]'s hat"},
		{"white space alone is nothing", "a[[NAME:  ]]b", "a  b"},
		{"not ASCII", "Frau [[NAME:Müller]] 🙂 ü", "Frau [NAME] 🙂 ü"},
		{"a lookalike stays", "[NAME] is [[NAME:Rose]] [NAME]", "[NAME] is [NAME] [NAME]"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text, spans := marked(t, c.in)
			got, redactions := apply(text, spans)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			checkPlaces(t, text, got, redactions)
		})
	}
}

func TestLookalikesAreNotAmongTheRedactions(t *testing.T) {
	text, spans := marked(t, "[NAME] is [[NAME:Rose]] [NAME]")
	_, redactions := apply(text, spans)
	if len(redactions) != 1 || redactions[0].At != 10 || redactions[0].AtEnd != 16 || redactions[0].Start != 10 || redactions[0].End != 14 {
		t.Errorf("got %+v", redactions)
	}
}

// checkPlaces checks that putting the originals back at the places told gives
// the note again, byte for byte.
func checkPlaces(t *testing.T, text, out string, redactions []Redaction) {
	t.Helper()
	runes, at := []rune(out), 0
	var b strings.Builder
	for _, r := range redactions {
		if got, want := string(runes[r.At:r.AtEnd]), "["+string(r.Label)+"]"; got != want {
			t.Fatalf("place %d-%d holds %q, want %q", r.At, r.AtEnd, got, want)
		}
		b.WriteString(string(runes[at:r.At]))
		b.WriteString(text[r.Start:r.End])
		at = int(r.AtEnd)
	}
	b.WriteString(string(runes[at:]))
	if b.String() != text {
		t.Fatalf("putting back gives %q, want %q", b.String(), text)
	}
}

// TestRandomRedactionsCanBePutBack redacts random spans of random texts.
func TestRandomRedactionsCanBePutBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"a", "Weiss", " ", "  ", "\n", "\n\n", "\t", "[NAME]", "ü", "🙂", "\x00", ",", "e\u0301", "12", "_", "\u00a0", "\u2028"}
	for range 2000 {
		var b strings.Builder
		for range rng.IntN(30) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		text := b.String()
		tokens := annotate.Tokenize(text)
		m := make(mask, len(tokens))
		for i := range m {
			m[i] = []annotate.Label{"", "", "NAME", "DATE"}[rng.IntN(4)]
		}
		out, redactions := testPolicy().replace(text, m.spans(text, tokens))
		checkPlaces(t, text, out, redactions)
		checkCovered(t, tokens, m, redactions)
		if !utf8.ValidString(out) {
			t.Fatalf("%q became invalid", text)
		}
	}
}

// checkCovered checks that exactly the masked tokens lie in redactions, whole,
// and under their label.
func checkCovered(t *testing.T, tokens []annotate.Token, m mask, redactions []Redaction) {
	t.Helper()
	for i, token := range tokens {
		var under annotate.Label
		for _, r := range redactions {
			if r.Start < token.End && token.Start < r.End {
				under = r.Label
			}
		}
		if under != m[i] {
			t.Fatalf("token %d goes under %q, want %q", i, under, m[i])
		}
	}
}

func TestPolicyCheck(t *testing.T) {
	labels := []annotate.Label{"NAME"}
	for _, p := range []Policy{
		{Placeholder: "[LABEL]", Labels: labels}, {Placeholder: "<<LABEL>>", Labels: labels}, {Placeholder: "⟦LABEL⟧", Labels: labels}, {Placeholder: "[**LABEL**]", Labels: []annotate.Label{"NAME", "DATE"}},
	} {
		if err := p.Check(); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
	}
	for _, p := range []Policy{
		{Placeholder: "", Labels: labels}, {Placeholder: "LABEL", Labels: labels}, {Placeholder: "[LABEL", Labels: labels}, {Placeholder: "[ LABEL]", Labels: labels}, {Placeholder: "xLABELx", Labels: labels}, {Placeholder: "[NAME]", Labels: labels}, {Placeholder: "_LABEL_", Labels: labels},
		{Placeholder: "[LABEL]\n", Labels: labels}, {Placeholder: strings.Repeat("[", 40) + "LABEL]", Labels: labels}, {Placeholder: "[LABEL]", Labels: nil}, {Placeholder: "[LABEL]", Labels: []annotate.Label{"a b"}},
		{Placeholder: "[LABEL]", Labels: []annotate.Label{"NAME", "NAME"}}, {Placeholder: "[\xffLABEL]", Labels: labels},
	} {
		if p.Check() == nil {
			t.Errorf("%+v was accepted", p)
		}
	}
}
