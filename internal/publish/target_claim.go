// SPDX-License-Identifier: Apache-2.0

package publish

import "hide/internal/greedy/target"

// TargetClaim is the target that the threshold of the redaction model was chosen for.
type TargetClaim struct {
	target.Choice
	// Void is why the promise does not hold for the notes of the release, "" if nothing speaks
	// against it.
	Void string `json:"void,omitempty"`
}

// decidedByPeople is why no target holds for a release by a policy.
const decidedByPeople = "the release follows a policy and decisions of people, and the target was chosen for the redaction model alone"

// targetClaim is what the release claims about the target of its bundle; nil without one.
func (w *writer) targetClaim() *TargetClaim {
	if w.bundle == nil || w.bundle.Provenance.Target == nil {
		return nil
	}
	c := &TargetClaim{*w.bundle.Provenance.Target, w.meta.TargetVoid}
	if w.meta.Policy != nil {
		c.Void = decidedByPeople
	}
	return c
}
