// SPDX-License-Identifier: Apache-2.0

package message

// narrativeKind is how a reader sees an element of a text.
type narrativeKind int

const (
	unknownText narrativeKind = iota // its text is kept, the element is not
	inline
	block
	lineBreak
	tableRow
	tableCell
	list
	listItem
	verbatimText
	verbatimBlock
	empty  // has no text
	hidden // has text that a reader does not see; dropped
)

// cdaNarrative are the elements of the texts of C-CDA.
var cdaNarrative = map[string]narrativeKind{
	"content": inline, "linkHtml": inline, "sub": inline, "sup": inline, "footnote": inline,
	"br":    lineBreak,
	"table": block, "thead": block, "tbody": block, "tfoot": block, "paragraph": block, "caption": block,
	"tr": tableRow, "td": tableCell, "th": tableCell, "col": empty, "colgroup": empty,
	"list": list, "item": listItem,
}

// htmlNarrative are the elements of the XHTML of FHIR.
var htmlNarrative = map[string]narrativeKind{
	"a": inline, "abbr": inline, "b": inline, "big": inline, "cite": inline, "code": inline, "em": inline, "i": inline,
	"q": inline, "small": inline, "span": inline, "strong": inline, "sub": inline, "sup": inline, "tt": inline,
	"u": inline, "var": inline, "font": inline, "label": inline, "ins": inline, "del": inline, "s": inline,
	"br": lineBreak, "hr": lineBreak,
	"html": block, "body": block, "div": block, "p": block, "h1": block, "h2": block, "h3": block, "h4": block, "h5": block,
	"h6": block, "blockquote": block, "address": block, "center": block, "section": block, "article": block,
	"table": block, "thead": block, "tbody": block, "tfoot": block, "caption": block, "dl": block, "dt": block, "dd": block,
	"tr": tableRow, "td": tableCell, "th": tableCell, "col": empty, "colgroup": empty,
	"ul": list, "ol": list, "li": listItem, "pre": verbatimBlock,
	"head": hidden, "style": hidden, "script": hidden, "img": hidden,
}

// kindOf is the kind of an element. Verbatim content has the style that [WriteCDA] gives it.
func kindOf(kinds map[string]narrativeKind, n *xmlNode) narrativeKind {
	if n.name == "content" && kinds[n.name] == inline && n.attr("styleCode") == verbatim {
		return verbatimText
	}
	return kinds[n.name]
}
