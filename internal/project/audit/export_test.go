// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/internal/publish"
)

// What tests outside the package look at.
const BucketPlaces = bucketAuditPlaces

var TextKey = auditTextKey

func (s *Service) ListAudits(ws *project.Workspace) ([]Audit, error) { return s.audits(s.of(ws)) }

func (s *Service) AuditNumbered(ws *project.Workspace, number int) (Audit, error) {
	return s.audit(s.of(ws), number)
}

func (s *Service) Together(ctx context.Context, ws *project.Workspace, doc annotate.DocumentID, info sanitize.Bundle) ([]publish.Input, int, error) {
	return s.together(ctx, s.of(ws), doc, info)
}
