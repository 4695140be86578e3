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

// Beside lists the earlier releases of a project's patients, oldest first, and states
// what they mean for another release, in words that the release may carry.
type Beside struct {
	Releases []Release
	Says     []string
}

// Beside returns the earlier releases for a release of this kind that is not made yet.
func (s *Service) Beside(ctx context.Context, by account.User, id project.ID, kind Kind) (Beside, error) {
	if _, err := s.enter(by, account.SeeFigures, id); err != nil {
		return Beside{}, err
	}
	return s.beside(id, kind)
}

func (s *Service) beside(id project.ID, kind Kind) (Beside, error) {
	all, err := s.Recorded(id)
	return Beside{all, earlierWords(kind, all)}, err
}

// Words name the content of a release: "a table".
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

// earlierWords state the promise of a release of this kind after earlier ones of the same
// patients. Each weak promise assumes that the attacker has only one release (composition
// attacks, Ganta et al. 2008). Epsilon adds up over the strong releases only.
func earlierWords(kind Kind, earlier []Release) []string {
	isStrong := func(r Release) bool { return r.Kind.Strong() }
	weak, paid := slices.DeleteFunc(slices.Clone(earlier), isStrong), slices.DeleteFunc(slices.Clone(earlier), func(r Release) bool { return !isStrong(r) })
	var says []string
	switch {
	case kind.Strong() && len(weak) > 0:
		says = append(says, fmt.Sprintf("Earlier releases of the same patients give weaker guarantees: %s. The guarantee covers this release alone. The budget does not limit what an attacker learns by combining it with the earlier releases.", listed(weak)))
	case len(weak) > 0:
		says = append(says, fmt.Sprintf("Earlier releases of the same patients: %s. %s", listed(weak), together(kind)))
	}
	if len(paid) > 0 && !kind.Strong() {
		says = append(says, fmt.Sprintf("Earlier releases of the same patients were paid from a privacy budget: %s. Their guarantee, epsilon %v in total, covers only those releases. Nothing limits what an attacker learns by combining them with this release.", listed(paid), spentBy(paid)))
	}
	return says
}

// together states the remaining promise of a release that has weak ones beside it.
func together(kind Kind) string {
	if kind == KindText {
		return "The figures hold against an attacker who has this release alone: an earlier release may contain or reveal what is redacted here."
	}
	return "k-anonymity holds against an attacker who has this release alone: an attacker who combines it with an earlier release may narrow a class down to one patient."
}

// listed: "release-1 (a table, 3 May 2026) and release-2 (text, 4 May 2026)".
func listed(all []Release) string {
	each := make([]string, len(all))
	for i, r := range all {
		each[i] = fmt.Sprintf("%s (%s, %s)", r.Name, r.Kind.Words(), r.Created.Format("2 Jan 2006"))
	}
	return words.List(each)
}

// spentBy sums the epsilon of releases. A release that was written again cost nothing
// more.
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
