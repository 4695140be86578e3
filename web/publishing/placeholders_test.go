// SPDX-License-Identifier: Apache-2.0

package publishing

import (
	"testing"

	"hide/internal/chart"
	"hide/internal/project/release"
	"hide/internal/publish"
	"hide/web/webtest"
)

func TestBarsMatchTheirGoldenFile(t *testing.T) {
	webtest.Golden(t, "chart-bars.svg", webtest.Rendered(t, chart.DrawBars(LabelBars("b", "Placeholders", LabelCounts(webtest.MadeRelease())))))
}

func TestBarsAreProportionalFromZero(t *testing.T) {
	b := LabelBars("b", "Kinds", []LabelCount{{"DATE", 200}, {"AGE", 50}, {"FAX", 0}, {"BAD", -3}})
	for i, want := range []float64{chart.BarLength, chart.BarLength / 4, 0, 0} {
		if b.Rows[i].Width != want {
			t.Errorf("%s is %v wide, want %v", b.Rows[i].Name, b.Rows[i].Width, want)
		}
	}
	webtest.WellFormed(t, webtest.Rendered(t, chart.DrawBars(b)))
	webtest.WellFormed(t, webtest.Rendered(t, chart.DrawBars(LabelBars("b", "Kinds", nil))))
}

func TestPlaceholdersAreCountedMostFirst(t *testing.T) {
	if got := RedactedWords(webtest.MadeRelease()); got != "3,402 placeholders: 1,410 DATE, 822 DOCTOR, 611 PATIENT and 5 more labels" {
		t.Errorf("got %q", got)
	}
	if got := RedactedWords(release.Release{Policy: &publish.PolicyClaim{}}); got != "0 visible replacements" {
		t.Errorf("got %q", got)
	}
	if got := RedactedWords(release.Release{}); got != "0 placeholders" {
		t.Errorf("got %q", got)
	}
}
