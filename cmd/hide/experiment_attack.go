// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
)

// attackerRow is what one attacker finds in what one result publishes.
type attackerRow struct {
	Kind      attack.Kind     `json:"kind"`
	Learner   string          `json:"learner,omitempty"`
	Tokens    int             `json:"tokens"`    // published
	Sensitive int             `json:"sensitive"` // of those
	Marked    greedy.Counts   `json:"marked"`    // TP_A, FP_A and the rest; zeros where nothing is marked
	Documents int             `json:"documents"` // with a true positive
	Patients  int             `json:"patients"`  // with a true positive
	Points    []attackerPoint `json:"points"`
}

// attackerPoint is what she finds with one budget.
type attackerPoint struct {
	Budget    int     `json:"budget"`
	Found     float64 `json:"found"`     // expected sensitive tokens
	Share     float64 `json:"share"`     // of the budget: found / B
	Documents float64 `json:"documents"` // expected, with one of them
	Patients  float64 `json:"patients"`
	Learner   string  `json:"learner,omitempty"` // whose order it was
}

// attackers attack publications.
type attackers struct {
	panel       *attack.Panel
	foreignDocs []annotate.Note // what the transfer attacker learns from
}

// openAttackers reads what the transfer attacker learns from.
func (o experimentOptions) openAttackers(ctx context.Context) (*attackers, error) {
	a := &attackers{}
	p := attack.Params{Kinds: o.attackers, Learners: o.attackLearners, Share: o.trial.Share, Budgets: o.trial.Budgets, Seed: o.trial.Seed, Workers: o.trial.Workers, LossByLabel: o.trial.LossByLabel, CostByKind: o.trial.CostByKind}
	if slices.Contains(o.attackers, attack.Transfer) {
		var err error
		if a.foreignDocs, err = readSensitive(ctx, o.transfer, o.foreign); err != nil {
			return nil, err
		}
		for i := range a.foreignDocs {
			p.Other = append(p.Other, a.foreignDocs[i].View())
		}
	}
	a.panel = attack.NewPanel(p)
	return a, nil
}

// attack gives one row per attacker and learner.
func (a *attackers) attack(ctx context.Context, views []annotate.View) ([]attackerRow, error) {
	results, err := a.panel.Attack(ctx, views)
	if errors.Is(err, attack.ErrFewDocuments) {
		return nil, withHint(err, "leave out those of --attackers that learn, or publish more documents")
	}
	var rows []attackerRow
	for _, r := range results {
		rows = append(rows, attackerRowOf(r))
	}
	return rows, err
}

func attackerRowOf(r attack.Result) attackerRow {
	row := attackerRow{Kind: r.Kind, Learner: r.Learner, Tokens: r.Tokens, Sensitive: r.Sensitive, Marked: r.Marked, Documents: r.Documents, Patients: r.Groups}
	for _, p := range r.Points {
		row.Points = append(row.Points, attackerPoint{p.Budget, p.Found, p.Found / float64(p.Budget), p.Documents, p.Groups, p.Learner})
	}
	return row
}
