// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/audit"
)

// Exposed is a released note in which surrogates and leaks look alike. Each of its spans is
// a surrogate, a leak, or redacted behind a placeholder.
type Exposed struct {
	annotate.View
	Leak []bool // by span: the original stands there
}

// Suspicion is a way to tell leaks from surrogates.
type Suspicion string

// The ways. An attacker reads all notes and sees every identifier-like span in them; she
// does not know which ones are surrogates.
//
// Parrot is the attack of Carrell et al. (JAMIA 26:1536, 2019) on text with surrogates. She
// marks all identifier-like spans in a share of the notes, and trains a tagger on them as
// the publisher did. In the other notes she takes the identifier-like spans that her tagger
// does not tag for leaks: what her tagger misses, the publisher's tagger missed as well.
//
// Once and Twice know the policy of repeats (Osborne et al., Electronics 14:3945,
// 2025). Where one value has one surrogate in all notes of a patient, a leak is a value that
// occurs once beside one that occurs more often. Where every place has another surrogate, a
// leak is a value that occurs twice.
const (
	Everything Suspicion = "everything" // every identifier-like span: all leaks, and the precision of guessing
	Parrot     Suspicion = "parrot"
	Once       Suspicion = "once"
	Twice      Suspicion = "twice"
)

// ParrotParams are those of [RunParrot]. The zero value of each field but Learner is its
// default.
type ParrotParams struct {
	Learner greedy.Learner // of her tagger; best the publisher's
	Share   float64        // of patients whose notes she marks, as in [Params]; 0 means 1/2, as in the paper
	Budgets []int          // tokens that she inspects; nil means 25, 50, 100, 200, 500, 1000
	Seed    uint64         // of the choice of marked and attacked patients
	Workers int            // trainings at a time; 0 means 2
}

// ParrotResult is what an attacker finds among surrogates.
type ParrotResult struct {
	Notes     int       `json:"notes"`
	Spans     int       `json:"spans"` // identifier-like: surrogates and leaks
	Leaks     int       `json:"leaks"`
	Suspected []Suspect `json:"suspected"`       // by suspicion, in the order of the constants
	Ranked    []Point   `json:"ranked"`          // by budget, leaked tokens found by descending P(identifier): the ranked attacker, who cannot tell leaks from surrogates
	Reversed  []Point   `json:"parrot_ranked"`   // by budget, leaked tokens found among identifier-like spans by ascending P(identifier): the parrot attack, in order
	ByLabel   []Suspect `json:"parrot_by_label"` // the parrot attack, label by label
}

// Suspect counts the spans that an attacker takes for leaks.
type Suspect struct {
	Suspicion Suspicion      `json:"suspicion"`
	Label     annotate.Label `json:"label,omitempty"` // "" for all labels
	Leaks     int            `json:"leaks"`
	Flagged   int            `json:"flagged"` // taken for leaks
	Found     int            `json:"found"`   // leaks among them
	Recall    Share          `json:"recall"`
	Precision Share          `json:"precision"`
}

// Share is a share with its 95 % interval by Clopper and Pearson (1934).
type Share struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

func newShare(k, n int) Share {
	var s Share
	if n > 0 {
		s.Value = float64(k) / float64(n)
	}
	s.Low, s.High = audit.ShareInterval(n, k, 0.05)
	return s
}

func (s *Suspect) add(leak, flagged bool) {
	if leak {
		s.Leaks++
	}
	if flagged {
		s.Flagged++
	}
	if leak && flagged {
		s.Found++
	}
}

func (s Suspect) finished() Suspect {
	s.Recall, s.Precision = newShare(s.Found, s.Leaks), newShare(s.Found, s.Flagged)
	return s
}

// RunParrot attacks every note once, with a tagger trained on notes of other patients.
func RunParrot(ctx context.Context, notes []Exposed, p ParrotParams) (ParrotResult, error) {
	views := make([]annotate.View, len(notes))
	for i, n := range notes {
		if len(n.Leak) != len(n.Spans) || len(n.SpanOf) != len(n.Words) {
			return ParrotResult{}, fmt.Errorf("parrot attack: note %d: spans and leaks differ in number", i+1)
		}
		views[i] = n.View
	}
	params := Params{Kinds: []Kind{Ranked}, Learners: []greedy.Learner{p.Learner}, Share: p.Share, Budgets: p.Budgets, Seed: p.Seed, Workers: p.Workers}.withDefaults()
	if err := params.check(views); err != nil {
		return ParrotResult{}, fmt.Errorf("parrot attack: %w", err)
	}
	a := newAttack(views, params)
	if err := a.train(ctx, nil); err != nil {
		return ParrotResult{}, fmt.Errorf("parrot attack: %w", err)
	}
	s := suspects{notes: notes, group: a.group, tagger: a.labelled[0]}
	return s.result(params.Budgets), ctx.Err()
}

// suspects is the state of one RunParrot.
type suspects struct {
	notes  []Exposed
	group  []int // per note
	tagger *opinion
}

// visible calls do for every identifier-like span, with its tokens.
func (s *suspects) visible(do func(note, span, from, to int)) {
	for i, n := range s.notes {
		for from := 0; from < len(n.Words); {
			to := from + 1
			for to < len(n.Words) && n.SpanOf[to] == n.SpanOf[from] {
				to++
			}
			if n.SpanOf[from] >= 0 && !n.Hidden(from) {
				do(i, n.SpanOf[from], from, to)
			}
			from = to
		}
	}
}

func (s *suspects) result(budgets []int) ParrotResult {
	out := ParrotResult{Notes: len(s.notes)}
	all := []Suspect{{Suspicion: Everything}, {Suspicion: Parrot}, {Suspicion: Once}, {Suspicion: Twice}}
	byLabel := map[annotate.Label]*Suspect{}
	once, twice := s.repeats()
	s.visible(func(note, span, from, to int) {
		leak, place := s.notes[note].Leak[span], [2]int{note, span}
		untagged := !slices.Contains(s.tagger.marks[note][from:to], true)
		for k, flagged := range []bool{true, untagged, once[place], twice[place]} {
			all[k].add(leak, flagged)
		}
		label := s.notes[note].Label(from)
		if byLabel[label] == nil {
			byLabel[label] = &Suspect{Suspicion: Parrot, Label: label}
		}
		byLabel[label].add(leak, untagged)
	})
	out.Spans, out.Leaks = all[0].Flagged, all[0].Leaks
	for _, one := range all {
		out.Suspected = append(out.Suspected, one.finished())
	}
	for _, label := range slices.Sorted(maps.Keys(byLabel)) {
		out.ByLabel = append(out.ByLabel, byLabel[label].finished())
	}
	leaks := s.leaks()
	out.Ranked = byScore(leaks, s.group, s.tagger.scores).curve(budgets, "")
	out.Reversed = byScore(leaks, s.group, s.reversed()).curve(budgets, "")
	return out
}

// leaks are the notes with only leaks as sensitive tokens, to count what was found.
func (s *suspects) leaks() []annotate.View {
	out := make([]annotate.View, len(s.notes))
	for i, n := range s.notes {
		d := *n.Note
		d.Sensitive = make([]bool, len(n.Words))
		for x, span := range n.SpanOf {
			d.Sensitive[x] = span >= 0 && n.Leak[span]
		}
		out[i] = annotate.View{Note: &d, Redacted: n.Redacted}
	}
	return out
}

// reversed scores put the identifier-like spans of which the tagger is least certain first,
// and all other tokens last.
func (s *suspects) reversed() [][]float64 {
	out := make([][]float64, len(s.notes))
	for i, n := range s.notes {
		out[i] = make([]float64, len(n.Words))
		for x := range out[i] {
			out[i][x] = -2 // below every negated probability
		}
	}
	s.visible(func(note, _, from, to int) {
		most := slices.Max(s.tagger.scores[note][from:to])
		for x := from; x < to; x++ {
			out[note][x] = -most
		}
	})
	return out
}

// repeats are the places of values that occur once for a patient, beside a value of the same
// label that occurs more often, and the places of values that occur twice or more.
func (s *suspects) repeats() (once, twice map[[2]int]bool) {
	type owner struct {
		group int
		label annotate.Label
	}
	places := map[owner]map[string][][2]int{}
	s.visible(func(note, span, from, to int) {
		n := s.notes[note]
		of, value := owner{s.group[note], n.Label(from)}, strings.ToLower(strings.Join(n.Words[from:to], " "))
		if places[of] == nil {
			places[of] = map[string][][2]int{}
		}
		places[of][value] = append(places[of][value], [2]int{note, span})
	})
	once, twice = map[[2]int]bool{}, map[[2]int]bool{}
	for _, values := range places {
		most := slices.MaxFunc(slices.Collect(maps.Values(values)), func(a, b [][2]int) int { return cmp.Compare(len(a), len(b)) })
		for _, at := range values {
			for _, place := range at {
				once[place] = len(at) == 1 && len(most) > 1
				twice[place] = len(at) > 1
			}
		}
	}
	return once, twice
}
