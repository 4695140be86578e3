// SPDX-License-Identifier: Apache-2.0

package message

import (
	"io"
	"maps"
	"slices"
	"strings"

	"hide/internal/annotate"
)

// cdaWriter writes a document without what the package does not know, and with its
// identifiers replaced.
type cdaWriter struct {
	textWriter
	tree   *cdaTree
	policy Policy
	lost   Lost
}

func newCDAWriter(out io.Writer, tree *cdaTree, values []string, p Policy) *cdaWriter {
	w := &cdaWriter{tree: tree, policy: p, lost: Lost{Dropped: maps.Clone(tree.dropped)}}
	w.textWriter = textWriter{xmlWriter: newXMLWriter(out), kinds: cdaNarrative, values: values, keep: p.Keep, dropped: w.lost.Dropped}
	if p.Replace == nil {
		w.policy.Replace = func(id annotate.Identity) (string, bool) { return "[" + string(id.Label) + "]", true }
	}
	return w
}

func (w *cdaWriter) document() error {
	root := w.tree.root
	w.raw(xmlDeclaration)
	attrs := []xmlAttr{{"xmlns", cdaSpace}, {"xmlns:xsi", xsiSpace}}
	if len(w.policy.Keep) > 0 {
		for _, space := range slices.Sorted(maps.Keys(w.tree.prefixes)) {
			if space != cdaSpace && space != xsiSpace {
				attrs = append(attrs, xmlAttr{"xmlns:" + w.tree.prefixes[space], space})
			}
		}
	}
	w.start("ClinicalDocument", append(attrs, w.allowed(root, isToken)...))
	w.branch(root, cdaContext{})
	w.end("ClinicalDocument")
	w.raw("\n")
	return w.out.Flush()
}

// branch writes what is in an element of elements.
func (w *cdaWriter) branch(n *xmlNode, c cdaContext) {
	for _, k := range n.kids {
		switch {
		case k.name != "":
			w.element(k, c)
		case strings.TrimFunc(k.text, isXMLSpace) == "":
			w.escape(k.text, false)
		default:
			w.lost.Dropped["text outside the narrative"]++
		}
	}
}

// element writes one element of the header or body by its kind.
func (w *cdaWriter) element(n *xmlNode, c cdaContext) {
	kind := cdaElements[n.name].kind
	switch {
	case kind == cdaUnknown, (kind == cdaTitle || kind == cdaText) && !n.read:
		w.unknown(n)
	case kind == cdaBranch:
		w.whole(n, w.allowed(n, isToken), func() { w.branch(n, c.enter(n)) })
	case kind == cdaCode:
		w.code(n, c)
	case kind == cdaFixed:
		w.whole(n, w.allowed(n, isFixed), func() { w.branch(n, c) })
	case kind == cdaName:
		w.name(n, c)
	case kind == cdaAddr:
		w.whole(n, w.allowed(n, isToken), func() { w.address(n, c) })
	case kind == cdaTitle:
		w.whole(n, w.allowed(n, isToken), func() { w.narrative(n) })
	case kind == cdaText:
		w.text(n)
	default:
		w.number(n, c)
	}
}

// unknown drops an element, or writes it as it is if the policy keeps it.
func (w *cdaWriter) unknown(n *xmlNode) {
	switch {
	case w.policy.Keep[n.name] && !strings.HasPrefix(n.name, "other:"):
		w.copied(n)
	default:
		w.lost.Dropped[n.name]++
	}
}

// copied writes all of an element whose prefix is known.
func (w *cdaWriter) copied(n *xmlNode) {
	if n.name == "" {
		w.escape(n.text, false)
		return
	}
	if strings.HasPrefix(n.name, "other:") {
		w.lost.Dropped[n.name]++
		return
	}
	attrs := slices.DeleteFunc(slices.Clone(n.attrs), func(a xmlAttr) bool { return strings.HasPrefix(a.name, "other:") })
	w.whole(n, attrs, func() {
		for _, k := range n.kids {
			w.copied(k)
		}
	})
}

// code writes a coded value. A code without a code system is one of the standard's own; it
// is short.
func (w *cdaWriter) code(n *xmlNode, c cdaContext) {
	system := n.attr("codeSystem")
	public := publicSystem(system)
	attrs := w.allowed(n, func(a xmlAttr) bool {
		if a.name == "code" {
			return (public || system == "") && codeValue.MatchString(a.value)
		}
		return isToken(a) || public && codeAttrs[a.name]
	})
	if n.attr("code") != "" && !slices.ContainsFunc(attrs, func(a xmlAttr) bool { return a.name == "code" }) {
		attrs = masked(attrs)
	}
	w.whole(n, attrs, func() { w.branch(n, c) })
}

// masked are the attributes of a value that is not told.
func masked(attrs []xmlAttr) []xmlAttr {
	attrs = slices.DeleteFunc(attrs, func(a xmlAttr) bool { return a.name == "nullFlavor" })
	return append(attrs, xmlAttr{"nullFlavor", "MSK"})
}

// replace asks the policy; ok is false if the identifier stays.
func (w *cdaWriter) replace(id annotate.Identity) (with string, ok bool) {
	if with, ok = w.policy.Replace(id); ok {
		w.lost.Identities++
	}
	return with, ok
}

// number writes an id, a time or an address of telecommunication.
func (w *cdaWriter) number(n *xmlNode, c cdaContext) {
	kept := func(a xmlAttr) bool {
		switch a.name {
		case "value", "root", "extension", "assigningAuthorityName":
			return true
		}
		return isToken(a)
	}
	identity, has := c.cdaIdentity(n)
	with, replaced := "", false
	if has {
		with, replaced = w.replace(identity)
	}
	attrs := w.allowed(n, kept)
	if replaced {
		attrs = slices.DeleteFunc(attrs, func(a xmlAttr) bool { return !isToken(a) })
		if date := cdaDate(with); date != "" && cdaElements[n.name].kind == cdaTime {
			attrs = append(attrs, xmlAttr{"value", date})
		} else {
			attrs = masked(attrs)
		}
	}
	w.whole(n, attrs, func() { w.branch(n, c) })
}

// name writes the name of a person or organization. A replaced name has no parts any more.
func (w *cdaWriter) name(n *xmlNode, c cdaContext) {
	attrs := w.allowed(n, isToken)
	identity, has := c.cdaIdentity(n)
	if !has {
		w.empty(n.name, attrs)
		return
	}
	with, replaced := w.replace(identity)
	switch {
	case !replaced:
		w.whole(n, attrs, func() { w.nameParts(n) })
	case with == "":
		w.empty(n.name, masked(attrs))
	default:
		w.leaf(n.name, attrs, with)
	}
}

func (w *cdaWriter) nameParts(n *xmlNode) {
	for _, k := range n.kids {
		switch k.name {
		case "":
			w.escape(k.text, false)
		case "given", "family", "prefix", "suffix", "delimiter":
			w.leaf(k.name, w.allowed(k, isToken), k.words())
		default:
			w.unknown(k)
		}
	}
}

// address writes the parts of an address, each replaced alone.
func (w *cdaWriter) address(n *xmlNode, c cdaContext) {
	for _, k := range n.kids {
		identity, has := c.addressPart(k)
		if !has {
			w.addressRest(k)
			continue
		}
		with, replaced := w.replace(identity)
		if !replaced {
			with = k.words()
		}
		switch {
		case k.name == "":
			w.escape(with, false)
		case with == "":
			w.empty(k.name, masked(w.allowed(k, isToken)))
		default:
			w.leaf(k.name, w.allowed(k, isToken), with)
		}
	}
}

// addressRest writes what is not an identifier: white space and empty parts.
func (w *cdaWriter) addressRest(n *xmlNode) {
	switch {
	case n.name == "":
		w.escape(n.text, false)
	case cdaAddress[n.name] != "":
		w.empty(n.name, w.allowed(n, isToken))
	default:
		w.unknown(n)
	}
}
