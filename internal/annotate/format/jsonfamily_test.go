// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// shown writes a document as one line: id, patient, text and spans.
func shown(d annotate.Annotated) string {
	out := d.Name + "|" + d.Patient + "|" + d.Text + "|"
	for _, s := range d.Spans {
		out += string(s.Label) + ":" + s.Surface(d.Text) + ";"
	}
	for _, a := range slices.Sorted(maps.Keys(d.Attributes)) {
		out += "|" + a + "=" + d.Attributes[a]
	}
	return out
}

func TestJSONOfOtherPrograms(t *testing.T) {
	cases := []struct {
		name, content, format, want, remark string
	}{
		{"doccano", `{"id":1,"text":"😀 Rose May","label":[[2,6,"NAME"],[7,10,"DATE"]],"Comments":["x"]}`, "doccano", "1||😀 Rose May|NAME:Rose;DATE:May;", "1 doccano Comments: ignored"},
		{"doccano, labels", `{"text":"Rose","labels":[[0,4,"NAME"]],"id":"a"}`, "doccano", "a||Rose|NAME:Rose;", ""},
		{"doccano, entities", `{"id":2,"text":"Rose","entities":[{"id":7,"label":"NAME","start_offset":0,"end_offset":4}],"relations":[{"id":1}]}`, "doccano", "2||Rose|NAME:Rose;", "1 doccano relation"},
		{"doccano, a list", `[ {"id":2,"text":"Rose","label":[]} , {"id":3,"text":"May","label":null} ]`, "doccano", "2||Rose| 3||May|", ""},
		{"spaCy's triples in an object", `{"text":"Rose","entities":[[0,4,"NAME"]]}`, "doccano", "a-1||Rose|NAME:Rose;", ""},
		{"spaCy", `[["Rose",{"entities":[[0,4,"NAME"]],"cats":{}}],` + "\n" + `["May",{}]]`, "spacy", "a-1||Rose|NAME:Rose; a-2||May|", "1 unknown field"},
		{"spaCy, lines", `["Rose",{"entities":[[0,4,"NAME"]]}]` + "\n" + `["May",{"entities":[]}]`, "spacy", "a-1||Rose|NAME:Rose; a-2||May|", ""},
		{"Prodigy", `{"text":"Rose May","_input_hash":1,"tokens":[{"text":"Rose","start":0,"end":4,"id":0,"ws":true},{"text":"May","start":5,"end":8,"id":1}],"spans":[{"start":0,"end":4,"token_start":0,"token_end":0,"label":"NAME"},{"token_start":1,"token_end":1,"label":"DATE"}],"answer":"accept","meta":{"id":"n","patient":"p","ward":3}}`,
			"prodigy", "n|p|Rose May|NAME:Rose;DATE:May;|ward=3", ""},
		{"Prodigy, the last token belongs to the span", `{"text":"Rose May","tokens":[{"text":"Rose","start":0,"end":4},{"text":"May","start":5,"end":8}],"spans":[{"token_start":0,"token_end":1,"label":"NAME"}]}`,
			"prodigy", "a-1||Rose May|NAME:Rose May;", ""},
		{"Prodigy, refused answers", `{"text":"Rose","spans":[],"answer":"reject"}` + "\n" + `{"text":"May","answer":"ignore"}` + "\n" + `{"text":"x","answer":"accept"}`, "prodigy", "a-3||x|", "2 records: not answered with accept"},
		{"Label Studio", `[{"id":5,"data":{"text":"😀 Rose","ward":"3"},"annotations":[{"was_cancelled":true,"result":[]},{"result":[{"id":"x","type":"labels","value":{"start":2,"end":6,"text":"Rose","labels":["NAME","X"]}},{"type":"choices","value":{"choices":["a"]}}]},{"result":[]}],"predictions":[{"result":[]}]}]`,
			"labelstudio", "5||😀 Rose|NAME:Rose;|ward=3", "1 annotation: cancelled, left out\n1 prediction: ignored\n1 result: not of type labels, ignored\n1 label: of a span that has another, left out\n1 annotation: of a task that has another, left out"},
		{"Label Studio in UTF-16", `[{"data":{"text":"😀 Rose\n"},"annotations":[{"result":[{"type":"labels","value":{"start":3,"end":8,"text":"Rose\\n","labels":["NAME"]}}]}]}]`,
			"labelstudio", "a-1||😀 Rose\n|NAME:Rose\n;", "count UTF-16 units"},
		{"Label Studio, not annotated", `[{"id":1,"data":{"text":"x"},"predictions":[],"annotations":[]}]`, "labelstudio", "1||x|", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			docs, report := mustRead(t, Options{}, file("a.json", c.content))
			var got []string
			for _, d := range docs {
				got = append(got, shown(d))
			}
			if report.Format != c.format || strings.Join(got, " ") != c.want {
				t.Errorf("%s: %q", report.Format, got)
			}
			if !strings.Contains(strings.Join(report.Notes, "\n"), c.remark) {
				t.Errorf("notes are %q", report.Notes)
			}
		})
	}
}

// withSpan is a file of each format of the family with the given [start, end, label] as its
// span, and a text that starts with the secret.
var withSpan = map[string]func(start, end, label string) string{
	"doccano": func(s, e, l string) string {
		return `{"id":1,"text":"` + secret + ` 😀","label":[[` + s + `,` + e + `,` + l + `]]}`
	},
	"spacy": func(s, e, l string) string {
		return `[["` + secret + ` 😀",{"entities":[[` + s + `,` + e + `,` + l + `]]}]]`
	},
	"prodigy": func(s, e, l string) string {
		return `{"text":"` + secret + ` 😀","answer":"accept","spans":[{"start":` + s + `,"end":` + e + `,"label":` + l + `}]}`
	},
	"labelstudio": func(s, e, l string) string {
		return `[{"data":{"text":"` + secret + ` 😀"},"annotations":[{"result":[{"type":"labels","value":{"start":` + s + `,"end":` + e + `,"labels":[` + l + `]}}]}]}]`
	},
}

func TestBadSpansOfJSON(t *testing.T) {
	for format, content := range withSpan {
		cases := []badCase{}
		for _, c := range []struct{ name, start, end, label, code string }{
			{"after the end", "0", "99", `"A"`, "span-range"},
			{"negative", "-1", "3", `"A"`, "span-range"},
			{"backwards", "3", "1", `"A"`, "span-range"},
			{"zero length", "3", "3", `"A"`, "span-range"},
			{"float", "0.5", "3", `"A"`, "span-range"},
			{"1e20", "0", "1e20", `"A"`, "span-range"},
			{"string", `"0"`, "3", `"A"`, "span-range"},
			{"null", "null", "3", `"A"`, "span-range"},
			{"__proto__", "0", "3", `"__proto__"`, "label"},
			{"10 KB", "0", "3", `"` + strings.Repeat(secret, 1000) + `"`, "label"},
			{"a line break", "0", "3", `"A\nB"`, "label"},
			{"a number", "0", "3", `7`, "json"},
		} {
			cases = append(cases, badCase{c.name, []File{file("a.json", content(c.start, c.end, c.label))}, Options{}, c.code, "", anyOffset})
		}
		t.Run(format, func(t *testing.T) { runBad(t, cases) })
		docs, _ := mustRead(t, Options{}, file("a.json", content("0", "9", `"NAME"`)))
		if docs[0].Spans[0].Surface(docs[0].Text) != secret {
			t.Errorf("%s: the span is out of place", format)
		}
	}
}

func TestBadJSONOfOtherPrograms(t *testing.T) {
	one := func(content string) []File { return []File{file("a.json", content)} }
	doccano := Options{Format: "doccano"}
	runBad(t, []badCase{
		{"overlap", one(`{"text":"` + secret + `","label":[[0,5,"A"],[3,9,"B"]]}`), Options{}, "span-overlap", "line 1", 0},
		{"classes", one(`{"text":"` + secret + `","label":["A"]}`), Options{}, "json", "line 1", anyOffset},
		{"two parts of a span", one(`{"text":"` + secret + `","label":[[0,5]]}`), Options{}, "json", "line 1", 0},
		{"no text", one(`[{"data":{"note":"` + secret + `"},"annotations":[]}]`), Options{}, "json", "record 1", 1},
		{"other words", one(`[{"data":{"text":"` + secret + `"},"annotations":[{"result":[{"type":"labels","value":{"start":0,"end":4,"text":"Rose","labels":["A"]}}]}]}]`), Options{}, "span-text", "record 1", 1},
		{"same id", one(`[{"id":1,"text":"a","label":[]},{"id":1,"text":"` + secret + `","label":[]}]`), Options{}, "duplicate-id", "record 2", 32},
		{"cut", one(`[{"id":1,"text":"a","label":[]},{"id":1,"text":"` + secret), Options{}, "truncated", "record 2", anyOffset},
		{"cut line", one(`{"id":1,"text":"a","label":[]}` + "\n" + `{"id":1,"text":"` + secret), Options{}, "truncated", "line 2", anyOffset},
		{"no end", one(`[{"id":1,"text":"a","label":[]}`), Options{}, "truncated", "record 2", 31},
		{"text after the list", one(`[{"id":1,"text":"a","label":[]}] ` + secret), Options{}, "json", "", 33},
		{"no comma", one(`[{"id":1,"text":"a","label":[]} {}]`), Options{}, "json", "record 2", 32},
		{"two commas", one(`[{"id":1,"text":"a","label":[]},,{}]`), Options{}, "json", "", 32},
		{"a number in the list", one(`[{"id":1,"text":"a","label":[]}, 7]`), Options{}, "json", "", 33},
		{"not JSON", one(`[{"id":1,"text":"a","label":[}]}]`), doccano, "json", "record 1", anyOffset},
		{"an empty list", one(`[]`), doccano, "empty-file", "", -1},
		{"field twice", one(`{"id":1,"text":"a","label":[],"LABEL":[]}`), Options{}, "json", "line 1", anyOffset},
		{"half a character", one(`[{"id":1,"text":"\ud83d","label":[]}]`), Options{}, "encoding", "record 1", 17},
		{"UTF-16 without a mark", one("[\x00{\x00"), doccano, "json", "", anyOffset},
		{"depth", one(`{"text":"a","label":` + strings.Repeat("[", 20_000)), doccano, "json", "", anyOffset},
		{"too many spans", one(`{"text":"a","label":[` + strings.Repeat(`[0,1,"A"],`, MaxSpans) + `[0,1,"A"]]}`), Options{}, "too-many-spans", "", 0},
		{"a long record", one(`[{"text":"` + strings.Repeat("x", maxLine) + `","label":[]},{"text":"a","label":[]}]`), doccano, "document-too-large", "record 1", 1},
	})
}

// A file that cannot be read further is refused once, in whatever format.
func TestAFileThatBreaksOffIsRefusedOnce(t *testing.T) {
	for _, k := range kinds() {
		if k.read == nil || k.Name == "sql" {
			continue
		}
		_, report, err := readAll(Options{Format: k.Name, SkipBad: true}, file("a.x", "\xff\xfe(\x00e"))
		if err != nil || report.Refused > 2 {
			t.Errorf("%s: %d refused, %v", k.Name, report.Refused, err)
		}
	}
}

func TestALongRecordDoesNotLoseTheNext(t *testing.T) {
	content := `[{"text":"` + strings.Repeat("x", maxLine) + `","label":[]},{"id":"b","text":"a","label":[]}]`
	docs, report, err := readAll(Options{Format: "doccano", SkipBad: true}, file("a.json", content))
	if err != nil || len(docs) != 1 || docs[0].Name != "b" || report.Refused != 1 {
		t.Errorf("%v, %v, %d refused", docs, err, report.Refused)
	}
}

// The elements of a list are those that encoding/json finds.
func FuzzElements(f *testing.F) {
	f.Add(`[{"a":"]}\""},[[]], {}]`)
	f.Add(`[]`)
	f.Add(`[{},]`)
	f.Fuzz(func(t *testing.T, content string) {
		var got []string
		s := elementScanner{in: bufio.NewReader(strings.NewReader(content))}
		var err error
		for err == nil {
			var raw []byte
			if raw, err = s.next(); err == nil {
				got = append(got, string(raw))
			}
		}
		var want []json.RawMessage
		if json.Unmarshal([]byte(content), &want) != nil || want == nil {
			return
		}
		for _, raw := range want {
			if raw[0] != '{' && raw[0] != '[' {
				return
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d elements, want %d: %v", len(got), len(want), err)
		}
		for i := range got {
			if !bytes.Equal([]byte(got[i]), want[i]) {
				t.Fatalf("element %d differs", i)
			}
		}
	})
}

func FuzzDoccano(f *testing.F) {
	f.Add(withSpan["doccano"]("0", "3", `"A"`))
	f.Add(`[{"id":2,"text":"Rose","entities":[{"label":"NAME","start_offset":0,"end_offset":4}],"relations":[{}]}]`)
	f.Add("\xff\xfe(=e")
	fuzzKind(f, "doccano", "a.jsonl")
}

func FuzzSpacy(f *testing.F) {
	f.Add(withSpan["spacy"]("0", "3", `"A"`))
	f.Add(`["Rose",{"entities":[[0,4,"NAME"]]}]` + "\n" + `["May",{"entities":[]}]`)
	f.Add("\xff\xfe\xbe\xbe\xbe\xbe\xbe\xbef")
	fuzzKind(f, "spacy", "a.json")
}

func FuzzProdigy(f *testing.F) {
	f.Add(withSpan["prodigy"]("0", "3", `"A"`))
	f.Add(`{"text":"Rose","tokens":[{"start":0,"end":4}],"spans":[{"token_start":0,"token_end":0,"label":"X"}],"meta":{"id":"n","a":1,"attributes":{"b":""}}}`)
	fuzzKind(f, "prodigy", "a.jsonl")
}

func FuzzLabelStudio(f *testing.F) {
	f.Add(withSpan["labelstudio"]("0", "3", `"A"`))
	f.Add(`[{"id":1,"data":{"text":"😀 a","x":"y"},"annotations":[{"result":[{"type":"labels","value":{"start":3,"end":4,"text":"a","labels":["A"]}}]}]}]`)
	fuzzKind(f, "labelstudio", "a.json")
}
