// SPDX-License-Identifier: Apache-2.0

// Package training trains the model of a project on finished notes, checks it by
// cross-validation, and offers its suggestions. See [Service].
package training

import (
	"sync"
	"sync/atomic"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/rules"
	"hide/internal/bootstrap"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/store"
)

// Service trains the models of projects. Its methods may be called concurrently.
type Service struct {
	projects *project.Service
	trainers trainers
	bound    bootstrap.Bound // of the finished documents that a model trains on
}

// New makes the service and registers it as the learner of the projects. It is called
// before any project is used.
func New(projects *project.Service) *Service {
	s := &Service{projects: projects, bound: bootstrap.Bound{Notes: bootstrap.SampleNotes, Tokens: bootstrap.SampleTokens}}
	projects.SetLearner(s)
	return s
}

// The buckets of a project's space that this package writes.
const (
	bucketModels          = "models"           // "newest" -> encoded crf.Model, "info" -> modelInfo, and related records
	bucketDictionaries    = "dictionaries"     // dictionary number -> dictionaryRecord
	bucketDictionaryLists = "dictionary-lists" // dictionary number -> its lists
	bucketClasses         = "word-classes"     // "table" -> encoded classes.Table, "info" -> LearntClasses
)

// workspace is the in-memory state of a project's model.
type workspace struct {
	*project.Workspace
	service *Service
	train   *project.Task[progress]
	check   *project.Task[progress] // by cross-validation; gives way to train
	retag   *project.Task[progress] // scores open notes; gives way to train
	measure *project.Task[curveState]
	classes *project.Task[classState]

	starting sync.Mutex // held while work is queued; guards held
	held     bool       // notes are being removed: no work may start

	trainOnAll, checkAsked atomic.Bool // requested of the next training and check

	choosing sync.Mutex // guards sample
	sample   sampleState

	storing sync.Mutex // held while a model or its scores are stored and become the newest

	mu       sync.RWMutex // guards what follows; the project may be asked with it held
	model    modelState
	rules    rulesState
	findings map[annotate.DocumentID][]rules.Finding // of rules; see found

	identified  knownState
	occurrences map[annotate.DocumentID][]rules.Finding // of known identifiers; see knownIn
	linked      int                                     // version of the links that occurrences are found with
}

var _ project.Model = (*workspace)(nil)

// OpenModel implements [project.Learner].
func (s *Service) OpenModel(p *project.Workspace, tx *store.Tx) (project.Model, error) {
	ws := &workspace{
		Workspace: p, service: s,
		train:   project.NewTask[progress](p, "train", project.TopicTraining),
		check:   project.NewTask[progress](p, "check", project.TopicTraining),
		retag:   project.NewTask[progress](p, "score", project.TopicTraining),
		measure: project.NewTask[curveState](p, "curves", project.TopicCurves),
		classes: project.NewTask[classState](p, "word classes", project.TopicTraining),
	}
	for _, read := range []func(*store.Tx) error{ws.readRules, ws.readKnown, ws.readModel, ws.readDetector} {
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
	set, labels, names := ws.Settings(), len(ws.Labels()), ws.Names()
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return version{ws.model.tagger, ws.model.info.Shown, set.Rules, set.MinRecall, ws.rules.Revisions, ws.identified.Revisions, labels, names, ws.Links().Version}
}

// version is everything but the document that suggestions depend on.
type version struct {
	tagger int // see modelState
	shown  bool
	byRule bool
	level  float64
	rules  string
	known  string
	labels int
	names  *project.Names
	links  int
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
		ws.check.Cancel() // its figures would be dropped
		ws.retrain()
	}
}

// Status is the content of the strip on the annotation page.
type Status struct {
	Model      int       // number of the newest model, 0 before the first
	Documents  int       // finished documents it was trained on
	Of         int       // finished documents when it was trained; more than Documents if it was trained on a sample
	Done       int       // finished documents now
	Finished   time.Time // when it was swapped in
	Took       time.Duration
	Scores     Scores // cross-validated; zero before the first
	Running    bool
	Queued     bool
	Iteration  int     // of the running training
	Objective  float64 // of the running training
	Phase      string  // "training", "checking", "suggesting"
	Learning   int     // finished documents in the running training
	Elapsed    time.Duration
	Error      string // of the last training, in words; "" on success
	CheckError string // of the last check
	NeedMore   int    // finished documents still needed for the first training
	Offer      Offer  // which suggestions are shown
}

// Offer says which suggestions are shown, and what the others wait for.
type Offer struct {
	Level    float64      // recall that suggestions must reach; 0 for none
	Model    bool         // the newest model's suggestions are shown
	Rules    bool         // rules suggest while no model does
	ByRules  []RuleRecall // recall of the rules by label, highest first; nil when a model suggests
	Patients int          // with a finished document: a check needs CheckFrom
}

// RuleRecall is the recall of the rules for a label in the finished documents.
type RuleRecall struct {
	Label     annotate.Label  `json:"label"`
	Recall    greedy.Estimate `json:"recall"`    // over its tokens
	Documents int             `json:"documents"` // in which it occurs
	Shown     bool            `json:"-"`         // suggestions of this label are shown
}

// BlindNotes are the notes annotated without suggestions, and what they show.
type BlindNotes struct {
	Share    float64        // of all notes, from the settings
	Done     int            // finished without suggestions on purpose
	Assisted int            // finished by people who saw some
	Bias     bootstrap.Bias // of the last check
	At       time.Time      // of the last check; zero before the first
}

// Scores are token-level figures from cross-validation by patient, with 95 % intervals
// over documents.
type Scores struct {
	Precision, Recall greedy.Estimate
	Folds, Documents  int
	Model             int  // number of the newest model when they were measured
	Random            bool // scored only on random documents, so they extrapolate
	At                time.Time
	Finished          int    // finished documents at the time; 0 in older data
	Labels            string // of the project at the time
}

// CheckFrom is how many patients must have finished documents before a model can be
// checked.
const CheckFrom = checkFolds
