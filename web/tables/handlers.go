// SPDX-License-Identifier: Apache-2.0

// Package tables publishes k-anonymous tables and notes with fields: the role of every
// attribute, what each setting would lose, and the release.
package tables

import (
	"context"
	"io"
	"slices"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish/idview"
	"hide/web/publishing"
	"hide/web/ui"
)

// Projects is what these pages ask. Each method checks the permission of by first.
type Projects interface {
	publishing.Projects
	Bundles(ctx context.Context, by account.User, id project.ID) ([]sanitize.Bundle, error)
	CancelJointPreview(ctx context.Context, by account.User, id project.ID) error
	CancelTablePreview(ctx context.Context, by account.User, id project.ID) error
	EarlierReleases(ctx context.Context, by account.User, id project.ID, kind release.Kind) (release.Earlier, error)
	IdentifierValues(ctx context.Context, by account.User, id project.ID, key idview.Key) (release.Identifier, []idview.Value, error)
	Identifiers(ctx context.Context, by account.User, id project.ID) (release.Identifiers, error)
	JointPreview(ctx context.Context, by account.User, id project.ID, bundle int) (release.JointPreview, error)
	OpenInFinished(ctx context.Context, by account.User, id project.ID) (audit.OpenFindings, error)
	RemovePopulation(ctx context.Context, by account.User, id project.ID, version string) error
	SetIdentifiers(ctx context.Context, by account.User, id project.ID, decisions []release.Decision) error
	SetPopulation(ctx context.Context, by account.User, id project.ID, file io.Reader, replaces string) (release.Population, error)
	StartJointPreview(ctx context.Context, by account.User, id project.ID, set release.JointSettings) error
	StartPublishJoint(ctx context.Context, by account.User, id project.ID, ending release.Ending, choice release.JointChoice, notes, found int) error
	StartPublishTable(ctx context.Context, by account.User, id project.ID, ending release.Ending, set release.TableSettings, people int) error
	StartTablePreview(ctx context.Context, by account.User, id project.ID, tried []release.TableSettings) error
	TablePreview(ctx context.Context, by account.User, id project.ID) (release.TablePreview, error)
}

// Handlers answers for these pages.
type Handlers struct {
	projects Projects
	people   ui.Names
}

// New makes the handlers of these pages; people finds the names of people.
func New(projects Projects, people ui.Names) *Handlers { return &Handlers{projects, people} }

// Routes lists the pages and forms.
func (h *Handlers) Routes() []ui.Route { return slices.Concat(h.tableRoutes(), h.jointRoutes()) }

// Parts are what changes on the pages while somebody looks.
func (h *Handlers) Parts() []ui.LivePart { return slices.Concat(h.tableParts(), h.jointParts()) }
