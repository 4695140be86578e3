// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
)

// recorder stands in for a test that is meant to fail.
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
