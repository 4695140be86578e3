// SPDX-License-Identifier: Apache-2.0

package score

import (
	"cmp"
	"slices"

	"hide/internal/annotate"
)

// Group is errors of one kind and label on one text.
type Group struct {
	Kind      Kind
	Label     annotate.Label
	Text      string // in folded case
	Count     int
	Documents int
	Leaks     int           // tokens that no prediction covers
	Reasons   []ReasonCount // most frequent first
	Errors    []Error       // in the order given
}

// ReasonCount is how often there is a reason.
type ReasonCount struct {
	Kind      Kind   `json:"kind"`
	Reason    Reason `json:"reason"`
	Count     int    `json:"count"`
	Documents int    `json:"documents"`
	Leaks     int    `json:"leaks"` // tokens that no prediction covers
}

// Groups collects errors with one kind, label and text, the largest group first.
// text gives what an error's span covers; case is folded here.
func Groups(errors []Error, text func(Error) string) []Group {
	type key struct {
		kind  Kind
		label annotate.Label
		text  string
	}
	at, groups := map[key]int{}, []Group(nil)
	for _, e := range errors {
		k := key{e.Kind, e.Span.Label, fold(text(e))}
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k] = i
			groups = append(groups, Group{Kind: k.kind, Label: k.label, Text: k.text})
		}
		g := &groups[i]
		g.Count++
		g.Leaks += e.Leaks
		g.Errors = append(g.Errors, e)
	}
	for i := range groups {
		groups[i].Documents = documentsOf(groups[i].Errors)
		groups[i].Reasons = ByReason(groups[i].Errors)
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(b.Leaks, a.Leaks), cmp.Compare(a.Text, b.Text), cmp.Compare(b.Kind, a.Kind), cmp.Compare(a.Label, b.Label))
	})
	return groups
}

func documentsOf(errors []Error) int {
	seen := map[int]bool{}
	for _, e := range errors {
		seen[e.Document] = true
	}
	return len(seen)
}

// ByReason counts errors by kind and reason, the most frequent first.
func ByReason(errors []Error) []ReasonCount {
	type key struct {
		kind   Kind
		reason Reason
	}
	by := map[key][]Error{}
	for _, e := range errors {
		k := key{e.Kind, e.Reason}
		by[k] = append(by[k], e)
	}
	out := make([]ReasonCount, 0, len(by))
	for k, all := range by {
		c := ReasonCount{Kind: k.kind, Reason: k.reason, Count: len(all), Documents: documentsOf(all)}
		for _, e := range all {
			c.Leaks += e.Leaks
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b ReasonCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(b.Kind, a.Kind), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}
