// SPDX-License-Identifier: Apache-2.0

package message

import "strings"

// textWriter writes texts of elements with new values for their pieces.
type textWriter struct {
	xmlWriter
	kinds   map[string]narrativeKind
	values  []string // by piece
	keep    map[string]bool
	dropped map[string]int
	exact   int // depth of verbatim text
}

// narrative writes what is in a title or text. Elements that a narrative does not have are
// left out around their text.
func (w *textWriter) narrative(n *xmlNode) {
	for _, k := range n.kids {
		switch kind := kindOf(w.kinds, k); {
		case k.name == "":
			w.piece(k)
		case kind == unknownText:
			w.dropped[k.name]++
			w.unwrapped(k)
		case kind == hidden:
			w.dropped[k.name]++
		case kind == verbatimText || kind == verbatimBlock:
			w.exact++
			w.whole(k, w.allowed(k, isFormat), func() { w.narrative(k) })
			w.exact--
		default:
			w.whole(k, w.allowed(k, isFormat), func() { w.narrative(k) })
		}
	}
}

func (w *textWriter) unwrapped(n *xmlNode) {
	if w.exact == 0 {
		w.raw(" ")
	}
	for _, k := range n.kids {
		if k.name == "caption" {
			w.unwrapped(k)
			continue
		}
		w.narrative(&xmlNode{kids: []*xmlNode{k}})
	}
	if w.exact == 0 {
		w.raw(" ")
	}
}

// piece writes a text node with the white space that divides it from its neighbours.
func (w *textWriter) piece(n *xmlNode) {
	if n.before || n.piece == 0 {
		w.raw(" ")
	}
	if n.piece > 0 {
		w.escape(w.values[n.piece-1], false)
	}
	if n.after {
		w.raw(" ")
	}
}

// whole writes an element, and in it what inside writes.
func (w *textWriter) whole(n *xmlNode, attrs []xmlAttr, inside func()) {
	if len(n.kids) == 0 {
		w.empty(n.name, attrs)
		return
	}
	w.start(n.name, attrs)
	inside()
	w.end(n.name)
}

func isToken(a xmlAttr) bool { return tokenAttrs[a.name] && tokenValue.MatchString(a.value) }

func isFixed(a xmlAttr) bool {
	return isToken(a) || (a.name == "root" || a.name == "extension" || a.name == "value") && fixedValue.MatchString(a.value)
}

func isFormat(a xmlAttr) bool {
	return isToken(a) || narrativeAttrs[a.name] && formatValue.MatchString(a.value) || a.name == "xml:lang" && tokenValue.MatchString(a.value)
}

// allowed returns the attributes that a table or the policy allows, and counts the others.
func (w *textWriter) allowed(n *xmlNode, ok func(xmlAttr) bool) []xmlAttr {
	var kept []xmlAttr
	for _, a := range n.attrs {
		switch {
		case ok(a), w.keep["@"+a.name] && !strings.HasPrefix(a.name, "other:"):
			kept = append(kept, a)
		case a.value != "":
			w.dropped["@"+a.name]++
		}
	}
	return kept
}
