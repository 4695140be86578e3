// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/drift"
	"hide/internal/project"
	"time"
)

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
	Uncounted int           `json:"uncounted,omitzero"` // passages with labels outside Params.Labels: no figure covers them
	Changed   bool          `json:"changed"`            // documents have changed since, so the figures are out of date
	Progress  Progress      `json:"progress"`
	Choices   []Result      `json:"choices"` // by LC ascending, as they are computed
	Error     string        `json:"error"`
	Chosen    float64       `json:"chosen"`           // the L/C last chosen, 0 for none
	Revisions string        `json:"revisions"`        // fingerprint of the revisions that it covers, to detect changes
	Corpus    string        `json:"corpus"`           // keyed fingerprint of the documents and spans that it covers
	Attuned   float64       `json:"attuned,omitzero"` // the factor >= 1 by which odds were raised for publication (prior shift); the figures do not include it; 0 in modes without it
	Drift     *drift.Report `json:"drift"`            // whether the other documents are like the measured ones; nil if there are none, and in older runs if there was too little to compare
	// Forgotten says that the run is finished and the store no longer keeps its
	// classifiers: none of its L/C can be chosen.
	Forgotten bool `json:"forgotten,omitzero"`
	// Newest is the last note of the project at the time of the run, 0 in older runs;
	// Later is how many were imported after it and compared with nothing.
	Newest annotate.DocumentID `json:"newest,omitzero"`
	Later  int                 `json:"later,omitzero"`
	// AllFinished says that people have finished every note of the project: they have
	// read everything that would be published.
	AllFinished bool `json:"all_finished,omitzero"`
	// Local lists unfinished notes among the differing ones, at most 30 in random order,
	// to annotate first. Only for people who may read notes.
	Local []annotate.DocumentID `json:"local,omitempty"`
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

	// Attackers is what the attackers of Params.Attackers find in the text as published,
	// in documents that none of its classifiers was trained on; Outcome has the papers'
	// and the ranked attacker.
	Attackers []attack.Result `json:"attackers,omitempty"`

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
	// Excluded are the labels of the project that the run did not count as sensitive:
	// text with these labels is published.
	Excluded []annotate.Label `json:"excluded,omitempty"`
}
