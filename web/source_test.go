// SPDX-License-Identifier: Apache-2.0

package web

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hide/internal/testsize"
)

// banned is what would let a note's text become markup, or need a weaker policy.
var banned = regexp.MustCompile(`templ\.Raw|JSONScript|text/template|hx-on|hx-v(als|ars)="?'?js:|\bstyle="|<script>|onclick=|onload=|inlineScriptNonce`)

// TestTemplatesEscapeEverything reads the shell and all features.
func TestTemplatesEscapeEverything(t *testing.T) {
	testsize.Slow(t)
	read := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".templ" && (filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go")) {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		read++
		for i, line := range strings.Split(string(content), "\n") {
			if found := banned.FindString(line); found != "" {
				t.Errorf("%s:%d: %s", name, i+1, found)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 100 {
		t.Errorf("only %d files were read", read)
	}
}
