// SPDX-License-Identifier: Apache-2.0

package message

import (
	"bufio"
	"io"
)

const xmlDeclaration = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// xmlWriter writes elements. Its first error comes from out.Flush.
type xmlWriter struct{ out *bufio.Writer }

func newXMLWriter(w io.Writer) xmlWriter { return xmlWriter{bufio.NewWriter(w)} }

// raw writes markup.
func (w xmlWriter) raw(s string) { _, _ = w.out.WriteString(s) }

func (w xmlWriter) tag(name string, attrs []xmlAttr, end string) {
	w.raw("<" + name)
	for _, a := range attrs {
		w.raw(" " + a.name + `="`)
		w.escape(a.value, true)
		w.raw(`"`)
	}
	w.raw(end)
}

func (w xmlWriter) start(name string, attrs []xmlAttr) { w.tag(name, attrs, ">") }
func (w xmlWriter) empty(name string, attrs []xmlAttr) { w.tag(name, attrs, "/>") }
func (w xmlWriter) end(name string)                    { w.raw("</" + name + ">") }

// leaf writes an element with text only.
func (w xmlWriter) leaf(name string, attrs []xmlAttr, text string) {
	w.start(name, attrs)
	w.escape(text, false)
	w.end(name)
}

// escape writes text, or the value of an attribute, in which XML would change white space.
// A character that XML cannot hold becomes U+FFFD.
func (w xmlWriter) escape(s string, attribute bool) {
	for _, r := range s {
		switch {
		case r == '&':
			w.raw("&amp;")
		case r == '<':
			w.raw("&lt;")
		case r == '>':
			w.raw("&gt;")
		case r == '\r':
			w.raw("&#13;")
		case attribute && r == '"':
			w.raw("&quot;")
		case attribute && r == '\n':
			w.raw("&#10;")
		case attribute && r == '\t':
			w.raw("&#9;")
		case !inXML(r):
			w.raw("\ufffd")
		default:
			_, _ = w.out.WriteRune(r)
		}
	}
}

// inXML reports whether XML 1.0 can hold a character.
func inXML(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000
}
