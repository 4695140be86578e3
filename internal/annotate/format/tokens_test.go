// SPDX-License-Identifier: Apache-2.0

package format

import (
	"math/rand/v2"
	"strings"
	"testing"

	"hide/internal/annotate"
)

func TestHuggingFace(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{`{"id":7,"tokens":["Rose","May","left"],"ner_tags":["B-NAME","I-NAME","O"]}`, "7||Rose May left|NAME:Rose May;"},
		{`{"tokens":["Rose","May"],"tags":["B-A","B-A"]}`, "a-1||Rose May|A:Rose;A:May;"},
		{`{"tokens":["Rose","May"],"ner_tags":[1,2],"label_names":["O","S-A","B-A"]}`, ""},
		{`{"tokens":["Rose","May"],"ner_tags":[2,0],"label_names":["O","I-A","B-A"]}`, "a-1||Rose May|A:Rose;"},
		{`{"tokens":["😀","May"],"ner_tags":["O","B-A"],"text":"😀\n\nMay.","offsets":[[0,1],[3,6]],"patient":"p"}`, "a-1|p|😀\n\nMay.|A:May;"},
	} {
		docs, report, err := readAll(Options{}, file("a.jsonl", c.content))
		if c.want == "" {
			if err == nil {
				t.Errorf("%s is read", c.content)
			}
			continue
		}
		if err != nil || shown(docs[0]) != c.want || report.Format != "hf" {
			t.Errorf("%v, %s", err, report.Format)
		}
	}
}

func TestBadHuggingFace(t *testing.T) {
	one := func(content string) []File { return []File{file("a.jsonl", content)} }
	head := `{"tokens":["` + secret + `","May"],`
	runBad(t, []badCase{
		{"numbers without names", one(head + `"ner_tags":[1,0]}`), Options{}, "tag", "line 1", 0},
		{"a number without a name", one(head + `"ner_tags":[1,9],"label_names":["O","B-A"]}`), Options{}, "tag", "line 1", 0},
		{"negative", one(head + `"ner_tags":[-1,0],"label_names":["O"]}`), Options{}, "tag", "line 1", 0},
		{"float", one(head + `"ner_tags":[0.5,0],"label_names":["O"]}`), Options{}, "json", "line 1", 0},
		{"too few tags", one(head + `"ner_tags":["O"]}`), Options{}, "tag", "line 1", 0},
		{"not a tag", one(head + `"ner_tags":["O","` + secret + `"]}`), Options{}, "tag", "line 1", 0},
		{"label __proto__", one(head + `"ner_tags":["O","B-__proto__"]}`), Options{}, "tag", "line 1", 0},
		{"broken sequence", one(head + `"ner_tags":["B-A","S-A"]}`), Options{}, "tag-sequence", "line 1", 0},
		{"tokens that are not strings", one(`{"tokens":["a",7],"ner_tags":["O","O"]}`), Options{}, "json", "line 1", 0},
		{"offsets of another text", one(head + `"ner_tags":["O","O"],"text":"` + secret + ` Mai","offsets":[[0,9],[10,13]]}`), Options{}, "span-text", "line 1", 0},
		{"offsets out of order", one(head + `"ner_tags":["O","O"],"text":"May ` + secret + `","offsets":[[4,13],[0,3]]}`), Options{}, "span-range", "line 1", 0},
		{"offsets after the end", one(head + `"ner_tags":["O","O"],"text":"x","offsets":[[0,9],[10,13]]}`), Options{}, "span-range", "line 1", 0},
		{"too few offsets", one(head + `"ner_tags":["O","O"],"text":"x","offsets":[[0,9]]}`), Options{}, "json", "line 1", 0},
		{"too many tokens", one(`{"tokens":["a"` + strings.Repeat(`,""`, maxTokens) + `],"ner_tags":[]}`), Options{}, "document-too-large", "line 1", 0},
	})
}

func TestCoNLLWithPositions(t *testing.T) {
	content := "-DOCSTART- id=n%201 patient=_ before=t O\n\nRose 1 5 s B-NAME\nMay 6 9 nn I-NAME\n\nleft 11 15 u2028; O\n\n-DOCSTART- id=n2 patient=p before=_ O\n\n😀 0 1 _ O\n"
	docs, report := mustRead(t, Options{}, file("a.conll", content))
	if len(docs) != 2 || shown(docs[0]) != "n 1||\tRose May\n\nleft\u2028|NAME:Rose May;" || shown(docs[1]) != "n2|p|😀|" {
		t.Errorf("%d documents, %q", len(docs), shown(docs[0]))
	}
	for _, note := range report.Notes {
		if strings.Contains(note, "joined") {
			t.Errorf("%q", note)
		}
	}
	line := func(s string) []File {
		return []File{file("a.conll", "-DOCSTART- id=n patient=_ before=_ O\n\n"+s+"\n")}
	}
	runBad(t, []badCase{
		{"a gap", line("Rose 1 5 s O"), Options{}, "columns", "line 3", 38},
		{"another length", line(secret + " 0 5 s O"), Options{}, "columns", "line 3", 38},
		{"words", line("Rose x y s O"), Options{}, "columns", "line 3", 38},
		{"too few columns", line("Rose 0 4 O"), Options{}, "columns", "line 3", 38},
		{"white space that is none", line("Rose 0 4 x O"), Options{}, "columns", "line 3", 38},
		{"half a code", line("Rose 0 4 u20 O"), Options{}, "columns", "line 3", 38},
		{"a surrogate", line("Rose 0 4 ud800; O"), Options{}, "columns", "line 3", 38},
		{"not a tag", line("Rose 0 4 s B-A\nMay 5 8 _ " + secret), Options{}, "tag", "line 4", 53},
		{"half an escape", []File{file("a.conll", "-DOCSTART- id=n%2 patient=_ before=_ O\n\nRose 0 4 s O\n")}, Options{}, "columns", "line 1", 0},
		{"a first line without positions", []File{file("a.conll", "-DOCSTART- id=n patient=_ before=_ O\n\nRose 0 4 s O\n\n-DOCSTART- -X- O O\n\nMay 0 3 s O\n")}, Options{}, "columns", "line 5", anyOffset},
		{"twice", line("Rose 0 4 s O\n\n-DOCSTART- id=N patient=_ before=_ O\n\nx 0 1 _ O"), Options{}, "duplicate-id", "line 5", anyOffset},
	})
}

// The parts of tokens are in order, cover every token, and each is inside one span or outside
// all, as a search byte by byte finds it.
func TestTokensAreCutWhereSpansStartAndEnd(t *testing.T) {
	draw := rand.New(rand.NewPCG(8, 1))
	for n := range 2000 {
		d := lawDocument(draw, n)
		inToken := make([]bool, len(d.Text))
		for _, token := range annotate.Tokenize(d.Text) {
			for i := token.Start; i < token.End; i++ {
				inToken[i] = true
			}
		}
		owner := func(i annotate.ByteOff) int {
			for k, s := range d.Spans {
				if s.Start <= i && i < s.End {
					return k
				}
			}
			return -1
		}
		at := annotate.ByteOff(0)
		for _, part := range spanTokens(d) {
			for ; at < part.Start; at++ {
				if inToken[at] {
					t.Fatalf("byte %d of %q is in no part", at, d.Text)
				}
			}
			want := owner(part.Start)
			for ; at < part.End; at++ {
				if owner(at) != want {
					t.Fatalf("the part at %d of %q crosses a span", part.Start, d.Text)
				}
			}
			if part.in != (want >= 0) || part.in && part.span != want {
				t.Fatalf("the part at %d of %q is in span %d, want %d", part.Start, d.Text, part.span, want)
			}
		}
	}
}

func TestGapsAndColumnsComeBack(t *testing.T) {
	for _, s := range []string{"", " ", "\n\r\t\f", "\u0085\u2028\u00a0", "_", "%", "%41", "a b", "é😀"} {
		if got, fine := columnValue(columnEscaped(s)); !fine || got != s || strings.ContainsAny(columnEscaped(s), " \t\n") {
			t.Errorf("%q becomes %q", s, got)
		}
		if strings.Trim(s, " \n\r\t\f\u0085\u2028\u00a0") != "" {
			continue
		}
		if got, fine := gapText(gapCode(s)); !fine || got != s || gapCode(s) == "" {
			t.Errorf("%q becomes %q", s, got)
		}
	}
}

func FuzzPlacedCoNLL(f *testing.F) {
	f.Add("-DOCSTART- id=n%201 patient=_ before=t O\n\nRose 1 5 s B-NAME\nMay 6 9 nn I-NAME\n\nleft 11 15 u2028; O\n")
	f.Add("-DOCSTART- id=n patient=p before=_ O\n\nRose 0 4 s S-NAME\n\n-DOCSTART- -X- O O\n\nMay 0 3 s O\n")
	fuzzKind(f, "conll", "a.conll")
}

func FuzzHF(f *testing.F) {
	f.Add(`{"id":7,"tokens":["Rose","May","left"],"ner_tags":["B-NAME","I-NAME","O"]}`)
	f.Add(`{"tokens":["😀","May"],"ner_tags":[1,0],"label_names":["O","U-A"],"text":"😀\n\nMay.","offsets":[[0,1],[3,6]]}`)
	fuzzKind(f, "hf", "a.jsonl")
}
