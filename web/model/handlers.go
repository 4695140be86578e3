// SPDX-License-Identifier: Apache-2.0

// Package model shows the model of a project: its card, its training, its errors, its
// recall and precision by sampling, its dictionaries and its settings.
package model

import (
	"context"
	"io"
	"slices"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/web/ui"
)

// Projects is what these pages ask. Each method checks the permission of by first.
type Projects interface {
	ui.Projects
	AddDictionaries(ctx context.Context, by account.User, id project.ID, files []training.DictionaryFile) error
	BlindNotes(ctx context.Context, by account.User, id project.ID) (training.BlindNotes, error)
	CancelCurves(ctx context.Context, by account.User, id project.ID) error
	CancelTraining(ctx context.Context, by account.User, id project.ID) error
	CheckNow(ctx context.Context, by account.User, id project.ID) error
	Curves(ctx context.Context, by account.User, id project.ID) (training.CurveStatus, error)
	Dictionaries(ctx context.Context, by account.User, id project.ID) ([]training.Dictionary, error)
	Errors(ctx context.Context, by account.User, id project.ID, f training.ErrorFilter) (training.ErrorsPage, error)
	ModelCard(ctx context.Context, by account.User, id project.ID) (training.ModelCard, error)
	RemoveDictionary(ctx context.Context, by account.User, id project.ID, name string) error
	SetSettings(ctx context.Context, by account.User, id project.ID, set project.Settings) error
	Settings(ctx context.Context, by account.User, id project.ID) (project.Settings, error)
	StartCurves(ctx context.Context, by account.User, id project.ID, p training.CurveParams) error
	Train(ctx context.Context, by account.User, id project.ID) error
	Training(ctx context.Context, by account.User, id project.ID) (training.Status, error)
	TrainOnAll(ctx context.Context, by account.User, id project.ID) error
	UseSampling(ctx context.Context, by account.User, id project.ID, setting int) error
	WordClasses(ctx context.Context, by account.User, id project.ID, action training.ClassAction) (training.ClassStatus, error)
	WriteModel(ctx context.Context, by account.User, id project.ID, w io.Writer) error
}

// Handlers answers for these pages.
type Handlers struct {
	projects Projects
}

// New makes the handlers of these pages.
func New(projects Projects) *Handlers { return &Handlers{projects} }

// Routes lists the pages and forms.
func (h *Handlers) Routes() []ui.Route {
	return slices.Concat(h.modelRoutes(), h.errorRoutes(), h.settingsRoutes(), h.curvesRoutes(), h.dictionaryRoutes(), h.classRoutes())
}

// Parts are what changes on the pages while somebody looks.
func (h *Handlers) Parts() []ui.LivePart {
	return slices.Concat(h.modelParts(), h.errorParts(), h.curvesParts(), h.classParts())
}
