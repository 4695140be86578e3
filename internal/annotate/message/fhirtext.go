// SPDX-License-Identifier: Apache-2.0

package message

import (
	"bytes"
	"encoding/base64"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"hide/internal/annotate"
)

// text reads free text. What a title heads is below it, apart from the text before.
func (w *fhirWalk) text(kind fhirKind, name string, v *jsonValue, of annotate.Whose) *jsonValue {
	switch v.kind {
	case '[':
		return w.each(v, func(item *jsonValue) *jsonValue { return w.text(kind, name, item, of) })
	case '{':
		if fields := w.fields(v, name, of); len(fields) > 0 {
			return object(fields...)
		}
		return nil
	case '"':
	default:
		return w.drop(name, v)
	}
	t := w.res.main
	if kind == fhirTitle {
		t.newLine(2)
	}
	was := v.str()
	if was == "" {
		return nil
	}
	now := w.written(t, t.whole(was), was)
	t.newLine(1)
	if now == was {
		return v
	}
	return jsonString(now)
}

// whole adds a text with its white space, and returns the number of its piece.
func (t *narrator) whole(text string) int {
	t.separate()
	return t.add(text)
}

// narrative reads the XHTML of a section, and of a patient's resource if it has text that
// the resource has nowhere else. Other narratives repeat the resource with its identifiers: they are
// dropped.
func (w *fhirWalk) narrative(name string, v *jsonValue, parent string) *jsonValue {
	div := v.field("div").str()
	additional := w.res.clinical && v.field("status").str() == "additional"
	if v.kind != '{' || div == "" || parent != "section" && !additional {
		return w.drop(name, v)
	}
	html, ok := w.xhtml(w.res.main, div)
	if !ok {
		w.skip("text/html that is not well-formed", strings.TrimPrefix(parent+".text.div", "."))
		return w.drop(name, v)
	}
	var out []jsonField
	for _, f := range v.fields {
		switch {
		case f.name == "div":
			out = append(out, jsonField{f.name, jsonString(html)})
		case f.name == "status" && fhirCodeValue.MatchString(f.value.str()):
			out = append(out, f)
		default:
			out = w.keepIf(false, out, name, f)
		}
	}
	return object(out...)
}

// xhtml reads a text, and returns its redacted form; false if it is not well-formed.
func (w *fhirWalk) xhtml(t *narrator, text string) (string, bool) {
	root := parseXHTML(text)
	if root == nil {
		return "", false
	}
	t.newLine(1)
	t.element(root)
	t.newLine(1)
	if w.values == nil {
		return text, true
	}
	var out bytes.Buffer
	writer := textWriter{xmlWriter: newXMLWriter(&out), kinds: htmlNarrative, values: w.values[t.number], keep: w.policy.Keep, dropped: w.lost.Dropped}
	writer.start("div", []xmlAttr{{"xmlns", xhtmlSpace}})
	if root.name == "div" {
		writer.narrative(root)
	} else {
		writer.narrative(&xmlNode{kids: []*xmlNode{root}})
	}
	writer.end("div")
	_ = writer.out.Flush() // to memory
	return out.String(), true
}

// attachment reads a file within a resource as a note of its own. Its address, title, size
// and hash are dropped.
func (w *fhirWalk) attachment(name string, v *jsonValue, parent string) *jsonValue {
	if v.kind != '{' {
		return w.drop(name, v)
	}
	path := strings.TrimPrefix(parent+"."+name, ".")
	kind := v.field("contentType").str()
	data := v.field("data").str()
	if data == "" && v.field("url").str() != "" {
		w.skip("text at another address", path)
	}
	var out []jsonField
	for _, f := range v.fields {
		var kept *jsonValue
		switch f.name {
		case "contentType":
			kept = w.contentType(f.value)
		case "data":
			kept = w.file(f, kind, path)
		case "language":
			kept = w.plain(f.name, f.value, name, "")
		case "creation":
			kept = w.date(f.name, f.value, name, "")
		default:
			kept = w.drop("attachment."+f.name, f.value)
		}
		if kept != nil && kept != maskedTime {
			out = append(out, jsonField{f.name, kept})
		}
	}
	if len(out) == 0 {
		return nil
	}
	return object(out...)
}

// binary reads the file of a Binary, whose type is beside it.
func (w *fhirWalk) binary(owner *jsonValue, f jsonField) *jsonValue {
	return w.file(f, owner.field("contentType").str(), f.name)
}

// contentType keeps a type of file. Redacted texts are UTF-8.
func (w *fhirWalk) contentType(v *jsonValue) *jsonValue {
	kind := cleanType(v.str())
	switch {
	case !mediaTypes[kind]:
		return w.drop("contentType", v)
	case kind == "text/plain":
		kind += "; charset=utf-8"
	}
	return jsonString(kind)
}

// file reads text in base64. Other files are skipped, and dropped from what is written.
func (w *fhirWalk) file(f jsonField, kind, path string) *jsonValue {
	if len(f.value.raw) > maxFile && isText(kind) {
		w.tooLarge = true
		return nil
	}
	if f.value.str() == "" {
		return nil
	}
	text, ok := fileOf(f.value.str(), kind)
	if !ok {
		w.skip(cleanType(kind), path)
		return w.drop("attachment."+f.name, f.value)
	}
	t := w.newText()
	now := text
	if cleanType(kind) == "text/plain" {
		now = w.written(t, t.whole(text), text)
	} else if now, ok = w.xhtml(t, text); !ok {
		w.skip("text/html that is not well-formed", path)
		return w.drop("attachment."+f.name, f.value)
	}
	if w.values == nil {
		return f.value
	}
	return jsonString(base64.StdEncoding.EncodeToString([]byte(now)))
}

// maxFile is the size of a text in base64, with white space, that can be one of MaxText.
const maxFile = MaxText + MaxText/2

func isText(kind string) bool {
	kind = cleanType(kind)
	return kind == "text/plain" || kind == "text/html" || kind == "application/xhtml+xml"
}

// fileOf decodes a text; false if the type is not one that is read, or the bytes are not
// text in the declared encoding.
func fileOf(data, kind string) (string, bool) {
	if !isText(kind) {
		return "", false
	}
	raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(data), ""))
	if err != nil {
		return "", false
	}
	_, parameters, _ := mime.ParseMediaType(kind)
	switch strings.ToLower(parameters["charset"]) {
	case "iso-8859-1", "latin1":
		raw, err = charmap.ISO8859_1.NewDecoder().Bytes(raw)
	case "windows-1252", "cp1252":
		raw, err = charmap.Windows1252.NewDecoder().Bytes(raw)
	case "", "utf-8", "utf8", "us-ascii", "ascii":
	default:
		return "", false
	}
	return string(raw), err == nil && utf8.Valid(raw)
}
