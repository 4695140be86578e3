// SPDX-License-Identifier: Apache-2.0

package target

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
)

// Never is the least score of a unit without an identifier that counts: it leaks at no
// threshold.
var Never = math.Inf(1)

// Least is, for each note, the least score of a token of an identifier that counts. The note
// leaks at every threshold above it. It is [Never] for a note without such a token.
func Least(notes []annotate.Note, scores [][]float64, t Target) []float64 {
	out := make([]float64, len(notes))
	for i := range notes {
		out[i] = Never
		for x, sensitive := range notes[i].Sensitive {
			if sensitive && t.Counts(notes[i].Label(x)) {
				out[i] = min(out[i], scores[i][x])
			}
		}
	}
	return out
}

// ByGroup joins the notes of each patient: a patient leaks as soon as one note does. A note
// without a patient is a group of its own. Patients are in order of first appearance.
func ByGroup(notes []annotate.Note, least []float64) []float64 {
	at := map[string]int{}
	var out []float64
	for i, n := range notes {
		k, seen := at[n.Group]
		if !seen {
			k = len(out)
			at[n.Group], out = k, append(out, Never)
		}
		out[k] = min(out[k], least[i])
	}
	return out
}

// Choice is the threshold chosen for a target, and what it is based on.
type Choice struct {
	Target    Target  `json:"target"`
	Patients  bool    `json:"patients"`         // units are patients, otherwise notes
	Partial   bool    `json:"partial,omitzero"` // some of the patients have notes that are not calibration notes
	Units     int     `json:"units"`            // calibration units
	Allowed   int     `json:"allowed"`          // leaking units that the target allows among them
	Leaking   int     `json:"leaking"`          // at the threshold
	Threshold float64 `json:"threshold"`        // the detector redacts from this score on

	// Others is the number of units to be published that nobody has read, 0 if it is unknown.
	// At most OthersLeaking of them leak, with the confidence of the target, if they and the
	// calibration units are one random order of the same units.
	Others        int `json:"others,omitzero"`
	OthersLeaking int `json:"others_leaking,omitzero"`
}

// Choose is the highest threshold, which redacts least, that the target allows. least has
// the least score of each calibration unit: see [Least] and [ByGroup]. Thresholds are
// nested, so all below the result are allowed too, and the first that is not allowed ends
// the sequence. The error is a [*TooFew] if no threshold can be allowed.
func Choose(least []float64, patients bool, others int, t Target) (Choice, error) {
	if err := t.Check(); err != nil {
		return Choice{}, err
	}
	n := len(least)
	c := Choice{Target: t, Patients: patients, Units: n, Allowed: Allowed(n, t.Share, t.risk()), Others: others}
	if c.Allowed < 0 {
		return c, &TooFew{Plan{Units: n, Most: n, Need: Need(t.Share, t.risk()), Smallest: Smallest(n, t.risk()), Patients: patients}, t}
	}
	c.Threshold = Threshold(least, c.Allowed)
	for _, score := range least {
		if score < c.Threshold {
			c.Leaking++
		}
	}
	if others > 0 {
		c.OthersLeaking = MostAmong(n, c.Allowed, others, t.risk())
	}
	return c, nil
}

// Threshold is the highest threshold from 0 to 1 at which at most k units leak.
func Threshold(least []float64, k int) float64 {
	sorted := slices.Sorted(slices.Values(least))
	if k >= len(sorted) {
		return 1
	}
	return min(1, max(0, sorted[k]))
}

// Short: "a target of 5 % of the notes".
func (c Choice) Short() string {
	return "a target of " + percent(c.Target.Share) + " of the " + units(c.Patients)
}

// Words state the choice and its basis.
func (c Choice) Words() string {
	promise := c.Target.Words(c.Patients)
	says := fmt.Sprintf("%s: %d of %d calibration %s leak, and %d may.", strings.ToUpper(promise[:1])+promise[1:], c.Leaking, c.Units, units(c.Patients), c.Allowed)
	if c.Others > 0 {
		says += fmt.Sprintf(" Of the %d %s to be published that nobody has read, at most %d leak.", c.Others, units(c.Patients), c.OthersLeaking)
	}
	if c.Partial {
		says += " Some of these patients have other notes, which do not count here: with all their notes, more patients leak."
	}
	return says
}

// leastRatio stands for the threshold 1.
const leastRatio = 1e-4

// Ratio is the L/C for which one classifier has this threshold, 1/t - 1, in four digits and at
// most the limit.
func (c Choice) Ratio(limit float64) float64 {
	if c.Threshold*(1+limit) <= 1 {
		return limit
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(1/c.Threshold-1, 'g', 4, 64), 64)
	return max(leastRatio, rounded)
}
