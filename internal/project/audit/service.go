// SPDX-License-Identifier: Apache-2.0

// Package audit lets people read a random sample of what would be published, and
// says what their findings mean for the rest. A [Service] draws the sample, shows
// its notes redacted, and counts what people found.
package audit

import (
	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/sanitize"
)

// Labeller says what label the newest model gives to spans.
type Labeller interface {
	// LabelSpans gives each span one of the labels, the first one where the model has
	// nothing to say.
	LabelSpans(ws *project.Workspace, d annotate.Document, spans []annotate.Span, labels []annotate.Label) []annotate.Label
}

// Service draws samples of what would be published and keeps what people find in
// them. Its methods may be called concurrently.
type Service struct {
	projects *project.Service
	sanitize *sanitize.Service
	labels   Labeller
	states   project.PerProject[workspace]
}

// New makes the service.
func New(projects *project.Service, s *sanitize.Service, labels Labeller) *Service {
	return &Service{projects: projects, sanitize: s, labels: labels}
}

// The buckets of a project's space that this package writes.
const (
	bucketAudits      = "audits"       // audit number -> SampleAudit
	bucketAuditTexts  = "audit-texts"  // audit number, note's number in it -> ReleasedText
	bucketAuditReads  = "audit-reads"  // the same -> auditRead
	bucketAuditPlaces = "audit-places" // the same -> what each placeholder stands for
)

// workspace is a project with the drawing of a sample under way.
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
