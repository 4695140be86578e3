// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"errors"
	"fmt"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// ErrFewDocuments is returned when an attacker that learns has nobody to learn
// from but whom it attacks.
var ErrFewDocuments = errors.New("too few documents of different patients to label some and attack others")

// Params say who attacks. The zero value of each field but Learners stands for its
// default.
type Params struct {
	Kinds    []Kind           // nil means all, Transfer only with Other
	Learners []greedy.Learner // of Classifier, Ranked, Best, Stacked and Transfer
	Share    float64          // of groups that she labels, greedy.MinShare to greedy.MaxShare; taken as the nearest 1/k; 0 means 1/2
	Other    []annotate.View  // what Transfer learns from
	Known    []string         // surfaces that Repeat knows; nil means Redacted of the views
	Budgets  []int            // tokens that she inspects; nil means 25, 50, 100, 200, 500, 1000
	Seed     uint64           // of who is labelled and attacked together
	Workers  int              // trainings at a time; 0 means 2

	LossByLabel map[annotate.Label]float64 // L_c/L, as in [greedy.Params]; a label that is not in it costs L
	CostByKind  greedy.Prices              // C_k/C, as there

	elsewhere []greedy.Learner // Learners as they learn from Other; nil: as they are
}

func (p Params) withDefaults() Params {
	if p.Kinds == nil {
		for _, e := range Table() {
			if e.Kind != Transfer || p.Other != nil {
				p.Kinds = append(p.Kinds, e.Kind)
			}
		}
	}
	if p.Share == 0 {
		p.Share = greedy.MaxShare
	}
	if p.Budgets == nil {
		p.Budgets = []int{25, 50, 100, 200, 500, 1000}
	}
	if p.Workers == 0 {
		p.Workers = 2
	}
	return p
}

func (p Params) check(views []annotate.View) error {
	if err := greedy.CheckShare(p.Share); err != nil {
		return err
	}
	for _, b := range p.Budgets {
		if b < 1 {
			return fmt.Errorf("budget %d is not positive", b)
		}
	}
	if p.Workers < 1 {
		return fmt.Errorf("%d workers: at least 1 is needed", p.Workers)
	}
	for _, k := range p.Kinds {
		if !slices.Contains(Kinds(), k) {
			return fmt.Errorf("unknown attacker %q", k)
		}
	}
	if len(p.Learners) == 0 && (p.learns() || p.wants(Transfer)) {
		return errors.New("attackers that learn need a learner")
	}
	if p.wants(Transfer) && len(p.Other) == 0 {
		return errors.New("attacker transfer needs another corpus")
	}
	return errors.Join(checkViews(views), checkViews(p.Other))
}

func checkViews(views []annotate.View) error {
	for i, v := range views {
		n := len(v.Words)
		if len(v.Sensitive) != n || v.Redacted != nil && len(v.Redacted) != n || v.Tokens != nil && len(v.Tokens) != n {
			return fmt.Errorf("document %d: words, tokens, flags and mask differ in number", i)
		}
	}
	return nil
}

func (p Params) wants(k Kind) bool { return slices.Contains(p.Kinds, k) }

// learns reports whether some attacker labels documents.
func (p Params) learns() bool { return slices.ContainsFunc(p.Kinds, Kind.Labels) }
