// SPDX-License-Identifier: Apache-2.0

package message

import (
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
)

// Limits on the XML of one document.
const (
	maxDepth    = 256     // elements inside one another
	maxElements = 500_000 // elements of a document that are held in memory

	maxAttributes = 256 // attributes of an element
	maxSpaces     = 64  // namespaces of a document whose elements can be kept
)

// Namespaces of a CDA document.
const (
	cdaSpace  = "urn:hl7-org:v3"
	xsiSpace  = "http://www.w3.org/2001/XMLSchema-instance"
	sdtcSpace = "urn:hl7-org:sdtc"

	xhtmlSpace = "http://www.w3.org/1999/xhtml"
)

// xmlNode is an element or a text of a document. A text has no name.
type xmlNode struct {
	name  string // "patient" in the namespace of CDA, "sdtc:raceCode" in others
	attrs []xmlAttr
	kids  []*xmlNode
	text  string

	read          bool // is a title or text of the note
	file          bool // is a body that is not XML
	piece         int  // of the note's text, counted from 1
	before, after bool // white space is there
}

type xmlAttr struct{ name, value string }

// attr returns the value of an attribute, empty if there is none.
func (n *xmlNode) attr(name string) string {
	for _, a := range n.attrs {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

// child returns the first element with this name, nil if there is none.
func (n *xmlNode) child(name string) *xmlNode {
	for _, k := range n.kids {
		if k.name == name {
			return k
		}
	}
	return nil
}

// words returns all text in n, with single spaces between words.
func (n *xmlNode) words() string {
	var b strings.Builder
	n.collect(&b)
	return strings.Join(strings.FieldsFunc(b.String(), isXMLSpace), " ")
}

func (n *xmlNode) collect(b *strings.Builder) {
	b.WriteString(n.text)
	for _, k := range n.kids {
		k.collect(b)
	}
}

func isXMLSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }

// cdaTree is the parsed document. Elements with coded data are not held.
type cdaTree struct {
	root     *xmlNode
	prefixes map[string]string // by namespace, as output declares them
	media    []string          // types of the images and files in coded data
	dropped  map[string]int    // entries, comments and instructions, which are not in the tree
}

// cdaParser builds a tree from tokens.
type cdaParser struct {
	tree     cdaTree
	dec      *xml.Decoder
	open     []*xmlNode
	skipping int    // depth within an entry that is not held
	text     string // since the last tag
	rest     []byte // of the text, after comments and the like
	elements int
	entries  bool // hold entries too
	html     bool // a text of FHIR, not a document
}

// parseCDA reads the XML of a document. Entries are held only if the caller wants them.
func parseCDA(raw chunks, entries bool) (*cdaTree, *Error) {
	p := newCDAParser(raw.reader())
	p.entries = entries
	return p.parse()
}

func newCDAParser(r io.Reader) *cdaParser {
	p := &cdaParser{dec: xml.NewDecoder(r)}
	p.tree.prefixes = map[string]string{cdaSpace: "", xsiSpace: "xsi", sdtcSpace: "sdtc"}
	p.tree.dropped = map[string]int{}
	p.dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	return p
}

func (p *cdaParser) parse() (*cdaTree, *Error) {
	for {
		at := p.dec.InputOffset()
		t, err := p.dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, p.malformed(err)
		}
		if e := p.take(t); e != nil {
			e.Offset = at
			return nil, e
		}
	}
	if p.tree.root == nil {
		return nil, &Error{Offset: p.dec.InputOffset(), Code: "truncated", Reason: "the file has no element", Hint: "copy the file again"}
	}
	return &p.tree, nil
}

// parseXHTML reads a text of FHIR, nil if it is not well-formed.
func parseXHTML(raw string) *xmlNode {
	p := newCDAParser(strings.NewReader(raw))
	p.html = true
	p.tree.prefixes = map[string]string{xhtmlSpace: "", "": ""}
	p.dec.Entity = xml.HTMLEntity
	tree, err := p.parse()
	if err != nil {
		return nil
	}
	return tree.root
}

// malformed describes a mistake of the XML. Messages of package xml can quote content, so
// they are not passed on.
func (p *cdaParser) malformed(err error) *Error {
	e := &Error{Offset: p.dec.InputOffset(), Code: "xml", Reason: "the XML is not well-formed", Hint: "the mistake is at this byte or just before it; export the file again"}
	var s *xml.SyntaxError
	if errors.As(err, &s) && s.Msg == "unexpected EOF" || errors.Is(err, io.ErrUnexpectedEOF) {
		e.Code, e.Reason, e.Hint = "truncated", "the XML ends too early", "copy the file again"
	}
	return e
}

func badXML(reason, hint string) *Error { return &Error{Code: "xml", Reason: reason, Hint: hint} }

func (p *cdaParser) take(t xml.Token) *Error {
	switch t := t.(type) {
	case xml.StartElement:
		return p.start(t)
	case xml.EndElement:
		p.end()
	case xml.CharData:
		return p.chars(t)
	case xml.Comment:
		p.tree.dropped["comment"]++
	case xml.ProcInst:
		if t.Target != "xml" {
			p.tree.dropped["processing instruction"]++
		}
	case xml.Directive:
		return badXML("DOCTYPE not allowed", "remove the DOCTYPE; documents with entities are refused because they can exhaust memory or read other files")
	}
	return nil
}

func (p *cdaParser) chars(t []byte) *Error {
	switch {
	case len(p.open) == 0:
		if strings.TrimFunc(string(t), isXMLSpace) != "" {
			return badXML("there is text outside the document's element", "export the file again; a file holds one document")
		}
	case p.skipping == 0 && p.text == "":
		p.text = string(t)
	case p.skipping == 0:
		p.rest = append(p.rest, t...)
	}
	return nil
}

func (p *cdaParser) start(t xml.StartElement) *Error {
	if p.skipping > 0 {
		p.skipping++
		if len(p.open)+p.skipping > maxDepth {
			return tooDeep()
		}
		p.medium(t)
		return nil
	}
	p.flush()
	attrs, err := p.attributes(t.Attr) // before the name, which may need a namespace of theirs
	if err != nil {
		return err
	}
	n := &xmlNode{name: p.name(t.Name), attrs: attrs}
	switch {
	case len(p.open) == 0 && p.tree.root != nil:
		return badXML("there is a second document", "put each document into a file of its own")
	case len(p.open) == 0:
		if n.name != "ClinicalDocument" && !p.html {
			return badXML("the outermost element is not ClinicalDocument of the namespace "+cdaSpace, "this reader takes C-CDA documents; choose another format")
		}
		p.tree.root = n
	case n.name == "entry" && p.open[len(p.open)-1].name == "section" && !p.entries:
		p.tree.dropped["entry"]++
		p.skipping = 1
		return nil
	}
	if p.elements++; p.elements > maxElements {
		return &Error{Code: "document-too-large", Reason: "the document has more than 500,000 elements", Hint: "split the document"}
	}
	if len(p.open) == maxDepth {
		return tooDeep()
	}
	if len(p.open) > 0 {
		parent := p.open[len(p.open)-1]
		parent.kids = append(parent.kids, n)
	}
	p.open = append(p.open, n)
	return nil
}

func tooDeep() *Error {
	return badXML("nesting deeper than 256", "the document is damaged or made to exhaust memory")
}

func (p *cdaParser) end() {
	if p.skipping > 0 {
		p.skipping--
		return
	}
	p.flush()
	p.open = p.open[:len(p.open)-1]
}

// flush makes a node of the text since the last tag. Comments do not divide a text.
func (p *cdaParser) flush() {
	if len(p.text) > 0 && len(p.open) > 0 {
		parent := p.open[len(p.open)-1]
		parent.kids = append(parent.kids, &xmlNode{text: p.text + string(p.rest)})
	}
	p.text, p.rest = "", p.rest[:0]
}

// medium notes an image or file that an entry holds.
func (p *cdaParser) medium(t xml.StartElement) {
	if t.Name.Local != "value" {
		return
	}
	for _, a := range t.Attr {
		if a.Name.Local == "mediaType" {
			p.tree.media = append(p.tree.media, cleanType(a.Value))
		}
	}
}

// attributes drops declarations of namespaces, which the output makes itself.
func (p *cdaParser) attributes(attrs []xml.Attr) ([]xmlAttr, *Error) {
	if len(attrs) > maxAttributes {
		return nil, badXML("an element has more than 256 attributes", "the document is damaged or made to exhaust memory")
	}
	var all []xmlAttr
	seen := map[xml.Name]bool{}
	for _, a := range attrs {
		if seen[a.Name] {
			return nil, badXML("an element has the same attribute twice", "remove one of them")
		}
		seen[a.Name] = true
		switch {
		case a.Name.Space == "xmlns":
			p.declare(a.Value, a.Name.Local)
		case a.Name.Space == "" && a.Name.Local == "xmlns":
		default:
			all = append(all, xmlAttr{p.attrName(a.Name), a.Value})
		}
	}
	return all, nil
}

// declare gives a namespace the prefix of the file, lengthened if another one has it.
func (p *cdaParser) declare(space, prefix string) {
	_, known := p.tree.prefixes[space]
	if known || space == "" || prefix == "xml" || len(p.tree.prefixes) == maxSpaces {
		return
	}
	for slices.Contains(slices.Collect(maps.Values(p.tree.prefixes)), prefix) {
		prefix += "x"
	}
	p.tree.prefixes[space] = prefix
}

func (p *cdaParser) name(n xml.Name) string {
	prefix, known := p.tree.prefixes[n.Space]
	switch {
	case !known:
		return "other:" + n.Local
	case prefix == "":
		return n.Local
	}
	return prefix + ":" + n.Local
}

// attrName names an attribute. One without prefix has no namespace.
func (p *cdaParser) attrName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	if n.Space == "xml" || n.Space == "http://www.w3.org/XML/1998/namespace" {
		return "xml:" + n.Local
	}
	return p.name(n)
}
