// SPDX-License-Identifier: Apache-2.0

package meter

import (
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		done, total int
		detail      string
		took        time.Duration
		want        string
	}{
		{3, 0, "", 0, "training: 3"},
		{3, 12, "", time.Second, "training: 3 of 12 (25 %)"},
		{3, 12, "", 4 * time.Second, "training: 3 of 12 (25 %), 12s left"},
		{12, 12, "objective 1.5", 4 * time.Second, "training: 12 of 12 (100 %), objective 1.5"},
	} {
		if got := lineText("training", c.done, c.total, c.detail, c.took); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
