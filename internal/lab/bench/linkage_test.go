// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLinkageMakesAtMostHalfTheErrorsOfRules(t *testing.T) {
	dir := t.TempDir()
	o := LinkageOptions{People: []int{600, 60}, Seed: 5, SVG: filepath.Join(dir, "c.svg"), Out: filepath.Join(dir, "p.csv")}
	b, err := Linkage(context.Background(), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	first := b.Sizes[0]
	if first.Rules == nil || 2*first.Engine.errors() > first.Rules.errors() || first.Engine.F1 < 0.9 {
		t.Errorf("the engine makes %+v, the rules %+v", first.Engine, first.Rules)
	}
	if once := *first.Once; once > 3 {
		t.Errorf("%d links of 600 people with one record each", once)
	}
	for _, s := range b.Sizes {
		pairs := 0
		for _, bin := range s.Calibrated {
			pairs += bin.Count
		}
		if low := s.Thresholds[0]; low.Links != pairs || low.False > low.Links || s.Error > 0.2 {
			t.Errorf("%d people: %d pairs in bins, calibration error %.3f, lowest threshold %+v", s.People, pairs, s.Error, low)
		}
	}
	csv, err := os.ReadFile(o.Out)
	if err != nil || strings.Count(string(csv), "\n") != first.Records+1 {
		t.Errorf("%d lines for %d records, %v", strings.Count(string(csv), "\n"), first.Records, err)
	}
	if svg, err := os.ReadFile(o.SVG); err != nil || !strings.Contains(string(svg), "probability, %") {
		t.Errorf("no drawing: %v", err)
	}
	var text bytes.Buffer
	if b.Write(&text); !strings.Contains(text.String(), "of the errors of the best rules") || strings.Contains(text.String(), "%!") {
		t.Errorf("got %s", text.String())
	}
}
