// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// parsePart parses the HTML of a live part: a container with the part's element.
func parsePart(content string) (*html.Node, error) {
	root := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(content), root)
	if err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	return root, nil
}

// maxChanges is how many elements are sent one by one.
const maxChanges = 12

// changedElements are the smallest elements with an id that hold all differences between
// two states of a part, as they are in the new one. It is not ok when ids came, went or
// moved, when a difference lies in no element with an id, or when there are too many.
func changedElements(before, now *html.Node) (changed []*html.Node, ok bool) {
	if !slices.Equal(idsIn(before), idsIn(now)) {
		return nil, false
	}
	var d difference
	if !d.inside(before, now) || len(d.changed) > maxChanges {
		return nil, false
	}
	return d.changed, true
}

type difference struct{ changed []*html.Node }

// inside compares two nodes, and reports whether elements in changed hold all of their
// differences.
func (d *difference) inside(before, now *html.Node) bool {
	found := len(d.changed)
	if sameTag(before, now) && d.children(before, now) {
		return true
	}
	d.changed = d.changed[:found] // this one, or one around it, holds them
	if id := idOf(now); id == "" || id != idOf(before) || before.Data != now.Data {
		return false
	}
	d.changed = append(d.changed, now)
	return true
}

func (d *difference) children(before, now *html.Node) bool {
	a, b := before.FirstChild, now.FirstChild
	for ; a != nil && b != nil; a, b = a.NextSibling, b.NextSibling {
		if !d.inside(a, b) {
			return false
		}
	}
	return a == nil && b == nil
}

// sameTag compares two nodes without their children.
func sameTag(a, b *html.Node) bool {
	return a.Type == b.Type && a.Data == b.Data && a.Namespace == b.Namespace && slices.Equal(a.Attr, b.Attr)
}

// idsIn lists the ids below a node in order.
func idsIn(n *html.Node) []string {
	var ids []string
	for d := range n.Descendants() {
		if id := idOf(d); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// plainID is an id that needs no escape in a selector.
var plainID = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// idOf is the id by which an element can be replaced alone, "" if it cannot. Elements of a
// drawing are parsed as such only inside it, and a browser parses rows of a table only
// inside a table.
func idOf(n *html.Node) string {
	if n.Type != html.ElementNode || n.Namespace != "" || slices.Contains(ofTables, n.DataAtom) {
		return ""
	}
	for _, a := range n.Attr {
		if a.Key == "id" && plainID.MatchString(a.Val) {
			return a.Val
		}
	}
	return ""
}

var ofTables = []atom.Atom{atom.Tr, atom.Td, atom.Th, atom.Tbody, atom.Thead, atom.Tfoot, atom.Caption, atom.Colgroup, atom.Col}

// rendered is the HTML of a node.
func rendered(n *html.Node) (string, error) {
	var b strings.Builder
	err := html.Render(&b, n)
	return b.String(), err
}
