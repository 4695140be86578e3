// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"fmt"
	"time"
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
