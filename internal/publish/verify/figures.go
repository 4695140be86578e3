// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"encoding/json"
	"fmt"
)

// figuresSay states that the figures of a release do not hold for its notes. Figures cannot be
// recomputed, so only this is read of them; manifests of earlier versions do not have it.
func figuresSay(figures json.RawMessage) []string {
	var claim struct {
		Validity *struct {
			Hold     bool   `json:"hold_for_publication"`
			Because  string `json:"because"`
			Measured int    `json:"measured_notes"`
		} `json:"validity"`
	}
	if json.Unmarshal(figures, &claim) != nil || claim.Validity == nil || claim.Validity.Hold {
		return nil
	}
	return []string{fmt.Sprintf("figures: they hold for the %d measured notes only, not for this release: %s", claim.Validity.Measured, claim.Validity.Because)}
}
