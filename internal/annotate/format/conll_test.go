// SPDX-License-Identifier: Apache-2.0

package format

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// columns writes "token tag token tag", one pair a line; "/" ends a sentence.
func columns(words string) string {
	var b strings.Builder
	fields := strings.Fields(words)
	for i := 0; i < len(fields); i++ {
		if fields[i] == "/" {
			b.WriteString("\n")
			continue
		}
		fmt.Fprintf(&b, "%s %s\n", fields[i], fields[i+1])
		i++
	}
	return b.String()
}

// marked is a document's text with its spans in brackets.
func marked(d annotate.Annotated) string {
	var b strings.Builder
	at := annotate.ByteOff(0)
	for _, s := range d.Spans {
		b.WriteString(d.Text[at:s.Start] + "[" + string(s.Label) + " " + s.Surface(d.Text) + "]")
		at = s.End
	}
	return b.String() + d.Text[at:]
}

func TestCoNLLSchemes(t *testing.T) {
	cases := []struct{ name, content, scheme, want string }{
		{"IOB2", columns("Ann B-P Li I-P saw O Bo B-P Cy B-P / Di B-P"), "IOB2", "[P Ann Li] saw [P Bo] [P Cy]\n[P Di]\n"},
		{"IOB1", columns("Ann I-P Li I-P saw O Bo I-P Cy B-P Rome I-L / Di I-P"), "IOB1", "[P Ann Li] saw [P Bo] [P Cy] [L Rome]\n[P Di]\n"},
		{"mixed", columns("Ann B-P Li I-P saw O Bo I-P"), "mixed IOB1 and IOB2", "[P Ann Li] saw [P Bo]\n"},
		{"BIOES", columns("Ann B-P Li E-P saw O Bo S-P Cy B-P De I-P Ef E-P"), "BIOES", "[P Ann Li] saw [P Bo] [P Cy De Ef]\n"},
		{"BILOU", columns("Ann B-P Li L-P saw O Bo U-P Cy B-P De I-P Ef L-P"), "BILOU", "[P Ann Li] saw [P Bo] [P Cy De Ef]\n"},
		{"no spans", columns("Ann O saw O"), "no spans", "Ann saw\n"},
		{"label with a dash", columns("Ann B-LOCATION-OTHER Li I-LOCATION-OTHER"), "IOB2", "[LOCATION-OTHER Ann Li]\n"},
		{"four columns", "Ann NNP I-NP B-P\nsaw VBD I-VP O\n", "IOB2", "[P Ann] saw\n"},
		{"tabs and CR LF", "Ann\tNNP\tB-P\r\nsaw\tVBD\tO\r\n\r\nBo\tNNP\tB-P\r\n", "IOB2", "[P Ann] saw\n[P Bo]\n"},
		{"span across a tab token with a space", "New York\tB-L\nis\tO\n", "IOB2", "[L New York] is\n"},
		{"many empty lines", "\n\n" + columns("Ann B-P / / / saw O /") + "\n", "IOB2", "[P Ann]\nsaw\n"},
		{"span ends with the sentence", columns("Ann B-P / Li I-P"), "mixed IOB1 and IOB2", "[P Ann]\n[P Li]\n"},
		{"emoji", columns("😀 O Zoë B-P"), "IOB2", "😀 [P Zoë]\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			docs, report := mustRead(t, Options{}, file("a.conll", c.content))
			if len(docs) != 1 || marked(docs[0]) != c.want {
				t.Errorf("got %q, want %q", marked(docs[0]), c.want)
			}
			if want := "CoNLL, " + c.scheme + " detected"; report.Detail != want {
				t.Errorf("detail is %q, want %q", report.Detail, want)
			}
		})
	}
}

func TestCoNLLDocuments(t *testing.T) {
	docs, report := mustRead(t, Options{}, file("eng.conll", "-DOCSTART- -X- O O\n\nAnn NNP I-NP B-P\n\n-DOCSTART- -X- O O\n\n-DOCSTART- -X- O O\nBo NNP I-NP B-P\n"))
	if len(docs) != 2 || docs[0].Name != "eng-0001" || docs[1].Name != "eng-0002" || marked(docs[1]) != "[P Bo]\n" {
		t.Errorf("%d documents", len(docs))
	}
	if !slices.Contains(report.Notes, "CoNLL tokens were joined by a space, sentences by a line break") {
		t.Errorf("notes are %q", report.Notes)
	}
}

func TestBadCoNLL(t *testing.T) {
	conll := func(content string) []File { return []File{file("a.conll", content)} }
	runBad(t, []badCase{
		{"empty", conll(""), Options{}, "empty-file", "", -1},
		{"one column", conll("Ann B-P\nGwendolyn\n"), Options{}, "columns", "line 2", 8},
		{"last column is no tag", conll("Ann B-P\nGwendolyn NNP\n"), Options{}, "tag", "line 2", 8},
		{"no tags at all", conll("Gwendolyn NNP\nsaw VBD\n"), Options{}, "tag-scheme", "", -1},
		{"bad label", conll("Ann B-P\nGwendolyn B-__proto__\n"), Options{}, "tag", "line 2", 8},
		{"BIOES and BILOU", conll(columns("Ann S-P Bo U-P")), Options{}, "tag-scheme", "", -1},
		{"I without B under BIOES", conll(columns("Ann S-P Gwendolyn I-P Bo E-P")), Options{}, "tag-sequence", "line 2", 8},
		{"B without E under BIOES", conll(columns("Gwendolyn B-P Ann S-P")), Options{}, "tag-sequence", "line 2", 14},
		{"B without L at the end of a sentence", conll(columns("Ann U-P Gwendolyn B-P / Bo O")), Options{}, "tag-sequence", "line 3", 22},
		{"E of another label", conll(columns("Gwendolyn B-P Ann E-L")), Options{}, "tag-sequence", "line 2", 14},
		{"NUL", conll("Ann B-P\nGwen\x00 O\n"), Options{}, "control-character", "line 2", 12},
		{"Latin-1", conll("Ann B-P\nGwen\xe9 O\n"), Options{}, "encoding", "line 2", 12},
		{"half a character of UTF-16", conll("\xff\xfeA"), Options{}, "encoding", "", 2},
		{"long line", conll("Ann B-P\n" + strings.Repeat("x", maxColumnsLine+1) + " O\n"), Options{}, "line-too-long", "line 2", 8},
		{"token of white space", conll("Ann\tB-P\n\u00a0\tO\n"), Options{}, "columns", "line 2", 8},
		{"too large", conll(strings.Repeat(strings.Repeat("x", 1<<20-10)+" O\n", 11)), Options{}, "document-too-large", "line", anyOffset},
	})
}

func TestBadCoNLLDocumentDoesNotLoseTheOthers(t *testing.T) {
	docs, report, err := readAll(Options{SkipBad: true}, file("a.conll", "-DOCSTART- O\nAnn B-P\n-DOCSTART- O\nBo\n-DOCSTART- O\nCy B-P\n"))
	if err != nil || len(docs) != 2 || docs[1].Name != "a-0003" || report.Refused != 1 {
		t.Errorf("%d documents, %d refused, %v", len(docs), report.Refused, err)
	}
}

// TestEverySchemeGivesTheSameSpans writes random spans in all schemes.
func TestEverySchemeGivesTheSameSpans(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 300 {
		sentences := randomSentences(rng)
		var want string
		for i, scheme := range []string{"IOB2", "IOB1", "BIOES", "BILOU"} {
			docs, _ := mustRead(t, Options{Format: "conll"}, file("x", writeScheme(sentences, scheme)))
			if i == 0 {
				want = marked(docs[0])
			} else if got := marked(docs[0]); got != want {
				t.Fatalf("%s gives %q, IOB2 %q", scheme, got, want)
			}
		}
	}
}

// randomSentences are the labels of runs of tokens ("" or a label), with lengths.
func randomSentences(rng *rand.Rand) [][]chunk {
	var all [][]chunk
	for range 1 + rng.IntN(4) {
		var sentence []chunk
		for range 1 + rng.IntN(6) {
			sentence = append(sentence, chunk{0, 1 + rng.IntN(3), annotate.Label([]string{"", "A", "B"}[rng.IntN(3)])})
		}
		all = append(all, sentence)
	}
	return all
}

func writeScheme(sentences [][]chunk, scheme string) string {
	var b strings.Builder
	n := 0
	for _, sentence := range sentences {
		previous := annotate.Label("")
		for _, run := range sentence {
			for i := range run.end {
				tag := "O"
				if run.label != "" {
					tag = prefix(scheme, i == 0, i == run.end-1, previous == run.label && i == 0) + "-" + string(run.label)
				}
				fmt.Fprintf(&b, "w%d\t%s\n", n, tag)
				n++
			}
			previous = run.label
		}
		b.WriteString("\n")
	}
	return b.String()
}

func prefix(scheme string, first, last, afterSame bool) string {
	switch {
	case scheme == "IOB1" && (!first || !afterSame):
		return "I"
	case scheme == "BIOES" && first && last:
		return "S"
	case scheme == "BIOES" && last:
		return "E"
	case scheme == "BILOU" && first && last:
		return "U"
	case scheme == "BILOU" && last:
		return "L"
	case first:
		return "B"
	}
	return "I"
}

func FuzzCoNLL(f *testing.F) {
	f.Add(columns("Ann B-P Li I-P saw O / Bo S-P"))
	f.Add("-DOCSTART- -X- O\n\nAnn\tNNP\tI-P\r\nBo\tB-P\n")
	f.Add("\ufeffAnn U-P\nLi B-P\n\nx")
	f.Fuzz(func(t *testing.T, content string) {
		for _, d := range checkFuzzed(t, "a.conll", Options{}, content) {
			for l := range strings.Lines(d.Text) {
				if strings.Contains(content, placedStart) {
					break // white space is written by letters
				}
				if first, _, _ := strings.Cut(l, " "); !strings.Contains(content, strings.TrimSuffix(first, "\n")) {
					t.Fatal("a token is not in the file")
				}
			}
		}
	})
}
