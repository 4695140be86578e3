// SPDX-License-Identifier: Apache-2.0

package project

import (
	"time"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/bootstrap"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/audit"
	"hide/internal/greedy/drift"
)

// ID names a project in URLs and audit rows: "p1", "p2", ...
type ID string

// Project is a set of documents, what people say about them and what has been
// published from them.
type Project struct {
	ID      ID                `json:"id"`
	Name    string            `json:"name"`
	Labels  annotate.LabelSet `json:"labels"`
	Created time.Time         `json:"created"`
	Draw    uint64            `json:"draw"` // keys the order in which notes are drawn at random
}

// Overview is a project with the counts that lists show.
type Overview struct {
	Project
	Documents, Done, InProgress, Annotations, Releases int
}

// ImportOptions say how files are read and what becomes of their spans.
type ImportOptions struct {
	format.Options
	// Finished says that the spans in the files are complete: the documents count
	// as done. Otherwise documents with spans come in as work in progress.
	Finished bool
	// Random says that the finished documents are a random sample of the notes to
	// be published, so that they may feed estimates. Only with Finished.
	Random bool
}

// QueueItem is a document as the queue lists it.
type QueueItem struct {
	Document    annotate.DocumentID
	Name        string
	State       annotate.State
	Annotations int
	Suggestions int     // open ones
	Uncounted   bool    // Suggestions is not known yet, see [QueueFilter]
	Uncertainty float64 // expected sensitive tokens in doubt per 100 tokens; 0 before the first model
	Length      int     // tokens
}

// QueueFilter selects part of the queue. The zero value is everything, from the
// start, 50 documents.
type QueueFilter struct {
	State  annotate.State // "" for any
	Query  string         // part of the document's name, any case
	Offset int
	Limit  int  // 0 means 50, at most 500
	Brief  bool // count suggestions in no finished document, in few of the others that were not counted before, and in the rest in the background
}

// QueuePage is what a filter selects, and how much there is.
type QueuePage struct {
	Items                        []QueueItem
	Matching                     int // documents that pass the filter
	Total, New, InProgress, Done int // of the whole project
}

// Choice is the document that should be annotated next.
type Choice struct {
	Document annotate.DocumentID
	Reason   string // in words: "chosen at random, so that the estimates stay honest"
	Random   bool   // whether it was drawn at random: only such documents may feed estimates
}

// Note is a document as a person works on it.
type Note struct {
	ID          annotate.DocumentID
	Document    annotate.Document
	Layer       *annotate.Layer
	Suggestions []annotate.Suggestion // open ones, in text order
	By          SuggestedBy           // of Suggestions
	Blind       bool                  // it is annotated without suggestions, to see what suggestions do
	Labels      annotate.LabelSet
	CanUndo     bool
	CanRedo     bool
}

// Suggester is who makes the suggestions that people are shown. The zero value is
// rules.
type SuggestedBy struct {
	Model    int  // its number
	Detector bool // a detector adds what the model misses
	Run      int  // that the detector is of; 0 when that was not kept
}

// Training is what the strip on the annotation page says.
type Training struct {
	Model     int       // number of the newest model, 0 before the first
	Documents int       // finished documents it was trained on
	Finished  time.Time // when it was swapped in
	Took      time.Duration
	Scores    Scores // cross-validated; zero before the first
	Running   bool
	Queued    bool
	Iteration int     // of the running training
	Objective float64 // of the running training
	Phase     string  // "training", "checking", "suggesting"
	Learning  int     // finished documents that the running training learns from
	Elapsed   time.Duration
	Error     string // of the last training, in words; "" when it went well
	NeedMore  int    // finished documents still missing before the first training
	Offer     Offer  // which suggestions people are shown
}

// Offer says which suggestions people are shown, and what the others wait for.
type Offer struct {
	Level    float64      // recall that suggestions must have reached; 0 for none
	Model    bool         // those of the newest model are shown
	Rules    bool         // rules suggest while no model does
	ByRules  []RuleRecall // what the rules find, by label, most recall first; nil when a model suggests
	Patients int          // of whom a document is done: a check needs CheckFrom
}

// CheckFrom is of how many patients documents must be done before a model can be
// checked.
const CheckFrom = checkFolds

// RuleRecall is how much of a label the rules find in the finished documents.
type RuleRecall struct {
	Label     annotate.Label  `json:"label"`
	Recall    greedy.Estimate `json:"recall"`    // of its tokens
	Documents int             `json:"documents"` // in which it occurs
	Shown     bool            `json:"-"`         // suggestions of this label are shown
}

// BlindNotes are the notes annotated without suggestions, and what they tell.
type BlindNotes struct {
	Share    float64        // of all notes, as it is set
	Done     int            // finished without suggestions on purpose
	Assisted int            // finished by people who were shown some
	Bias     bootstrap.Bias // of the last check
	At       time.Time      // of the last check; zero before the first
}

// Scores are token-level figures from cross-validation by patient, with 95 %
// intervals over documents.
type Scores struct {
	Precision, Recall greedy.Estimate
	Folds, Documents  int
	Model             int  // number of the model that was newest when they were measured
	Random            bool // scored on randomly chosen documents only, so fit to be extrapolated
	At                time.Time
}

// SanitizeParams start a run of GreedySanitize.
type SanitizeParams struct {
	Mode   greedy.Mode      `json:"mode"`  // "" means Default
	LC     []float64        `json:"lc"`    // in paper mode all are read off one run
	Folds  int              `json:"folds"` // cross-fitting folds; 0 means 4
	Seed   uint64           `json:"seed"`
	Labels []annotate.Label `json:"labels,omitempty"` // sensitive ones; nil means all

	// Learners are the hypothesis class of publisher and attackers, names of
	// learn.Kept; nil means the CRF.
	Learners []string `json:"learners,omitempty"`
	// First is the learner that redacts in round 1 of default mode: "" means the
	// detector, and "none" that there is no such round.
	First string `json:"first,omitempty"`
	// LossByLabel says how many times as bad as L a token of a label is that stays,
	// 1 where nothing is said.
	LossByLabel map[annotate.Label]float64 `json:"loss_by_label,omitempty"`
	// CostByKind says how many times C a lost word of a kind costs that is not
	// sensitive, 1 where nothing is said.
	CostByKind greedy.Prices `json:"cost_by_kind,omitempty"`
	// Context looks for words that give identifiers away by standing near them; nil:
	// it does not.
	Context *greedy.Context `json:"context,omitempty"`
	// Attackers look for what would be published beside the papers' and the ranked
	// one, who always do. One learner has no [attack.Stacked]: it would be the ranked one.
	Attackers []attack.Kind `json:"attackers,omitempty"`
	// Transfer is the project from whose finished notes, with all of their labels, the
	// [attack.Transfer] attacker learns.
	Transfer ID `json:"transfer,omitempty"`
	// Share is the share of the notes that attackers label, taken as the nearest 1/k;
	// 0 means 1/2.
	Share float64 `json:"share,omitempty"`
	// Ceiling is the share of the sensitive words that the ranked attacker may find
	// within the largest budget, in default mode alone: see [greedy.Params].Ceiling; 0 for
	// none.
	Ceiling float64 `json:"ceiling,omitempty"`
	// WithoutParts are the parts that the detector does without, names of
	// detect.PartTable.
	WithoutParts []string `json:"without_parts,omitempty"`
	// Sampling is what the trainings of all of these learners leave out; the zero value
	// leaves nothing out.
	Sampling Sampling `json:"sampling,omitzero"`
	// VC is the dimension that theorems 5 and 6 take the class to have, in paper mode
	// alone; 0 leaves them out.
	VC float64 `json:"vc,omitempty"`
}

// RunState is how a sanitizing run stands.
type RunState string

// The states of a run. Names are stored: do not change them.
const (
	RunRunning     RunState = "running"
	RunFinished    RunState = "finished"
	RunCancelled   RunState = "cancelled"
	RunFailed      RunState = "failed"
	RunInterrupted RunState = "interrupted" // the server stopped while it ran
)

// Run is one run of GreedySanitize over the finished documents of a project.
type Run struct {
	Number    int            `json:"number"`         // from 1
	Name      string         `json:"name,omitempty"` // what people call it; "" until somebody names it
	Params    SanitizeParams `json:"params"`
	State     RunState       `json:"state"`
	Started   time.Time      `json:"started"`
	Ended     time.Time      `json:"ended"`
	By        string         `json:"by"` // name of the person
	Documents int            `json:"documents"`
	Random    int            `json:"random"`             // of these, documents that were drawn at random: only they carry over to unseen ones
	Measured  int            `json:"measured"`           // documents that the estimates are from: the random ones, or all when too few are
	Uncounted int            `json:"uncounted,omitzero"` // passages marked in its documents with labels other than Params.Labels: no figure is of them
	Changed   bool           `json:"changed"`            // documents have changed since: the figures are of another state
	Progress  RunProgress    `json:"progress"`
	Choices   []LCResult     `json:"choices"` // by LC ascending, as they become known
	Error     string         `json:"error"`
	Chosen    float64        `json:"chosen"`           // the L/C last chosen, 0 for none
	Revisions string         `json:"revisions"`        // fingerprint of the revisions it ran over: tells whether anything changed since
	Corpus    string         `json:"corpus"`           // keyed fingerprint of the documents and spans it ran over
	Attuned   float64        `json:"attuned,omitzero"` // the factor >= 1 by which odds were raised for publication, figures being without it; 0 in modes that do not
	Drift     *drift.Report  `json:"drift"`            // whether the other documents are like the measured ones; nil when there are none, and in older runs when there was nothing to tell by
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
	// Local are notes that are not done, of those that rang the alarm: at most 30 in
	// an order drawn at random, to annotate first. Only for people who may read notes.
	Local []annotate.DocumentID `json:"local,omitempty"`
	// Context are the words that Params.Context asks for, strongest first, at most 200
	// of ContextFound. Only for people who may read notes.
	Context      []greedy.Association `json:"context,omitempty"`
	ContextFound int                  `json:"context_found,omitzero"`
}

// RunProgress says in words what a run is doing and how far it is.
type RunProgress struct {
	Doing string  `json:"doing"` // "L/C 10, round 2: training crf, folds, 3 of 4"
	Share float64 `json:"share"` // 0 to 1, rough

	// Of the trainings that it is doing now, Step of Steps are done; 0 of 0 when it
	// is not training.
	Step  int `json:"step,omitzero"`
	Steps int `json:"steps,omitzero"`
}

// LCResult is everything known about one L/C of a run.
type LCResult struct {
	LC      float64        `json:"lc"`
	At      float64        `json:"redacts_as,omitzero"` // the L/C for which it redacts: above LC where Params.Ceiling took it; 0 in runs from before there was one
	Done    bool           `json:"done"`                // false while rounds still arrive
	First   bool           `json:"first,omitzero"`      // no round has arrived: Outcome is what the first will leave, which nobody has attacked yet
	Rounds  []greedy.Round `json:"rounds"`
	Outcome greedy.Outcome `json:"outcome"`
	Leaks   []Excerpt      `json:"leaks"` // what would leak, worst first, at most 200
	Lost    []Excerpt      `json:"lost"`  // other text that would go, most often first, at most 200

	// Attackers are what those of Params.Attackers find in what would be published, in
	// documents that no classifier of it saw; Outcome has the papers' and the ranked one.
	Attackers []attack.Result `json:"attackers,omitempty"`

	Certificate []greedy.Certified `json:"certificate,omitempty"` // each learner's best attack on what would be published; none in paper mode
	Bounds      []greedy.Bound     `json:"bounds,omitempty"`      // what the papers' theorems promise of their attacker
}

// LeakView is a span that would stay or go, in words from the note. Only people
// who may read notes are given Text and Context.
type Excerpt struct {
	Document annotate.DocumentID `json:"document"`
	Start    annotate.RuneOff    `json:"start"`
	End      annotate.RuneOff    `json:"end"`
	Label    annotate.Label      `json:"label"`
	Text     string              `json:"text"`
	Before   string              `json:"before"` // up to 40 characters
	After    string              `json:"after"`
	Score    float64             `json:"score"`
	Often    int                 `json:"often,omitzero"` // of what is lost: in how many places the same text is, listed or not
}

// BundleInfo describes a stored bundle.
type BundleInfo struct {
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

// ReleaseKind is what a release holds. Names are stored: do not change them.
type ReleaseKind string

// The kinds of release.
const (
	ReleaseText      ReleaseKind = "" // redacted notes
	ReleaseTable     ReleaseKind = "table"
	ReleaseCube      ReleaseKind = "cube"
	ReleaseSequences ReleaseKind = "sequences"
	ReleaseJoint     ReleaseKind = "joint" // notes with their fields
	ReleaseQuery     ReleaseKind = "query" // the answer to a question
)

// Release is one publication.
type Release struct {
	Kind   ReleaseKind    `json:"kind,omitempty"`
	Table  *TableRelease  `json:"table,omitempty"`  // of a table
	Strong *StrongRelease `json:"strong,omitempty"` // of counts, sequences or an answer
	Joint  *JointRelease  `json:"joint,omitempty"`  // of notes with their fields

	Number    int            `json:"number"` // from 1
	Name      string         `json:"name"`   // folder and file name: "release-1"
	Bundle    int            `json:"bundle"`
	LC        float64        `json:"lc"`
	Created   time.Time      `json:"created"`
	By        string         `json:"by"`
	Documents int            `json:"documents"`
	Redacted  map[string]int `json:"redacted"` // placeholders by label
	Tokens    int            `json:"tokens"`
	SHA256    string         `json:"sha256"`   // of the manifest
	Outcome   greedy.Outcome `json:"outcome"`  // the figures it was chosen by
	Gone      bool           `json:"gone"`     // its files are not there any more, as after a restore
	Verified  bool           `json:"verified"` // the verifier found nothing wrong just after writing
	// Beside says what held when it was made, as there were other releases of the same
	// patients by then; its manifest says so too.
	Beside []string `json:"beside,omitempty"`
	// Warnings are what was said to whoever published text, and Audit is the audit that
	// held then, if one did. Its manifest carries both, the audit in words.
	Warnings []string      `json:"warnings,omitempty"`
	Audit    *audit.Result `json:"audit,omitempty"`
}

// ReleasedText is one document of a release.
type ReleasedText struct {
	ID         string       `json:"id"`
	Text       string       `json:"text"`
	Redactions []ReleasedAt `json:"redactions"`
}

// ReleasedAt is where a placeholder stands in a released text.
type ReleasedAt struct {
	Start annotate.RuneOff `json:"start"`
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
}

// PublishStatus is how the current or last publishing job stands.
type PublishStatus struct {
	Running bool
	Kind    ReleaseKind
	Done    int
	Total   int
	Error   string
	Note    string // what there is to say when there is no error

	Cube      *CubeSettings     // what was asked for, of counts
	Sequences *SequenceSettings // the same, of sequences
	Query     *QuerySettings    // the same, of a question
	Before    int               // the release that answers, when it was there already; 0 otherwise
}

// AuditRow is one row of the audit trail as pages list it. It never holds text.
type AuditRow struct {
	Seq    uint64
	At     time.Time
	Who    string // a person's name, or "system"
	Action string
	Object string
	Detail string
}

// Topic is a part of a project that pages watch.
type Topic string

// The topics.
const (
	TopicTraining Topic = "training"
	TopicQueue    Topic = "queue"
	TopicDocument Topic = "document" // a layer or its suggestions changed
	TopicSanitize Topic = "sanitize" // what a run is doing, has found, or is called
	TopicRuns     Topic = "runs"     // a run has begun, ended, got a name or been chosen from
	TopicPublish  Topic = "publish"
	TopicCurves   Topic = "curves" // what sampling trades is being measured, or has been
)

// Event says that something changed; who watches fetches the whole state anew.
type Event struct {
	Project  ID
	Topic    Topic
	Document annotate.DocumentID // for TopicDocument
}
