// SPDX-License-Identifier: Apache-2.0

// Package audit shows audits of notes as they would be published: it draws a sample, people
// read it and mark the remaining identifiers, and the page shows the estimate for all notes.
package audit

import (
	"context"
	"net/url"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/sanitize"
	"hide/web/ui"
)

// Projects is what these pages ask. Each method checks the permission of by first.
type Projects interface {
	ui.Projects
	AddAuditFindings(ctx context.Context, by account.User, id project.ID, number int, chosen []audit.LabelledFinding) (int, error)
	Bundles(ctx context.Context, by account.User, id project.ID) ([]sanitize.Bundle, error)
	MarkSampleAudit(ctx context.Context, by account.User, id project.ID, number, index int, answer audit.Answer) error
	Run(ctx context.Context, by account.User, id project.ID, number int) (*sanitize.Run, error)
	SampleAuditFindings(ctx context.Context, by account.User, id project.ID, number int) (audit.Findings, error)
	SampleAuditNote(ctx context.Context, by account.User, id project.ID, number, index int) (audit.Text, error)
	SampleAudits(ctx context.Context, by account.User, id project.ID) ([]audit.Audit, audit.Drawing, error)
	StartSampleAudit(ctx context.Context, by account.User, id project.ID, bundle, random, picked int) error
}

// Handlers answers for these pages.
type Handlers struct {
	projects Projects
}

// New makes the handlers of these pages.
func New(projects Projects) *Handlers { return &Handlers{projects} }

// Routes lists the pages and forms.
func (h *Handlers) Routes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/audits", account.SeeFigures, h.audits),
		ui.Post("/p/:project/audits", account.Sanitize, h.startSample),
		ui.Post("/p/:project/audits/:number/findings", account.Annotate, h.addFindings),
		ui.Get("/p/:project/audits/read", account.Annotate, h.nextNote),
		ui.Get("/p/:project/audits/:number/:index", account.Annotate, h.note),
		ui.Post("/p/:project/audits/:number/:index", account.Annotate, h.saveMarks),
	}
}

// Parts lists the live parts of the pages.
func (h *Handlers) Parts() []ui.LivePart {
	return []ui.LivePart{{
		Name: "audits", Target: "#audits", Needs: account.SeeFigures,
		Topics: []project.Topic{project.TopicPublish},
		Render: func(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
			v, err := h.loadAudits(ctx, u, id, q.Get("audit"))
			return auditsState(v), err
		},
	}}
}
