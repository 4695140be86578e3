// SPDX-License-Identifier: Apache-2.0

// Package sanitize runs GreedySanitize over the finished notes of a project. It keeps the
// runs, the chosen L/C, and the bundles that redact.
//
// A [Service] has its own state for each project and builds on the core,
// [hide/internal/project], which checks permissions and keeps the notes.
package sanitize

import (
	"fmt"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/crf/classes"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/greedy/drift"
	"hide/internal/greedy/target"
	"hide/internal/project"
	"hide/internal/store"
	"hide/internal/words"
)

// Training is what runs need from the model of a project.
type Training interface {
	// DictionaryLists returns the lists of the project's dictionaries, and the numbers of
	// the dictionaries, which identify these lists.
	DictionaryLists(id project.ID) (lists []dictionary.List, numbers string, err error)
	// ClassTables returns the tables of word classes of the project, as crf.Options has
	// them, and a mark that identifies them.
	ClassTables(id project.ID) (tables []*classes.Table, mark string, err error)
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
	states   project.PerProject[*workspace]
	opened   openedBundles
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

// State is the state of a sanitizing run.
type State string

// The states of a run. Names are stored: do not change them.
const (
	Running     State = "running"
	Finished    State = "finished"
	Cancelled   State = "cancelled"
	Failed      State = "failed"
	Interrupted State = "interrupted" // the server stopped while it ran
)

// Run is one run of GreedySanitize over the finished documents of a project.
type Run struct {
	Number    int           `json:"number"`         // from 1
	Name      string        `json:"name,omitempty"` // chosen by people; "" without one
	Params    Params        `json:"params"`
	State     State         `json:"state"`
	Started   time.Time     `json:"started"`
	Ended     time.Time     `json:"ended"`
	By        string        `json:"by"` // name of the person
	Documents int           `json:"documents"`
	Random    int           `json:"random"`             // documents among them that were drawn at random: only these carry over to unseen ones
	Measured  int           `json:"measured"`           // documents that the estimates are based on: the random ones, or all if these are too few
	Names     int           `json:"names,omitzero"`     // version of the project's label names that Params and the classifiers have
	Uncounted int           `json:"uncounted,omitzero"` // passages with labels outside Params.Labels: no figure covers them
	Changed   bool          `json:"changed"`            // documents have changed since, so the figures are out of date
	Progress  Progress      `json:"progress"`
	Choices   []Result      `json:"choices"` // by LC ascending, as they are computed
	Error     string        `json:"error"`
	Chosen    float64       `json:"chosen"`           // the L/C last chosen, 0 for none
	Revisions string        `json:"revisions"`        // fingerprint of the revisions that it covers, to detect changes
	Corpus    string        `json:"corpus"`           // keyed fingerprint of the documents and spans that it covers
	Target    *Targeted     `json:"target,omitempty"` // nil without a target
	Attuned   float64       `json:"attuned,omitzero"` // the factor >= 1 by which odds were raised for publication (prior shift); the figures do not include it; 0 in modes without it
	Trust     float64       `json:"trust,omitzero"`   // after a drift warning, the trust in the detector's second stage, from 0.5 to 1; 0 in older runs
	More      float64       `json:"more,omitzero"`    // the share of words that is redacted beyond what was measured: by raised odds and, after a drift warning, by later rounds
	Limited   bool          `json:"limited,omitzero"` // without the limit of greedy.MostMore it would be more
	Drift     *drift.Report `json:"drift"`            // whether the other documents are like the measured ones; nil if there are none, and in older runs if there was too little to compare
	// Forgotten says that the run is finished and the store no longer keeps its
	// classifiers: none of its L/C can be chosen.
	Forgotten bool `json:"forgotten,omitzero"`
	// Removed is when notes that it was trained on were removed from the project, and with
	// them its classifiers and all words that it showed; zero for most runs.
	Removed time.Time `json:"removed,omitzero"`
	// Newest is the last note of the project at the time of the run, 0 in older runs;
	// Later is how many were imported after it and compared with nothing.
	Newest annotate.DocumentID `json:"newest,omitzero"`
	Later  int                 `json:"later,omitzero"`
	// AllFinished says that people have finished every note of the project: they have
	// read everything that would be published.
	AllFinished bool `json:"all_finished,omitzero"`
	// Local lists unfinished notes among the differing ones, at most 30, in the order in which
	// to annotate them; Drawn are those drawn at random. Only for people who may read notes.
	Local []annotate.DocumentID `json:"local,omitempty"`
	Drawn []annotate.DocumentID `json:"drawn,omitempty"`
	// Foretold is what local notes bring, by L/C; nil without a drift warning or with too few.
	Foretold []Foretold `json:"foretold,omitempty"`
	// Context lists the words found by Params.Context, strongest first, at most 200 of
	// ContextFound. Only for people who may read notes.
	Context      []greedy.Association `json:"context,omitempty"`
	ContextFound int                  `json:"context_found,omitzero"`
}

// Progress states what a run is doing and how far it is.
type Progress struct {
	Doing string  `json:"doing"` // "L/C 10, round 2: training crf, folds, 3 of 4"
	Share float64 `json:"share"` // 0 to 1, approximate

	// Step of Steps of the current trainings are done; 0 of 0 when it is not training.
	Step  int `json:"step,omitzero"`
	Steps int `json:"steps,omitzero"`
}

// Result is everything known about one L/C of a run.
type Result struct {
	LC      float64           `json:"lc"`
	At      float64           `json:"redacts_as,omitzero"` // the L/C for which it redacts: above LC if Params.Ceiling required it; 0 in older runs
	Done    bool              `json:"done"`                // false while rounds still arrive
	First   bool              `json:"first,omitzero"`      // no round has arrived: Outcome is what the first will leave, not attacked yet
	Rounds  []greedy.Round    `json:"rounds"`
	Outcome greedy.Outcome    `json:"outcome"`
	Leaks   []project.Excerpt `json:"leaks"` // missed PHI, worst first, at most 200
	Lost    []project.Excerpt `json:"lost"`  // over-redacted text, most frequent first, at most 200

	// Applied is what its classifiers redact in notes to be published that differ from the
	// measured ones; nil for others, and in older runs.
	Applied *greedy.Applied `json:"applied,omitempty"`

	// Attackers is what the attackers of Params.Attackers find in the text as published,
	// in documents that none of its classifiers was trained on; Outcome has the papers'
	// and the ranked attacker.
	Attackers []attack.Result `json:"attackers,omitempty"`
	// Linked is what an attacker who goes for the patients links in the same text, among all
	// patients of the project; nil in older runs, and if there is nobody to confuse.
	Linked *retrieve.Result `json:"linked,omitempty"`

	Certificate []greedy.Certified `json:"certificate,omitempty"` // each learner's best attack on the published text; none in paper mode
	Bounds      []greedy.Bound     `json:"bounds,omitempty"`      // the guarantees of the papers' theorems about their attacker
}

// Bundle describes a stored bundle.
type Bundle struct {
	Number  int       `json:"number"` // from 1
	Run     int       `json:"run"`
	LC      float64   `json:"lc"`
	Created time.Time `json:"created"`
	Rounds  int       `json:"rounds"`
	SHA256  string    `json:"sha256"`
	Bytes   int       `json:"bytes"`
	// Removed is when its file was deleted, because notes that it was trained on were
	// removed from the project; zero while it can be used.
	Removed time.Time `json:"removed,omitzero"`
	// Excluded are the labels of the project that the run did not count as sensitive:
	// text with these labels is published.
	Excluded []annotate.Label `json:"excluded,omitempty"`
	// Names is the version of the project's label names that the bundle has.
	Names int `json:"names,omitzero"`
	// Target is the target that its threshold was chosen for; nil for an L/C. LC is then the
	// one for which one classifier has the threshold.
	Target *target.Choice `json:"target,omitempty"`
}

// fewDocuments is how many finished documents are needed for reliable figures.
const fewDocuments = 50

// EnoughDocuments reports how many of the finished documents are enough for reliable
// figures.
func EnoughDocuments(documents int) int { return min(fewDocuments, documents) }

// leastOdds is the factor of raised odds from which on a warning appears. Below 1.05 a
// probability of a half becomes less than 0.513, which redacts almost nothing more.
const leastOdds = 1.05

// Warnings are the reasons for caution about the run's figures, in words. Pages, the
// command line and releases give the same ones.
func (r *Run) Warnings() []string {
	out := r.countedWarnings()
	if r.Changed {
		out = append(out, "Notes have changed since this run, so its figures are out of date. Start a new run before you publish.")
	}
	if r.Params.Mode == greedy.Paper {
		out = append(out, "These counts come from the training notes. In other text, much more PHI remains: hide's default mode measures that.")
	}
	if r.Documents < fewDocuments {
		out = append(out, fmt.Sprintf("Only %s: the intervals are wide, and rare labels may be missing. Finish at least %d.", words.Count(r.Documents, "finished note", "finished notes"), fewDocuments))
	}
	switch {
	case r.Random == r.Documents:
	case r.Measured == r.Random:
		out = append(out, fmt.Sprintf("%d of the %d finished notes are a random sample, and the figures come from these alone. The others were chosen for their content: models are trained on them, but figures from them would be several times too high or too low.", r.Random, r.Documents))
	default:
		out = append(out, r.fewRandom()+" Figures from other notes do not carry over to the rest of the project: they may be several times too high or too low. "+
			"Annotate notes in the order of the queue, or mark imported random notes as a random sample (--random-sample, or the checkbox on the page).")
	}
	if r.Attuned >= leastOdds {
		out = append(out, fmt.Sprintf("The notes to be published seem to hold more PHI than the annotated notes, so odds were raised by a factor of %.3g (prior-shift correction). More words are redacted than was measured%s. The figures and the no-profitable-attack check do not include this.", r.Attuned, r.moreWords()))
	}
	return append(out, r.driftWarnings()...)
}

// moreWords state how many words are redacted beyond what was measured; "" in older runs.
func (r *Run) moreWords() string {
	switch {
	case r.More == 0:
		return ""
	case r.Limited:
		return fmt.Sprintf(": %s of all words, which the limit of %s keeps from being more", words.Percent(r.More), words.Percent(greedy.MostMore))
	}
	return ": " + words.Percent(r.More) + " of all words"
}

// fewRandom states how few of the notes were drawn at random.
func (r *Run) fewRandom() string {
	if r.Random == 0 {
		return fmt.Sprintf("None of the %d finished notes is from a random sample.", r.Documents)
	}
	return fmt.Sprintf("The random sample has %d of the %d finished notes, too few for reliable figures.", r.Random, r.Documents)
}

// driftWarnings state how the other documents differ from the measured ones. Releases
// repeat them, so they name no institution.
func (r *Run) driftWarnings() []string {
	if r.Drift == nil {
		return nil
	}
	var out []string
	if r.Drift.Warns() {
		out = append(out, "The notes to be published differ from the measured notes, so the figures do not hold for them: how much PHI would remain is unknown. "+r.adviceWords())
		out = append(out, r.waryWords())
		out = append(out, r.Drift.All.Sentences()...)
	}
	return append(out, sourceWarnings(r.Drift.Sources)...)
}

// waryWords state how redaction differs from what was measured after a drift warning; "" in
// older runs.
func (r *Run) waryWords() string {
	if r.Trust == 0 {
		return ""
	}
	out := "Thresholds tuned on the measured notes do not carry over, so words are redacted from the odds that L/C asks for"
	if r.Trust < 1 {
		out += ", and the last stage of the detector counts only in part, because many words are new"
	}
	return out + "."
}

// sourceWarnings distinguish institutions with annotated notes, whose other notes may
// differ, from institutions with hardly any annotated note.
func sourceWarnings(sides []drift.Side) (out []string) {
	own, differ, others, foreign := 0, 0, 0, 0
	for _, s := range sides {
		if !s.Annotated {
			others, foreign = others+1, foreign+s.Target
			continue
		}
		own++
		if s.Warns() {
			differ++
		}
	}
	if differ > 0 {
		out = append(out, fmt.Sprintf("At %d of %s with annotated notes, the notes to be published differ from the annotated ones.", differ, words.Count(own, "institution", "institutions")))
	}
	if others > 0 {
		out = append(out, fmt.Sprintf("Hardly any note is annotated from %s with notes to be published: %s of the compared notes.", words.Count(others, "institution", "institutions"), words.Number(foreign)))
	}
	return out
}
