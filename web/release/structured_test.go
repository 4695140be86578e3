// SPDX-License-Identifier: Apache-2.0

package release

import (
	"strings"
	"testing"

	"hide/internal/project/release"
	"hide/internal/publish/cube"
)

// TestAReleaseOfCountsSaysWhereTheyAre: its page has no more than the first.
func TestAReleaseOfCountsSaysWhereTheyAre(t *testing.T) {
	for m, want := range map[cube.Method]string{cube.Identity: "cells.csv", cube.Marginals: "marginal-1.csv", cube.DPCube: "blocks.csv", "": ""} {
		var page strings.Builder
		v := releaseView{Release: release.Release{Name: "release-1", Strong: &release.StrongRelease{Method: m}}}
		if err := structuredRelease(v).Render(t.Context(), &page); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(page.String(), `id="counts"`); got != (m != "") || !strings.Contains(page.String(), want) {
			t.Errorf("%q: said %t, want %q", m, got, want)
		}
	}
}
