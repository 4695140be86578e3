// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Open goes to a URL and waits until it has loaded. An answer with an error
// status is a page like any other.
func (b *Browser) Open(url string) {
	b.t.Helper()
	// Scripts of the page before may change its address while it loads. That would count as the
	// end of this navigation.
	b.Wait("the page before has loaded", `document.readyState === "complete"`)
	b.do("open "+url, chromedp.Navigate(url))
}

// Reload loads the page again.
func (b *Browser) Reload() {
	b.t.Helper()
	b.do("reload", chromedp.Reload())
}

// Click clicks the first element that the CSS selector finds, once it is visible.
func (b *Browser) Click(selector string) {
	b.t.Helper()
	b.do("click "+selector, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// Focus moves the focus to an element, as the tab key would.
func (b *Browser) Focus(selector string) {
	b.t.Helper()
	b.do("focus "+selector, chromedp.Focus(chromedp.CSS(selector)))
}

// Type puts the focus into a field and types text into it.
func (b *Browser) Type(selector, text string) {
	b.t.Helper()
	b.do("type into "+selector, chromedp.SendKeys(chromedp.CSS(selector), text, chromedp.NodeVisible))
}

// Choose selects the option of a select by its value, and fires its change event. As the
// others do, it waits for the element: a page may still be arriving.
func (b *Browser) Choose(selector, value string) {
	b.t.Helper()
	b.Wait("the choice "+selector, fmt.Sprintf(`document.querySelector(%s) !== null && document.readyState !== "loading"`, quote(selector)))
	b.Eval(fmt.Sprintf(`{ const e = document.querySelector(%s); e.value = %s; e.dispatchEvent(new Event("change", {bubbles: true})); }`, quote(selector), quote(value)), nil)
}

// Upload sets the files of an <input type="file">.
func (b *Browser) Upload(selector string, files ...string) {
	b.t.Helper()
	b.do("upload to "+selector, chromedp.SetUploadFiles(chromedp.CSS(selector), files))
}

var named = map[string]string{
	"Enter": kb.Enter, "Tab": kb.Tab, "Escape": kb.Escape, "Space": " ", "Backspace": kb.Backspace, "Delete": kb.Delete,
	"ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight, "ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown,
	"Home": kb.Home, "End": kb.End, "PageUp": kb.PageUp, "PageDown": kb.PageDown, "F1": kb.F1,
}

var modifiers = map[string]chromedp.Modifier{
	"Shift": chromedp.ModifierShift, "Control": chromedp.ModifierCtrl, "Alt": chromedp.ModifierAlt, "Meta": chromedp.ModifierMeta,
}

// Press presses keys one after the other, wherever the focus is: "a", "Enter",
// "ArrowRight", "Shift+Tab", "Control+z".
func (b *Browser) Press(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		stroke, options := b.stroke(key)
		b.do("press "+key, chromedp.KeyEvent(stroke, options...))
	}
}

func (b *Browser) stroke(key string) (string, []chromedp.KeyOption) {
	b.t.Helper()
	var options []chromedp.KeyOption
	for {
		name, rest, found := strings.Cut(key, "+")
		m, known := modifiers[name]
		if !found || !known {
			break
		}
		options, key = append(options, chromedp.KeyModifiers(m)), rest
	}
	if s, ok := named[key]; ok {
		return s, options
	}
	if len([]rune(key)) != 1 {
		b.t.Fatalf("press: no key is called %q", key)
	}
	return key, options
}

// Eval runs JavaScript in the page and decodes its value into out, which may be nil. It
// waits for a promise.
func (b *Browser) Eval(script string, out any) {
	b.t.Helper()
	wrapped := fmt.Sprintf(`(async () => { const value = await (0, eval)(%s); return JSON.stringify(value === undefined ? null : value); })()`, quote(script))
	encoded := run(b, "evaluate", chromedp.Evaluate[string](wrapped, chromedp.EvalAwaitPromise))
	if out == nil {
		return
	}
	if err := json.Unmarshal([]byte(encoded), out); err != nil {
		b.t.Fatalf("evaluate: %v", err)
	}
}

func quote(s string) string {
	q, err := json.Marshal(s)
	if err != nil {
		panic("browsertest: " + err.Error()) // a string always encodes
	}
	return string(q)
}

// SetCookie sets a cookie for the site of url.
func (b *Browser) SetCookie(url, name, value string) {
	b.t.Helper()
	b.do("set cookie", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: url})
		return err
	}))
}

// Screenshot writes the whole page as a PNG to file. Relative names are in the folder
// that HIDE_SHOTS names; without it nothing is written, so pictures are made only on
// request.
func (b *Browser) Screenshot(file string) {
	b.t.Helper()
	if !filepath.IsAbs(file) {
		folder := os.Getenv("HIDE_SHOTS")
		if folder == "" {
			return
		}
		file = filepath.Join(folder, file)
	}
	png := run(b, "screenshot", chromedp.FullScreenshot(100))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		b.t.Fatalf("screenshot: %v", err)
	}
	if err := os.WriteFile(file, png, 0o644); err != nil {
		b.t.Fatalf("screenshot: %v", err)
	}
}

// Shots fails if the page is wider than the window, at 390 and at 1280 pixels. With
// HIDE_SHOTS it writes four pictures: name-1280-light.png and so on.
func (b *Browser) Shots(name string) {
	b.t.Helper()
	for _, width := range []int{390, 1280} {
		b.Size(width, 800)
		var wider int
		b.Eval(`document.documentElement.scrollWidth - document.documentElement.clientWidth`, &wider)
		if wider > 0 {
			b.t.Errorf("%s: the page is %d pixels wider than a window of %d", name, wider, width)
		}
		if os.Getenv("HIDE_SHOTS") != "" {
			b.Dark(true)
			b.Screenshot(fmt.Sprintf("%s-%d-dark.png", name, width))
			b.Dark(false)
			b.Screenshot(fmt.Sprintf("%s-%d-light.png", name, width))
		}
	}
}

// downloadWithin is how long a download may take.
const downloadWithin = 10 * time.Second

// SaveTo saves downloads in folder without asking.
func (b *Browser) SaveTo(folder string) {
	b.t.Helper()
	b.do("set the folder for downloads", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
			Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder,
			BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID,
		})
		return err
	}))
}

// Saved waits for a finished download in folder whose name matches pattern, as
// [filepath.Glob] does, and returns its path.
func (b *Browser) Saved(folder, pattern string) string {
	b.t.Helper()
	for deadline := time.Now().Add(downloadWithin); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			b.t.Fatal(err)
		}
		unfinished, _ := filepath.Glob(filepath.Join(folder, "*.crdownload"))
		if len(found) == 1 && len(unfinished) == 0 {
			if info, err := os.Stat(found[0]); err == nil && info.Size() > 0 {
				return found[0]
			}
		}
	}
	b.t.Fatalf("nothing like %s was downloaded", pattern)
	return ""
}

// TabTo presses Tab, as a person without a mouse does, until the element that selector
// finds has the focus.
func (b *Browser) TabTo(selector string) {
	b.t.Helper()
	const most = 200
	for range most {
		var there bool
		b.Eval(`document.activeElement !== null && document.activeElement.matches(`+quote(selector)+`)`, &there)
		if there {
			return
		}
		b.Press("Tab")
	}
	b.t.Fatalf("%d presses of Tab did not reach %s", most, selector)
}
