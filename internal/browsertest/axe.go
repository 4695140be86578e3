// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed axe/axe.min.js
var axeSource string

// violation is what axe-core reports, as far as a reader needs it.
type violation struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	Nodes  []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// colours are the rules whose answer depends on the colour scheme.
const colours = `runOnly: {type: "rule", values: ["color-contrast", "link-in-text-block"]}`

// scrolling is the rule whose answer depends on the width of the window even where
// every element looks the same.
const scrolling = `runOnly: {type: "rule", values: ["scrollable-region-focusable"]}`

// Axe fails the test for everything that axe-core finds wrong with the page as it
// stands, in light and in dark colours, on a desk and on a phone. The window is as
// large after it as before, and light.
//
// On a big page a run of axe takes seconds. So the whole page is checked once, 1280
// pixels wide; the rules on colours are run again in the dark; and of the page 390
// pixels wide only the parts are checked that look different there.
func (b *Browser) Axe() {
	b.t.Helper()
	was := b.size
	b.Eval(axeSource+"\n;0", nil)
	b.Size(1280, 800)
	b.Dark(true)
	b.axe("document", colours)
	b.Eval(rememberLooks, nil)
	b.Dark(false)
	b.axe("document", "")
	b.Eval(rememberLooks, nil)
	b.Size(390, 800)
	b.axe("document", scrolling)
	b.axeChanged("")
	b.Dark(true)
	b.axeChanged(colours)
	b.Dark(false)
	b.Size(was[0], was[1])
}

// axeChanged checks what looks different than it did in the other width.
func (b *Browser) axeChanged(options string) {
	b.t.Helper()
	var changed int
	b.Eval(changedLooks, &changed)
	if changed > 0 {
		b.axe("{include: window.axeChanged}", options)
	}
}

// scheme is an expression: the colours that the page is shown in.
const scheme = `matchMedia("(prefers-color-scheme: dark)").matches`

// looks is a function: what a rule of axe can see of an element in one width and
// not in another.
const looks = `((e) => { const s = getComputedStyle(e); return [e.checkVisibility(), s.color, s.backgroundColor, s.backgroundImage, s.fontSize, s.fontWeight, s.opacity].join(); })`

const rememberLooks = `(window.axeLooks ??= {})[` + scheme + `] = new Map([...document.body.querySelectorAll("*")].map((e) => [e, ` + looks + `(e)])), 0`

// changedLooks collects the elements that are visible and look different than
// before, without those inside another of them.
const changedLooks = `(() => {
	const was = window.axeLooks[` + scheme + `];
	const changed = [...document.body.querySelectorAll("*")].filter((e) => e.checkVisibility() && was.get(e) !== ` + looks + `(e));
	const all = new Set(changed);
	window.axeChanged = changed.filter((e) => { for (let p = e.parentElement; p; p = p.parentElement) if (all.has(p)) return false; return true; });
	return window.axeChanged.length;
})()`

func (b *Browser) axe(where, options string) {
	b.t.Helper()
	var found []violation
	// Unique selectors of all elements take most of the time, and nothing here shows them.
	b.Eval(fmt.Sprintf(`axe.run(%s, {resultTypes: ["violations"], selectors: false, %s}).then((r) => r.violations)`, where, options), &found)
	for _, v := range found {
		b.t.Errorf("axe: %s (%s): %s; %d pixels, dark %v, %s\n%s", v.ID, v.Impact, v.Help, b.size[0], b.dark, b.Path(), v.describe())
	}
}

func (v violation) describe() string {
	var s strings.Builder
	for i, n := range v.Nodes {
		if i == 5 {
			fmt.Fprintf(&s, "  and %d more\n", len(v.Nodes)-i)
			break
		}
		fmt.Fprintf(&s, "  %.300s\n    %s\n", n.HTML, strings.ReplaceAll(n.Summary, "\n", " "))
	}
	return s.String()
}
