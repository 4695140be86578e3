// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"

	"hide/internal/project"
	"hide/internal/publish/idview"
	"hide/internal/publish/joint"
)

// What tests outside the package look at.
const (
	MaxOrder         = maxOrder
	MaxIdentifiers   = maxIdentifiers
	BucketPopulation = bucketPopulation
	JointFirst       = jointFirst
)

var (
	PopulationKey = populationKey
	SpentBy       = spentBy
	SizesOf       = sizesOf
	TryTable      = tryTable
	JointConfig   = jointConfig
	Elsewhere     = elsewhere
)

func (s *Service) JointFields(ws *project.Workspace, p *idview.People) ([]idview.Attribute, []map[string]bool, error) {
	return s.jointFields(s.of(ws), p)
}

// JointRows are the rows of the notes that would be released with their fields, and how
// many places a field tells.
func (s *Service) JointRows(ctx context.Context, ws *project.Workspace, known, own bool) (rows []joint.Row, found int, err error) {
	set, err := s.jointSet(ctx, s.of(ws), known, own)
	if err != nil {
		return nil, 0, err
	}
	return set.rows, set.Found, nil
}

// Occupy makes the previews of a project wait for until is closed, as for one that was
// cancelled and looks at that late.
func (s *Service) Occupy(ws *project.Workspace, until <-chan struct{}) {
	w := s.of(ws)
	wait := func(context.Context) error { <-until; return nil }
	w.tables.Claim(TablePreview{})
	w.tables.Start(wait, func(*TablePreview, error) {})
	w.joint.Claim(JointPreview{})
	w.joint.Start(wait, func(*JointPreview, error) {})
}
