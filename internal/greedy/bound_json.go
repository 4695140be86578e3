// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"encoding/json"
	"math"
)

// boundJSON is a [Bound] as JSON can hold it: no number that is not finite.
type boundJSON struct {
	Theorem  string   `json:"theorem"`
	Applies  bool     `json:"applies"`
	Value    *float64 `json:"value"` // null: the theorem gives nothing
	Observed *float64 `json:"observed"`
	Trivial  float64  `json:"trivial"`
	Vacuous  bool     `json:"vacuous"`
	Excess   *float64 `json:"excess"`   // null: infinite
	NeedsLC  *float64 `json:"needs_lc"` // null: no L/C is enough, or nothing is left
}

// MarshalJSON writes null for what is not finite.
func (b Bound) MarshalJSON() ([]byte, error) {
	return json.Marshal(boundJSON{b.Theorem, b.Applies, jsonNumber(b.Value), jsonNumber(b.Observed), b.Trivial, b.Vacuous, jsonNumber(b.Excess), jsonNumber(b.NeedsLC)})
}

// UnmarshalJSON reads what MarshalJSON wrote. A null is infinite again.
func (b *Bound) UnmarshalJSON(raw []byte) error {
	var j boundJSON
	if err := json.Unmarshal(raw, &j); err != nil {
		return err
	}
	*b = Bound{j.Theorem, j.Applies, orInfinite(j.Value), orInfinite(j.Observed), j.Trivial, j.Vacuous, orInfinite(j.Excess), orInfinite(j.NeedsLC)}
	return nil
}

func jsonNumber(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

func orInfinite(v *float64) float64 {
	if v == nil {
		return math.Inf(1)
	}
	return *v
}
