// SPDX-License-Identifier: Apache-2.0

package labels

import (
	"slices"
	"strings"
	"sync"

	"hide/internal/annotate"
)

// Suggest proposes labels of a set for labels of a file: the same name in other letters,
// then a known synonym. Labels that it does not know are missing in the result, and so are
// labels that the set has.
func Suggest(from []annotate.Label, to annotate.LabelSet) Mapping {
	m := Mapping{Pairs: pairs{}}
	for _, l := range from {
		if to.Has(l) {
			continue
		}
		if fit, found := fitting(l, to); found {
			m.Pairs[l] = fit
		}
	}
	return m
}

// fitting is the label of the set that means the same as l, or more.
func fitting(l annotate.Label, to annotate.LabelSet) (annotate.Label, bool) {
	for _, own := range to.Labels() {
		if plain(own) == plain(l) {
			return own, true
		}
	}
	meaning, known := meanings()[plain(l)]
	if !known {
		return "", false
	}
	for _, own := range to.Labels() {
		if own == meaning || meanings()[plain(own)] == meaning {
			return own, true
		}
	}
	for _, set := range Sets() {
		coarse := Mapping{Pairs: out[set.Name]}.Of(meaning)
		if coarse != "" && set.Name != Default && holds(to, set.Labels) {
			return coarse, true
		}
	}
	return "", false
}

// holds reports whether all labels of part are in the set. Only then a coarser label of the
// part is safe to propose: in another set the label can mean less.
func holds(set, part annotate.LabelSet) bool {
	return !slices.ContainsFunc(part.Labels(), func(l annotate.Label) bool { return !set.Has(l) })
}

// plain is a label without case, accents of writing and separators.
func plain[S ~string](l S) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(string(l)))
}

// meanings gives the label of the default set that a name means.
var meanings = sync.OnceValue(func() map[string]annotate.Label {
	known := map[string]annotate.Label{}
	add := func(name string, l annotate.Label) {
		if _, taken := known[plain(name)]; !taken {
			known[plain(name)] = l
		}
	}
	for _, l := range annotate.I2B2().Labels() {
		add(string(l), l)
	}
	for _, l := range annotate.I2B2().Labels() {
		for _, s := range synonyms[l] {
			add(s, l)
		}
	}
	for _, source := range sources() {
		for _, l := range sourceLabels(source) {
			if to, mapped := in[source][l]; mapped {
				add(string(l), to)
			}
		}
	}
	return known
})
