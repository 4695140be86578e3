// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"

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

// attackers attack publications and remember those that they attacked.
type attackers struct {
	params  attack.Params
	foreign attack.Params // of the attackers that learnt elsewhere
	done    map[[sha256.Size]byte][]attackerRow

	foreignDocs []greedy.Doc // what those learn from
}

// openAttackers reads what the transfer attacker learns from.
func (o experimentOptions) openAttackers(ctx context.Context) (*attackers, error) {
	a := &attackers{done: map[[sha256.Size]byte][]attackerRow{}}
	a.params = attack.Params{Learners: o.attackLearners, Budgets: o.trial.Budgets, Seed: o.trial.Seed, Workers: o.trial.Workers}
	a.foreign = a.params
	for _, k := range o.attackers {
		if k == attack.Transfer {
			a.foreign.Kinds = append(a.foreign.Kinds, k)
		} else {
			a.params.Kinds = append(a.params.Kinds, k)
		}
	}
	if len(a.foreign.Kinds) == 0 {
		return a, nil
	}
	var err error
	a.foreignDocs, err = readSensitive(ctx, o.transfer, o.foreign)
	for i := range a.foreignDocs {
		a.foreign.Other = append(a.foreign.Other, greedy.View{Doc: &a.foreignDocs[i]})
	}
	a.foreign.Learners = nil
	for _, l := range o.attackLearners {
		a.foreign.Learners = append(a.foreign.Learners, &learntOnce{Learner: l})
	}
	return a, err
}

// attack gives one row per attacker and learner.
func (a *attackers) attack(ctx context.Context, views []greedy.View) ([]attackerRow, error) {
	key := hashMasks(views)
	if rows, done := a.done[key]; done {
		return rows, nil
	}
	var rows []attackerRow
	for _, p := range []attack.Params{a.params, a.foreign} {
		if len(p.Kinds) == 0 {
			continue
		}
		results, err := attack.Run(ctx, views, p, nil)
		if errors.Is(err, attack.ErrFewDocuments) {
			return nil, withHint(err, "leave out those of --attackers that learn, or publish more documents")
		}
		if err != nil {
			return nil, err
		}
		for _, r := range results {
			rows = append(rows, attackerRowOf(r))
		}
	}
	a.done[key] = rows
	return rows, nil
}

func attackerRowOf(r attack.Result) attackerRow {
	row := attackerRow{Kind: r.Kind, Learner: r.Learner, Tokens: r.Tokens, Sensitive: r.Sensitive, Marked: r.Marked, Documents: r.Documents, Patients: r.Groups}
	for _, p := range r.Points {
		row.Points = append(row.Points, attackerPoint{p.Budget, p.Found, p.Found / float64(p.Budget), p.Documents, p.Groups, p.Learner})
	}
	return row
}

func hashMasks(views []greedy.View) [sha256.Size]byte {
	h := sha256.New()
	for _, v := range views {
		line := make([]byte, len(v.Words)+1)
		for x := range v.Words {
			if v.Hidden(x) {
				line[x] = 1
			}
		}
		line[len(v.Words)] = 2
		h.Write(line)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// learntOnce is a learner that is always given the same documents: it learns from
// them the first time.
type learntOnce struct {
	greedy.Learner
	mu sync.Mutex // guards h
	h  greedy.Classifier
}

func (l *learntOnce) Train(ctx context.Context, views []greedy.View) (greedy.Classifier, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.h != nil {
		return l.h, nil
	}
	h, err := l.Learner.Train(ctx, views)
	if err == nil {
		l.h = h
	}
	return h, err
}
