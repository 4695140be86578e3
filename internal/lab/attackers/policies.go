// SPDX-License-Identifier: Apache-2.0

package attackers

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/option"
	"hide/internal/publish/policy"
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
		planner, err := m.planner(p, notes)
		if err != nil {
			return nil, err
		}
		out := make([][]Edit, len(notes))
		for _, which := range byPatient(notes) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			patient := transform.Patient{ID: notes[which[0]].Group()}
			for _, i := range which {
				patient.Notes = append(patient.Notes, noteOf(i, notes[i]))
			}
			plan, err := planner.Plan(patient)
			if err != nil {
				return nil, err
			}
			for k, i := range which {
				out[i] = editsOf(plan.Notes[k])
			}
		}
		return out, nil
	}}
}

func noteOf(i int, n annotate.Annotated) transform.Note {
	note := transform.Note{ID: annotate.DocumentID(i + 1), Text: n.Text}
	for _, s := range n.Spans {
		note.Spans = append(note.Spans, transform.Span{Start: s.Start, End: s.End, Label: s.Label, By: transform.ByPerson})
	}
	return note
}

// editsOf are the decisions that change something.
func editsOf(decisions []transform.Decision) []Edit {
	var out []Edit
	for _, d := range decisions {
		if d.Action == policy.Keep {
			continue
		}
		seen := d.Problem != "" || d.Action == policy.Placeholder || d.Action == policy.Numbered || d.Action == policy.DropSentence
		out = append(out, Edit{annotate.Span{Start: d.Start, End: d.End, Label: d.Label}, d.Replacement, seen})
	}
	return out
}

// byPatient are the indices of the notes of each patient, in order of appearance.
func byPatient(notes []annotate.Annotated) [][]int {
	number := map[string]int{}
	var out [][]int
	for i, n := range notes {
		k, is := number[n.Group()]
		if !is {
			k = len(out)
			number[n.Group()], out = k, append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	return out
}

func (m made) planner(p policy.Policy, notes []annotate.Annotated) (*transform.Planner, error) {
	o := transform.Options{Policy: p.Resolve(annotate.Labels(notes), nil)}
	if !p.Hides() {
		return transform.New(o)
	}
	real := surrogate.NewCorpus()
	for _, n := range notes {
		for _, s := range n.Spans {
			real.Add(cmp.Or(o.Policy.Of(s.Label).As, "OTHER"), n.Text[s.Start:s.End])
		}
	}
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], m.seed)
	key, err := surrogate.NewKey(rand.NewChaCha8(seed))
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	o.Maker, err = surrogate.New(surrogate.Options{
		Key: key, Locale: surrogate.Locale(m.locale), Repeat: surrogate.Repeat(p.Repeat), Days: p.Shift.Days, Weekday: p.Shift.Weeks, Real: real,
	})
	if err != nil {
		return nil, err
	}
	return transform.New(o)
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
