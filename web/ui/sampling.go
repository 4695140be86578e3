// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hide/internal/project"
)

// OtherWords stands for non-PHI words in a list of labels.
const OtherWords = "O"

// SamplingWords is a setting in words.
func SamplingWords(s project.Sampling) string {
	var parts []string
	if s.O > 0 {
		parts = append(parts, TypedNumber(100*s.O)+" % of non-PHI words")
	}
	if s.Window > 0 {
		parts = append(parts, fmt.Sprintf("non-PHI words within %d of a PHI word", s.Window))
	}
	if len(s.Cost) > 0 {
		parts = append(parts, "cost "+CostWords(s))
	}
	if len(parts) == 0 {
		return "all words"
	}
	return strings.Join(parts, ", ")
}

// CostWords lists the costs of a setting: "DATE 2, O 0.5".
func CostWords(s project.Sampling) string { return strings.Join(Costs(s), ", ") }

// Costs are the costs of a setting, each as it is typed; [OtherWords] is the name of non-PHI
// words.
func Costs(s project.Sampling) []string {
	var costs []string
	for _, l := range slices.Sorted(maps.Keys(s.Cost)) {
		name := string(l)
		if name == "" {
			name = OtherWords
		}
		costs = append(costs, name+" "+TypedNumber(s.Cost[l]))
	}
	return costs
}
