// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"context"
	"hash/fnv"
	"math"
	"strings"
	"unicode/utf8"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/store"
)

// Learner opens the models of projects. Package training implements it.
type Learner interface {
	// OpenModel reads the model of a project that is being loaded.
	OpenModel(ws *Workspace, tx *store.Tx) (Model, error)
}

// Model is trained on the finished notes of one project and suggests spans in the others.
// Its methods may be called concurrently. They are never called with a lock of the
// workspace held, so a model may call the workspace.
type Model interface {
	// Suggest returns the spans to show in a document, in text order.
	Suggest(doc annotate.DocumentID, d annotate.Document) []annotate.Suggestion
	// SuggestedBy says who makes these suggestions.
	SuggestedBy(all []annotate.Suggestion) SuggestedBy
	// Version is a value that differs, by ==, when Suggest may answer differently.
	Version() any
	// Looks returns the newest model's uncertainty about unfinished documents. Callers
	// must not change the map.
	Looks() map[annotate.DocumentID]bootstrap.Look

	// FinishedChanged is called after a change of the finished documents.
	FinishedChanged()
	// SettingsChanged is called after a change of the settings.
	SettingsChanged(from, to Settings)
}

// SetLearner sets the learner. It is called before any project is used.
func (s *Service) SetLearner(l Learner) { s.learner = l }

// nothing is the model of a service without a learner.
type nothing struct{}

func (nothing) Suggest(annotate.DocumentID, annotate.Document) []annotate.Suggestion { return nil }
func (nothing) SuggestedBy([]annotate.Suggestion) SuggestedBy                        { return SuggestedBy{} }
func (nothing) Version() any                                                         { return nil }
func (nothing) Looks() map[annotate.DocumentID]bootstrap.Look                        { return nil }
func (nothing) FinishedChanged()                                                     {}
func (nothing) SettingsChanged(_, _ Settings)                                        {}

// Model returns the model that suggests in this project.
func (ws *Workspace) Model() Model { return ws.model }

// suggested lists the suggestions in a document that may be shown and are not answered
// yet.
func (ws *Workspace) suggested(doc annotate.DocumentID, d annotate.Document, l *annotate.Layer) []annotate.Suggestion {
	version := ws.model.Version()
	var open []annotate.Suggestion
	if !ws.isBlind(doc) {
		open = l.Open(ws.Names().suggestions(ws.model.Suggest(doc, d)))
	}
	ws.remember(doc, openSuggestions{version, l.Revision, len(open), SuggestionsKey(open)})
	return open
}

// openSuggestions is the cached summary of a document's suggestions: their version,
// number and key.
type openSuggestions struct {
	version  any // of the model
	revision int // of the layer
	count    int
	key      uint64
}

// SuggestionsKey changes when a page would show the suggestions differently.
func SuggestionsKey(all []annotate.Suggestion) uint64 {
	h := fnv.New64a()
	for _, s := range all {
		hashNumbers(h, int(s.Span.Start), int(s.Span.End), int(math.Round(100*s.Score)), sourceNumber(s), len(s.Span.Label))
		h.Write([]byte(s.Span.Label))
	}
	return h.Sum64()
}

// sourceNumber separates rules, models and known identifiers.
func sourceNumber(s annotate.Suggestion) int {
	if s.Known {
		return 2
	}
	return min(s.Model, 1)
}

// rememberedNotes is how many documents the cache of suggestions holds.
const rememberedNotes = 2_000

func (ws *Workspace) remember(doc annotate.DocumentID, fresh openSuggestions) {
	if ws.model.Version() != fresh.version {
		return // the model was replaced in the meantime
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.suggestions == nil || len(ws.suggestions) >= rememberedNotes {
		ws.suggestions = map[annotate.DocumentID]openSuggestions{}
	}
	ws.suggestions[doc] = fresh
}

// remembered returns the cached summary of a document's suggestions without opening the
// document.
func (ws *Workspace) remembered(doc annotate.DocumentID) (openSuggestions, bool) {
	version := ws.model.Version()
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	r := ws.row(doc)
	if r == nil {
		return openSuggestions{}, false // deleted in the meantime
	}
	if ws.blind(doc, r) {
		return openSuggestions{version, int(r.revision), 0, SuggestionsKey(nil)}, true
	}
	last, known := ws.suggestions[doc]
	return last, known && last.version == version && last.revision == int(r.revision)
}

// look opens a document to find its open suggestions, unless they are cached.
func (ws *Workspace) look(doc annotate.DocumentID) (openSuggestions, error) {
	if known, ok := ws.remembered(doc); ok {
		return known, nil
	}
	version := ws.model.Version()
	d, layer, err := ws.Fetch(doc)
	if err != nil {
		return openSuggestions{}, err
	}
	open := ws.suggested(doc, d, layer)
	return openSuggestions{version, layer.Revision, len(open), SuggestionsKey(open)}, nil
}

// NoteState identifies the newest state of a note.
type NoteState struct {
	Revision    int
	Suggestions uint64 // as in [Note.SuggestionsKey]
}

// NoteState returns the newest state of a note, for people who have it open. It opens the
// note only if nobody has seen it since the note or the model changed.
func (s *Service) NoteState(ctx context.Context, by account.User, id ID, doc annotate.DocumentID) (NoteState, error) {
	ws, err := s.Enter(by, account.ReadNotes, id)
	if err != nil {
		return NoteState{}, err
	}
	if _, err := ws.Find(doc); err != nil {
		return NoteState{}, err
	}
	now, err := ws.look(doc)
	return NoteState{now.revision, ws.Names().keyed(now.key)}, err
}

// countedAtOnce is in how many documents a brief list counts suggestions before it
// returns.
const countedAtOnce = 4

// countSuggestions fills in the number of open suggestions in each document of a list. A
// brief list skips finished documents and counts in the first few of the others. The rest
// are counted in the background, and then the list is reported as changed.
func (s *Service) countSuggestions(ctx context.Context, ws *Workspace, items []QueueItem, brief bool) error {
	most := len(items)
	if brief {
		most = countedAtOnce
	}
	var later []annotate.DocumentID
	for i := range items {
		item := &items[i]
		if brief && item.State == annotate.Done {
			continue
		}
		known, ok := ws.remembered(item.Document)
		if !ok && most == 0 {
			item.Uncounted = true
			later = append(later, item.Document)
			continue
		}
		if !ok {
			if err := ctx.Err(); err != nil {
				return err
			}
			most--
			var err error
			if known, err = ws.look(item.Document); err != nil && KindOf(err) != NotFound {
				return err
			}
		}
		item.Suggestions = known.count
	}
	if len(later) > 0 {
		s.jobs.Submit("open/"+string(ws.ID), func(ctx context.Context) error { return s.countLater(ctx, ws, later) })
	}
	return nil
}

// countLater counts what a brief list skipped. A document that cannot be opened does not
// stop the count.
func (s *Service) countLater(ctx context.Context, ws *Workspace, docs []annotate.DocumentID) error {
	var failed error
	for _, doc := range docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := ws.look(doc); KindOf(err) != NotFound {
			failed = cmp.Or(failed, err)
		}
	}
	s.Tell(ws.ID, TopicQueue)
	return failed
}

// Excerpt is a passage of a note with its context. Only people who may read notes are
// given Text, Before and After.
type Excerpt struct {
	Document annotate.DocumentID `json:"document"`
	Start    annotate.RuneOff    `json:"start"`
	End      annotate.RuneOff    `json:"end"`
	Label    annotate.Label      `json:"label"`
	Text     string              `json:"text"`
	Before   string              `json:"before"` // up to 40 characters
	After    string              `json:"after"`
	Score    float64             `json:"score"`
	Often    int                 `json:"often,omitzero"` // for over-redacted text: how many places have the same text, listed or not
}

// contextLetters is how many characters an excerpt shows on either side.
const contextLetters = 40

// ExcerptOf is the excerpt of a span. It does not retain the text of the note.
func ExcerptOf(doc annotate.DocumentID, text string, offsets *annotate.Offsets, span annotate.Span) Excerpt {
	start, end := offsets.Range(span)
	return Excerpt{
		Document: doc, Start: start, End: end, Label: span.Label, Text: strings.Clone(span.Surface(text)),
		Before: strings.Clone(lastLetters(text[:span.Start], contextLetters)),
		After:  strings.Clone(firstLetters(text[span.End:], contextLetters)),
	}
}

func firstLetters(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func lastLetters(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}
