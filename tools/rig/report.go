// SPDX-License-Identifier: Apache-2.0

package rig

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"time"
)

// Percentile is the smallest time that so many of a hundred do not exceed, in
// milliseconds. Without times it is 0.
func Percentile(times []time.Duration, p int) float64 {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	at := int(math.Ceil(float64(len(sorted)*p)/100)) - 1
	return float64(sorted[max(0, at)].Microseconds()) / 1000
}

// WriteJSON writes figures to a file.
func WriteJSON(file string, figures any) error {
	b, err := json.MarshalIndent(figures, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}
