// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"hide/web/ui"
)

func TestChangesAreTheSmallestElementsWithAnID(t *testing.T) {
	list := func(first, second, more string) string {
		return `<nav id="list"><p id="count">` + first + `</p><ol><li id="row-1"><a href="/1">` + second + `</a></li><li id="row-2"><b>two</b>` + more + `</li></ol></nav>`
	}
	old := list("1 of 2", "one", "")
	cases := []struct{ name, now, want string }{
		{"nothing", old, ""},
		{"a number", list("2 of 2", "one", ""), "count"},
		{"a row", list("1 of 2", "first", ""), "row-1"},
		{"both", list("2 of 2", "first", ""), "count row-1"},
		{"an element without an id", list("1 of 2", "one", "<i>!</i>"), "row-2"},
		{"a new row", list("1 of 2", "one", `<p id="row-3">three</p>`), "whole"},
		{"rows in another order", `<nav id="list"><p id="count">1 of 2</p><ol><li id="row-2"><b>two</b></li><li id="row-1"><a href="/1">one</a></li></ol></nav>`, "whole"},
		{"an attribute of the list", strings.Replace(old, "<ol>", `<ol class="long">`, 1), "list"},
		{"another attribute of a row", strings.Replace(old, `<a href="/1">`, `<a href="/2">`, 1), "row-1"},
		{"a drawing", `<nav id="list"><svg><g id="bar"></g></svg></nav>`, "whole"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := changesOf(t, old, c.now); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := changesOf(t, `<p id="a"><svg><g id="bar" x="1"></g></svg></p>`, `<p id="a"><svg><g id="bar" x="2"></g></svg></p>`); got != "a" {
		t.Errorf("a part of a drawing: got %q, want the element around it", got)
	}
	if got := changesOf(t, `<table id="t"><tbody><tr id="r"><td>1</td></tr></tbody></table>`, `<table id="t"><tbody><tr id="r"><td>2</td></tr></tbody></table>`); got != "t" {
		t.Errorf("a row of a table: got %q, want the table", got)
	}
}

func changesOf(t *testing.T, before, now string) string {
	t.Helper()
	a, b := mustParse(t, before), mustParse(t, now)
	changed, ok := changedElements(a, b)
	if !ok {
		return "whole"
	}
	var ids []string
	for _, e := range changed {
		ids = append(ids, idOf(e))
	}
	return strings.Join(ids, " ")
}

func mustParse(t *testing.T, content string) *html.Node {
	t.Helper()
	root, err := parsePart(content)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestChangesMakeTheOldStateTheNew replaces the changed elements of random trees.
func TestChangesMakeTheOldStateTheNew(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	partial := 0
	for range 3000 {
		before := fmt.Sprintf(`<div id="root">%s</div>`, randomTree(r, 3, new(int)))
		now := mutated(r, before)
		old, fresh := mustParse(t, before), mustParse(t, now)
		changed, ok := changedElements(old, fresh)
		if !ok {
			continue
		}
		partial++
		for _, e := range changed {
			for d := range old.Descendants() {
				if idOf(d) == idOf(e) {
					again := mustParse(t, mustRender(t, e)).FirstChild
					again.Parent.RemoveChild(again)
					d.Parent.InsertBefore(again, d)
					d.Parent.RemoveChild(d)
					break
				}
			}
		}
		if got, want := mustRender(t, old), mustRender(t, fresh); got != want {
			t.Fatalf("from %s\nto   %s\ngot  %s", before, want, got)
		}
	}
	if partial < 500 {
		t.Errorf("only %d of 3000 changes were sent in parts", partial)
	}
}

func mustRender(t *testing.T, n *html.Node) string {
	t.Helper()
	s, err := rendered(n)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// randomTree has elements with and without ids, each id once.
func randomTree(r *rand.Rand, depth int, id *int) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		switch {
		case depth == 0 || r.IntN(3) == 0:
			fmt.Fprintf(&b, "<i>t%d</i>", r.IntN(4))
		case r.IntN(2) == 0:
			*id++
			fmt.Fprintf(&b, `<div id="e%d" class="c%d">`, *id, r.IntN(3))
			b.WriteString(randomTree(r, depth-1, id) + "</div>")
		default:
			fmt.Fprintf(&b, `<div class="c%d">%s</div>`, r.IntN(3), randomTree(r, depth-1, id))
		}
	}
	return b.String()
}

// mutated changes some words and classes, and now and then an id.
func mutated(r *rand.Rand, s string) string {
	for range 1 + r.IntN(3) {
		old := []string{"t1<", "c1\"", "t2<", "<i>t0</i>", `id="e1"`}[r.IntN(5)]
		at := strings.LastIndex(s[:r.IntN(len(s))+1], old)
		if at >= 0 {
			s = s[:at] + map[string]string{"t1<": "t9<", "c1\"": "c9\"", "t2<": "t8<", "<i>t0</i>": "", `id="e1"`: `id="e99"`}[old] + s[at+len(old):]
		}
	}
	return s
}

func TestLargeChangesAreSentWhole(t *testing.T) {
	p := ui.LivePart{Name: "list", Target: "#list"}
	state := func(big, small string, before *state) *state {
		s, err := newState(p, `<div id="list"><p id="big">`+big+`</p><p id="small">`+small+`</p></div>`, before)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := state(strings.Repeat("x", 500), "1", nil)
	second := state(strings.Repeat("x", 500), "2", first)
	third := state(strings.Repeat("y", 500), "2", second)
	if len(second.change) != 1 || second.n != first.n+1 {
		t.Errorf("a small change makes %d frames, and number %d after %d", len(second.change), second.n, first.n)
	}
	if third.change != nil || third.n != second.n+1 {
		t.Errorf("a large change makes %d frames, and number %d after %d", len(third.change), third.n, second.n)
	}
	if again := state(strings.Repeat("y", 500), "2", third); again != third {
		t.Error("what looks the same is a new state")
	}
}
