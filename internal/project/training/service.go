// SPDX-License-Identifier: Apache-2.0

// Package training trains the model of a project on finished notes, checks it by
// cross-validation, and offers its suggestions. See [Service].
package training

import (
	"sync"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/rules"
	"hide/internal/bootstrap"
	"hide/internal/project"
	"hide/internal/store"
)

// Service trains the models of projects. Its methods may be called concurrently.
type Service struct {
	projects *project.Service
	trainers trainers
}

// New makes the service and registers it as the learner of the projects. It is called
// before any project is used.
func New(projects *project.Service) *Service {
	s := &Service{projects: projects}
	projects.SetLearner(s)
	return s
}

// The buckets of a project's space that this package writes.
const (
	bucketModels          = "models"           // "newest" -> encoded crf.Model, "info" -> modelInfo, and related records
	bucketDictionaries    = "dictionaries"     // dictionary number -> dictionaryRecord
	bucketDictionaryLists = "dictionary-lists" // dictionary number -> its lists
)

// workspace is the in-memory state of a project's model.
type workspace struct {
	*project.Workspace
	service *Service
	train   *project.Task[progress]
	measure *project.Task[curveState]

	mu       sync.RWMutex // guards what follows; the project may be asked with it held
	model    modelState
	rules    rulesState
	findings map[annotate.DocumentID][]rules.Finding // of rules; see found
}

var _ project.Model = (*workspace)(nil)

// OpenModel implements [project.Learner].
func (s *Service) OpenModel(p *project.Workspace, tx *store.Tx) (project.Model, error) {
	ws := &workspace{
		Workspace: p, service: s,
		train:   project.NewTask[progress](p, "train", project.TopicTraining),
		measure: project.NewTask[curveState](p, "curves", project.TopicCurves),
	}
	for _, read := range []func(*store.Tx) error{ws.readRules, ws.readModel, ws.readDetector} {
		if err := read(tx); err != nil {
			return nil, err
		}
	}
	return ws, nil
}

// enter checks the role and finds the project.
func (s *Service) enter(by account.User, p account.Permission, id project.ID) (*workspace, error) {
	return s.enterAny(by, id, p)
}

// enterAny is enter for pages that several roles may see for different reasons.
func (s *Service) enterAny(by account.User, id project.ID, ps ...account.Permission) (*workspace, error) {
	ws, err := s.projects.EnterAny(by, id, ps...)
	if err != nil {
		return nil, err
	}
	return of(ws), nil
}

// of returns the training state of a project.
func of(ws *project.Workspace) *workspace { return ws.Model().(*workspace) }

// Version implements [project.Model].
func (ws *workspace) Version() any {
	set, labels := ws.Settings(), len(ws.Labels())
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return version{ws.model.tagger, ws.model.info.Shown, set.Rules, set.MinRecall, ws.rules.Revisions, labels}
}

// version is everything but the document that suggestions depend on.
type version struct {
	tagger int // see modelState
	shown  bool
	byRule bool
	level  float64
	rules  string
	labels int
}

// Looks implements [project.Model].
func (ws *workspace) Looks() map[annotate.DocumentID]bootstrap.Look {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.model.looks
}

// FinishedChanged implements [project.Model].
func (ws *workspace) FinishedChanged() { ws.retrain() }

// SettingsChanged implements [project.Model].
func (ws *workspace) SettingsChanged(from, to project.Settings) {
	ws.mu.Lock()
	if from.MinRecall != to.MinRecall {
		ws.model.info.Shown = false // slack allows for the variance of checks, not for a new level
	}
	ws.model.info.Shown = ws.model.info.passes(to.MinRecall)
	ws.mu.Unlock()
	if optionsOf(from).fingerprint() != optionsOf(to).fingerprint() || from.Rules != to.Rules {
		ws.retrain()
	}
}
