// SPDX-License-Identifier: Apache-2.0

package takeback

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/project"
)

// TestAFullBinIsAShortPage: thousands of notes of undone imports are a row each import, and
// of thousands that were deleted alone the page lists the newest.
func TestAFullBinIsAShortPage(t *testing.T) {
	var v view
	v.project.ID = "p1"
	at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	for i := range 5000 {
		b := project.Binned{Document: annotate.DocumentID(i + 1), At: at.Add(-time.Duration(i) * time.Minute), Import: uint64(i % 3)}
		b.Status.Name = fmt.Sprint("note-", i)
		v.Bin = append(v.Bin, b)
	}
	for _, only := range []uint64{0, 2} {
		v.only = only
		var b strings.Builder
		if err := bin(v).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		body := b.String()
		if rows := strings.Count(body, `<th scope="row">`); rows != 2+mostListed {
			t.Errorf("only %d: %d rows", only, rows)
		}
		for _, want := range []string{"<bdi>note-1</bdi> and 1,666 more", "<bdi>note-2</bdi> and 1,665 more", "older notes are not listed"} {
			if !strings.Contains(body, want) {
				t.Errorf("only %d: no %q", only, want)
			}
		}
	}
}
