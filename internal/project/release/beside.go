// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"fmt"
	"slices"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/publish/ledger"
	"hide/internal/words"
)

// Beside is what was released of a project's patients already, oldest first, and what
// that makes of another release, in words that the release may carry.
type Beside struct {
	Releases []Release
	Says     []string
}

// Beside says what there is beside a release of this kind that is not made yet.
func (s *Service) Beside(ctx context.Context, by account.User, id project.ID, kind Kind) (Beside, error) {
	if _, err := s.enter(by, account.SeeFigures, id); err != nil {
		return Beside{}, err
	}
	return s.beside(id, kind)
}

func (s *Service) beside(id project.ID, kind Kind) (Beside, error) {
	all, err := s.Recorded(id)
	return Beside{all, besideWords(kind, all)}, err
}

// Words name what a release holds: "a table".
func (k Kind) Words() string {
	switch k {
	case KindTable:
		return "a table"
	case KindCube:
		return "counts"
	case KindSequences:
		return "sequences"
	case KindQuery:
		return "an answer"
	case KindJoint:
		return "notes with their fields"
	}
	return "text"
}

// besideWords say what holds of a release of this kind when there are earlier ones of
// the same patients: each weak promise is about who has one release alone (composition
// attacks, Ganta et al. 2008), while epsilon adds up over the strong ones alone.
func besideWords(kind Kind, earlier []Release) []string {
	isStrong := func(r Release) bool { return r.Kind.Strong() }
	weak, paid := slices.DeleteFunc(slices.Clone(earlier), isStrong), slices.DeleteFunc(slices.Clone(earlier), func(r Release) bool { return !isStrong(r) })
	var says []string
	switch {
	case kind.Strong() && len(weak) > 0:
		says = append(says, fmt.Sprintf("Of the same patients there were already, with weaker promises: %s. What is promised holds of this release alone; of what is known together with those the budget bounds nothing.", listed(weak)))
	case len(weak) > 0:
		says = append(says, fmt.Sprintf("Of the same patients there were already: %s. %s", listed(weak), together(kind)))
	}
	if len(paid) > 0 && !kind.Strong() {
		says = append(says, fmt.Sprintf("Of the same patients there were already, paid from a privacy budget: %s. Their promise, epsilon %v in all, holds of them alone: nothing bounds what they and this release tell together.", listed(paid), spentBy(paid)))
	}
	return says
}

// together says what is left of the promise of a release beside weak ones.
func together(kind Kind) string {
	if kind == KindText {
		return "The figures of this release hold against who has it alone: what is taken out here may stand in one of those, or be told by it."
	}
	return "That k patients are alike holds against who has this release alone: who has one of those too can put them together, and may be left with fewer, down to one."
}

// listed: "release-1 (a table, 3 May 2026) and release-2 (text, 4 May 2026)".
func listed(all []Release) string {
	each := make([]string, len(all))
	for i, r := range all {
		each[i] = fmt.Sprintf("%s (%s, %s)", r.Name, r.Kind.Words(), r.Created.Format("2 Jan 2006"))
	}
	return words.List(each)
}

// spentBy adds up what releases cost. One that was written again cost nothing more.
func spentBy(all []Release) (sum ledger.Micro) {
	paid := map[uint64]bool{}
	for _, r := range all {
		if r.Strong != nil && !paid[r.Strong.Entry] {
			paid[r.Strong.Entry] = true
			sum += r.Strong.Epsilon
		}
	}
	return sum
}
