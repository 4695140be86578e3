// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hide/internal/project"
)

// OtherWords is how forms and pages call words that are not sensitive, among labels.
const OtherWords = "O"

// SamplingWords is a setting as a person would say it.
func SamplingWords(s project.Sampling) string {
	var parts []string
	if s.O > 0 {
		parts = append(parts, TypedNumber(100*s.O)+" % of other words")
	}
	if s.Window > 0 {
		parts = append(parts, fmt.Sprintf("other words within %d of a sensitive one", s.Window))
	}
	if len(s.Cost) > 0 {
		parts = append(parts, "cost "+CostWords(s))
	}
	if len(parts) == 0 {
		return "all words"
	}
	return strings.Join(parts, ", ")
}

// CostWords lists the costs of a setting, those of other words under their name.
func CostWords(s project.Sampling) string {
	var costs []string
	for _, l := range slices.Sorted(maps.Keys(s.Cost)) {
		name := string(l)
		if name == "" {
			name = OtherWords
		}
		costs = append(costs, name+" "+TypedNumber(s.Cost[l]))
	}
	return strings.Join(costs, ", ")
}
