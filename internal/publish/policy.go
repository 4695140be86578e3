// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
)

// DefaultPlaceholder is the form of placeholder of a policy that names none.
const DefaultPlaceholder = "[LABEL]"

// placeholderLimit bounds the form of a placeholder, in bytes.
const placeholderLimit = 32

// Policy says what stands in the place of what is redacted.
type Policy struct {
	// Placeholder is the form with the word LABEL where the label goes. What
	// stands before and after must be visible and no part of a word, so that a
	// placeholder never melts into its neighbours.
	Placeholder string `json:"placeholder"`
	// Labels are those that redactions may carry, in the order of the legend.
	Labels []annotate.Label `json:"labels"`
}

// Check reports why the policy cannot be used.
func (p Policy) Check() error {
	before, after, found := strings.Cut(p.Placeholder, "LABEL")
	if !found || len(p.Placeholder) > placeholderLimit || !fence(before) || !fence(after) {
		return fmt.Errorf("the form of placeholders, %q, must be LABEL between visible characters other than letters and digits", p.Placeholder)
	}
	if len(p.Labels) == 0 {
		return fmt.Errorf("policy has no labels")
	}
	for i, l := range p.Labels {
		if err := annotate.CheckLabel(l); err != nil {
			return fmt.Errorf("label %d of the policy: %w", i+1, err)
		}
		if slices.Contains(p.Labels[:i], l) {
			return fmt.Errorf("the policy lists label %s twice", l)
		}
	}
	return nil
}

// fence reports whether s is visible and has no part of a word in it.
func fence(s string) bool {
	for _, r := range s {
		if r == '_' || r == utf8.RuneError || !(unicode.IsPunct(r) || unicode.IsSymbol(r)) {
			return false
		}
	}
	return s != ""
}

func (p Policy) placeholder(l annotate.Label) string {
	return strings.Replace(p.Placeholder, "LABEL", string(l), 1)
}
