// SPDX-License-Identifier: Apache-2.0

package greedy

import "math"

// LogOdds is log(p/(1-p)) of a probability that is taken to be at least surest and at
// most 1-surest: no certainty then outvotes everybody else. With 0 it is infinite for
// certainty, and not a number for what is none.
func LogOdds(p, surest float64) float64 {
	p = min(max(p, surest), 1-surest)
	return math.Log(p / (1 - p))
}

// Logistic is the probability of log-odds f: 1/(1+e^-f).
func Logistic(f float64) float64 { return 1 / (1 + math.Exp(-f)) }
