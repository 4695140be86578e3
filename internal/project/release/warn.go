// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"fmt"
	"hide/internal/account"
	"hide/internal/project"
	"strings"
)

// PublishWarnings are the reasons for caution before publishing with a bundle: those of
// its run, and those of this release.
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
		out = append(out, fmt.Sprintf("%d of %d notes are not finished. Besides their existing annotations, only the bundle redacts them, and nobody has checked its findings.", o.Documents-o.Done, o.Documents))
	}
	if len(info.Excluded) > 0 {
		labels := make([]string, len(info.Excluded))
		for i, l := range info.Excluded {
			labels[i] = string(l)
		}
		out = append(out, fmt.Sprintf("Text with the label %s is published unredacted: the run counts it as not sensitive.", strings.Join(labels, ", ")))
	}
	return out, nil
}
