// SPDX-License-Identifier: Apache-2.0

package kernel

// limit is what one type of number can stand.
type limit struct {
	floor     float64 // least log psi; what is lower is taken for it
	weight    float64 // bound of |log M|
	tolerance float64 // relative difference of two computations of Z
	least     float64 // least sum that is not taken for a lost one
	most      float64 // greatest number, with room for sums
}

func limits[F Float]() limit {
	if _, single := any(F(0)).(float32); single {
		return limit{floor: -87, weight: 40, tolerance: 1e-4, least: 1e-30, most: 1e36}
	}
	return limit{floor: -300, weight: 300, tolerance: 1e-10, least: 1e-290, most: 1e300}
}
