// SPDX-License-Identifier: Apache-2.0

package hide_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestEveryTestThatSecurityNamesExists: docs/security.md names a test for each promise. A
// test that is renamed or removed must not leave a promise behind that nothing shows.
func TestEveryTestThatSecurityNamesExists(t *testing.T) {
	text, err := os.ReadFile("docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	sources(t, func(name, text string) {
		if !strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			tests[m[1]] = true
		}
	}, ".go")
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(string(text), -1)
	for _, m := range named {
		if !tests[m[1]] {
			t.Errorf("docs/security.md names %s, and there is no such test", m[1])
		}
	}
	if len(named) < 50 {
		t.Errorf("docs/security.md names only %d tests", len(named))
	}
}
