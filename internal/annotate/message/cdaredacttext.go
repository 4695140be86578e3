// SPDX-License-Identifier: Apache-2.0

package message

import (
	"encoding/base64"
	"slices"
)

// text writes a narrative, or the file that a body is.
func (w *cdaWriter) text(n *xmlNode) {
	switch {
	case n.piece > 0:
		w.plain(n)
	case w.policy.Keep["nonXMLBody"] && n.file:
		w.copied(n)
	case n.file:
		w.lost.Dropped["nonXMLBody"]++
		attrs := slices.DeleteFunc(slices.Clone(n.attrs), func(a xmlAttr) bool {
			return a.name != "mediaType" || !typeValue.MatchString(a.value)
		})
		w.empty(n.name, masked(attrs))
	default:
		w.whole(n, w.allowed(n, isFormat), func() { w.narrative(n) })
	}
}

// plain writes a body of plain text in the representation that it had.
func (w *cdaWriter) plain(n *xmlNode) {
	value := w.values[n.piece-1]
	attrs := []xmlAttr{{"mediaType", "text/plain"}}
	if n.attr("representation") == "B64" {
		attrs = append(attrs, xmlAttr{"representation", "B64"})
		value = base64.StdEncoding.EncodeToString([]byte(value))
	}
	w.leaf(n.name, attrs, value)
}

// narrative writes what is in a title or text. Elements that a narrative does not have are
// left out around their text.
func (w *cdaWriter) narrative(n *xmlNode) {
	for _, k := range n.kids {
		kind := narrativeElements[k.name]
		switch {
		case k.name == "":
			w.piece(k)
		case kind == unknownText:
			w.lost.Dropped[k.name]++
			w.unwrapped(k)
		case isVerbatim(k):
			w.exact++
			w.whole(k, w.allowed(k, isFormat), func() { w.narrative(k) })
			w.exact--
		default:
			w.whole(k, w.allowed(k, isFormat), func() { w.narrative(k) })
		}
	}
}

func (w *cdaWriter) unwrapped(n *xmlNode) {
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
func (w *cdaWriter) piece(n *xmlNode) {
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
