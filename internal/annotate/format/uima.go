// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"hide/internal/annotate"
)

// uimaKind is the CAS of UIMA as JSON, which INCEpTION reads and writes.
func uimaKind() kind {
	return kind{
		Format: Format{
			Name: "uima", Title: "UIMA CAS JSON", Files: "one note per .json file, with %TYPES, %FEATURE_STRUCTURES and %VIEWS", Endings: []string{".json"}, Ending: ".zip",
			Holds:  Holds{Name: true, Text: true, Spans: true},
			Remark: "Positions count UTF-16 units. Named entities and custom layers are read, with the label in value, identifier or label; other layers are left out and counted.",
		},
		claims: func(p *probe) bool { return p.record.has("%FEATURE_STRUCTURES") && !p.record.list },
		read:   (*reader).uima,
		write:  fileEach(".json", writeUIMA),
	}
}

// Types of UIMA and of DKPro Core, which INCEpTION uses.
const (
	uimaSofa     = "uima.cas.Sofa"
	uimaDocument = "uima.tcas.DocumentAnnotation"
	dkpro        = "de.tudarmstadt.ukp.dkpro.core.api."
	dkproMeta    = dkpro + "metadata.type.DocumentMetaData"
	dkproEntity  = dkpro + "ner.type.NamedEntity"
)

// uima reads one note. The whole file is in memory, as it is one JSON value whose parts may
// be in any order.
func (r *reader) uima(in input) error {
	r.used("uima", "")
	w := place{file: in.show, offset: -1}
	d, p := r.uimaDocument(in)
	if p != nil {
		return r.refuse(p.at(w))
	}
	return r.deliver(d, w)
}

func (r *reader) uimaDocument(in input) (d annotate.Annotated, p *Problem) {
	raw, p := r.wholeJSON(in)
	if p != nil {
		return d, p
	}
	var c cas
	p = walkObject(raw, func(key string, value json.RawMessage) *Problem {
		if key == "%FEATURE_STRUCTURES" {
			return c.structures(value)
		}
		return nil
	})
	if p == nil && c.sofas != 1 {
		p = &Problem{Code: "json", Reason: "not one text", Hint: "each file has one feature structure of type " + uimaSofa + " with a sofaString"}
	}
	if p != nil {
		return d, p
	}
	d.Name, d.Text = c.name, c.text
	if d.Name == "" {
		d.Name = stem(in.name, ".json")
	}
	if p = checkText(d.Text); p != nil {
		return d, p.inText()
	}
	for _, s := range c.others {
		r.remarks.add(s.count, "annotation", "of the layer "+s.layer+", left out")
	}
	d.Spans, p = r.spansIn(d.Text, c.spans.all, utf16Units)
	return d, p
}

// wholeJSON reads a file that is one JSON value.
func (r *reader) wholeJSON(in input) (json.RawMessage, *Problem) {
	w := place{file: in.show, offset: -1}
	file, err := in.open()
	if err != nil {
		return nil, unreadable(err, w)
	}
	defer file.Close()
	buffered := bufio.NewReader(file)
	bom, err := skipBOM(buffered)
	if err != nil {
		return nil, unreadable(err, w)
	}
	r.marked(bom)
	raw, err := io.ReadAll(io.LimitReader(buffered, maxLine+1))
	switch {
	case err != nil:
		return nil, unreadable(err, w)
	case len(raw) > maxLine:
		return nil, tooLarge()
	case len(bytes.TrimSpace(raw)) == 0:
		return nil, &Problem{Code: "empty-file", Reason: "the file contains no document", Offset: -1, Hint: "leave it out"}
	}
	p := checkEncoding(raw)
	if p == nil {
		p = checkJSON(raw)
	}
	if p != nil {
		if p.Reason == jsonCut {
			p.Code = "truncated"
		}
		return nil, p.inFile(bomSize(bom))
	}
	return raw, nil
}

// cas collects what hide uses of a CAS.
type cas struct {
	text, name string
	sofas      int
	spans      jsonSpans
	others     []otherLayer
}

// otherLayer counts the annotations of a layer that is left out.
type otherLayer struct {
	layer string
	count int
}

// structures reads the feature structures, which are a list or, in older files, an object.
func (c *cas) structures(raw json.RawMessage) *Problem {
	one := func(value json.RawMessage) *Problem {
		if value[0] != '{' {
			return notA("%FEATURE_STRUCTURES", "list of objects")
		}
		p := c.structure(value)
		if p != nil {
			p.located = false
		}
		return p
	}
	if raw[0] == '{' {
		return walkObject(raw, func(_ string, value json.RawMessage) *Problem { return one(value) })
	}
	return walkArray(raw, one)
}

// feature is what a feature structure may have that hide uses.
type feature struct {
	kind, text, title string
	start, end        json.RawMessage
	labels            map[string]json.RawMessage
}

func (c *cas) structure(raw json.RawMessage) *Problem {
	f := feature{labels: map[string]json.RawMessage{}}
	hasText := false
	p := walkObject(raw, func(key string, value json.RawMessage) (p *Problem) {
		switch key {
		case "%TYPE":
			f.kind, p = scalar(key, value)
		case "sofaString":
			hasText = true
			f.text, p = scalar(key, value)
		case "documentTitle", "documentId":
			if value[0] == '"' && (f.title == "" || key == "documentTitle") {
				f.title = stringOf(value)
			}
		case "begin":
			f.start = value
		case "end":
			f.end = value
		default:
			if value[0] == '"' {
				f.labels[key] = value
			}
		}
		return p
	})
	switch {
	case p != nil:
		return p
	case f.kind == uimaSofa && hasText:
		c.sofas++
		c.text = f.text
	case f.kind == dkproMeta:
		c.name = f.title
	case f.kind != uimaDocument && f.start != nil && f.end != nil:
		return c.annotation(f)
	}
	return nil
}

// labelFeatures are the features that may hold a label, the first found wins.
var labelFeatures = []string{"value", "identifier", "label", "Label", "category"}

func (c *cas) annotation(f feature) *Problem {
	for _, name := range labelFeatures {
		if label := f.labels[name]; label != nil && marksPHI(f.kind) {
			return c.spans.put(wireSpan{start: f.start, end: f.end, label: label})
		}
	}
	layer := f.kind[strings.LastIndexByte(f.kind, '.')+1:]
	if len(layer) > 40 || !asciiName([]byte(layer)) {
		layer = "with another name"
	}
	for i := range c.others {
		if c.others[i].layer == layer {
			c.others[i].count++
			return nil
		}
	}
	if len(c.others) < maxOtherLayers {
		c.others = append(c.others, otherLayer{layer, 1})
	}
	return nil
}

const maxOtherLayers = 50

// marksPHI leaves out the layers of grammar of DKPro Core, whose values are no labels.
func marksPHI(kind string) bool { return kind == dkproEntity || !strings.HasPrefix(kind, dkpro) }

// casTypes describes the types of a written file that UIMA does not have itself.
var casTypes = map[string]any{
	dkproEntity: map[string]any{"%NAME": dkproEntity, "%SUPER_TYPE": "uima.tcas.Annotation",
		"value": map[string]string{"%NAME": "value", "%RANGE": "uima.cas.String"}},
	dkproMeta: map[string]any{"%NAME": dkproMeta, "%SUPER_TYPE": uimaDocument,
		"documentTitle": map[string]string{"%NAME": "documentTitle", "%RANGE": "uima.cas.String"},
		"documentId":    map[string]string{"%NAME": "documentId", "%RANGE": "uima.cas.String"}},
}

// casStructure is a feature structure as it is written.
type casStructure struct {
	ID    int    `json:"%ID"`
	Type  string `json:"%TYPE"`
	Sofa  int    `json:"@sofa,omitempty"`
	Begin *int   `json:"begin,omitempty"`
	End   *int   `json:"end,omitempty"`

	Value    string `json:"value,omitempty"`
	Language string `json:"language,omitempty"`
	Title    string `json:"documentTitle,omitempty"`
	DocID    string `json:"documentId,omitempty"`

	Num  int     `json:"sofaNum,omitempty"`
	Name string  `json:"sofaID,omitempty"`
	Mime string  `json:"mimeType,omitempty"`
	Text *string `json:"sofaString,omitempty"`
}

func writeUIMA(out *bufio.Writer, d annotate.Annotated) error {
	units := utf16Ends(d)
	zero := 0
	all := []casStructure{
		{ID: 1, Type: uimaSofa, Num: 1, Name: "_InitialView", Mime: "text", Text: &d.Text},
		{ID: 2, Type: dkproMeta, Sofa: 1, Begin: &zero, End: &units[len(units)-1], Language: "x-unspecified", Title: d.Name, DocID: d.Name},
	}
	members := []int{2}
	for i, s := range d.Spans {
		id := i + 3
		all = append(all, casStructure{ID: id, Type: dkproEntity, Sofa: 1, Begin: &units[2*i], End: &units[2*i+1], Value: string(s.Label)})
		members = append(members, id)
	}
	return encode(out, map[string]any{
		"%TYPES": casTypes, "%FEATURE_STRUCTURES": all,
		"%VIEWS": map[string]any{"_InitialView": map[string]any{"%SOFA": 1, "%MEMBERS": members}},
	})
}

// utf16Ends are the starts and ends of the spans, and the end of the text, in UTF-16 units.
func utf16Ends(d annotate.Annotated) []int {
	ends := make([]int, 0, 2*len(d.Spans)+1)
	at, units := 0, 0
	reach := func(b annotate.ByteOff) {
		for _, r := range d.Text[at:b] {
			units++
			if r > 0xffff {
				units++
			}
		}
		at = int(b)
		ends = append(ends, units)
	}
	for _, s := range d.Spans {
		reach(s.Start)
		reach(s.End)
	}
	reach(annotate.ByteOff(len(d.Text)))
	return ends
}
