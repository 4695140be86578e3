// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"slices"

	"hide/internal/annotate"
	"hide/internal/annotate/labels"
)

// Resolved is a policy for the labels of a project.
type Resolved struct {
	Policy Policy
	Labels []ResolvedLabel // in the order of the project
}

// ResolvedLabel is the rule for a label of a project.
type ResolvedLabel struct {
	Label annotate.Label
	As    annotate.Label // of the default set; "" if none corresponds
	Rule  Rule
}

// Treated is the label of the default set whose rule applies: OTHER if none corresponds.
func (l ResolvedLabel) Treated() annotate.Label { return cmp.Or(l.As, "OTHER") }

// Resolve applies the rules to labels of a project. A label corresponds to one of the default
// set by its name, or by pairs, which a person has confirmed. A label that corresponds to none
// has the rule of OTHER.
func (p Policy) Resolve(project []annotate.Label, pairs map[annotate.Label]annotate.Label) Resolved {
	suggested := labels.Suggest(project, annotate.I2B2())
	out := Resolved{Policy: p}
	for _, l := range project {
		as, decided := pairs[l]
		if !decided {
			as = suggested.Of(l)
		}
		if !slices.Contains(annotate.I2B2().Labels(), as) {
			as = ""
		}
		rule, found := p.Rule(as)
		if !found {
			rule, _ = p.Rule("OTHER")
		}
		rule.Label = l
		out.Labels = append(out.Labels, ResolvedLabel{l, as, rule})
	}
	return out
}

// Of is the rule for a label of the project. Labels that the project does not have are
// treated as OTHER.
func (r Resolved) Of(l annotate.Label) ResolvedLabel {
	if i := slices.IndexFunc(r.Labels, func(one ResolvedLabel) bool { return one.Label == l }); i >= 0 {
		return r.Labels[i]
	}
	rule, _ := r.Policy.Rule("OTHER")
	rule.Label = l
	return ResolvedLabel{Label: l, Rule: rule}
}
