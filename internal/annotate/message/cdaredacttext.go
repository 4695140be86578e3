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
			return a.name != "mediaType" || !mediaTypes[a.value]
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
