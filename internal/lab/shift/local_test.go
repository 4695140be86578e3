// SPDX-License-Identifier: Apache-2.0

package shift

import (
	"bytes"
	"strings"
	"testing"

	"hide/internal/greedy/detect"
)

// TestLocalNotesHelp measures one number of local notes twice: the rest is the same, and
// notes of the other hospital leave less.
func TestLocalNotesHelp(t *testing.T) {
	r := measure(t, generated("b", 2, 16), generated("a", 1, 8), Options{Local: []int{8}, WithoutParts: []string{detect.Strangers.String()}})
	if len(r.Local) != 3 || r.Lines != nil {
		t.Fatalf("%d local lines, %d others", len(r.Local), len(r.Lines))
	}
	for i, l := range r.Local {
		if i == 0 && (l.Notes != 0 || l.Tokens != 0 || l.Left != 1) || i > 0 && (l.Notes != 8 || l.Tokens == 0 || l.Draw != i-1) {
			t.Errorf("line %d: %+v", i, l)
		}
		if want := l.Shares.Missed / r.Local[0].Shares.Missed; l.Left != want {
			t.Errorf("line %d: %g left, missed %g times as much", i, l.Left, want)
		}
		if i > 0 && l.Loss >= r.Local[0].Loss {
			t.Errorf("T(H) %g with local notes, %g without", l.Loss, r.Local[0].Loss)
		}
	}
	var out bytes.Buffer
	r.Write(&out)
	for _, want := range []string{"advised", "random", "missed, of without"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
