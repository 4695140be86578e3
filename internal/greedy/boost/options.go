// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"fmt"
	"math"
	"runtime"
)

// Limits of what is trained and read.
const (
	maxTrees   = 10000
	maxLeaves  = 256
	maxColumns = 1 << 16
	maxRows    = math.MaxInt32
)

// Options say how to boost. The zero value of each field stands for its default.
type Options struct {
	Trees      int     // 0 means 150
	Leaves     int     // of a tree, at least 2; 0 means 8
	Bins       int     // of a column, from 2 to 256; 0 means 256
	Rate       float64 // what a tree's values are multiplied by; 0 means 0.1
	L2         float64 // added to the second derivative of a leaf; 0 means 1
	MinHessian float64 // sum of p (1-p) that a leaf has at least; 0 means 1
	Workers    int     // 0 means GOMAXPROCS; the result does not depend on it

	// Start has log-odds by row that the trees set out from. The model does not know
	// them: who asks it adds those of the rows asked about. nil means the prior.
	Start []float64

	Progress func(trees int, loss float64)
}

func (o Options) withDefaults() Options {
	o.Trees = orElse(o.Trees, 150)
	o.Leaves = orElse(o.Leaves, 8)
	o.Bins = orElse(o.Bins, 256)
	o.Rate = orElse(o.Rate, 0.1)
	o.L2 = orElse(o.L2, 1)
	o.MinHessian = orElse(o.MinHessian, 1)
	o.Workers = orElse(o.Workers, runtime.GOMAXPROCS(0))
	return o
}

func (o Options) check() error {
	switch {
	case o.Trees < 1 || o.Trees > maxTrees:
		return fmt.Errorf("%d trees; 1 to %d are allowed", o.Trees, maxTrees)
	case o.Leaves < 2 || o.Leaves > maxLeaves:
		return fmt.Errorf("%d leaves; 2 to %d are allowed", o.Leaves, maxLeaves)
	case o.Bins < 2 || o.Bins > maxBins:
		return fmt.Errorf("%d bins; 2 to %d are allowed", o.Bins, maxBins)
	case !(o.Rate > 0 && o.Rate <= 1):
		return fmt.Errorf("rate %g must be above 0 and at most 1", o.Rate)
	case !(o.L2 >= 0 && o.MinHessian >= 0 && max(o.L2, o.MinHessian) <= math.MaxFloat32):
		return fmt.Errorf("L2 %g and least second derivative %g must be numbers and not negative", o.L2, o.MinHessian)
	case o.Workers < 1:
		return fmt.Errorf("%d workers, at least 1 is needed", o.Workers)
	}
	return nil
}

func orElse[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
