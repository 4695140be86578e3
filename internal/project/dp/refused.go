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

// payable refuses requests that the project can never pay for, because its patients
// belong to another budget. Without a budget it refuses nothing.
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

// fitting turns an error of the rows into a message for the person who typed the
// categories.
func fitting(err error) error {
	if err == nil {
		return nil
	}
	what, _, _ := strings.Cut(err.Error(), ": list it if")
	return project.Invalidf("add the value if the code book or form lists it, or let “other” take all unlisted values", "the patients' values do not match the list: %s", what)
}

// fits refuses sequences with a value outside the alphabet.
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
				return fitting(fmt.Errorf("value %d of row %d is not in the list", n+1, i+1))
			}
		}
	}
	return nil
}

// projectWords is the display name of a lineage, which is a project's id.
func (s *Service) projectWords(lineage string) string {
	ws, err := s.projects.Workspace(project.ID(lineage))
	if err != nil {
		return fmt.Sprintf("%q", lineage)
	}
	return fmt.Sprintf("project “%s”", ws.Overview().Name)
}

// inWords turns a refusal of the ledger into a message with the names of projects.
func (s *Service) inWords(err error) error {
	exceeded, other, same := (*ledger.ExceededError)(nil), (*ledger.OtherLineageError)(nil), (*ledger.SameUnitsError)(nil)
	switch {
	case errors.As(err, &exceeded):
		return project.Invalidf("spend less, or raise the budget", "the budget is %v and %v is spent. This request needs %v more, so nothing was spent", exceeded.Limit, exceeded.Spent, exceeded.After-exceeded.Spent)
	case errors.As(err, &other):
		return project.Invalidf("publish from there", "the same counts were paid from the budget of %s. Another project does not give these patients another budget", s.projectWords(other.Other))
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
		Message: "these patients seem to be the same people as those of another budget. Overlap, as a share of the smaller group: " + strings.Join(words, ", "),
		Hint:    "publish from that project, whose budget pays for these patients. If they are different people with the same numbers, say so; this is recorded permanently"}
}
