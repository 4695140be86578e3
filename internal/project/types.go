// SPDX-License-Identifier: Apache-2.0

package project

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/annotate/labels"
)

// ID names a project in URLs and audit rows: "p1", "p2", ...
type ID string

// Project is a set of documents, their annotations and their releases.
type Project struct {
	ID      ID                `json:"id"`
	Name    string            `json:"name"`
	Labels  annotate.LabelSet `json:"labels"`
	Created time.Time         `json:"created"`
	Draw    uint64            `json:"draw"` // key of the random order of the notes

	Renamed    []LabelChange    `json:"renamed,omitempty"`    // renames and merges of labels, in order
	Retired    []annotate.Label `json:"retired,omitempty"`    // labels that are not offered for new spans
	Relabelled int              `json:"relabelled,omitempty"` // changes of labels, retirements included
}

// Overview is a project with the counts that lists show.
type Overview struct {
	Project
	Documents, Done, InProgress, Annotations, Releases int
	Rule                                               Rule // for publishing
}

// ImportOptions say how files are read and how their spans are used.
type ImportOptions struct {
	format.Options
	// Finished says that the spans in the files are complete, so the documents count as
	// finished. Otherwise documents with spans are in progress.
	Finished bool
	// Random says that the finished documents are a random sample of the notes to be
	// published, so that estimates may use them. Only with Finished.
	Random bool
	// Map is what labels of the files become. Nil means the mapping of the project. What it
	// decides becomes a new version of that mapping.
	Map *labels.Mapping
	// Suggest also maps labels that the project does not have and nobody has decided about, to
	// labels of a similar name.
	Suggest bool
	// Progress is told how many notes have been read. It may be nil.
	Progress func(notes int)
}

// ExportOptions say which file an export makes.
type ExportOptions struct {
	Format string         // one of [format.Formats] that can be written
	Map    labels.Mapping // of the labels; the zero value keeps them
}

// QueueItem is a document in the queue.
type QueueItem struct {
	Document    annotate.DocumentID
	Name        string
	State       annotate.State
	Annotations int
	Suggestions int     // open ones
	Uncounted   bool    // Suggestions is not known yet, see [QueueFilter]
	Uncertainty float64 // expected uncertain sensitive tokens per 100 tokens; 0 before the first model
	Length      int     // tokens
}

// QueueFilter selects part of the queue. The zero value selects everything from the
// start, 50 documents.
type QueueFilter struct {
	State  annotate.State // "" for any
	Query  string         // part of the document's name, ignoring case
	Offset int
	Limit  int                 // 0 means 50, at most 500
	Around annotate.DocumentID // instead of Offset: a window with this document, which its neighbours share; without State and Query
	Brief  bool                // skip counting suggestions in finished documents, count in few of the others, and in the rest in the background
}

// QueuePage is the selected documents and the totals.
type QueuePage struct {
	Items                        []QueueItem
	Offset                       int // of the first item
	Matching                     int // documents that match the filter
	Total, New, InProgress, Done int // of the whole project
}

// Choice is the document to annotate next.
type Choice struct {
	Document annotate.DocumentID
	Name     string
	Reason   string // in words: "drawn at random, so that estimates are unbiased"
	Random   bool   // drawn at random: only such documents may be used for estimates
}

// Note is a document as a person works on it.
type Note struct {
	ID          annotate.DocumentID
	Document    annotate.Document
	Layer       *annotate.Layer
	Suggestions []annotate.Suggestion // open ones, in text order
	By          SuggestedBy           // of Suggestions
	// SuggestionsKey changes when a page would show the suggestions or the names of labels
	// differently.
	SuggestionsKey uint64
	Blind          bool                   // annotated without suggestions, to measure the effect of suggestions
	Labels         annotate.LabelSet      // that are offered for new spans
	Renamed        annotate.Renames       // earlier names of labels, which an older page may send
	Places         map[annotate.Label]int // of all labels, see [Names.Places]
	CanUndo        bool
	CanRedo        bool
}

// SuggestedBy is the source of the visible suggestions. The zero value is rules.
type SuggestedBy struct {
	Model    int  // its number
	Detector bool // a detector adds PHI that the model misses
	Run      int  // of the detector; 0 in older data

	Known     bool // known identifiers are among the suggestions
	KnownOnly bool // all suggestions are known identifiers
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
	TopicSanitize Topic = "sanitize" // the progress, the results or the name of a run changed
	TopicRuns     Topic = "runs"     // a run has started, ended, got a name or been chosen from
	TopicPublish  Topic = "publish"
	TopicReview   Topic = "review"
	TopicCurves   Topic = "curves" // the state of a measurement of sampling curves changed
	TopicLabels   Topic = "labels" // labels, or the counts of their spans, changed
	TopicSearch   Topic = "search" // the index of the text has grown, or work on it has ended
	TopicLinks    Topic = "links"  // a linkage runs or has ended, or somebody decided about a pair
)

// Event says that something changed; watchers then read the whole state again.
type Event struct {
	Project  ID
	Topic    Topic
	Document annotate.DocumentID // for TopicDocument
}

// Kind sorts the errors of this package by what a caller does about them.
type Kind string

// The kinds.
const (
	NotFound  Kind = "not found"
	Forbidden Kind = "forbidden"
	Invalid   Kind = "invalid"  // the request cannot be carried out; the message says why
	Stale     Kind = "conflict" // somebody else was faster
	Partly    Kind = "partly"   // it was done, and something is left to do by hand
	Full      Kind = "full"     // too little space is left on the disk

	Unrecorded Kind = "unrecorded" // a copy of the audit trail is too far behind for data to leave
)

// Error is an error with a message for the person who caused it. The message
// holds no document text.
type Error struct {
	Kind    Kind
	Message string
	Hint    string // what to do next; may be empty
	Err     error  // for the log; may be nil

	// Obstacle is what blocks a release until [Despite] answers it; "" for all other
	// errors.
	Obstacle Obstacle
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the first [*Error] in err's chain, or "".
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}

// ConflictError is returned by an edit of an older revision. It carries both versions.
type ConflictError struct {
	Mine   annotate.Edit // the requested edit
	Theirs *Note         // the current note
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("note %d has changed since it was read: revision %d is the newest", e.Theirs.ID, e.Theirs.Layer.Revision)
}

// ErrorWords is the text of an error for a person: its message and hint, or the whole
// error if it has none.
func ErrorWords(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

func NotFoundf(format string, args ...any) error {
	return &Error{Kind: NotFound, Message: fmt.Sprintf(format, args...)}
}

func Invalidf(hint, format string, args ...any) error {
	return &Error{Kind: Invalid, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// Obstructed is an error about an obstacle to a release.
func Obstructed(by Obstacle, hint, format string, args ...any) error {
	return &Error{Kind: Invalid, Message: fmt.Sprintf(format, args...), Hint: hint, Obstacle: by}
}

// Obstacle is something that blocks a release of text.
type Obstacle string

// The obstacles. Packages release and draft say how each is answered.
const (
	NotCertified  Obstacle = "uncertified"
	StillOpen     Obstacle = "found"
	StaysReadable Obstacle = "readable"
	NotApproved   Obstacle = "unapproved"
	NotSigned     Obstacle = "unsigned"
	NotConfirmed  Obstacle = "unconfirmed"
	Unlinked      Obstacle = "unlinked" // records look like the same people, and nobody linked them
)

// Joined lists names with commas between.
func Joined[S ~string](names []S) string {
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = string(n)
	}
	return strings.Join(words, ", ")
}
