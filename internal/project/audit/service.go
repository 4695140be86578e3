// SPDX-License-Identifier: Apache-2.0

// Package audit keeps the audits that earlier versions of hide drew: whole notes as they
// would be published, which people read for identifiers. Reviews of candidates have taken
// their place, so that no audit is drawn or read any more. A [Service] lists those in the
// store with their results, counts what was found and is still open, and adds it to the
// notes.
package audit

import (
	"fmt"
	"slices"
	"time"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/sanitize"
)

// Labeller predicts labels with the newest model.
type Labeller interface {
	// LabelSpans gives each span one of the labels, or the first label if the model
	// has no answer.
	LabelSpans(ws *project.Workspace, d annotate.Document, spans []annotate.Span, labels []annotate.Label) []annotate.Label
}

// Service shows stored audits and adds their findings to the notes. Its methods may be
// called concurrently.
type Service struct {
	projects *project.Service
	sanitize *sanitize.Service
	labels   Labeller
}

func New(projects *project.Service, s *sanitize.Service, labels Labeller) *Service {
	return &Service{projects: projects, sanitize: s, labels: labels}
}

// The buckets of a project's space that hold audits.
const (
	bucketAudits      = "audits"       // audit number -> Audit
	bucketAuditTexts  = "audit-texts"  // audit number, note's number in it -> ReleasedText
	bucketAuditReads  = "audit-reads"  // audit number, note's number in it -> auditRead
	bucketAuditPlaces = "audit-places" // audit number, note's number in it -> original span of each placeholder
)

// Audit is a sample of what would be published with a bundle, which people read for
// identifiers. The sample was drawn from the unfinished documents, or from all
// documents if every one was finished.
type Audit struct {
	Number    int       `json:"number"` // from 1
	Bundle    int       `json:"bundle"`
	Run       int       `json:"run"`
	LC        float64   `json:"lc"`
	Created   time.Time `json:"created"`
	By        string    `json:"by"`        // name of the person
	Documents int       `json:"documents"` // that the sample represents
	Asked     int       `json:"asked"`     // requested notes: more than Notes if the project has fewer
	Notes     []Note    `json:"notes"`     // in order of reading
	Seed      uint64    `json:"seed"`
	Revisions string    `json:"revisions"` // fingerprint of the documents that it represents

	Read    int           `json:"-"` // notes read
	Result  *audit.Result `json:"-"` // nil unless all were read; only [Service.SampleAudits] fills it in
	Changed bool          `json:"-"` // documents have changed since, so the audit is out of date
}

// Note is a document of a sample.
type Note struct {
	Document annotate.DocumentID `json:"document"`
	Picked   bool                `json:"picked"`          // chosen because the model doubts it most; otherwise drawn at random
	Found    int                 `json:"found,omitempty"` // identifiers still readable
	Read     bool                `json:"read,omitempty"`
	Glanced  bool                `json:"glanced,omitempty"` // the whole note was not in view long enough to read it
}

// Findings are the identifiers that people found in an audit.
type Findings struct {
	Audit  int
	Labels []annotate.Label // that the bundle's release redacts
	All    []Finding        // by note and place
	Lost   int              // found in notes of older audits without stored places: they cannot become spans
}

// Open counts the findings that are not yet in their notes.
func (f Findings) Open() int {
	n := 0
	for _, finding := range f.All {
		if !finding.Added {
			n++
		}
	}
	return n
}

// Finding is an identifier that was still readable: neighbouring tokens that a
// reader marked.
type Finding struct {
	project.Excerpt      // the words of it that remain in its note, or all words when Added; Label is the model's guess
	Index           int  // of the note in the audit, from 1
	From            int  // its first token in the redacted text
	Added           bool // annotations of the note cover it with labels that the audit's bundle redacts
	// Passing are the labels of its annotations that the bundle does not redact.
	// Adding the finding changes these labels.
	Passing []annotate.Label
}

// LabelledFinding is a finding that becomes a span with a label.
type LabelledFinding struct {
	Index, From int // as in [Finding]
	Label       annotate.Label
}

// ReleasedText is one document as it is released.
type ReleasedText struct {
	ID         string       `json:"id"`
	Text       string       `json:"text"`
	Redactions []ReleasedAt `json:"redactions"`
}

// ReleasedAt is the place of a placeholder in a released text.
type ReleasedAt struct {
	Start annotate.RuneOff `json:"start"`
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
}

// foundIn holds the identifiers that people marked in a note of an audit, in terms
// of the current note.
type foundIn struct {
	annotate.Document
	id     annotate.DocumentID
	tokens []annotate.Token
	layer  *annotate.Layer
	goes   []annotate.Span // spans of the layer that a release redacts
	stays  []annotate.Span // spans of the layer that a release does not redact, because of their labels
	spans  []annotate.Span
	from   []int // first token of each, in the redacted text
}

// foundIn returns what people marked in a note of an audit, for a release with a
// bundle. The note's index is from 1.
func (s *Service) foundIn(ws *project.Workspace, a Audit, index int, info sanitize.Bundle) (f foundIn, err error) {
	n, err := s.auditedNote(ws, a.Number, index)
	if err != nil {
		return f, err
	}
	f.id = a.Notes[index-1].Document
	if f.Document, f.layer, err = ws.Fetch(f.id); err != nil {
		return f, err
	}
	f.tokens, f.goes = annotate.Tokenize(f.Text), info.Redacted(ws.Names(), f.layer.Spans())
	f.stays = slices.DeleteFunc(f.layer.Spans(), func(s annotate.Span) bool { return slices.Contains(f.goes, s) })
	if f.spans, f.from, err = n.spans(f.Text); err != nil {
		return f, fmt.Errorf("note %d of audit %d: %w", index, a.Number, err)
	}
	return f, nil
}

// left returns the parts of a finding that stay readable next to redacted spans, or
// nothing if all of it is redacted. A token that a span touches is redacted whole,
// as in a release. Parts between placeholders without a letter or digit do not
// count, because punctuation identifies nobody. Common words do count, because
// somebody marked them.
func (f foundIn) left(found annotate.Span, redacted []annotate.Span) []annotate.Span {
	from, to := annotate.Covered(f.tokens, found)
	goes := func(t annotate.Token) bool {
		return overlapsAny(annotate.Span{Start: t.Start, End: t.End}, redacted)
	}
	if !slices.ContainsFunc(f.tokens[from:to], goes) {
		return []annotate.Span{found}
	}
	var out []annotate.Span
	joins := false // only punctuation since the last part
	for _, t := range f.tokens[from:to] {
		switch {
		case goes(t):
			joins = false
		case greedy.KindOf(f.Text[t.Start:t.End]) == greedy.Punctuation:
		case joins:
			out[len(out)-1].End = t.End
		default:
			out, joins = append(out, annotate.Span{Start: t.Start, End: t.End}), true
		}
	}
	return out
}

// fresh returns the spans that redact the rest of a finding. A span that stays
// readable because of its label is returned whole, to get another label: spans of a
// layer cannot overlap, so a new span would lose half of it. The other spans have
// no label yet.
func (f foundIn) fresh(found annotate.Span, redacted []annotate.Span) []annotate.Span {
	left := f.left(found, redacted)
	var out []annotate.Span
	for _, s := range f.stays {
		if from, to := annotate.Covered(f.tokens, s); from < to && overlapsAny(s, left) {
			out = append(out, s)
		}
	}
	out = append(out, f.left(found, slices.Concat(redacted, out))...)
	slices.SortFunc(out, annotate.CompareSpans)
	return out
}

func overlapsAny(s annotate.Span, others []annotate.Span) bool {
	return slices.ContainsFunc(others, s.Overlaps)
}
