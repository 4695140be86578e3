// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"testing"

	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/noise/noisetest"
)

// TestTheNoiseIsForBoundTimesUnjoined follows both from the file to what is drawn.
func TestTheNoiseIsForBoundTimesUnjoined(t *testing.T) {
	c := cubeOf(t, with(cubeConfig, `"bound":5,"unjoined":3,"method":"identity"`))
	counts, err := c.Count(people(40))
	must(t, err)
	var rec noisetest.Recorder
	_, err = cube.Publish(t.Context(), counts, c.params(ledger.One), &rec)
	must(t, err)
	rec.Expect(t, "cube", noisetest.Draws{Sensitivity: 15, Epsilon: 1, Counts: int(c.Dimensions.Cells())})
	if p := sequencesOf(t, with(sequencesConfig, `"unjoined":3`)).params(ledger.One); p.Sensitivity() != 3 {
		t.Errorf("sequences: %d", p.Sensitivity())
	}
}
