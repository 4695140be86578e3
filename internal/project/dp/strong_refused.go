// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hide/internal/project"
	"hide/internal/publish/idview"
	"hide/internal/publish/ledger"
)

// payable refuses what no request of the project could pay for: its patients have
// another budget. Without a budget there is nothing to refuse yet.
func (s *Service) payable(ctx context.Context, ws *project.Workspace) error {
	l, err := s.look()
	if err != nil {
		return err
	}
	if _, err := l.Account(string(ws.ID)); err != nil {
		return nil
	}
	units, err := s.units(ctx, ws, l)
	if err != nil {
		return err
	}
	if others := l.Overlaps(string(ws.ID), units); len(others) > 0 {
		return s.samePatients(&ledger.SameUnitsError{Lineage: string(ws.ID), Others: others})
	}
	return nil
}

// fitting says what the rows refuse, in the words of who typed the categories.
func fitting(err error) error {
	if err == nil {
		return nil
	}
	what, _, _ := strings.Cut(err.Error(), ": list it if")
	return project.Invalidf("list the value if the code book or form does, or let “other” take all that is not listed", "the patients do not fit: %s", what)
}

// fits refuses sequences with a value that is not in the alphabet.
func (set SequenceSettings) fits(keys []string, sequences [][]string) error {
	known := map[string]bool{}
	for _, symbol := range set.Alphabet {
		known[idview.Fold(symbol)] = true
	}
	for i, sequence := range sequences {
		if set.Other || rowKey(keys[i], set.Unjoined) == "" {
			continue
		}
		for n, value := range sequence[:min(len(sequence), set.Height)] {
			if !known[idview.Fold(value)] {
				return fitting(fmt.Errorf("value %d of row %d is not among those that count", n+1, i+1))
			}
		}
	}
	return nil
}

// projectWords name a lineage, which is a project's id, as people do.
func (s *Service) projectWords(lineage string) string {
	ws, err := s.projects.Workspace(project.ID(lineage))
	if err != nil {
		return fmt.Sprintf("%q", lineage)
	}
	return fmt.Sprintf("project “%s”", ws.Overview().Name)
}

// inWords says why the ledger refused a request, by names that people know.
func (s *Service) inWords(err error) error {
	exceeded, other, same := (*ledger.ExceededError)(nil), (*ledger.OtherLineageError)(nil), (*ledger.SameUnitsError)(nil)
	switch {
	case errors.As(err, &exceeded):
		return project.Invalidf("spend less, or raise the budget", "the budget is %v, of which %v is spent; this would spend %v more, so nothing was spent", exceeded.Limit, exceeded.Spent, exceeded.After-exceeded.Spent)
	case errors.As(err, &other):
		return project.Invalidf("publish from there", "the same was counted in %s, whose budget paid for it: another project does not give these patients another budget", s.projectWords(other.Other))
	case errors.As(err, &same):
		return s.samePatients(same)
	}
	return err
}

func (s *Service) samePatients(err *ledger.SameUnitsError) error {
	var words []string
	for _, o := range err.Others {
		words = append(words, fmt.Sprintf("%.0f %% with %s", 100*o.Share, s.projectWords(o.Lineage)))
	}
	return &project.Error{Kind: project.Invalid, Err: err,
		Message: "these seem to be the same people as those of another budget: of the smaller of both, " + strings.Join(words, ", "),
		Hint:    "publish from that project, whose budget pays for these patients; if they are others with the same numbers, say so, which stays on record"}
}
