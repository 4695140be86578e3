// SPDX-License-Identifier: Apache-2.0

// Package noise adds noise to counts so that they are differentially private.
//
//	noisy, err := noise.Secure{}.Add(count, 1, 0.5)
//
// [Secure] is the Laplace mechanism on integers of Google's differential privacy
// library. It draws from the system's random source, on a grid that does not depend on
// the count, so that the low bits of a number reveal nothing. There is no seed.
// Publishers draw from a [Source], so that tests can put a broken one in its place.
package noise

import (
	"context"
	"math"

	google "github.com/google/differential-privacy/go/v3/noise"
)

// Source adds noise to a count. sensitivity is how much one unit can change the sum of
// the counts that share epsilon.
type Source interface {
	Add(count, sensitivity int64, epsilon float64) (int64, error)
}

// Secure is the Source of every release.
type Secure struct{}

var _ Source = Secure{}

// Add draws from a Laplace distribution of scale sensitivity/epsilon, rounded to
// integers. It refuses a sensitivity below 1 and an epsilon that is not a positive
// number.
func (Secure) Add(count, sensitivity int64, epsilon float64) (int64, error) {
	return google.Laplace().AddNoiseInt64(count, sensitivity, 1, epsilon, 0)
}

// AddAll adds noise to each of counts, in place.
func AddAll(ctx context.Context, s Source, counts []int64, sensitivity int64, epsilon float64) error {
	for i, c := range counts {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		noisy, err := s.Add(c, sensitivity, epsilon)
		if err != nil {
			return err
		}
		counts[i] = noisy
	}
	return nil
}

// Scale is the scale of the noise: the mean of its absolute value.
func Scale(sensitivity int64, epsilon float64) float64 { return float64(sensitivity) / epsilon }

// Variance is the variance of the noise, including that of rounding to integers.
func Variance(sensitivity int64, epsilon float64) float64 {
	b := Scale(sensitivity, epsilon)
	return 2*b*b + 1.0/12
}

// MeanAbs is the mean absolute value of a normal variable of this variance, which the
// sum of many noise terms approaches.
func MeanAbs(variance float64) float64 { return math.Sqrt(2 * variance / math.Pi) }
