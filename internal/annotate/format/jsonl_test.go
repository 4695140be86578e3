// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"hide/internal/annotate"
)

// line is a record about the text "naïve 😀 Gwendolyn", with these spans.
func line(spans string) File {
	return file("a.jsonl", `{"id":"1","text":"naïve 😀 Gwendolyn","spans":`+spans+"}\n")
}

func TestJSONLRecord(t *testing.T) {
	docs, report := mustRead(t, Options{}, file("a.jsonl", "\n"+
		`{"extra":[1,{"x":2}],"spans":[{"label":"NAME","end":17,"start":8,"text":"Gwendolyn","note":1},{"start":6,"end":7,"label":"X"}],`+
		`"attributes":{"zip":"02139","age":61,"alive":true,"none":null},"patient":"p1","text":"naïve \ud83d\ude00 Gwendolyn","id":"n1"}`+"\r\n  \n"))
	want := annotate.Annotated{
		Document: annotate.Document{Name: "n1", Text: "naïve 😀 Gwendolyn", Patient: "p1", Attributes: map[string]string{"zip": "02139", "age": "61", "alive": "true"}},
		Spans:    []annotate.Span{{Start: 7, End: 11, Label: "X"}, {Start: 12, End: 21, Label: "NAME"}},
	}
	if len(docs) != 1 || !reflect.DeepEqual(docs[0], want) {
		t.Errorf("got %q, %+v", docs[0].Text, docs[0].Spans)
	}
	if !slices.Contains(report.Notes, "2 unknown fields: ignored") {
		t.Errorf("notes are %q", report.Notes)
	}
}

func TestJSONLWithoutIDIsNamedAfterItsLine(t *testing.T) {
	docs, _ := mustRead(t, Options{}, file("notes.jsonl", "\n"+`{"text":"x"}`+"\n"+`{"id":17,"text":"y"}`))
	if docs[0].Name != "notes-2" || docs[1].Name != "17" {
		t.Errorf("names are %q and %q", docs[0].Name, docs[1].Name)
	}
}

func TestIdenticalSpansAreTakenOnce(t *testing.T) {
	docs, report := mustRead(t, Options{}, line(`[{"start":0,"end":5,"label":"A"},{"start":0,"end":5,"label":"A"}]`))
	if len(docs[0].Spans) != 1 || !slices.Contains(report.Notes, "1 span: "+droppedSpans) {
		t.Errorf("%d spans, notes %q", len(docs[0].Spans), report.Notes)
	}
}

func TestSpanThatCutsAGraphemeIsNoted(t *testing.T) {
	_, report := mustRead(t, Options{}, file("a.jsonl", `{"text":"Zoe\u0308 x","spans":[{"start":0,"end":3,"label":"A"}]}`))
	if !slices.Contains(report.Notes, "1 span: starts or ends inside a combined character") {
		t.Errorf("notes are %q", report.Notes)
	}
}

func TestBadJSONL(t *testing.T) {
	good := `{"id":"0","text":"x"}` + "\n" // 22 bytes
	second := func(record string) []File { return []File{file("a.jsonl", good+record+"\n")} }
	tooMany := "[" + strings.Repeat(`{"start":0,"end":5,"label":"A"},`, MaxSpans) + `{"start":0,"end":5,"label":"A"}]`
	runBad(t, []badCase{
		{"no object", second(`["Gwendolyn"]`), Options{}, "json", "line 2", anyOffset},
		{"no JSON", second(`Gwendolyn`), Options{}, "json", "line 2", anyOffset},
		{"bad escape", second(`{"text":"\Gwendolyn"}`), Options{}, "json", "line 2", anyOffset},
		{"raw control character", second("{\"text\":\"Gwendolyn\x01\"}"), Options{}, "json", "line 2", anyOffset},
		{"two objects", second(`{"text":"x"}{"text":"Gwendolyn"}`), Options{}, "json", "line 2", anyOffset},
		{"trailing comma", second(`{"text":"Gwendolyn",}`), Options{}, "json", "line 2", anyOffset},
		{"cut off", []File{file("a.jsonl", good+`{"id":"1","text":"Gwend`)}, Options{}, "truncated", "line 2", anyOffset},
		{"cut off after a value", []File{file("a.jsonl", good+`{"id":"1"`)}, Options{}, "truncated", "line 2", anyOffset},
		{"complete, and without a text", []File{file("a.jsonl", good+`{"id":"1"}`)}, Options{}, "json", "line 2", anyOffset},
		{"field twice", second(`{"text":"x","text":"Gwendolyn"}`), Options{}, "json", "line 2", anyOffset},
		{"field twice but for case", second(`{"id":"1", "ID":"2","text":"Gwendolyn"}`), Options{}, "json", "line 2", 33},
		{"field twice, once escaped", second(`{"id":"1","text":"x","\u0069D":"Gwendolyn"}`), Options{}, "json", "line 2", 43},
		{"span's field twice but for case", []File{line(`[{"start":0,"end":5,"End":7,"label":"A"}]`)}, Options{}, "json", "line 1", 0},
		{"attribute twice but for case", second(`{"text":"x","attributes":{"age":1,"Age":"Gwendolyn"}}`), Options{}, "json", "line 2", 22},
		{"id by another case", second(`{"ID":"Gwendolyn","text":"x"}`), Options{}, "json", "line 2", 22},
		{"attribute above 64 KiB", second(`{"text":"x","attributes":{"a":"` + strings.Repeat("x", maxAttribute+1) + `"}}`), Options{}, "attributes", "line 2", 22},
		{"attributes above 1 MiB", second(`{"text":"x","attributes":{` + manyAttributes(17, maxAttribute) + `}}`), Options{}, "attributes", "line 2", 22},
		{"1,001 attributes", second(`{"text":"x","attributes":{` + manyAttributes(maxAttributes+1, 1) + `}}`), Options{}, "attributes", "line 2", 22},
		{"identities are an object", second(`{"text":"x","identities":{"value":"Gwendolyn"}}`), Options{}, "identities", "line 2", 22},
		{"identity is a string", second(`{"text":"x","identities":["Gwendolyn"]}`), Options{}, "identities", "line 2", 22},
		{"identity of nobody", second(`{"text":"x","identities":[{"of":"Gwendolyn","label":"PATIENT","value":"x"}]}`), Options{}, "identities", "line 2", 22},
		{"identity without a value", second(`{"text":"x","identities":[{"of":"patient","label":"PATIENT"}]}`), Options{}, "identities", "line 2", 22},
		{"identity without a label", second(`{"text":"x","identities":[{"of":"patient","value":"Gwendolyn"}]}`), Options{}, "identities", "line 2", 22},
		{"value is a number", second(`{"text":"x","identities":[{"of":"patient","label":"IDNUM","value":17}]}`), Options{}, "identities", "line 2", 22},
		{"unknown field of an identity", second(`{"text":"x","identities":[{"of":"patient","label":"IDNUM","value":"17","name":"Gwendolyn"}]}`), Options{}, "identities", "line 2", 22},
		{"field of an identity twice", second(`{"text":"x","identities":[{"of":"patient","Of":"patient","label":"IDNUM","value":"Gwendolyn"}]}`), Options{}, "json", "line 2", 22},
		{"NUL in an identity", second(`{"text":"x","identities":[{"of":"patient","label":"IDNUM","value":"Gwendolyn\u0000"}]}`), Options{}, "identities", "line 2", 22},
		{"identity above 64 KiB", second(`{"text":"x","identities":[` + manyIdentities(1, maxIdentity+1) + `]}`), Options{}, "identities", "line 2", 22},
		{"identities above 1 MiB", second(`{"text":"x","identities":[` + manyIdentities(17, maxIdentity) + `]}`), Options{}, "identities", "line 2", 22},
		{"1,001 identities", second(`{"text":"x","identities":[` + manyIdentities(maxIdentities+1, 1) + `]}`), Options{}, "identities", "line 2", 22},
		{"identities by another case", second(`{"text":"x","Identities":[]}`), Options{}, "json", "line 2", 22},
		{"no text", second(`{"id":"Gwendolyn"}`), Options{}, "json", "line 2", 22},
		{"text by another case", second(`{"Text":"Gwendolyn"}`), Options{}, "json", "line 2", 22},
		{"text is a number", second(`{"text":5}`), Options{}, "json", "line 2", 22},
		{"text is null", second(`{"text":null}`), Options{}, "json", "line 2", 22},
		{"id is a list", second(`{"id":["Gwendolyn"],"text":"x"}`), Options{}, "json", "line 2", 22},
		{"id with a control character", second(`{"id":"a\u001b[31m","text":"x"}`), Options{}, "id", "line 2", 22},
		{"id too long", second(`{"id":"` + strings.Repeat("x", 1001) + `","text":"x"}`), Options{}, "id", "line 2", 22},
		{"id twice", second(`{"id":"0","text":"Gwendolyn"}`), Options{}, "duplicate-id", "line 2", 22},
		{"patient is an object", second(`{"text":"x","patient":{}}`), Options{}, "json", "line 2", 22},
		{"nested attribute", second(`{"text":"x","attributes":{"a":["Gwendolyn"]}}`), Options{}, "attributes", "line 2", 22},
		{"NUL in an attribute", second(`{"text":"x","attributes":{"a":"Gwendolyn\u0000"}}`), Options{}, "attributes", "line 2", 22},
		{"attributes are a list", second(`{"text":"x","attributes":[]}`), Options{}, "json", "line 2", 22},
		{"invalid UTF-8", second("{\"text\":\"Gwendolyn\xe9\"}"), Options{}, "encoding", "line 2", 40},
		{"high half of a surrogate pair", second(`{"text":"Gwendolyn\ud83d"}`), Options{}, "encoding", "line 2", 40},
		{"low half of a surrogate pair", second(`{"text":"Gwendolyn\ude00"}`), Options{}, "encoding", "line 2", 40},
		{"halves in the wrong order", second(`{"text":"\ude00\ud83d"}`), Options{}, "encoding", "line 2", 31},
		{"half in an id", second(`{"id":"\uD800","text":"x"}`), Options{}, "encoding", "line 2", 29},
		{"high half and another escape", second(`{"text":"\ud83d\u0041"}`), Options{}, "encoding", "line 2", 31},
		{"NUL in the text", second(`{"text":"Gwendolyn\u0000"}`), Options{}, "control-character", "line 2", 22},
		{"text too large", second(`{"text":"` + strings.Repeat("x", MaxDocument+1) + `"}`), Options{}, "document-too-large", "line 2", 22},
		{"line of 100 MB", second(`{"text":"` + strings.Repeat("x", 100<<20) + `"}`), Options{}, "document-too-large", "line 2", 22},
		{"spans are an object", []File{line(`{"start":0}`)}, Options{}, "json", "line 1", anyOffset},
		{"span is a list", []File{line(`[[0,5,"A"]]`)}, Options{}, "json", "line 1", 0},
		{"start below 0", []File{line(`[{"start":-1,"end":5,"label":"A"}]`)}, Options{}, "span-range", "line 1", 0},
		{"end beyond the text", []File{line(`[{"start":0,"end":18,"label":"A"}]`)}, Options{}, "span-range", "line 1", 0},
		{"empty span", []File{line(`[{"start":5,"end":5,"label":"A"}]`)}, Options{}, "span-range", "line 1", 0},
		{"backwards", []File{line(`[{"start":5,"end":3,"label":"A"}]`)}, Options{}, "span-range", "line 1", 0},
		{"float", []File{line(`[{"start":0.0,"end":5,"label":"A"}]`)}, Options{}, "span-range", "line 1", 0},
		{"1e20", []File{line(`[{"start":0,"end":1e20,"label":"A"}]`)}, Options{}, "span-range", "line 1", 0},
		{"20 digits", []File{line(`[{"start":0,"end":99999999999999999999,"label":"A"}]`)}, Options{}, "span-range", "line 1", 0},
		{"string", []File{line(`[{"start":"0","end":5,"label":"A"}]`)}, Options{}, "span-range", "line 1", 0},
		{"no end", []File{line(`[{"start":0,"label":"A"}]`)}, Options{}, "span-range", "line 1", 0},
		{"offsets in bytes", []File{line(`[{"start":12,"end":21,"label":"A","text":"Gwendolyn"}]`)}, Options{}, "span-range", "line 1", 0},
		{"offsets in UTF-16", []File{line(`[{"start":6,"end":8,"label":"A","text":"😀"}]`)}, Options{}, "span-text", "line 1", 0},
		{"overlap", []File{line(`[{"start":0,"end":5,"label":"A"},{"start":4,"end":7,"label":"A"}]`)}, Options{}, "span-overlap", "line 1", 0},
		{"same place, other label", []File{line(`[{"start":0,"end":5,"label":"A"},{"start":0,"end":5,"label":"B"}]`)}, Options{}, "span-overlap", "line 1", 0},
		{"too many spans", []File{line(tooMany)}, Options{}, "too-many-spans", "line 1", 0},
		{"label with a space", []File{line(`[{"start":0,"end":5,"label":"Gwendolyn X"}]`)}, Options{}, "label", "line 1", 0},
		{"label __proto__", []File{line(`[{"start":0,"end":5,"label":"__proto__"}]`)}, Options{}, "label", "line 1", 0},
		{"label of 10 KB", []File{line(`[{"start":0,"end":5,"label":"` + strings.Repeat("x", 10<<10) + `"}]`)}, Options{}, "label", "line 1", 0},
		{"no label", []File{line(`[{"start":0,"end":5}]`)}, Options{}, "json", "line 1", 0},
		{"empty file", []File{file("a.jsonl", "")}, Options{}, "empty-file", "", -1},
		{"only empty lines", []File{file("a.jsonl", "\n \n")}, Options{}, "empty-file", "", -1},
	})
}

// manyAttributes are n attributes of this size, without the braces.
func manyAttributes(n, size int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"a%d":"%s"`, i, strings.Repeat("x", size)))
	}
	return strings.Join(list, ",")
}

func TestTwinsNameTheirPlaces(t *testing.T) {
	_, _, err := readAll(Options{}, file("a.jsonl", `{"id":"1","text":"x","ID":"Gwendolyn"}`))
	if err == nil || !strings.Contains(err.Error(), "line 1, byte 21: fields 1 and 3 ") {
		t.Errorf("got %v", err)
	}
}

// TestLargeAttributesCostNoMemory counts the bytes allocated to refuse them: less than the
// line has, so that it was never held whole, let alone decoded.
func TestLargeAttributesCostNoMemory(t *testing.T) {
	for _, names := range []string{`"attributes":{"a":"`, `"id":"1","text":"A note.","attributes":{"ok":{"a":[1,"`} {
		record := "{" + names + strings.Repeat("x", 35<<20) + `"`
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := readAll(Options{}, file("a.jsonl", record))
		runtime.ReadMemStats(&after)
		if p := (*Problem)(nil); !errors.As(err, &p) || p.Code != "attributes" || p.Record != "line 1" {
			t.Errorf("got %v", err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > uint64(len(record)) {
			t.Errorf("%d MiB were allocated to refuse %d MiB", used>>20, len(record)>>20)
		}
	}
}

// TestAttributesUpToTheLimitsAreTaken reads the most that is allowed, escaped throughout.
func TestAttributesUpToTheLimitsAreTaken(t *testing.T) {
	attributes := strings.ReplaceAll(manyAttributes(15, maxAttribute), "x", `\u0078`)
	docs, _ := mustRead(t, Options{}, file("a.jsonl", `{"attributes":{`+attributes+`},"text":"x"}`))
	if n := len(docs[0].Attributes); n != 15 || docs[0].Attributes["a14"] != strings.Repeat("x", maxAttribute) {
		t.Errorf("%d attributes were read", n)
	}
}

// manyIdentities are n identities with values of this size.
func manyIdentities(n, size int) string {
	one := `{"of":"patient","label":"IDNUM","value":"` + strings.Repeat("x", size) + `"}`
	return strings.TrimSuffix(strings.Repeat(one+",", n), ",")
}

func TestLargeIdentitiesAreRefusedWhileTheyAreRead(t *testing.T) {
	guard := new(attributeGuard)
	p := guard.feed([]byte(`{"text":"x","identities":["`))
	for n := 0; p == nil && n < 1000; n++ {
		p = guard.feed([]byte(strings.Repeat("x", 64<<10)))
	}
	if p == nil || p.Code != "identities" {
		t.Errorf("got %v", p)
	}
	if guard.attributes.size > 0 {
		t.Error("identities count as attributes")
	}
}

// TestObjectsAreWalkedAsPackageJSONReadsThem compares with encoding/json.
func TestObjectsAreWalkedAsPackageJSONReadsThem(t *testing.T) {
	for _, text := range []string{
		`{}`, ` { } `, "{\n\"a\" :\t1 , \"b\": null\r\n}", `{"a":"}","b\\":"\\\"","c":[1,{"a":"]"},[]],"d":{"e":{}},"f":-1.5e3,"g":true}`, `{"\u0061":"\\","":""}`,
	} {
		want, got := map[string]json.RawMessage{}, map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		p := walkObject([]byte(text), func(key string, value json.RawMessage) *Problem {
			got[key] = value
			return nil
		})
		if p != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %s, %v, want %s", text, got, p, want)
		}
	}
}

func TestOverlapNamesBothPositions(t *testing.T) {
	_, _, err := readAll(Options{}, line(`[{"start":0,"end":5,"label":"A"},{"start":4,"end":7,"label":"A"}]`))
	if err == nil || !strings.Contains(err.Error(), "0 to 5 and 4 to 7") {
		t.Errorf("got %v", err)
	}
}

func TestProblemOfALongLineDoesNotLoseTheNext(t *testing.T) {
	content := `{"text":"` + strings.Repeat("x", maxLine) + `"}` + "\n" + `{"id":"2","text":"y"}`
	docs, report, err := readAll(Options{SkipBad: true}, file("a.jsonl", content))
	if err != nil || len(docs) != 1 || docs[0].Name != "2" || report.Refused != 1 {
		t.Errorf("%d documents, %d refused, %v", len(docs), report.Refused, err)
	}
}

func TestLoadJSONLNamesTheFile(t *testing.T) {
	_, err := LoadJSONL(strings.NewReader("{}\n"), "train.jsonl")
	if err == nil || !strings.HasPrefix(err.Error(), "train.jsonl, line 1, byte 0: ") {
		t.Errorf("got %v", err)
	}
}

func TestJSONLRoundTripsRandomDocuments(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		want := randomDocument(rng)
		var b bytes.Buffer
		if err := WriteJSONL(&b, sequence([]annotate.Annotated{want})); err != nil {
			t.Fatal(err)
		}
		docs, err := LoadJSONL(&b, "x")
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(docs[0], want) {
			t.Fatalf("got %q %v, want %q %v", docs[0].Text, docs[0].Spans, want.Text, want.Spans)
		}
	}
}

// randomDocument has a random allowed text, and spans that fit it.
func randomDocument(rng *rand.Rand) annotate.Annotated {
	alphabet := []rune("ab Z09\t\n\r\f.<>&\"\\'/é\u0301ß日\u2028\ufeff\ufffd😀𝔘{}")
	text := []rune{'x'}
	for range rng.IntN(60) {
		text = append(text, alphabet[rng.IntN(len(alphabet))])
	}
	d := annotate.Annotated{Document: annotate.Document{Name: "n", Text: string(text)}}
	if rng.IntN(2) == 0 {
		d.Patient, d.Attributes = "p\u00e9", map[string]string{"a b": "x\ny", "é": ""}
	}
	if rng.IntN(2) == 0 {
		d.Identities = []annotate.Identity{{Of: annotate.OfPatient, Label: "PATIENT", Value: string(text), From: "PID-5"}, {Of: annotate.OfPlace, Label: "CITY", Value: "é<&\n"}}
	}
	offsets := annotate.NewOffsets(d.Text)
	for at := rng.IntN(4); at < len(text); {
		end := min(at+1+rng.IntN(5), len(text))
		s, err := offsets.Span(annotate.RuneOff(at), annotate.RuneOff(end), annotate.Label([]string{"A", "B-C"}[rng.IntN(2)]))
		if err == nil {
			d.Spans = append(d.Spans, s)
		}
		at = end + rng.IntN(8)
	}
	return d
}

func TestWritersPassErrorsOn(t *testing.T) {
	broken := errors.New("damaged")
	docs := func(yield func(annotate.Annotated, error) bool) { yield(annotate.Annotated{}, broken) }
	writers := map[string]error{
		"jsonl": WriteJSONL(io.Discard, docs), "brat": WriteBratZip(io.Discard, docs), "csv": WriteCSV(io.Discard, nil, docs),
	}
	for name, err := range writers {
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), "document 1") {
			t.Errorf("%s: %v", name, err)
		}
	}
	bad := sequence([]annotate.Annotated{{Document: annotate.Document{Name: "n", Text: "é"}, Spans: []annotate.Span{{Start: 0, End: 1, Label: "A"}}}})
	if WriteJSONL(io.Discard, bad) == nil || WriteBratZip(io.Discard, bad) == nil {
		t.Error("a span that cuts a character was written")
	}
}

// checkFuzzed checks the result for any input: documents are valid, and everything refused
// is a problem that shows no text.
func checkFuzzed(t *testing.T, name string, o Options, content string) []annotate.Annotated {
	t.Helper()
	o.SkipBad = true
	docs, report, err := readAll(o, file(name, content))
	if err != nil {
		t.Fatalf("with bad records skipped: %v", err)
	}
	for _, d := range docs {
		if !utf8.ValidString(d.Text) || checkDocument(d) != nil {
			t.Fatal("an invalid text was accepted")
		}
		if err := annotate.CheckSpans(d.Text, slices.Clone(d.Spans)); err != nil {
			t.Fatal(err)
		}
		for _, s := range d.Spans {
			if err := annotate.CheckLabel(s.Label); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(docs) == 0 && report.Refused == 0 && len(report.Notes) == 0 {
		t.Fatal("nothing was read and no problem reported")
	}
	for _, p := range report.Problems {
		if p.Code == "" || p.Reason == "" || p.File == "" || p.Offset > int64(len(content)) || p.Offset < -1 {
			t.Fatalf("incomplete problem %+v", p)
		}
	}
	return docs
}

func FuzzJSONL(f *testing.F) {
	f.Add(`{"id":"1","text":"naïve 😀","spans":[{"start":0,"end":5,"label":"A","text":"naïve"}],"patient":"p","attributes":{"a":1},"identities":[{"of":"patient","label":"PATIENT","value":"Anna Weiß","from":"PID-5"}]}`)
	f.Add(`{"text":"x","identities":[{"of":"x","label":"","value":1},null,[]]}`)
	f.Add(`{"text":"\ud83d"}` + "\n" + `{"text":"\ud83d\ude00"}`)
	f.Add("\ufeff{}\r\n[]\n{\"text\":\"\xff\"}")
	f.Add(`{"text":"x","spans":[{"start":1e20,"end":-1,"label":""}]}`)
	f.Add(`{"text":"0","":[{"":1e700}]}`)
	f.Fuzz(func(t *testing.T, content string) {
		docs := checkFuzzed(t, "a.jsonl", Options{}, content)
		for _, d := range docs {
			if !givenText(content, d.Text) {
				t.Fatal("the text of the document is not in the file")
			}
		}
	})
}

// givenText reports whether some line of the file, read by the standard library, has this
// text.
func givenText(content, text string) bool {
	for l := range strings.SplitSeq(strings.TrimPrefix(content, "\ufeff"), "\n") {
		var fields map[string]json.RawMessage // of any value: some numbers do not fit a float64
		if json.Unmarshal([]byte(l), &fields) != nil {
			continue
		}
		for _, field := range fields {
			var given any
			if json.Unmarshal(field, &given) == nil && given == any(text) {
				return true
			}
		}
	}
	return false
}
