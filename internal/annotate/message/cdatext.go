// SPDX-License-Identifier: Apache-2.0

package message

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"
)

// verbatim is a style of text whose white space counts. The standard reserves names that
// begin with x for such extensions; other readers show the text with single spaces.
const verbatim = "xVerbatim"

// narrator joins the titles and texts of a document as a person reads them: sections apart,
// a line for each paragraph, item and table row, white space of the XML's layout collapsed.
type narrator struct {
	joined
	kinds  map[string]narrativeKind
	number int    // of the text in its item
	breaks int    // line breaks before the next text
	cells  int    // borders of table cells before the next text
	space  bool   // a space before the next text
	marker string // of a list item, before the next text
	inCell int    // depth of table cells, in which lines do not break
	lists  int    // depth of lists
	exact  int    // depth of verbatim text
	skips  []Skip
}

// document reads the title and body of a document.
func (t *narrator) document(n *xmlNode) {
	for _, k := range n.kids {
		switch {
		case k.name == "component" || k.name == "structuredBody" || k.name == "section":
			t.document(k)
			t.newLine(2)
		case k.name == "title" && (n.name == "section" || n.name == "ClinicalDocument"):
			t.newLine(2)
			t.told(k)
		case k.name == "text" && n.name == "section":
			t.told(k)
		case k.name == "nonXMLBody":
			t.document(k)
		case k.name == "text" && n.name == "nonXMLBody":
			k.read, k.file = true, true
			t.file(k)
		}
	}
}

func (t *narrator) told(n *xmlNode) {
	n.read = true
	t.narrative(n)
	t.newLine(1)
}

func (t *narrator) narrative(n *xmlNode) {
	ordinal := 0
	for _, k := range n.kids {
		if k.name == "" {
			t.value(k)
			continue
		}
		if t.kinds[k.name] == listItem {
			ordinal++
			t.mark(n.name == "ol" || n.attr("listType") == "ordered", ordinal)
		}
		t.element(k)
	}
}

// mark prepares the mark of a list item. Marks are indented by the depth of the list.
func (t *narrator) mark(ordered bool, ordinal int) {
	t.newLine(1)
	t.marker = "- "
	if ordered {
		t.marker = fmt.Sprintf("%d. ", ordinal)
	}
	if t.inCell == 0 {
		t.marker = strings.Repeat("  ", min(max(t.lists-1, 0), 10)) + t.marker
	}
}

func (t *narrator) element(n *xmlNode) {
	switch kindOf(t.kinds, n) {
	case inline:
		t.narrative(n)
	case verbatimText:
		t.verbatim(n)
	case verbatimBlock:
		t.newLine(1)
		t.verbatim(n)
		t.newLine(1)
	case lineBreak:
		t.lineBreak()
	case block:
		t.newLine(1)
		t.narrative(n)
		t.newLine(1)
	case list:
		t.newLine(1)
		t.lists++
		t.narrative(n)
		t.lists--
		t.newLine(1)
	case listItem:
		t.narrative(n)
		t.marker = ""
		t.newLine(1)
	case tableRow:
		t.row(n)
	case tableCell:
		t.inCell++
		t.narrative(n)
		t.inCell--
	case empty, hidden:
	case unknownText:
		t.unknown(n)
	}
}

// unknown reads the text of an element that a narrative does not have. It is apart from the
// text around it.
func (t *narrator) unknown(n *xmlNode) {
	t.space = t.space || t.exact == 0
	for _, k := range n.kids {
		switch {
		case k.name == "":
			t.value(k)
		case k.name == "caption": // of an image, which is not in the text
			t.unknown(k)
		default:
			t.element(k)
		}
	}
	t.space = t.space || t.exact == 0
}

func (t *narrator) verbatim(n *xmlNode) {
	t.separate()
	t.exact++
	t.narrative(n)
	t.exact--
}

// row reads the cells of a row. Cells are divided by borders, also empty ones.
func (t *narrator) row(n *xmlNode) {
	t.newLine(1)
	before, cells := t.cells, 0 // before is not 0 in a table within a cell
	for _, k := range n.kids {
		switch t.kinds[k.name] {
		case tableCell:
			if cells++; cells > 1 {
				t.cells++
			}
			t.element(k)
			t.space = false
		default:
			t.narrative(&xmlNode{kids: []*xmlNode{k}})
		}
	}
	t.cells = min(t.cells, before)
	t.newLine(1)
}

// newLine asks for at least n line breaks before the next text.
func (t *narrator) newLine(n int) {
	switch {
	case t.exact > 0:
	case t.inCell > 0:
		t.space = true
	default:
		t.breaks = max(t.breaks, n)
		t.space = false
	}
}

// lineBreak is a br. Two of them make an empty line; more do not make more.
func (t *narrator) lineBreak() {
	switch {
	case t.exact > 0:
		t.fill("\n")
	case t.inCell > 0:
		t.space = true
	default:
		t.breaks = min(t.breaks+1, 2)
		t.space = false
	}
}

// separate writes what is between the text so far and the next text.
func (t *narrator) separate() {
	begun := t.text.Len() > 0
	switch {
	case t.breaks > 0 && begun:
		t.fill(strings.Repeat("\n", t.breaks))
	case t.space && t.cells == 0 && begun:
		t.fill(" ")
	}
	t.fill(strings.Repeat(" | ", t.cells))
	t.fill(t.marker)
	t.breaks, t.cells, t.space, t.marker = 0, 0, false, ""
}

// value adds a text node. Its white space between words becomes single spaces, also when it
// is written back, so that its words are one piece.
func (t *narrator) value(n *xmlNode) {
	if t.text.Len() > MaxText {
		return
	}
	if t.exact > 0 {
		n.piece = t.add(n.text) + 1
		return
	}
	words := strings.FieldsFunc(n.text, isXMLSpace)
	if len(words) == 0 {
		t.space = true
		return
	}
	n.before, n.after = isXMLSpace(rune(n.text[0])), isXMLSpace(rune(n.text[len(n.text)-1]))
	t.space = t.space || n.before
	t.separate()
	n.piece = t.add(strings.Join(words, " ")) + 1
	t.space = n.after
}

// file reads a body that is not XML: a plain text, or something else, which is skipped.
func (t *narrator) file(n *xmlNode) {
	kind := cleanType(n.attr("mediaType"))
	if n.attr("mediaType") == "" {
		kind = "text/plain"
	}
	switch {
	case n.child("reference") != nil:
		t.skips = append(t.skips, Skip{What: "text at another address", Path: "nonXMLBody"})
		return
	case len(n.kids) == 0:
		return
	}
	if kind == "text/plain" {
		if text, ok := fileText(n); ok {
			t.newLine(2)
			n.piece = t.whole(text) + 1
			return
		}
	}
	t.skips = append(t.skips, Skip{What: kind, Path: "nonXMLBody"})
}

// fileText decodes what is in a body that is not XML; false if it is not UTF-8.
func fileText(n *xmlNode) (string, bool) {
	var b strings.Builder
	n.collect(&b)
	if n.attr("representation") != "B64" {
		return b.String(), true
	}
	raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.FieldsFunc(b.String(), isXMLSpace), ""))
	return string(raw), err == nil && utf8.Valid(raw)
}
