// SPDX-License-Identifier: Apache-2.0

package training

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
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
		if e.Leaks == 0 {
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
	var r checkRecord
	err := s.projects.View(id, func(tx *store.Tx) (err error) {
		r, err = store.GetJSON[checkRecord](tx, bucketModels, modelCheckKey)
		return err
	})
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
		At: r.At, Model: r.Model, Documents: r.Documents, Folds: r.Folds, Random: r.Random, Report: &r.Report,
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
		if f.passes(e) {
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
	return project.StoredNote{}, project.NotFoundf("project %s has no document %d", ws.ID, doc)
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
