// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math"
	"strconv"
	"strings"
)

// dimension is one of the configuration, as far as its order matters.
type dimension struct {
	Name    string   `json:"name"`
	Values  []string `json:"values"`
	Ordered bool     `json:"ordered"`
	Min     float64  `json:"min"`
	Max     float64  `json:"max"`
	Width   float64  `json:"width"`
	Other   bool     `json:"other"`
}

// mostRanks bounds what a configuration can say that there is.
const mostRanks = 1 << 20

// ranks is how many categories are in an order.
func (d dimension) ranks() int {
	switch n := math.Floor((d.Max-d.Min)/d.Width + 1e-9); {
	case d.Ordered:
		return len(d.Values)
	case d.Width > 0 && n >= 0 && n < mostRanks:
		return int(n) + 1
	}
	return 0
}

// places says where categories are in the order; all others come after it.
func (d dimension) places() func(label string) (at int, ok bool) {
	known := map[string]int{}
	for i, v := range d.Values {
		known[v] = i
	}
	if d.Other {
		known["(other)"] = d.ranks()
	}
	return func(label string) (int, bool) {
		at, ok := known[label]
		if !ok && !d.Ordered {
			if at, ok = d.bin(label); ok {
				known[label] = at
			}
		}
		return at, ok
	}
}

// bin reads a number, the only one of its bin, or "[low, high)".
func (d dimension) bin(label string) (at int, ok bool) {
	low, _, _ := strings.Cut(strings.TrimPrefix(label, "["), ",")
	x, err := strconv.ParseFloat(low, 64)
	rank := math.Round((x - d.Min) / d.Width)
	if err != nil || !(math.Abs(d.Min+rank*d.Width-x) <= 1e-6*d.Width) || !(rank >= 0 && rank < float64(d.ranks())) {
		return 0, false
	}
	return int(rank), true
}
