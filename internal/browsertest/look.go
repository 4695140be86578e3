// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

// Text is what a person sees of the first element found, "" when there is none.
func (b *Browser) Text(selector string) string {
	b.t.Helper()
	var text string
	b.Eval(fmt.Sprintf(`document.querySelector(%s)?.innerText ?? ""`, quote(selector)), &text)
	return text
}

// Value is what a field holds.
func (b *Browser) Value(selector string) string {
	b.t.Helper()
	var value string
	b.Eval(fmt.Sprintf(`document.querySelector(%s)?.value ?? ""`, quote(selector)), &value)
	return value
}

// Attribute is the value of an attribute, "" when it or the element is not there.
func (b *Browser) Attribute(selector, name string) string {
	b.t.Helper()
	var value string
	b.Eval(fmt.Sprintf(`document.querySelector(%s)?.getAttribute(%s) ?? ""`, quote(selector), quote(name)), &value)
	return value
}

// Count is how many elements the selector finds.
func (b *Browser) Count(selector string) int {
	b.t.Helper()
	var n int
	b.Eval(fmt.Sprintf(`document.querySelectorAll(%s).length`, quote(selector)), &n)
	return n
}

// Path is where the browser is, with query and fragment.
func (b *Browser) Path() string {
	b.t.Helper()
	var path string
	b.Eval(`location.pathname + location.search + location.hash`, &path)
	return path
}

// Wait waits until a JavaScript expression is true. It survives a change of page
// in between.
func (b *Browser) Wait(what, expression string) {
	b.t.Helper()
	b.WaitFor(what, expression, within)
}

// WaitFor is Wait with another patience, for work that takes long.
func (b *Browser) WaitFor(what, expression string, patience time.Duration) {
	b.t.Helper()
	end := time.Now().Add(patience)
	for time.Now().Before(end) {
		if b.isTrue(expression) {
			return
		}
		time.Sleep(40 * time.Millisecond)
	}
	b.fail("wait", fmt.Errorf("%s did not happen within %s", what, patience))
}

// WaitText waits until an element's text holds part.
func (b *Browser) WaitText(selector, part string) {
	b.t.Helper()
	b.Wait(fmt.Sprintf("%q in %s", part, selector),
		fmt.Sprintf(`(document.querySelector(%s)?.innerText ?? "").includes(%s)`, quote(selector), quote(part)))
}

// WaitPath waits until the browser is on a page whose path begins with prefix.
func (b *Browser) WaitPath(prefix string) {
	b.t.Helper()
	b.Wait("arrival at "+prefix, fmt.Sprintf(`document.readyState === "complete" && location.pathname.startsWith(%s)`, quote(prefix)))
}

// Legible fails the test for words of drawings that are smaller than 11 pixels or run
// into each other, on wide and narrow screens.
func (b *Browser) Legible() {
	b.t.Helper()
	for _, width := range []int{1280, 390} {
		b.Size(width, 900)
		var wrong []string
		b.Eval(illegible, &wrong)
		for _, words := range wrong {
			b.t.Errorf("at %d pixels, %s: %s", width, b.Path(), words)
		}
	}
	b.Size(1280, 900)
}

// illegible lists what is wrong with the words of every drawing that is shown.
const illegible = `(async () => {
	await document.fonts.ready;
	await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
	const wrong = [];
	for (const svg of document.querySelectorAll("svg.chart")) {
		const scale = svg.getScreenCTM()?.a ?? 0, texts = [];
		if (!svg.checkVisibility() || scale === 0) continue;
		for (const text of svg.querySelectorAll("text")) {
			const box = text.getBoundingClientRect(), size = parseFloat(getComputedStyle(text).fontSize) * scale;
			if (box.width === 0 || !text.checkVisibility()) continue;
			if (size < 10.95) wrong.push(svg.getAttribute("class") + ": " + size.toFixed(1) + " px: " + text.textContent);
			// Boxes of letters have room above and below them.
			texts.push({ words: text.textContent, left: box.left + 1, right: box.right - 1, top: box.top + box.height * 0.25, bottom: box.bottom - box.height * 0.25 });
		}
		texts.forEach((a, i) => texts.slice(i + 1).forEach((b) => {
			if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) wrong.push(svg.getAttribute("class") + ": overlap of " + a.words + " and " + b.words);
		}));
	}
	return wrong.slice(0, 12);
})()`

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
// pixels wide only the parts are checked that look different there. What is folded
// away is taken out of the page meanwhile: axe would walk through it and check nothing.
func (b *Browser) Axe() {
	b.t.Helper()
	was := b.size
	if !b.isTrue("!!window.axe") {
		run(b, "load axe", chromedp.Evaluate[bool](axeSource+"\n;true"))
	}
	b.Eval(takeFoldedOut, nil)
	defer b.Eval(putFoldedBack, nil)
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

// takeFoldedOut replaces what is hidden or in a closed <details> by comments. An
// element with an id stays, with all that is in it: others may refer to it.
const takeFoldedOut = `(() => {
	window.axeFolded = [];
	const takeOut = (e) => {
		if (e.id) return;
		if (e.querySelector("[id]")) return [...e.children].forEach(takeOut);
		const place = document.createComment("");
		e.replaceWith(place);
		window.axeFolded.push([place, e]);
	};
	[...document.querySelectorAll("[hidden], details:not([open]) > :not(summary)")].filter((e) => !e.checkVisibility()).forEach(takeOut);
})()`

const putFoldedBack = `window.axeFolded.reverse().forEach(([place, e]) => place.replaceWith(e))`

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
