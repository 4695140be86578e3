// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

// Text is the visible text of the first element found, "" if there is none.
func (b *Browser) Text(selector string) string {
	b.t.Helper()
	var text string
	b.Eval(fmt.Sprintf(`document.querySelector(%s)?.innerText ?? ""`, quote(selector)), &text)
	return text
}

// Value is the value of a field.
func (b *Browser) Value(selector string) string {
	b.t.Helper()
	var value string
	b.Eval(fmt.Sprintf(`document.querySelector(%s)?.value ?? ""`, quote(selector)), &value)
	return value
}

// Attribute is the value of an attribute, "" if it or the element does not exist.
func (b *Browser) Attribute(selector, name string) string {
	b.t.Helper()
	var value string
	b.Eval(fmt.Sprintf(`document.querySelector(%s)?.getAttribute(%s) ?? ""`, quote(selector), quote(name)), &value)
	return value
}

// Count is the number of elements the selector finds.
func (b *Browser) Count(selector string) int {
	b.t.Helper()
	var n int
	b.Eval(fmt.Sprintf(`document.querySelectorAll(%s).length`, quote(selector)), &n)
	return n
}

// Path is the current path, with query and fragment.
func (b *Browser) Path() string {
	b.t.Helper()
	var path string
	b.Eval(`location.pathname + location.search + location.hash`, &path)
	return path
}

// Wait waits until a JavaScript expression is true, even across a page change.
func (b *Browser) Wait(what, expression string) {
	b.t.Helper()
	b.WaitFor(what, expression, within)
}

// WaitFor is Wait with another timeout, for slow work.
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

// Legible fails the test if words in drawings are smaller than 11 pixels or overlap, on
// wide and narrow screens.
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

// illegible lists the faults of the words in every visible drawing.
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

// violation is a finding of axe-core, as far as the failure message needs it.
type violation struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	Nodes  []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// colours are the rules whose result depends on the colour scheme.
const colours = `runOnly: {type: "rule", values: ["color-contrast", "link-in-text-block"]}`

// scrolling is the rule whose result depends on the width of the window even if every
// element looks the same.
const scrolling = `runOnly: {type: "rule", values: ["scrollable-region-focusable"]}`

// Axe fails the test for every finding of axe-core in the current page, in light and
// dark colours, at desktop and phone width. Afterwards the window has its previous
// size, and light colours.
//
// On a big page a run of axe takes seconds. So the whole page is checked once, 1280
// pixels wide; the colour rules run again in the dark; at 390 pixels only the parts
// that look different there are checked. Folded content is removed from the page
// meanwhile: axe would visit it and check nothing.
func (b *Browser) Axe() {
	b.t.Helper()
	was := b.size
	b.Settle()
	if !b.isTrue("window.axe") {
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

// watchParts notes which live parts of the page have arrived.
const watchParts = `document.addEventListener("htmx:ws:after:message:incoming", (event) => {
	(window.livePartsSeen ??= new Set()).add(JSON.parse(event.detail.message.data).part);
})`

// allParts is an expression: every live part of the page has arrived, or it has none.
const allParts = `(() => {
	const address = document.getElementById("live")?.getAttribute("hx-ws:connect");
	return !address || new URL(address, location.href).searchParams.get("topics").split(",").every((part) => window.livePartsSeen?.has(part));
})()`

// Settle waits for the first state of the page's live parts, but not for long: some pages
// under test are not connected. A part that comes in the middle of [Browser.Axe] would put
// back what that has taken out, and one that comes between the choice of a field and a key
// may take the focus.
func (b *Browser) Settle() {
	b.t.Helper()
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end) && !b.isTrue(allParts); {
		time.Sleep(20 * time.Millisecond)
	}
}

// takeFoldedOut replaces hidden content and the content of closed <details> by
// comments. An element with an id stays, with all its content: others may refer to it.
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

// axeChanged checks the elements that look different than at the other width.
func (b *Browser) axeChanged(options string) {
	b.t.Helper()
	var changed int
	b.Eval(changedLooks, &changed)
	if changed > 0 {
		b.axe("{include: window.axeChanged}", options)
	}
}

// scheme is an expression: the page's current colour scheme.
const scheme = `matchMedia("(prefers-color-scheme: dark)").matches`

// looks is a function: the properties of an element that axe's rules can see and that
// may differ between widths.
const looks = `((e) => { const s = getComputedStyle(e); return [e.checkVisibility(), s.color, s.backgroundColor, s.backgroundImage, s.fontSize, s.fontWeight, s.opacity].join(); })`

const rememberLooks = `(window.axeLooks ??= {})[` + scheme + `] = new Map([...document.body.querySelectorAll("*")].map((e) => [e, ` + looks + `(e)])), 0`

// changedLooks collects the visible elements that look different than before, without
// those inside another one.
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
	// Computing unique selectors takes most of the time, and they are not shown here.
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
