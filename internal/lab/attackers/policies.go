// SPDX-License-Identifier: Apache-2.0

package attackers

import (
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/option"
	"hide/internal/publish/policy"
)

// publishersOf finds publishers by their names.
func publishersOf(names []string, seed uint64) ([]Publisher, error) {
	var out []Publisher
	for _, name := range names {
		p, is := publisherOf(strings.TrimSpace(name), seed)
		if !is {
			return nil, &option.Problem{Name: "policies", Text: "there is no policy " + name}
		}
		out = append(out, p)
	}
	return out, nil
}

func publisherOf(name string, seed uint64) (Publisher, bool) {
	i := slices.IndexFunc([]Publisher{Original, Placeholders}, func(p Publisher) bool { return p.Name == name })
	if i < 0 {
		return Publisher{}, false
	}
	return []Publisher{Original, Placeholders}[i], true
}

// replaceable keeps the spans for which surrogates exist. The others, such as countries and
// ages, are ordinary text in all publications, so that all have the same leaks.
func replaceable(notes []annotate.Annotated) []annotate.Annotated {
	p, err := policy.Find("surrogates")
	if err != nil {
		return notes
	}
	rules := p.Resolve(annotate.Labels(notes), nil)
	out := slices.Clone(notes)
	for i, n := range notes {
		out[i].Spans = nil
		for _, s := range n.Spans {
			if rules.Of(s.Label).Rule.Action.Hidden() {
				out[i].Spans = append(out[i].Spans, s)
			}
		}
	}
	return out
}
