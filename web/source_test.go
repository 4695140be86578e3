// SPDX-License-Identifier: Apache-2.0

package web

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// banned is what would let a note's text become markup, or need a weaker policy.
var banned = regexp.MustCompile(`templ\.Raw|JSONScript|text/template|hx-on|hx-v(als|ars)="?'?js:|\bstyle="|<script>|onclick=|onload=|inlineScriptNonce`)

func TestTemplatesEscapeEverything(t *testing.T) {
	files, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, name := range files {
		if filepath.Ext(name) != ".templ" && (filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go")) {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		read++
		for i, line := range strings.Split(string(content), "\n") {
			if found := banned.FindString(line); found != "" {
				t.Errorf("%s:%d: %s", name, i+1, found)
			}
		}
	}
	if read < 20 {
		t.Errorf("only %d files were read", read)
	}
}
