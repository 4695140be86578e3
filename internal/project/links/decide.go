// SPDX-License-Identifier: Apache-2.0

package links

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/store"
)

// DecideLink records whether two records are of one person. Links and figures follow at once. A
// decision that contradicts earlier ones fails with a [ContradictionError], or replaces them if
// replace is set.
func (s *Service) DecideLink(_ context.Context, by account.User, id project.ID, pair PairID, same, replace bool) error {
	ws, l, unlock, err := s.lock(s.enterToRead(by, id))
	if err != nil {
		return err
	}
	defer unlock()
	if pair, err = l.check(pair); err != nil {
		return err
	}
	if slices.ContainsFunc(l.decisions, func(d storedDecision) bool { return d.pair() == pair && d.Same == same }) {
		return nil
	}
	against := contradicted(l.decisions, pair, same)
	if len(against) > 0 && !replace {
		return &ContradictionError{pair, same, s.shown(ws, l, against)}
	}
	return s.decide(ws, l, storedDecision{A: pair.A, B: pair.B, Same: same, By: by.ID, At: s.projects.Now().UTC()}, against, by)
}

// check refuses pairs of records that are not there, and puts the lower number first.
func (l *loaded) check(p PairID) (PairID, error) {
	p = PairID{min(p.A, p.B), max(p.A, p.B)}
	if p.A == p.B {
		return p, project.Invalidf("name two records", "record %d is named twice", p.A)
	}
	for _, n := range []uint64{p.A, p.B} {
		if k, known := l.known[n]; !known || k.index < 0 {
			return p, &project.Error{Kind: project.NotFound, Message: fmt.Sprintf("the project has no record %d", n), Hint: "its notes may have been deleted, or came after the records were linked: link them again"}
		}
	}
	return p, nil
}

// decide stores a decision, and deletes the earlier decisions that it contradicts.
func (s *Service) decide(ws *workspace, l *loaded, d storedDecision, against []storedDecision, by account.User) error {
	next := *l
	next.decisions = append(without(l.decisions, against), d)
	next.regroup()
	words := "different people"
	if d.Same {
		words = "the same person"
	}
	words = fmt.Sprintf("records %d and %d: %s", d.A, d.B, words)
	for _, a := range against {
		words += fmt.Sprintf(", replaces decision %d", a.Number)
	}
	return s.change(ws, &next, func(tx *store.Tx) (ev store.Event, err error) {
		if d.Number, err = tx.Next(bucketDecisions); err != nil {
			return ev, err
		}
		next.decisions[len(next.decisions)-1] = d
		for _, a := range against {
			err = errors.Join(err, tx.Delete(bucketDecisions, store.Key(a.Number)))
		}
		ev = project.EventBy(by, "decide link", object(ws.ID, "decisions", d.Number), words)
		return ev, errors.Join(err, store.PutJSON(tx, bucketDecisions, store.Key(d.Number), d))
	})
}

// UndoLinkDecision withdraws a decision by its number.
func (s *Service) UndoLinkDecision(_ context.Context, by account.User, id project.ID, number uint64) error {
	ws, l, unlock, err := s.lock(s.enterToRead(by, id))
	if err != nil {
		return err
	}
	defer unlock()
	at := slices.IndexFunc(l.decisions, func(d storedDecision) bool { return d.Number == number })
	if at < 0 {
		return &project.Error{Kind: project.NotFound, Message: fmt.Sprintf("the project has no decision %d about links", number), Hint: "it may have been undone or replaced in the meantime"}
	}
	d := l.decisions[at]
	next := *l
	next.decisions = without(l.decisions, []storedDecision{d})
	next.regroup()
	return s.change(ws, &next, func(tx *store.Tx) (store.Event, error) {
		ev := project.EventBy(by, "undo link decision", object(id, "decisions", number), fmt.Sprintf("records %d and %d", d.A, d.B))
		return ev, tx.Delete(bucketDecisions, store.Key(number))
	})
}

// LinkDecisions lists the decisions, newest first.
func (s *Service) LinkDecisions(_ context.Context, by account.User, id project.ID) ([]Decision, error) {
	ws, l, err := s.openToRead(by, id)
	if errors.Is(err, errNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := s.shown(ws, l, l.decisions)
	slices.SortFunc(all, func(a, b Decision) int { return int(b.Number) - int(a.Number) })
	return all, nil
}

func (s *Service) shown(ws *workspace, l *loaded, some []storedDecision) []Decision {
	all := make([]Decision, len(some))
	for i, d := range some {
		_, there := l.pair(d.pair())
		all[i] = Decision{Number: d.Number, Pair: d.pair(), Same: d.Same, By: s.projects.PersonName(d.By), At: d.At, Gone: !there}
		all[i].Notes = [2][]annotate.DocumentID{present(ws, l.known[d.A].docs), present(ws, l.known[d.B].docs)}
	}
	return all
}

func without(all, some []storedDecision) []storedDecision {
	return slices.DeleteFunc(slices.Clone(all), func(d storedDecision) bool {
		return slices.ContainsFunc(some, func(o storedDecision) bool { return o.Number == d.Number })
	})
}

// differentRecords are the pairs of records that people decided to be of different people, and
// the number of the newest run, 0 if there was none.
func differentRecords(ws *project.Workspace) (run uint64, out [][2]string, err error) {
	err = ws.View(func(tx *store.Tx) error {
		now, err := store.FindJSON[record](tx, bucketLinkage, recordKey)
		if err != nil {
			return err
		}
		run = now.Number
		all, err := store.ListJSON[storedDecision](tx, bucketDecisions)
		for _, d := range all {
			a, err1 := store.FindJSON[storedRecord](tx, bucketRecords, recordsKey(now.Number, d.A))
			b, err2 := store.FindJSON[storedRecord](tx, bucketRecords, recordsKey(now.Number, d.B))
			if err = errors.Join(err, err1, err2); err == nil && !d.Same {
				out = append(out, [2]string{a.Key, b.Key})
			}
		}
		return err
	})
	return run, out, err
}
