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

// State is how a sanitizing run stands.
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
	Name      string        `json:"name,omitempty"` // what people call it; "" until somebody names it
	Params    Params        `json:"params"`
	State     State         `json:"state"`
	Started   time.Time     `json:"started"`
	Ended     time.Time     `json:"ended"`
	By        string        `json:"by"` // name of the person
	Documents int           `json:"documents"`
	Random    int           `json:"random"`             // of these, documents that were drawn at random: only they carry over to unseen ones
	Measured  int           `json:"measured"`           // documents that the estimates are from: the random ones, or all when too few are
	Uncounted int           `json:"uncounted,omitzero"` // passages marked in its documents with labels other than Params.Labels: no figure is of them
	Changed   bool          `json:"changed"`            // documents have changed since: the figures are of another state
	Progress  Progress      `json:"progress"`
	Choices   []Result      `json:"choices"` // by LC ascending, as they become known
	Error     string        `json:"error"`
	Chosen    float64       `json:"chosen"`           // the L/C last chosen, 0 for none
	Revisions string        `json:"revisions"`        // fingerprint of the revisions it ran over: tells whether anything changed since
	Corpus    string        `json:"corpus"`           // keyed fingerprint of the documents and spans it ran over
	Attuned   float64       `json:"attuned,omitzero"` // the factor >= 1 by which odds were raised for publication, figures being without it; 0 in modes that do not
	Drift     *drift.Report `json:"drift"`            // whether the other documents are like the measured ones; nil when there are none, and in older runs when there was nothing to tell by
	// Forgotten says that it is finished and that the store does not keep what it learnt
	// any more: no L/C of it can be chosen.
	Forgotten bool `json:"forgotten,omitzero"`
	// Newest is the last note of the project when it ran, 0 for runs that did not
	// remember; Later is how many were imported after it, which nothing compared.
	Newest annotate.DocumentID `json:"newest,omitzero"`
	Later  int                 `json:"later,omitzero"`
	// AllFinished says that people have finished every note of the project: they have
	// read all that would be published.
	AllFinished bool `json:"all_finished,omitzero"`
	// Local are notes that are not finished, of the differing notes: at most 30 in
	// an order drawn at random, to annotate first. Only for people who may read notes.
	Local []annotate.DocumentID `json:"local,omitempty"`
	// Context are the words that Params.Context asks for, strongest first, at most 200
	// of ContextFound. Only for people who may read notes.
	Context      []greedy.Association `json:"context,omitempty"`
	ContextFound int                  `json:"context_found,omitzero"`
}

// Progress says in words what a run is doing and how far it is.
type Progress struct {
	Doing string  `json:"doing"` // "L/C 10, round 2: training crf, folds, 3 of 4"
	Share float64 `json:"share"` // 0 to 1, rough

	// Of the trainings that it is doing now, Step of Steps are done; 0 of 0 when it
	// is not training.
	Step  int `json:"step,omitzero"`
	Steps int `json:"steps,omitzero"`
}

// Result is everything known about one L/C of a run.
type Result struct {
	LC      float64           `json:"lc"`
	At      float64           `json:"redacts_as,omitzero"` // the L/C for which it redacts: above LC where Params.Ceiling took it; 0 in runs from before there was one
	Done    bool              `json:"done"`                // false while rounds still arrive
	First   bool              `json:"first,omitzero"`      // no round has arrived: Outcome is what the first will leave, which nobody has attacked yet
	Rounds  []greedy.Round    `json:"rounds"`
	Outcome greedy.Outcome    `json:"outcome"`
	Leaks   []project.Excerpt `json:"leaks"` // what would leak, worst first, at most 200
	Lost    []project.Excerpt `json:"lost"`  // other text that would go, most often first, at most 200

	// Attackers are what those of Params.Attackers find in what would be published, in
	// documents that no classifier of it saw; Outcome has the papers' and the ranked one.
	Attackers []attack.Result `json:"attackers,omitempty"`

	Certificate []greedy.Certified `json:"certificate,omitempty"` // each learner's best attack on what would be published; none in paper mode
	Bounds      []greedy.Bound     `json:"bounds,omitempty"`      // what the papers' theorems promise of their attacker
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
	// Excluded are the labels of the project that the run did not count as
	// sensitive: what carries them is published.
	Excluded []annotate.Label `json:"excluded,omitempty"`
}
