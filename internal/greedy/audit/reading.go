// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"errors"
	"fmt"
	"slices"
)

// Reading is what people found in a candidate release: numbers only, no text. It has all
// that is needed to compute a [Certificate]; package verify computes it from the JSON
// independently.
type Reading struct {
	Alpha   float64 `json:"alpha"`    // 1 minus the confidence, above 0 and at most .5
	Anytime bool    `json:"any_time"` // readers may look at the bound and stop; decided before the draw

	Doubtful Stratum `json:"doubtful"` // the most doubtful passages, to be read whole, most doubtful first
	Random   Stratum `json:"random"`   // the other passages, in the order of the draw
	Planned  int     `json:"planned"`  // passages of Random to read; not used with Anytime

	Plants  PlantCount    `json:"plants"`
	Readers []ReaderCount `json:"readers,omitempty"`
	Double  *Double       `json:"double,omitempty"` // passages read by two people

	Labels    []LabelCount `json:"labels,omitempty"` // all labels that a claim is made about, also those not found
	Unlabeled StrataCount  `json:"unlabeled"`        // passages with a finding without a label

	Documents Units `json:"documents"`
	Patients  Units `json:"patients"` // Total 0 when patients are unknown
}

// Stratum is a part of the passages, and what was found in it.
type Stratum struct {
	Passages int   `json:"passages"`
	Read     int   `json:"read"`  // the first so many: a passage counts when all before it are answered
	Found    []int `json:"found"` // positions of the read ones with a finding, from 1, ascending
}

// PlantCount counts the planted identifiers, each in a passage of its own. A plant counts as
// caught if any reader of its passage caught it.
type PlantCount struct {
	Planned int `json:"planned"` // in all passages to read; 0: readers are taken to miss nothing
	Read    int `json:"read"`    // in passages that were read
	Caught  int `json:"caught"`  // of these
}

// ReaderCount is what one reader did. It is shown, and no bound depends on it.
type ReaderCount struct {
	Name     string  `json:"name"`
	Passages int     `json:"passages"`
	Words    int     `json:"words"`
	Seconds  float64 `json:"seconds"`
	Hasty    int     `json:"hasty"` // answers faster than anybody can read
	Found    int     `json:"found"` // passages
	Planted  int     `json:"planted"`
	Caught   int     `json:"caught"`
}

// Double counts the passages with findings among those that two people read independently.
type Double struct {
	First  int `json:"first"`
	Second int `json:"second"`
	Both   int `json:"both"`
}

// StrataCount counts passages in both strata.
type StrataCount struct {
	Doubtful int `json:"doubtful"`
	Random   int `json:"random"`
}

// LabelCount counts the passages with a finding of a label.
type LabelCount struct {
	Label string `json:"label"`
	StrataCount
}

// Units are documents or patients: all that have a passage, and those with a finding.
type Units struct {
	Total int `json:"total"`
	Found int `json:"found"`
}

// Limits keep a reading from outside from costing minutes.
const (
	maxPassages = 2_000_000
	maxRead     = 200_000
	maxPlants   = 100_000
	maxLabels   = 1_000
)

// Passages is the number of passages of the candidate.
func (r *Reading) Passages() int { return r.Doubtful.Passages + r.Random.Passages }

// Found is the number of passages with a finding.
func (r *Reading) Found() int { return len(r.Doubtful.Found) + len(r.Random.Found) }

// Check reports what in the reading cannot be.
func (r *Reading) Check() error {
	switch {
	case !(r.Alpha > 0 && r.Alpha <= .5):
		return errors.New("alpha must be above 0 and at most .5")
	case r.Planned < 0 || r.Planned > r.Random.Passages:
		return errors.New("more passages are planned than there are to draw from")
	case !r.Anytime && r.Random.Read > r.Planned:
		return errors.New("more random passages were read than were planned")
	case r.Plants.Caught < 0 || r.Plants.Caught > r.Plants.Read || r.Plants.Read > r.Plants.Planned || r.Plants.Planned > maxPlants:
		return errors.New("the planted identifiers do not add up: caught, in passages read, planned")
	case len(r.Labels) > maxLabels:
		return fmt.Errorf("there are more than %d labels", maxLabels)
	}
	if err := r.Doubtful.check(); err != nil {
		return fmt.Errorf("doubtful passages: %w", err)
	}
	if err := r.Random.check(); err != nil {
		return fmt.Errorf("random passages: %w", err)
	}
	for _, l := range r.Labels {
		if !l.within(r) {
			return fmt.Errorf("more passages are counted for the label %q than have findings", l.Label)
		}
	}
	if !r.Unlabeled.within(r) {
		return errors.New("more passages are counted without a label than have findings")
	}
	if d := r.Double; d != nil && (d.Both < 0 || d.Both > min(d.First, d.Second)) {
		return errors.New("two readers found more passages together than one of them")
	}
	if err := r.Documents.check(r, 1); err != nil {
		return fmt.Errorf("documents: %w", err)
	}
	if err := r.Patients.check(r, 0); err != nil {
		return fmt.Errorf("patients: %w", err)
	}
	return nil
}

func (s Stratum) check() error {
	switch {
	case s.Passages < 0 || s.Passages > maxPassages:
		return fmt.Errorf("their number must be from 0 to %d", maxPassages)
	case s.Read < 0 || s.Read > min(s.Passages, maxRead):
		return fmt.Errorf("read ones must be from 0 to their number, and at most %d", maxRead)
	case len(s.Found) > 0 && (s.Found[0] < 1 || s.Found[len(s.Found)-1] > s.Read):
		return errors.New("a finding is in a passage that was not read")
	}
	for i := 1; i < len(s.Found); i++ {
		if s.Found[i] <= s.Found[i-1] {
			return errors.New("the positions of findings must rise")
		}
	}
	return nil
}

func (c StrataCount) within(r *Reading) bool {
	return c.Doubtful >= 0 && c.Random >= 0 && c.Doubtful <= len(r.Doubtful.Found) && c.Random <= len(r.Random.Found)
}

// check wants at least a number of units if there are passages.
func (u Units) check(r *Reading, least int) error {
	if u.Total == 0 && u.Found == 0 && least == 0 {
		return nil
	}
	if u.Total < min(least, r.Passages()) || u.Total > r.Passages() {
		return errors.New("their number must be from 1 to the number of passages")
	}
	if u.Found < min(1, r.Found()) || u.Found > min(u.Total, r.Found()) {
		return errors.New("those with a finding do not fit the passages with a finding")
	}
	return nil
}

// whole reports whether every passage was read.
func (r *Reading) whole() bool {
	return r.Doubtful.Read == r.Doubtful.Passages && r.Random.Read == r.Random.Passages
}

// Clone is a copy that shares no mutable data.
func (r Reading) Clone() Reading {
	r.Doubtful.Found, r.Random.Found = slices.Clone(r.Doubtful.Found), slices.Clone(r.Random.Found)
	r.Readers, r.Labels = slices.Clone(r.Readers), slices.Clone(r.Labels)
	if r.Double != nil {
		d := *r.Double
		r.Double = &d
	}
	return r
}
