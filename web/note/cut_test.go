// SPDX-License-Identifier: Apache-2.0

package note

import (
	"bytes"
	"context"
	"html"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
)

// readMarkup gives the text of rendered chunks as a parser would read it, and the
// surface and id of each mark.
func readMarkup(t *testing.T, rendered string) (text string, marks []string) {
	t.Helper()
	rendered = regexp.MustCompile(`<span data-aside>[^<]*</span>`).ReplaceAllString(rendered, "")
	for _, m := range regexp.MustCompile(`(?s)<mark data-id="([^"]*)"[^>]*>([^<]*)</mark>`).FindAllStringSubmatch(rendered, -1) {
		marks = append(marks, m[1]+"="+html.UnescapeString(m[2]))
	}
	text = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(rendered, "")
	if strings.Contains(text, "<") || strings.Contains(rendered, "\r") {
		t.Errorf("the text is not escaped: a parser would change it")
	}
	return html.UnescapeString(text), marks
}

func renderText(t *testing.T, n *project.Note) string {
	t.Helper()
	var b bytes.Buffer
	if err := newNoteView("p1", n).noteText().Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func noteOf(text string, spans []annotate.Span, suggestions ...annotate.Suggestion) *project.Note {
	l := &annotate.Layer{State: annotate.New}
	for i, s := range spans {
		l.Annotations = append(l.Annotations, annotate.Annotation{ID: uint64(i) + 1, Span: s, Source: annotate.Manual})
	}
	n := &project.Note{ID: 1, Document: annotate.Document{Name: "n", Text: text}, Layer: l, Suggestions: suggestions, Labels: annotate.I2B2()}
	n.By = (&fakeNotes{}).suggester(suggestions)
	return n
}

func TestNoteShowsTextExactly(t *testing.T) {
	cases := []struct{ name, text, marked string }{
		{"emoji", "seen by 👩🏽‍⚕️ Anna today", "👩🏽‍⚕️ Anna"},
		{"combining marks", "Zoe\u0308 Müller and Mu\u0308ller", "Mu\u0308ller"},
		{"windows line ends", "Name:\r\nSmith\r\n\r\nend", "Smith"},
		{"lone carriage return", "a\rb\rc", "b"},
		{"across lines", "John\r\nSmith here", "John\r\nSmith"},
		{"tab and no-break space", "MRN\t12\u00a034 ok", "12\u00a034"},
		{"right to left", "name: יעל כהן.", "יעל כהן"},
		{"markup", "<script>alert('x & y')</script> \"Tom\"", "alert('x & y')"},
		{"an htmx element", "<hx-partial hx-target=\"body\">a</hx-partial>", "a"},
		{"leading line ends", "\n\n\nAnn", "Ann"},
		{"whole text", "Ann", "Ann"},
		{"a control character", "a\x01b\x7fc Ann", "Ann"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text, marks := readMarkup(t, renderText(t, noteOf(c.text, []annotate.Span{spanOf(t, c.text, c.marked, "PATIENT")})))
			if text != c.text {
				t.Errorf("shown %q, want %q", text, c.text)
			}
			if want := "1=" + c.marked; len(marks) != 1 || marks[0] != want {
				t.Errorf("marks %q, want %q", marks, want)
			}
		})
	}
}

func TestNulIsShownAsReplacementCharacter(t *testing.T) {
	text, _ := readMarkup(t, renderText(t, noteOf("a\x00b", nil)))
	if text != "a\uFFFDb" {
		t.Errorf("shown %q", text)
	}
	if err := sameSurface("a\x00b", text); err != nil {
		t.Errorf("an edit over it is refused: %v", err)
	}
}

func TestAdjacentMarksStayApart(t *testing.T) {
	_, marks := readMarkup(t, renderText(t, noteOf("AnnBob", []annotate.Span{{Start: 0, End: 3, Label: "PATIENT"}, {Start: 3, End: 6, Label: "DOCTOR"}})))
	if strings.Join(marks, " ") != "1=Ann 2=Bob" {
		t.Errorf("marks %q", marks)
	}
}

func TestAnnotationsCoverOverlappingSuggestions(t *testing.T) {
	text := "Dr. Frank Okafor came"
	suggestion := annotate.Suggestion{Span: annotate.Span{Start: 0, End: 16, Label: "DOCTOR"}, Score: 0.5}
	shown, marks := readMarkup(t, renderText(t, noteOf(text, []annotate.Span{{Start: 4, End: 9, Label: "PATIENT"}}, suggestion)))
	if shown != text {
		t.Errorf("shown %q", shown)
	}
	if want := "s0-16-DOCTOR=Dr. |1=Frank|s0-16-DOCTOR= Okafor"; strings.Join(marks, "|") != want {
		t.Errorf("marks %q, want %q", strings.Join(marks, "|"), want)
	}
}

func TestMarkNamesLabelAndState(t *testing.T) {
	suggestion := annotate.Suggestion{Span: annotate.Span{Start: 4, End: 7, Label: "LOCATION-OTHER"}, Score: 0.934, Model: 3}
	rule := annotate.Suggestion{Span: annotate.Span{Start: 8, End: 11, Label: "DATE"}, Score: 0.9}
	got := renderText(t, noteOf("Ann Ulm 3/4", []annotate.Span{{Start: 0, End: 3, Label: "PATIENT"}}, suggestion, rule))
	for _, want := range []string{
		`<mark data-id="1" data-kind="PATIENT" data-code="PAT" data-tint="0">Ann<span data-aside> (patient)</span></mark>`,
		`data-suggested data-score="93" data-short>Ulm<span data-aside> (location other suggested, 93 %)</span>`,
		`data-suggested data-score="90" data-rule data-short>3/4<span data-aside> (date suggested by a rule, 90 %)</span>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}

func TestEditChangesOnlyItsChunk(t *testing.T) {
	text := strings.Repeat("A line of a long note about nothing in particular.\r\n", 400)
	keys := func(n *project.Note) []string {
		return regexp.MustCompile(`data-key="[^"]*"`).FindAllString(renderText(t, n), -1)
	}
	before, after := keys(noteOf(text, nil)), keys(noteOf(text, []annotate.Span{{Start: 9000, End: 9004, Label: "DATE"}}))
	if len(before) != len(after) || len(before) < 8 {
		t.Fatalf("%d and %d chunks", len(before), len(after))
	}
	changed := 0
	for i := range before {
		if before[i] != after[i] {
			changed++
		}
	}
	if changed != 1 {
		t.Errorf("%d chunks changed, want 1", changed)
	}
}

// TestCutKeepsTextAndMarks simulates texts with marks of both kinds anywhere.
func TestCutKeepsTextAndMarks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("ab \n\r<&é👩\u0308יA")
	for range 300 {
		runes := make([]rune, r.IntN(9000))
		for i := range runes {
			runes[i] = alphabet[r.IntN(len(alphabet))]
		}
		text := string(runes)
		offsets := annotate.NewOffsets(text)
		var marks []mark
		for i := range r.IntN(30) {
			if len(runes) < 2 {
				break
			}
			start := r.IntN(len(runes) - 1)
			span, err := offsets.Span(annotate.RuneOff(start), annotate.RuneOff(start+1+r.IntN(min(40, len(runes)-start))), "DATE")
			if err != nil {
				continue
			}
			marks = append(marks, mark{id: string(rune('A' + i)), span: span, suggested: r.IntN(2) == 0})
		}
		slices.SortStableFunc(marks, func(a, b mark) int { return annotate.CompareSpans(a.span, b.span) })
		checkCut(t, text, marks)
	}
}

func checkCut(t *testing.T, text string, marks []mark) {
	t.Helper()
	marked := make([]bool, len(text))
	for _, m := range marks {
		for i := m.span.Start; i < m.span.End; i++ {
			marked[i] = true
		}
	}
	at := 0
	chunks := cutNote(text, marks)
	for i, c := range chunks {
		if int(c.start) != at {
			t.Fatalf("chunk %d starts at %d, want %d", i, c.start, at)
		}
		for _, p := range c.pieces {
			if p.text == "" || text[at:at+len(p.text)] != p.text {
				t.Fatalf("piece of %d bytes at %d is not the text's", len(p.text), at)
			}
			for j := range len(p.text) {
				if marked[at+j] != (p.mark != nil) {
					t.Fatalf("byte %d is marked: %v, shown so: %v", at+j, marked[at+j], p.mark != nil)
				}
			}
			at += len(p.text)
		}
		if i+1 < len(chunks) && text[at-1] != '\n' {
			t.Fatalf("chunk %d does not end with a line", i)
		}
	}
	if at != len(text) {
		t.Fatalf("%d of %d bytes shown", at, len(text))
	}
}

func TestCodesAreShortAndUnique(t *testing.T) {
	codes, tints := codesOf(annotate.I2B2(), nil)
	seen := map[string]annotate.Label{}
	for label, code := range codes {
		if other, ok := seen[code]; ok {
			t.Errorf("%s and %s share %s", label, other, code)
		}
		seen[code] = label
		if len(code) > 6 {
			t.Errorf("%s has the long code %s", label, code)
		}
		if tints[label] < 0 || tints[label] >= tintCount {
			t.Errorf("%s has tint %d", label, tints[label])
		}
	}
}
