// SPDX-License-Identifier: Apache-2.0

// Package audit shows audits of notes as they would be published: it draws a sample, people
// read it and mark the remaining identifiers, and the page shows the estimate for all notes.
package audit

import (
	"context"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/sanitize"
	"hide/web/ui"
)

// Projects is the part of the project service that these pages need. Each method checks
// the permission of by first.
type Projects interface {
	ui.Projects
	AddAuditFindings(ctx context.Context, by account.User, id project.ID, number int, chosen []audit.LabelledFinding) (int, error)
	Bundles(ctx context.Context, by account.User, id project.ID) ([]sanitize.Bundle, error)
	MarkSampleAudit(ctx context.Context, by account.User, id project.ID, number, index int, said audit.Answer) error
	Run(ctx context.Context, by account.User, id project.ID, number int) (*sanitize.Run, error)
	SampleAuditFindings(ctx context.Context, by account.User, id project.ID, number int) (audit.Findings, error)
	SampleAuditNote(ctx context.Context, by account.User, id project.ID, number, index int) (audit.Text, error)
	SampleAudits(ctx context.Context, by account.User, id project.ID) ([]audit.Audit, audit.Drawing, error)
	StartSampleAudit(ctx context.Context, by account.User, id project.ID, bundle, random, picked int) error
}

// Handlers serves the pages of audits.
type Handlers struct {
	projects Projects
}

// New makes the handlers.
func New(projects Projects) *Handlers { return &Handlers{projects} }
