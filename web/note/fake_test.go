// SPDX-License-Identifier: Apache-2.0

package note

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/fulltext"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/search"
	"hide/internal/project/training"
	"hide/web/webtest"
)

// fakeNotes keeps notes in memory and lets the domain's own layers do the edits.
type fakeNotes struct {
	*webtest.Frame
	unasked
	labels annotate.LabelSet

	mu       sync.Mutex // guards what follows
	order    []annotate.DocumentID
	docs     map[annotate.DocumentID]*fakeNote
	training training.Status
	asked    project.QueueFilter // the last list on a page of its own
	broken   bool                // edits fail as if the disk were full
	searched search.Query        // the last search
	coverage search.Coverage     // of the text
	detector int                 // the run whose detector adds to the suggestions; 0 for none
}

type fakeNote struct {
	document annotate.Document
	layer    *annotate.Layer
	proposed []annotate.Suggestion
}

func (f *fakeNotes) stateOf(doc annotate.DocumentID) annotate.State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.docs[doc].layer.State
}

func newFakeNotes(texts ...string) *fakeNotes {
	f := &fakeNotes{
		Frame: webtest.NewFrame(), labels: annotate.I2B2(), docs: map[annotate.DocumentID]*fakeNote{},
		training: training.Status{
			Model: 12, Documents: 214, Finished: time.Now().Add(-3 * time.Second), Took: 1800 * time.Millisecond,
			Scores: training.Scores{
				Precision: greedy.Estimate{Value: 0.97, Low: 0.955, High: 0.981}, Recall: greedy.Estimate{Value: 0.94, Low: 0.92, High: 0.96},
				Folds: 5, Documents: 214,
			},
			Offer: training.Offer{Model: true, Level: 0.8, Rules: true, Patients: 90},
		},
	}
	f.Overview.Documents = len(texts)
	for i, text := range texts {
		id := annotate.DocumentID(i + 1)
		f.order = append(f.order, id)
		f.docs[id] = &fakeNote{
			document: annotate.Document{Name: "note-" + strconv.Itoa(i+1), Text: text},
			layer:    &annotate.Layer{State: annotate.New},
		}
	}
	return f
}

// propose adds a suggestion for the first place of surface.
func (f *fakeNotes) propose(t *testing.T, doc annotate.DocumentID, surface string, label annotate.Label, score float64) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.docs[doc]
	n.proposed = append(n.proposed, annotate.Suggestion{Span: spanOf(t, n.document.Text, surface, label), Score: score, Model: 12})
}

// tell sends an event to the open pages.
func (f *fakeNotes) tell(topic project.Topic, doc annotate.DocumentID) {
	f.Events <- project.Event{Project: "p1", Topic: topic, Document: doc}
}

func (f *fakeNotes) note(doc annotate.DocumentID, by string) (*project.Note, error) {
	n, ok := f.docs[doc]
	if !ok {
		return nil, &project.Error{Kind: project.NotFound, Message: "there is no such note"}
	}
	out := &project.Note{ID: doc, Document: n.document, Layer: n.layer.Clone(), Suggestions: n.layer.Open(n.proposed), Labels: f.labels}
	out.SuggestionsKey = project.SuggestionsKey(out.Suggestions)
	out.By = f.suggester(out.Suggestions)
	for _, c := range n.layer.History {
		out.CanUndo = out.CanUndo || c.By == by && !c.Undone
		out.CanRedo = out.CanRedo || c.By == by && c.Undone
	}
	return out, nil
}

// suggester is who made suggestions; the caller holds the lock.
func (f *fakeNotes) suggester(all []annotate.Suggestion) project.SuggestedBy {
	by := project.SuggestedBy{Detector: f.detector > 0, Run: f.detector}
	for _, s := range all {
		by.Model = max(by.Model, s.Model)
	}
	return by
}

func (f *fakeNotes) Note(_ context.Context, by account.User, _ project.ID, doc annotate.DocumentID) (*project.Note, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.note(doc, by.ID)
}

func (f *fakeNotes) change(by account.User, doc annotate.DocumentID, revision int, mine annotate.Edit, do func(*annotate.Layer, string) error) (*project.Note, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken {
		return nil, context.DeadlineExceeded
	}
	n, ok := f.docs[doc]
	if !ok {
		return nil, &project.Error{Kind: project.NotFound, Message: "there is no such note"}
	}
	if n.layer.Revision != revision && !n.layer.Stands(revision, mine) {
		theirs, err := f.note(doc, by.ID)
		if err != nil {
			return nil, err
		}
		return nil, &project.ConflictError{Mine: mine, Theirs: theirs}
	}
	if err := do(n.layer, n.document.Text); err != nil {
		return nil, &project.Error{Kind: project.Invalid, Message: err.Error(), Hint: "look at the note", Err: err}
	}
	return f.note(doc, by.ID)
}

func (f *fakeNotes) EditNote(_ context.Context, by account.User, _ project.ID, n *project.Note, revision int, e annotate.Edit) (*project.Note, error) {
	return f.change(by, n.ID, revision, e, func(l *annotate.Layer, text string) error {
		switch e.Verb {
		case "undo":
			return l.Undo(text, by.ID)
		case "redo":
			return l.Redo(text, by.ID)
		}
		return l.Apply(text, e, by.ID, time.Now())
	})
}

func (f *fakeNotes) Earlier(_ context.Context, _ account.User, _ project.ID, n *project.Note, revision int) (*project.Note, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	then := *n
	var ok bool
	if then.Layer, ok = n.Layer.At(n.Document.Text, revision); !ok {
		return nil, false, nil
	}
	then.Suggestions = then.Layer.Open(f.docs[n.ID].proposed)
	then.SuggestionsKey = project.SuggestionsKey(then.Suggestions)
	return &then, true, nil
}

func (f *fakeNotes) NoteState(_ context.Context, by account.User, _ project.ID, doc annotate.DocumentID) (project.NoteState, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.note(doc, by.ID)
	if err != nil {
		return project.NoteState{}, err
	}
	return project.NoteState{Revision: n.Layer.Revision, Suggestions: n.SuggestionsKey}, nil
}

func (f *fakeNotes) Queue(_ context.Context, _ account.User, _ project.ID, filter project.QueueFilter) (project.QueuePage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var page project.QueuePage
	if filter.Limit == queueSize || filter.Limit == fewNames {
		f.asked = filter
	}
	if at := slices.Index(f.order, filter.Around); at >= 0 {
		half := filter.Limit / 2
		filter.Offset = max(0, at/half*half-half/2)
	}
	page.Offset = filter.Offset
	for i, id := range f.order {
		n := f.docs[id]
		page.Total++
		switch n.layer.State {
		case annotate.New:
			page.New++
		case annotate.Done:
			page.Done++
		default:
			page.InProgress++
		}
		if filter.State != "" && filter.State != n.layer.State || !strings.Contains(n.document.Name, filter.Query) {
			continue
		}
		if page.Matching >= filter.Offset && len(page.Items) < filter.Limit {
			page.Items = append(page.Items, project.QueueItem{
				Document: id, Name: n.document.Name, State: n.layer.State, Annotations: len(n.layer.Annotations),
				Suggestions: len(n.layer.Open(n.proposed)), Uncertainty: float64(i%13) * 0.9, Length: len(annotate.Tokenize(n.document.Text)),
			})
		}
		page.Matching++
	}
	return page, nil
}

// SearchNotes finds words in texts, 50 notes to a page.
func (f *fakeNotes) SearchNotes(_ context.Context, _ account.User, _ project.ID, q search.Query) (search.Found, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.searched = q
	parsed := fulltext.Parse(q.Words)
	found := search.Found{Coverage: f.coverage, Searched: parsed.Len() > 0, Ordered: parsed.Ordered(), From: q.From}
	for _, doc := range f.order {
		n := f.docs[doc]
		passage := parsed.Passage(n.document.Text, 120)
		if passage.Parts == nil || q.State != "" && q.State != n.layer.State {
			continue
		}
		if found.Matching++; found.Matching > q.From && len(found.Hits) < queueSize {
			found.Looked++
			found.Hits = append(found.Hits, search.Hit{Document: doc, Name: n.document.Name, State: n.layer.State, Passage: passage, Start: annotate.RuneOff(passage.First.Start), End: annotate.RuneOff(passage.First.End)})
		}
	}
	return found, nil
}

func (f *fakeNotes) SearchCoverage(context.Context, account.User, project.ID) (search.Coverage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.coverage, nil
}

func (f *fakeNotes) StartIndexing(context.Context, account.User, project.ID) error {
	return f.setIndexing(true)
}

func (f *fakeNotes) StopIndexing(context.Context, account.User, project.ID) error {
	return f.setIndexing(false)
}

func (f *fakeNotes) setIndexing(on bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.coverage.Running, f.coverage.Stopped = on, !on
	return nil
}

func (f *fakeNotes) Next(_ context.Context, _ account.User, _ project.ID, after annotate.DocumentID) (project.Choice, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range f.order {
		if id != after && f.docs[id].layer.State != annotate.Done {
			return project.Choice{Document: id, Name: f.docs[id].document.Name, Reason: "the model is unsure of 7 words, unlike those it has seen"}, nil
		}
	}
	return project.Choice{}, &project.Error{Kind: project.NotFound, Message: "every note is finished"}
}

func (f *fakeNotes) Training(context.Context, account.User, project.ID) (training.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.training, nil
}

func (f *fakeNotes) Train(context.Context, account.User, project.ID) error { return f.setRunning(true) }

func (f *fakeNotes) CancelTraining(context.Context, account.User, project.ID) error {
	return f.setRunning(false)
}

func (f *fakeNotes) setRunning(on bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.training.Running, f.training.Phase = on, "training"
	f.training.Learning, f.training.Iteration, f.training.Objective, f.training.Elapsed = 215, 17, 4213.4, 4*time.Second
	return nil
}

// surfaces lists what is tagged in a note: "John Smith/PATIENT".
func (f *fakeNotes) surfaces(doc annotate.DocumentID) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.docs[doc]
	var out []string
	for _, a := range n.layer.Annotations {
		out = append(out, a.Span.Surface(n.document.Text)+"/"+string(a.Span.Label))
	}
	return out
}

// want compares what is tagged in the first note.
func (f *fakeNotes) want(t *testing.T, what string, want ...string) {
	t.Helper()
	if got := f.surfaces(1); !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func spanOf(t *testing.T, text, surface string, label annotate.Label) annotate.Span {
	t.Helper()
	for i := range text {
		if len(text)-i >= len(surface) && text[i:i+len(surface)] == surface {
			return annotate.Span{Start: annotate.ByteOff(i), End: annotate.ByteOff(i + len(surface)), Label: label}
		}
	}
	t.Fatalf("surface of %d bytes is not in the text", len(surface))
	return annotate.Span{}
}

// editForm is the form that tags surface, as the page would send it.
func editForm(t *testing.T, text, surface string, label annotate.Label, revision int) url.Values {
	t.Helper()
	start, end := annotate.NewOffsets(text).Range(spanOf(t, text, surface, label))
	return url.Values{
		"revision": {strconv.Itoa(revision)}, "do": {"tag"}, "label": {string(label)}, "surface": {surface},
		"start": {strconv.Itoa(int(start))}, "end": {strconv.Itoa(int(end))},
	}
}
