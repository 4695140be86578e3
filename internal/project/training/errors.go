// SPDX-License-Identifier: Apache-2.0

package training

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/crf/score"
	"hide/internal/project"
	"hide/internal/store"
)

// Limits of a page of errors.
const (
	errorGroups    = 50
	errorGroupsMax = 200
	errorPlaces    = 25 // of a group
	leakingNotes   = 20
)

// Errors lists the errors of the last check, by text and reason. The access is recorded
// in the audit trail before the text is returned.
func (s *Service) Errors(ctx context.Context, by account.User, id project.ID, f ErrorFilter) (ErrorsPage, error) {
	ws, err := s.enter(by, account.ReadNotes, id)
	if err != nil {
		return ErrorsPage{}, err
	}
	r, err := s.lastCheck(id)
	if err != nil {
		return ErrorsPage{}, err
	}
	if r == nil {
		return ErrorsPage{Check: ws.beforeCheck()}, nil
	}
	if err := s.projects.AuditReading(by, id, id.Object("errors")); err != nil {
		return ErrorsPage{}, err
	}
	if f.Limit <= 0 {
		f.Limit = errorGroups
	}
	f.Limit = min(f.Limit, errorGroupsMax)
	page := r.page(f)
	if page.Leaking, err = s.leaking(ctx, ws, r); err != nil {
		return ErrorsPage{}, err
	}
	return page, s.fillErrors(ctx, ws, r, f, &page)
}

// leaking lists the notes with the most missed words.
func (s *Service) leaking(ctx context.Context, ws *workspace, r *checkRecord) ([]LeakingNote, error) {
	words, first := make([]int, len(r.Read)), make([]*checkedError, len(r.Read))
	var order []int
	for i, e := range r.Errors {
		if e.Leaks == 0 || !ws.Has(r.Read[e.Document].ID) {
			continue
		}
		if first[e.Document] == nil {
			first[e.Document] = &r.Errors[i]
			order = append(order, e.Document)
		}
		words[e.Document] += e.Leaks
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(words[b], words[a]) })
	var out []LeakingNote
	for _, at := range order[:min(len(order), leakingNotes)] {
		d, err := s.errorsIn(ctx, ws, r.Read[at].ID)
		if err != nil {
			return nil, err
		}
		start, end := annotate.NewOffsets(d.Text).Range(first[at].error().Span)
		out = append(out, LeakingNote{d.ID, d.Name, words[at], start, end})
	}
	return out, nil
}

// lastCheck is nil before the first.
func (s *Service) lastCheck(id project.ID) (*checkRecord, error) {
	r, err := project.GetJSON[checkRecord](s.projects, id, bucketModels, modelCheckKey)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &r, err
}

// beforeCheck says what is missing.
func (ws *workspace) beforeCheck() Check {
	notes, patients, _ := ws.FinishedCounts()
	return Check{NeedMore: max(0, trainFrom-notes), Patients: max(0, checkFolds-patients)}
}

// summary is the check without the places of errors.
func (r *checkRecord) summary() Check {
	c := Check{
		At: r.At, Model: r.Model, Finished: r.Finished, Documents: r.Documents, Folds: r.Folds, Random: r.Random, Report: &r.Report, Entities: r.Entities,
		Wrong: r.Wrong, Omitted: r.Wrong - len(r.Errors),
	}
	for _, e := range r.Errors {
		if e.Kind == Miss {
			c.Misses++
		} else {
			c.Alarms++
		}
	}
	return c
}

// page is everything but the texts.
func (r *checkRecord) page(f ErrorFilter) ErrorsPage {
	p := ErrorsPage{Check: r.summary()}
	var ofKind []score.Error
	labels := map[annotate.Label]bool{}
	for _, e := range r.Errors {
		labels[e.Label] = true
		if (f.Kind == "" || e.Kind == f.Kind) && (f.Label == "" || e.Label == f.Label) {
			ofKind = append(ofKind, e.error())
		}
	}
	p.Labels = slices.Sorted(maps.Keys(labels))
	p.Reasons = score.ByReason(ofKind)
	return p
}

func (f ErrorFilter) passes(e checkedError) bool {
	return (f.Kind == "" || e.Kind == f.Kind) && (f.Label == "" || e.Label == f.Label) && (f.Reason == "" || e.Reason == f.Reason)
}

// fillErrors reads the notes that the filter selects and groups their errors. It retains
// of each note only the text at its errors.
func (s *Service) fillErrors(ctx context.Context, ws *workspace, r *checkRecord, f ErrorFilter, page *ErrorsPage) error {
	var wrong []score.Error
	in := map[int][]score.Error{}
	for _, e := range r.Errors {
		if f.passes(e) && ws.Has(r.Read[e.Document].ID) {
			wrong = append(wrong, e.error())
			in[e.Document] = append(in[e.Document], e.error())
		}
	}
	places := make(map[score.Error]ErrorPlace, len(wrong))
	for _, i := range slices.Sorted(maps.Keys(in)) {
		d, err := s.errorsIn(ctx, ws, r.Read[i].ID)
		if err != nil {
			return err
		}
		placeErrors(places, d, r.Read[i].Revision, in[i])
	}
	groups := score.Groups(wrong, func(e score.Error) string { return places[e].Text })
	sortErrors(groups, f.Sort)
	page.Matching, page.Texts = len(wrong), len(groups)
	from := min(f.Offset, len(groups))
	for _, g := range groups[from:min(from+f.Limit, len(groups))] {
		shown := ErrorGroup{Kind: g.Kind, Label: g.Label, Text: g.Text, Count: g.Count, Documents: g.Documents, Leaks: g.Leaks, Reasons: g.Reasons}
		for _, e := range g.Errors[:min(len(g.Errors), errorPlaces)] {
			shown.Places = append(shown.Places, places[e])
		}
		page.Groups = append(page.Groups, shown)
	}
	return nil
}

// errorsIn opens a note with errors.
func (s *Service) errorsIn(ctx context.Context, ws *workspace, doc annotate.DocumentID) (project.StoredNote, error) {
	for d, err := range ws.Documents(ctx, []annotate.DocumentID{doc}) {
		return d, err
	}
	return project.StoredNote{}, project.NotFoundf("project %s has no note %d", ws.ID, doc)
}

func sortErrors(groups []score.Group, by ErrorSort) {
	order := map[ErrorSort]func(a, b score.Group) int{
		ByLeaks: func(a, b score.Group) int { return cmp.Compare(b.Leaks, a.Leaks) },
		ByNotes: func(a, b score.Group) int { return cmp.Compare(b.Documents, a.Documents) },
		ByText:  func(a, b score.Group) int { return cmp.Compare(a.Text, b.Text) },
	}[by]
	if order != nil { // they come by count
		slices.SortStableFunc(groups, order)
	}
}

// placeErrors adds the places of a note's errors without retaining its text.
func placeErrors(places map[score.Error]ErrorPlace, d project.StoredNote, revision int, wrong []score.Error) {
	offsets := annotate.NewOffsets(d.Text)
	for _, e := range wrong {
		at := project.ExcerptOf(d.ID, d.Text, offsets, e.Span)
		at.Score = e.Score
		places[e] = ErrorPlace{Excerpt: at, Name: d.Name, Reason: e.Reason, Changed: d.Revision != revision}
	}
}

// Names of tagger scores, as pages use them; see package score.
type (
	Report          = score.Report
	Level           = score.Level
	Tally           = score.Tally
	Mean            = score.Mean
	Intervals       = score.Intervals
	Interval        = score.Interval
	Share           = score.Share
	Calibration     = score.Calibration
	Protection      = score.Protection
	Recall          = score.Recall
	MaskedPrecision = score.MaskedPrecision
	Bin             = score.Bin
	I2B2Figures     = score.I2B2Figures
	ErrorKind       = score.Kind
	Reason          = score.Reason
	ReasonCount     = score.ReasonCount
)

// The kinds of errors.
const (
	Miss  = score.Miss
	Alarm = score.Alarm
)

// Reasons lists the reasons of errors in the order in which they are tried.
func Reasons() []Reason { return score.Reasons() }

// ErrorSort is an order of groups of errors.
type ErrorSort string

// The orders.
const (
	ByCount ErrorSort = "count" // most errors first
	ByLeaks ErrorSort = "leaks" // most missed words first
	ByNotes ErrorSort = "notes" // most notes first
	ByText  ErrorSort = "text"
)

// ErrorFilter selects part of the errors of the last check. The zero value selects
// everything, most errors first, 50 groups.
type ErrorFilter struct {
	Kind   ErrorKind      // "" for both
	Label  annotate.Label // "" for any
	Reason Reason         // "" for any
	Sort   ErrorSort      // "" means ByCount
	Offset int            // in groups
	Limit  int            // of groups; 0 means 50, at most 200
}

// Check is the result of the last check of a model on finished notes: figures and labels,
// no text.
type Check struct {
	At        time.Time // zero before the first
	Model     int       // the newest one at the time of the check
	Finished  int       // finished notes at the time; 0 in older data
	Documents int       // tagged notes, each by a model that was not trained on its patient
	Folds     int
	Random    bool        // Report covers only random notes
	Report    *Report     // nil before the first
	Entities  *Protection // of the same notes; nil before the first and in older data
	Wrong     int         // errors found
	Misses    int         // misses among the kept errors
	Alarms    int
	Omitted   int // errors that are not kept
	NeedMore  int // finished notes still needed before the first
	Patients  int // patients still needed before the first; a note without a patient counts as one
}

// ErrorsPage is the errors of the last check and where they are.
type ErrorsPage struct {
	Check
	Leaking []LeakingNote // notes with missed words, most words first, at most 20

	Labels   []annotate.Label // labels with errors, sorted
	Reasons  []ReasonCount    // of the errors with the filter's kind and label
	Matching int              // errors that match the filter
	Texts    int              // groups of these errors
	Groups   []ErrorGroup     // groups from Offset on
}

// LeakingNote is a note with words that no suggestion covers. Start and End are the place
// of the first of them.
type LeakingNote struct {
	Document   annotate.DocumentID
	Name       string
	Words      int
	Start, End annotate.RuneOff
}

// ErrorGroup is the errors of one kind and label on one text.
type ErrorGroup struct {
	Kind      ErrorKind
	Label     annotate.Label
	Text      string // in lower case
	Count     int
	Documents int
	Leaks     int           // words that no suggestion covers
	Reasons   []ReasonCount // most frequent first
	Places    []ErrorPlace  // at most 25, in the order of the notes
}

// ErrorPlace is one error in its note. Score is the suggestion's score for a false alarm,
// and the model's probability of PHI for a miss.
type ErrorPlace struct {
	project.Excerpt
	Name    string // of the note
	Reason  Reason
	Changed bool // the note changed after the check
}

// modelCheckKey is the key of the last check, next to the newest model.
var modelCheckKey = []byte("check")

// errorsKept limits the stored errors of a check. If there are more, those with the most
// missed words stay.
const errorsKept = 5_000

// checkRecord is the last check of a model. It holds places, never text.
type checkRecord struct {
	At        time.Time         `json:"at"`
	Model     int               `json:"model"`     // the newest one at the time of the check
	Documents int               `json:"documents"` // number of tagged documents; Report may cover only the random ones
	Folds     int               `json:"folds"`
	Random    bool              `json:"random"` // Report covers only random documents
	Report    score.Report      `json:"report"`
	Entities  *Protection       `json:"entities,omitempty"` // of the same notes as Report; nil in older data
	Bias      bootstrap.Bias    `json:"bias"`
	Wrong     int               `json:"wrong"`    // errors found; Errors may hold only some of them
	Finished  int               `json:"finished"` // finished documents at the time; the check may be on a sample of them
	Labels    string            `json:"labels"`   // of the project at the time
	Errors    []checkedError    `json:"errors"`   // by document and place
	Read      []checkedDocument `json:"read"`     // the documents of Errors
}

type checkedDocument struct {
	ID       annotate.DocumentID `json:"id"`
	Revision int                 `json:"revision"` // of its layer when it was checked
}

// checkedError is a [score.Error]; Document is an index of checkRecord.Read.
type checkedError struct {
	Document int              `json:"document"`
	Kind     score.Kind       `json:"kind"`
	Start    annotate.ByteOff `json:"start"`
	End      annotate.ByteOff `json:"end"`
	Label    annotate.Label   `json:"label"`
	Reason   score.Reason     `json:"reason"`
	Leaks    int              `json:"leaks"`
	Score    float64          `json:"score"`
}

// keep stores where the errors in the documents of c are.
func (r *checkRecord) keep(c project.Corpus, wrong []score.Error) {
	r.Wrong = len(wrong)
	read := map[int]int{}
	for _, e := range worst(wrong) {
		at, known := read[e.Document]
		if !known {
			at = len(r.Read)
			read[e.Document] = at
			r.Read = append(r.Read, checkedDocument{c.Docs[e.Document].ID, c.Docs[e.Document].Revision})
		}
		r.Errors = append(r.Errors, checkedError{at, e.Kind, e.Span.Start, e.Span.End, e.Span.Label, e.Reason, e.Leaks, e.Score})
	}
}

// worst selects the errors with the most missed words, as many as are kept, in the given
// order.
func worst(all []score.Error) []score.Error {
	if len(all) <= errorsKept {
		return all
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[b].Leaks, all[a].Leaks) })
	order = order[:errorsKept]
	slices.Sort(order)
	out := make([]score.Error, errorsKept)
	for i, at := range order {
		out[i] = all[at]
	}
	return out
}

func (e checkedError) error() score.Error {
	return score.Error{
		Document: e.Document, Kind: e.Kind, Span: annotate.Span{Start: e.Start, End: e.End, Label: e.Label},
		Reason: e.Reason, Leaks: e.Leaks, Score: e.Score,
	}
}
