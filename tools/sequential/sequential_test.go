// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWhatMayRunBesideIsTold(t *testing.T) {
	for source, want := range map[string]bool{
		"func f() { g() }":                              false,
		"func f() { go g() }":                           true,
		"func f() { var w sync.WaitGroup; w.Go(g) }":    true,
		"func f(t *testing.T) { t.Parallel() }":         true,
		"func f(b *testing.B) { b.RunParallel(g) }":     true,
		"func f() { time.AfterFunc(1, g) }":             true,
		"func f() { next, stop := iter.Pull(s) }":       true,
		"func f() { group.Go(g) }":                      true,
		`import "net/http"`:                             true,
		`import "unsafe"`:                               true,
		"type Go struct{}; func f() { _ = Parallel{} }": false,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := forks(f); got != want {
			t.Errorf("%s: %t, want %t", source, got, want)
		}
	}
}

// A package is no more sequential than what it or its tests import, and each with tests
// is in one of the two lists.
func TestAPackageIsAsSequentialAsWhatItImports(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module m\n\ngo 1.26\n",
		"go/x.go":         "package x\nfunc F() { go F() }\n",
		"above/x.go":      "package x\nimport x \"m/go\"\nfunc F() { x.F() }\n",
		"above/x_test.go": "package x\n",
		"tests/x.go":      "package x\n",
		"tests/x_test.go": "package x\nimport _ \"m/above\"\n",
		"outer/x.go":      "package x\n",
		"outer/x_test.go": "package x_test\nimport _ \"m/go\"\n",
		"alone/x.go":      "package x\n",
		"alone/x_test.go": "package x\nimport _ \"m/outer\"\n",
	} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := list(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := split(all, false); !slices.Equal(got, []string{"m/alone"}) {
		t.Errorf("one goroutine: %q", got)
	}
	if got := split(all, true); !slices.Equal(got, []string{"m/above", "m/outer", "m/tests"}) {
		t.Errorf("several: %q", got)
	}
}
