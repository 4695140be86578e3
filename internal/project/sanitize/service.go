// SPDX-License-Identifier: Apache-2.0

// Package sanitize runs GreedySanitize over the finished notes of a project. It keeps the
// runs, the chosen L/C, and the bundles that redact.
//
// A [Service] has its own state for each project and builds on the core,
// [hide/internal/project], which checks permissions and keeps the notes.
package sanitize

import (
	"hide/internal/account"
	"hide/internal/annotate/dictionary"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/store"
)

// Training is what runs need from the model of a project.
type Training interface {
	// DictionaryLists returns the lists of the project's dictionaries, and the numbers of
	// the dictionaries, which identify these lists.
	DictionaryLists(id project.ID) (lists []dictionary.List, numbers string, err error)
	// PutDetector stores the detector of a run; nil has no effect.
	PutDetector(tx *store.Tx, detector greedy.Classifier, run int) error
	// UseDetector lets a stored detector make suggestions; nil has no effect.
	UseDetector(ws *project.Workspace, detector greedy.Classifier, run int)
}

// Service runs GreedySanitize on projects and keeps the results. Its methods may be
// called concurrently.
type Service struct {
	projects *project.Service
	training Training
	states   project.PerProject[workspace]
}

// New makes the service. Runs that an earlier process left running are marked
// interrupted.
func New(projects *project.Service, training Training) (*Service, error) {
	s := &Service{projects: projects, training: training}
	return s, s.markInterrupted()
}

// The buckets of a project's space that this package writes. Keys of a run's entries
// begin with its number.
const (
	bucketRuns        = "runs"        // run number -> Run
	bucketEnsembles   = "ensembles"   // run number, L/C -> encoded ensemble
	bucketClassifiers = "classifiers" // run number, SHA-256 -> encoded classifier
	bucketTrainings   = "trainings"   // run number, keyed hash -> result of a training of the current or interrupted run
	bucketBundles     = "bundles"     // bundle number -> BundleInfo
	bucketBundleRaw   = "bundle-files"
)

// workspace is a project with its current run.
type workspace struct {
	*project.Workspace
	run *project.Task[Run]
}

func (s *Service) of(ws *project.Workspace) *workspace {
	return s.states.Of(ws, func(ws *project.Workspace) *workspace {
		return &workspace{ws, project.NewTask[Run](ws, "sanitize", project.TopicSanitize)}
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
