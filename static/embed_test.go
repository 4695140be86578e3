// SPDX-License-Identifier: Apache-2.0

package static

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestVendoredFilesAreTheOnesThatWereVetted compares with the sums that were
// taken when the files were read and put here.
func TestVendoredFilesAreTheOnesThatWereVetted(t *testing.T) {
	sums, err := Files.ReadFile("vendor/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(sums)); lines.Scan(); {
		sum, name, _ := strings.Cut(lines.Text(), " ")
		want[strings.TrimLeft(name, " *")] = sum
	}
	scripts, err := fs.Glob(Files, "vendor/*.js")
	if err != nil || len(scripts) != len(want) {
		t.Fatalf("%d scripts, %d sums, %v", len(scripts), len(want), err)
	}
	for _, name := range scripts {
		content, err := Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(content)
		if got := hex.EncodeToString(sum[:]); got != want[path.Base(name)] {
			t.Errorf("%s has sum %s, want %s", name, got, want[path.Base(name)])
		}
	}
}

// forbidden is what would ask another host, make markup of text or need the
// policy to be weaker.
var forbidden = regexp.MustCompile(`https?://|//[a-z0-9-]+\.[a-z]|@import|url\(|\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|localStorage|sessionStorage|indexedDB`)

// allowed are the exceptions, with their reason.
var allowed = map[string]string{
	"js/note_keys.js":   "localStorage",   // keeps "on" or "off" for single-key commands
	"js/note_fold.js":   "localStorage",   // keeps which sides of the page are folded
	"js/note_back.js":   "sessionStorage", // keeps which run a note was opened from
	"js/review_kept.js": "localStorage",   // keeps positions and labels of answers that could not be sent
}

func TestOwnFilesAskNobodyAndMakeNoMarkupOfText(t *testing.T) {
	seen := 0
	for _, pattern := range []string{"*.js", "js/*.js", "css/*.css"} {
		names, err := fs.Glob(Files, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			content, err := Files.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			seen++
			for i, line := range strings.Split(string(content), "\n") {
				if found := forbidden.FindString(line); found != "" && allowed[name] != found {
					t.Errorf("%s:%d: %s", name, i+1, found)
				}
			}
		}
	}
	if seen < 5 {
		t.Errorf("only %d files of our own: the patterns are wrong", seen)
	}
}
