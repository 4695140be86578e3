// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"fmt"
	"hide/internal/account"
	"hide/internal/project"
	"strings"
)

// PublishWarnings are the reasons to think twice before publishing with a bundle:
// those of the run it is from, and what is particular to this release.
func (s *Service) PublishWarnings(ctx context.Context, by account.User, id project.ID, bundle int) ([]string, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return nil, err
	}
	info, err := s.sanitize.StoredBundle(id, bundle)
	if err != nil {
		return nil, err
	}
	run, err := s.sanitize.StoredRun(ws.Workspace, info.Run)
	if err != nil {
		return nil, err
	}
	out := s.sanitize.RunWarnings(ws.Workspace, by, run)
	audited, err := s.audit.AuditWarnings(ws.Workspace, bundle, &run)
	if err != nil {
		return nil, err
	}
	open, err := s.audit.FindOpen(ctx, ws.Workspace, bundle)
	if err != nil {
		return nil, err
	}
	out = append(out, audited...)
	if open.Found > 0 {
		out = append(out, open.Words())
	}
	if o := ws.Overview(); o.Done < o.Documents {
		out = append(out, fmt.Sprintf("%d of %d notes are not finished: apart from what is marked in them already, the bundle alone redacts them, and nobody has checked what it finds.", o.Documents-o.Done, o.Documents))
	}
	if len(info.Excluded) > 0 {
		labels := make([]string, len(info.Excluded))
		for i, l := range info.Excluded {
			labels[i] = string(l)
		}
		out = append(out, fmt.Sprintf("Published as it stands, marked or not, is what has the label %s: the run was told that it is not sensitive.", strings.Join(labels, ", ")))
	}
	return out, nil
}
