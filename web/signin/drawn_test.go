// SPDX-License-Identifier: Apache-2.0

package signin_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

var path = regexp.MustCompile(`<path d="([^"]+)"`)

// drawn are the dark modules of the QR code in a page.
func drawn(t *testing.T, body string) map[[2]int]bool {
	t.Helper()
	found := path.FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("no drawing in\n%.900s", body)
	}
	dark := map[[2]int]bool{}
	for run := range strings.SplitSeq(strings.TrimSuffix(found[1], "z"), "z") {
		var x, y, n, back int
		if _, err := fmt.Sscanf(run, "M%d %dh%dv1h-%d", &x, &y, &n, &back); err != nil || n != back {
			t.Fatalf("part %q: %v", run, err)
		}
		for i := range n {
			dark[[2]int{x + i, y}] = true
		}
	}
	return dark
}
