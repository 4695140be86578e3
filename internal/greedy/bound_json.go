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

	Constants *constantsJSON `json:"constants,omitempty"` // of theorems 5 and 6
}

// constantsJSON are [Constants] likewise. Null is infinite: a count of something over
// one of nothing, too few instances for the dimension, or lemma 4 of an attacker who
// finds nothing.
type constantsJSON struct {
	P          *float64 `json:"p"`
	Q          *float64 `json:"q"`
	R          *float64 `json:"r"`
	S          *float64 `json:"s"`
	Lambda     *float64 `json:"lambda"`
	ErrorRatio *float64 `json:"error_ratio"`
}

func (c *Constants) toJSON() *constantsJSON {
	if c == nil {
		return nil
	}
	return &constantsJSON{jsonNumber(c.P), jsonNumber(c.Q), jsonNumber(c.R), jsonNumber(c.S), jsonNumber(c.Lambda), jsonNumber(c.ErrorRatio)}
}

func (j *constantsJSON) constants() *Constants {
	if j == nil {
		return nil
	}
	f := Finite{P: orInfinite(j.P), Q: orInfinite(j.Q), R: orInfinite(j.R), S: orInfinite(j.S), Lambda: orInfinite(j.Lambda)}
	return &Constants{f, orInfinite(j.ErrorRatio)}
}

// MarshalJSON writes null for what is not finite.
func (b Bound) MarshalJSON() ([]byte, error) {
	return json.Marshal(boundJSON{b.Theorem, b.Applies, jsonNumber(b.Value), jsonNumber(b.Observed), b.Trivial, b.Vacuous, jsonNumber(b.Excess), jsonNumber(b.NeedsLC), b.Constants.toJSON()})
}

// UnmarshalJSON reads what MarshalJSON wrote. A null is infinite again.
func (b *Bound) UnmarshalJSON(raw []byte) error {
	var j boundJSON
	if err := json.Unmarshal(raw, &j); err != nil {
		return err
	}
	*b = Bound{j.Theorem, j.Applies, orInfinite(j.Value), orInfinite(j.Observed), j.Trivial, j.Vacuous, orInfinite(j.Excess), orInfinite(j.NeedsLC), j.Constants.constants()}
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
