// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// casFile is a CAS with a text and more feature structures.
func casFile(text, structures string) string {
	if structures != "" {
		structures = "," + structures
	}
	return `{"%TYPES":{},"%FEATURE_STRUCTURES":[{"%ID":1,"%TYPE":"uima.cas.Sofa","sofaNum":1,"sofaID":"_InitialView","sofaString":` + text + `}` + structures + `],"%VIEWS":{"_InitialView":{"%SOFA":1,"%MEMBERS":[2]}}}`
}

func TestUIMA(t *testing.T) {
	content := casFile(`"😀 Rose May\nleft"`, `
		{"%ID":2,"%TYPE":"`+dkproMeta+`","@sofa":1,"begin":0,"end":16,"documentId":"i","documentTitle":"n.txt"},
		{"%ID":3,"%TYPE":"uima.tcas.DocumentAnnotation","@sofa":1,"begin":0,"end":16,"language":"x"},
		{"%ID":4,"%TYPE":"`+dkproEntity+`","@sofa":1,"begin":3,"end":7,"value":"NAME","identifier":"x"},
		{"%ID":5,"%TYPE":"custom.PHI","@sofa":1,"begin":8,"end":11,"identifier":"DATE"},
		{"%ID":6,"%TYPE":"`+dkpro+`segmentation.type.Lemma","@sofa":1,"begin":8,"end":11,"value":"may"},
		{"%ID":7,"%TYPE":"custom.PHI","@sofa":1,"begin":8,"end":11},
		{"%ID":8,"%TYPE":"`+dkpro+`segmentation.type.Sentence","@sofa":1,"begin":0,"end":16}`)
	docs, report := mustRead(t, Options{}, file("a.json", content))
	if report.Format != "uima" || shown(docs[0]) != "n.txt||😀 Rose May\nleft|NAME:Rose;DATE:May;" {
		t.Errorf("%s, %q", report.Format, shown(docs[0]))
	}
	if notes := strings.Join(report.Notes, "\n"); notes != "1 annotation: of the layer Lemma, left out\n1 annotation: of the layer PHI, left out\n1 annotation: of the layer Sentence, left out" {
		t.Errorf("%q", notes)
	}
	object := strings.NewReplacer(`"%FEATURE_STRUCTURES":[`, `"%FEATURE_STRUCTURES":{"1":`, `],"%VIEWS"`, `},"%VIEWS"`).Replace(casFile(`"Rose"`, ""))
	docs, _ = mustRead(t, Options{}, file("b.json", object))
	if shown(docs[0]) != "b||Rose|" {
		t.Errorf("%q", shown(docs[0]))
	}
}

func TestBadUIMA(t *testing.T) {
	span := func(fields string) []File {
		return []File{file("a.json", casFile(`"`+secret+` 😀 x"`, `{"%ID":2,"%TYPE":"custom.X","@sofa":1,`+fields+`}`))}
	}
	runBad(t, []badCase{
		{"cut", []File{file("a.json", casFile(`"`+secret+`"`, "")[:120])}, Options{}, "truncated", "", 120},
		{"not JSON", []File{file("a.json", casFile(`"`+secret+`",,`, ""))}, Options{}, "json", "", anyOffset},
		{"no text", []File{file("a.json", `{"%FEATURE_STRUCTURES":[]}`)}, Options{}, "json", "", -1},
		{"two texts", []File{file("a.json", casFile(`"a"`, `{"%TYPE":"uima.cas.Sofa","sofaString":"b"}`))}, Options{}, "json", "", -1},
		{"a list of numbers", []File{file("a.json", `{"%FEATURE_STRUCTURES":[1]}`)}, Options{}, "json", "", -1},
		{"text is an object", []File{file("a.json", casFile(`{}`, ""))}, Options{}, "json", "", -1},
		{"an empty file", []File{file("a.json", "")}, Options{Format: "uima"}, "empty-file", "", -1},
		{"after the end", span(`"begin":0,"end":99,"value":"A"`), Options{}, "span-range", "", -1},
		{"inside a character", span(`"begin":11,"end":12,"value":"A"`), Options{}, "span-range", "", -1},
		{"negative", span(`"begin":-1,"end":2,"value":"A"`), Options{}, "span-range", "", -1},
		{"backwards", span(`"begin":2,"end":1,"value":"A"`), Options{}, "span-range", "", -1},
		{"float", span(`"begin":0.5,"end":2,"value":"A"`), Options{}, "span-range", "", -1},
		{"1e20", span(`"begin":0,"end":1e20,"value":"A"`), Options{}, "span-range", "", -1},
		{"string", span(`"begin":"0","end":2,"value":"A"`), Options{}, "span-range", "", -1},
		{"__proto__", span(`"begin":0,"end":2,"value":"__proto__"`), Options{}, "label", "", -1},
		{"10 KB", span(`"begin":0,"end":2,"value":"` + strings.Repeat(secret, 1000) + `"`), Options{}, "label", "", -1},
		{"field twice", span(`"begin":0,"BEGIN":0`), Options{}, "json", "", anyOffset},
		{"half a character", []File{file("a.json", casFile(`"\ud83d"`, ""))}, Options{}, "encoding", "", anyOffset},
		{"too large", []File{file("a.json", casFile(`"`+strings.Repeat("x", maxLine)+`"`, ""))}, Options{}, "document-too-large", "", anyOffset},
	})
}

// Every structure that a view lists is there, and refers to the text.
func TestWrittenUIMARefersToWhatItHas(t *testing.T) {
	d := annotate.Annotated{Document: annotate.Document{Name: "n", Text: "😀 Rose"}, Spans: []annotate.Span{{Start: 5, End: 9, Label: "NAME"}}}
	var b bytes.Buffer
	if err := Write(&b, "uima", sequence([]annotate.Annotated{d})); err != nil {
		t.Fatal(err)
	}
	var cas struct {
		Structures []map[string]any `json:"%FEATURE_STRUCTURES"`
		Views      map[string]struct {
			Sofa    int   `json:"%SOFA"`
			Members []int `json:"%MEMBERS"`
		} `json:"%VIEWS"`
	}
	if err := json.Unmarshal([]byte(unpack(t, b.Bytes())["n.json"]), &cas); err != nil {
		t.Fatal(err)
	}
	view := cas.Views["_InitialView"]
	if view.Sofa != 1 || len(view.Members) != len(cas.Structures)-1 || cas.Structures[2]["begin"] != 3.0 || cas.Structures[2]["end"] != 7.0 {
		t.Errorf("%+v", cas)
	}
}

func FuzzUIMA(f *testing.F) {
	f.Add(casFile(`"😀 Rose"`, `{"%ID":4,"%TYPE":"custom.X","@sofa":1,"begin":3,"end":7,"value":"NAME"}`))
	f.Add(casFile(`"x"`, `{"%TYPE":"`+dkproMeta+`","documentId":"i"}`))
	fuzzKind(f, "uima", "a.json")
}
