// SPDX-License-Identifier: Apache-2.0

package format

import (
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"hide/internal/annotate"
)

func TestWhatNoReaderKnowsIsRefused(t *testing.T) {
	encoded := strings.Repeat("JVBERi0xLjQKJcfs8KIw", 40)
	page := "<html>" + strings.Repeat("<p>"+secret+" was here.</p>\n", 20) + "</html>"
	runBad(t, []badCase{
		{"markup", []File{file("a.txt", page)}, Options{}, "format", "", -1},
		{"markup without an ending", []File{file("a", page)}, Options{}, "format", "", -1},
		{"XML that nobody knows", []File{file("a.ccda", `<?xml version="1.0"?><Report name="`+secret+`"/>`)}, Options{}, "format", "", -1},
		{"base64", []File{file("a.txt", secret+"\n"+encoded)}, Options{}, "format", "", -1},
		{"base64 far behind the first bytes", []File{file("a.txt", strings.Repeat(secret+" walks.\n", 10_000)+encoded)}, Options{}, "format", "", -1},
		{"a very long line", []File{file("a.txt", strings.Repeat("walk ", 60_000))}, Options{}, "format", "", -1},
		{"JSON that nobody knows", []File{file("a.txt", `{"weight":70,"name":"`+secret+`"}`)}, Options{}, "format", "", -1},
		{"an ending of another program", []File{file("a.db", "Some words.")}, Options{}, "format", "", -1},
		{"two readers", []File{file("a.csv", strings.Repeat("Rose B-PATIENT\nleft O\n\n", 6))}, Options{}, "format", "", -1},
	})
}

func TestTextThatLooksOddIsTakenByChoice(t *testing.T) {
	for _, text := range []string{"<b>x</b>" + strings.Repeat("<i>y</i>", 9), strings.Repeat("aB3", 300), strings.Repeat("walk ", 60_000)} {
		docs, _ := mustRead(t, Options{Format: "text"}, file("a.txt", text))
		if docs[0].Text != text {
			t.Error("the text changed")
		}
	}
}

func TestNotesOfHospitalsLookLikeText(t *testing.T) {
	for _, text := range []string{
		"BP < 120/80, K > 3.5, temp <37.\nSeen <by phone>.\n",
		"----------------------------------------\nDISCHARGE SUMMARY\n========\n" + strings.Repeat("_", 600),
		strings.Repeat("0123456789", 60),
		strings.Repeat("Patient walks. ", 5000), // one line, as databases give them
		"ACGT" + strings.Repeat("ACGTTGCA", 100),
	} {
		if odd := unlikeText([]byte(text)); odd != "" {
			t.Errorf("a text of %d bytes is refused: %s", len(text), odd)
		}
	}
}

func utf16Of(text string, low int) string {
	b := []byte{0xff, 0xfe}
	if low == 1 {
		b = []byte{0xfe, 0xff}
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		pair := [2]byte{}
		pair[low], pair[1-low] = byte(unit), byte(unit>>8)
		b = append(b, pair[:]...)
	}
	return string(b)
}

func TestEncodingsAreConverted(t *testing.T) {
	text := "Señora Peña — 38 °C, 20 € 😀\nwalks."
	for low, name := range []string{"utf-16le", "utf-16be"} {
		docs, report := mustRead(t, Options{}, file("a.txt", utf16Of(text, low)))
		if docs[0].Text != text || !strings.Contains(strings.Join(report.Notes, " "), name) {
			t.Errorf("%s: %q, %v", name, docs[0].Text, report.Notes)
		}
	}
	docs, _ := mustRead(t, Options{Encoding: "windows-1252"}, file("a.txt", "Pe\xf1a \x96 20 \x80"))
	if docs[0].Text != "Peña – 20 €" {
		t.Errorf("windows-1252 gives %q", docs[0].Text)
	}
	// Positions in files count characters, so those of a converted file stay right.
	docs, _ = mustRead(t, Options{Encoding: "latin-1"}, file("a.txt", "Pe\xf1a ist da"), file("a.ann", "T1\tNAME 0 4\tPe\xf1a\n"))
	if s := docs[0].Spans[0]; s.Surface(docs[0].Text) != "Peña" {
		t.Error("a span of a converted file is out of place")
	}
	if _, _, err := readAll(Options{Encoding: "ebcdic"}, file("a.txt", "x")); err == nil {
		t.Error("an unknown encoding is taken")
	}
}

func TestStreamsAreDecoded(t *testing.T) {
	for encoding, in := range map[string]string{"latin-1": "Pe\xf1a", "windows-1252": "Pe\xf1a", "utf-16be": "\x00P\x00e\x00\xf1\x00a", "utf-8": "Peña", "": "Peña"} {
		out, err := Decode(strings.NewReader(in), encoding)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(out); err != nil || string(text) != "Peña" {
			t.Errorf("%q gives %q, %v", encoding, text, err)
		}
	}
	if _, err := Decode(strings.NewReader(""), "ebcdic"); err == nil {
		t.Error("an unknown encoding is taken")
	}
}

// The place of a problem is that in the file, not in the converted text.
func TestProblemsOfConvertedFilesAreWhereTheFileHasThem(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 5))
	letters := []rune("aé€😀 \n")
	for range 300 {
		var before []rune
		for range draw.IntN(40) {
			before = append(before, letters[draw.IntN(len(letters))])
		}
		for low := range 2 {
			content := utf16Of(string(before)+"\x01after", low)
			_, _, err := readAll(Options{Format: "text"}, file("a.txt", content))
			p, _ := errors.AsType[*Problem](err)
			if want := int64(2 + 2*len(utf16.Encode(before))); p == nil || p.Code != "control-character" || p.Offset != want {
				t.Fatalf("%v, want the control character at byte %d", err, want)
			}
		}
	}
	_, _, err := readAll(Options{Encoding: "latin-1"}, file("a.jsonl", `{"id":"1","text":"`+"\xe9\xe9\xe9"+`","spans":[}`))
	if p, _ := errors.AsType[*Problem](err); p == nil || p.Offset != 33 {
		t.Errorf("%v, want a problem at byte 33", err)
	}
}

// The outline of a record finds the fields that encoding/json finds, in any file.
func FuzzOutline(f *testing.F) {
	for _, seed := range []string{`{"a":1,"b":"x\"y","c":[[1]],"d":{"e":null}}`, `[{"a":[]}]`, `[["x",{}]]`, `{"a":"` + strings.Repeat("x", 300), "{", "[", `{"a"`, `{"a":tru}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		p, err := newProbe(input{name: "a", show: "a", open: file("a", content).Open})
		if err != nil {
			t.Fatal(err)
		}
		if p.record == nil {
			return
		}
		if p := checkJSON([]byte(content)); p != nil || strings.HasPrefix(strings.TrimSpace(content), "[") {
			return
		}
		got := map[string]bool{}
		problem := walkObject([]byte(content), func(key string, _ json.RawMessage) *Problem {
			got[key] = true
			return nil
		})
		if problem != nil || len(got) > maxOutlineFields || strings.Contains(content, `\`) || len(content) > maxOutlineName {
			return
		}
		for key := range got {
			if !p.record.has(key) {
				t.Errorf("a field of %d bytes is not found", len(key))
			}
		}
	})
}

func TestLossesAreNamedBeforeAnythingIsWritten(t *testing.T) {
	docs := []annotate.Annotated{{
		Document: annotate.Document{Name: "a", Text: "Ann", Patient: "p", Attributes: map[string]string{"ward": "3"}, Identities: []annotate.Identity{{Of: annotate.OfPatient, Label: "PATIENT", Value: "Ann"}}},
		Spans:    []annotate.Span{{Start: 0, End: 3, Label: "PATIENT"}},
	}}
	for name, want := range map[string]int{"jsonl": 0, "brat": 3} {
		lost, err := Losses(name, sequence(docs))
		if err != nil || len(lost) != want {
			t.Errorf("%s: %q, %v", name, lost, err)
		}
	}
	if _, err := Losses("pdf", sequence(docs)); err == nil {
		t.Error("losses of a format that cannot be written")
	}
}
