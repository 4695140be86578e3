// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// recorder replaces a test that is meant to fail.
type recorder struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) end() {
	for _, f := range slices.Backward(r.cleanups) {
		f()
	}
	r.cleanups = nil
}
func (r *recorder) has(part string) bool {
	return slices.ContainsFunc(r.errors, func(e string) bool { return strings.Contains(e, part) })
}

func page(t *testing.T, body string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Security-Policy", "script-src 'self'")
		fmt.Fprintf(w, `<!DOCTYPE html><html lang="en"><head><title>page</title><link rel="icon" href="/icon"></head><body>%s</body></html>`, body)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestBrowserReportsWhatPagesDoWrong(t *testing.T) {
	cases := []struct{ name, body, want string }{
		{"an outbound request", `<main><h1>x</h1><img alt="a" src="http://elsewhere.example/pixel.png"></main>`, "outbound request: GET elsewhere.example"},
		{"a policy violation", `<main><h1>x</h1><script>alert(1)</script></main>`, "Content Security Policy"},
		{"an unlabelled field", `<main><h1>x</h1><input name="n"></main>`, "axe: label"},
		{"an unlabelled field on phones", `<style>@media (min-width: 500px) { input { display: none } }</style><main><h1>x</h1><input name="n"></main>`, "390 pixels"},
		{"dim words on phones in the dark", `<style>@media (prefers-color-scheme: dark) and (max-width: 500px) { p { color: #333; background: #000 } }</style><main><h1>x</h1><p>dim</p></main>`, "390 pixels, dark true"},
		{"a box that scrolls on phones and that no key reaches", `<style>div { overflow: auto; white-space: nowrap } .far { margin-left: 550px }</style><main><h1>x</h1><div><p>one <span class="far">far away</span></p></div></main>`, "axe: scrollable-region-focusable"},
		{"dim words in the dark", `<style>@media (prefers-color-scheme: dark) { p { color: #333; background: #000 } }</style><main><h1>x</h1><p>dim</p></main>`, "dark true"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := &recorder{TB: t}
			b := Start(r)
			b.Open(page(t, c.body))
			b.Axe()
			r.end()
			if !r.has(c.want) {
				t.Errorf("got %q, want one with %q", r.errors, c.want)
			}
		})
	}
}

func TestBrowserTypesPressesAndReads(t *testing.T) {
	b := Start(t)
	b.Open(page(t, `<main><h1>Form</h1><label>Name <input id="n" name="name"></label> <a id="l" href="#there">go</a><p id="there">é 漢</p></main>`))
	b.Type("#n", "Ada")
	b.Press("Backspace", "m", "Shift+A")
	if got := b.Value("#n"); got != "AdmA" {
		t.Errorf("field holds %q, want AdmA", got)
	}
	b.Press("Tab", "Enter")
	b.Wait("the link", `location.hash === "#there"`)
	if got := b.Text("#there"); got != "é 漢" {
		t.Errorf("text is %q", got)
	}
	b.Axe()
}

func TestTabsShareNothing(t *testing.T) {
	one, two := Start(t), Start(t)
	url := page(t, `<main><h1>x</h1><input id="n" aria-label="n" autofocus></main>`)
	one.Open(url)
	one.SetCookie(url, "who", "one")
	one.Eval(`localStorage.setItem("who", "one"), document.cookie = "also=one"`, nil)
	two.Open(url)
	one.Reload()
	var kept, seen string
	read := `[document.cookie, localStorage.getItem("who")].join()`
	one.Eval(read, &kept)
	two.Eval(read, &seen)
	if kept != "who=one; also=one,one" || seen != "," {
		t.Errorf("the first tab holds %q, the second %q", kept, seen)
	}
	// Both have the focus: each receives its keys, whichever was opened last.
	for _, b := range []*Browser{two, one} {
		b.Focus("#n")
		b.Press("a", "b")
		var focused bool
		b.Eval(`document.hasFocus()`, &focused)
		if b.Value("#n") != "ab" || !focused {
			t.Errorf("a tab holds %q, focused %v", b.Value("#n"), focused)
		}
	}
	one.Size(390, 800)
	one.Dark(true)
	var size int
	two.Eval(`innerWidth + (matchMedia("(prefers-color-scheme: dark)").matches ? 1 : 0)`, &size)
	if size != 1280 {
		t.Errorf("the size or the colours of one tab went to the other: %d", size)
	}
}

// An error of a page just before the end of its test counts for that test only.
func TestLastWordsAreHeard(t *testing.T) {
	other := &recorder{TB: t}
	Start(other).Open(page(t, `<main><h1>other</h1></main>`))
	r := &recorder{TB: t}
	b := Start(r)
	b.Open(page(t, `<main><h1>x</h1></main>`))
	b.Eval(`console.error("last words"), fetch("http://elsewhere.example/").catch(() => 0), 0`, nil)
	r.end()
	if !r.has("last words") || !r.has("outbound request: GET elsewhere.example") {
		t.Errorf("got %q", r.errors)
	}
	other.end()
	if len(other.errors) > 0 {
		t.Errorf("another test was told %q", other.errors)
	}
}

func TestDownloadsLandInTheFolderOfTheirTab(t *testing.T) {
	one, two := Start(t), Start(t)
	for i, b := range []*Browser{one, two} {
		folder := t.TempDir()
		b.SaveTo(folder)
		b.Open(page(t, `<main><h1>x</h1><a id="l" download="f.txt" href="data:text/plain,`+strconv.Itoa(i)+`">save</a></main>`))
		b.Click("#l")
		saved, err := os.ReadFile(b.Saved(folder, "*.txt"))
		if err != nil || string(saved) != strconv.Itoa(i) {
			t.Errorf("saved %q, %v", saved, err)
		}
	}
}

// TestNothingIsLeftBehind runs a test of this package in another process and looks for
// its Chromium and its profile folder.
func TestNothingIsLeftBehind(t *testing.T) {
	dir := t.TempDir()
	test := exec.Command(os.Args[0], "-test.run", "^TestBrowserTypesPressesAndReads$")
	test.Env = append(os.Environ(), "TMPDIR="+dir)
	if out, err := test.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var left []string
	for range 100 {
		left, _ = filepath.Glob(dir + "/hide-chromium-*")
		if left = append(left, processesWith(t, dir)...); len(left) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("after ten seconds there is %q", left)
}

func processesWith(t *testing.T, part string) (found []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(files) == 0 {
		t.Fatalf("no processes can be listed: %v", err)
	}
	for _, file := range files {
		if line, err := os.ReadFile(file); err == nil && strings.Contains(string(line), part) {
			found = append(found, file)
		}
	}
	return found
}

func TestAxeIsTheFileThatWasVetted(t *testing.T) {
	sums, err := os.ReadFile("axe/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(axeSource))
	if want := hex.EncodeToString(sum[:]) + "  axe.min.js\n"; string(sums) != want {
		t.Errorf("axe.min.js has checksum %q, want %q", want, sums)
	}
}
