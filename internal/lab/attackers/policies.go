// SPDX-License-Identifier: Apache-2.0

package attackers

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/option"
	"hide/internal/publish/policy"
	"hide/internal/publish/rewrite"
	"hide/internal/publish/surrogate"
	"hide/internal/publish/transform"
)

// surrogatesPolicy is the policy whose surrogates are compared by their repeats.
const surrogatesPolicy = "surrogates"

// made is how surrogates are made for a measurement: with a key that a seed gives, which no
// release may have.
type made struct {
	locale string
	seed   uint64
}

// publishersOf finds publishers by their names: those of this package, policies of the
// program, and ways in which surrogates repeat.
func publishersOf(names []string, m made) ([]Publisher, error) {
	var out []Publisher
	for _, name := range names {
		name = strings.TrimSpace(name)
		p, err := policy.Find(name)
		if slices.Contains(policy.Repeats(), policy.Repeat(name)) {
			p, err = policy.Find(surrogatesPolicy)
			p.Repeat = policy.Repeat(name)
		}
		switch {
		case name == Original.Name:
			out = append(out, Original)
		case name == Placeholders.Name:
			out = append(out, Placeholders)
		case err != nil:
			return nil, &option.Problem{Name: "policies", Text: "enter original, consistent, random, markov, or the name of a policy: " + err.Error()}
		default:
			out = append(out, m.byPolicy(name, p))
		}
	}
	return out, nil
}

// byPolicy publishes as a release does whose places nobody decides about: what the policy
// cannot read becomes a placeholder.
func (m made) byPolicy(name string, p policy.Policy) Publisher {
	return Publisher{name, func(ctx context.Context, notes []annotate.Annotated) ([][]Edit, error) {
		key, err := m.key()
		if err != nil {
			return nil, err
		}
		decisions, err := rewrite.Decisions(ctx, notes, rewrite.Options{Policy: p, Key: key, Locale: surrogate.Locale(m.locale)})
		if err != nil {
			return nil, err
		}
		out := make([][]Edit, len(notes))
		for i, ds := range decisions {
			out[i] = editsOf(ds)
		}
		return out, nil
	}}
}

// editsOf are the decisions that change something.
func editsOf(decisions []transform.Decision) []Edit {
	var out []Edit
	for _, d := range decisions {
		if d.Action != policy.Keep {
			out = append(out, Edit{annotate.Span{Start: d.Start, End: d.End, Label: d.Label}, d.Replacement, d.Problem != "" || d.Action.Blank()})
		}
	}
	return out
}

func (m made) key() (surrogate.Key, error) {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], m.seed)
	key, err := surrogate.NewKey(rand.NewChaCha8(seed))
	if err != nil {
		return key, fmt.Errorf("make a key: %w", err)
	}
	return key, nil
}

// replaceable keeps the spans for which surrogates exist. The others, such as countries and
// ages, are ordinary text in all publications, so that all have the same leaks.
func replaceable(notes []annotate.Annotated) ([]annotate.Annotated, error) {
	p, err := policy.Find(surrogatesPolicy)
	if err != nil {
		return nil, err
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
	return out, nil
}
