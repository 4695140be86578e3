// SPDX-License-Identifier: Apache-2.0

package project

import (
	"time"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
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
	// SuggestionsKey changes when a page would show the suggestions differently.
	SuggestionsKey uint64
	Blind          bool // it is annotated without suggestions, to see what suggestions do
	Labels         annotate.LabelSet
	CanUndo        bool
	CanRedo        bool
}

// SuggestedBy is who makes the suggestions that people are shown. The zero value is
// rules.
type SuggestedBy struct {
	Model    int  // its number
	Detector bool // a detector adds what the model misses
	Run      int  // that the detector is of; 0 when that was not kept
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
