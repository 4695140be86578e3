// SPDX-License-Identifier: Apache-2.0

// Package audit lets people read a random sample of what would be published, and
// computes what their findings mean for the other notes. A [Service] draws the
// sample, shows its notes redacted, and counts the findings.
package audit

import (
	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/sanitize"
)

// Labeller predicts labels with the newest model.
type Labeller interface {
	// LabelSpans gives each span one of the labels, or the first label if the model
	// has no answer.
	LabelSpans(ws *project.Workspace, d annotate.Document, spans []annotate.Span, labels []annotate.Label) []annotate.Label
}

// Service draws samples of what would be published and stores the findings. Its
// methods may be called concurrently.
type Service struct {
	projects *project.Service
	sanitize *sanitize.Service
	labels   Labeller
	states   project.PerProject[workspace]
}

func New(projects *project.Service, s *sanitize.Service, labels Labeller) *Service {
	return &Service{projects: projects, sanitize: s, labels: labels}
}

// The buckets of a project's space that this package writes.
const (
	bucketAudits      = "audits"       // audit number -> Audit
	bucketAuditTexts  = "audit-texts"  // audit number, note's number in it -> ReleasedText
	bucketAuditReads  = "audit-reads"  // audit number, note's number in it -> auditRead
	bucketAuditPlaces = "audit-places" // audit number, note's number in it -> original span of each placeholder
)

// workspace is a project and the job that draws its sample.
type workspace struct {
	*project.Workspace
	draw *project.Task[Drawing]
}

func (s *Service) of(ws *project.Workspace) *workspace {
	return s.states.Of(ws, func(ws *project.Workspace) *workspace {
		return &workspace{ws, project.NewTask[Drawing](ws, "audit", project.TopicPublish)}
	})
}

// enter checks the role and finds the project.
func (s *Service) enter(by account.User, p account.Permission, id project.ID) (*workspace, error) {
	ws, err := s.projects.Enter(by, p, id)
	if err != nil {
		return nil, err
	}
	return s.of(ws), nil
}
