// SPDX-License-Identifier: Apache-2.0

package training

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/store"
)

// modelInfo is stored next to the newest model.
type modelInfo struct {
	Number    int           `json:"number"`
	Documents int           `json:"documents"`
	Of        int           `json:"of"` // finished documents at the time; 0 in older data
	Finished  time.Time     `json:"finished"`
	Took      time.Duration `json:"took"`
	Scores    Scores        `json:"scores"`
	Shown     bool          `json:"-"`         // its suggestions are shown; see passes
	Options   string        `json:"options"`   // fingerprint of the options it was trained with
	Revisions string        `json:"revisions"` // fingerprint of its training documents
}

// modelState is a project's newest model, its scores of documents, and its training.
type modelState struct {
	info  modelInfo
	model *crf.Model // nil before the first
	looks map[annotate.DocumentID]bootstrap.Look
	tags  map[annotate.DocumentID][]annotate.Suggestion // of info.Number; a cache

	detector    greedy.Classifier // of the last run that had one, or nil
	detectorRun int               // its number; 0 in older data
	tagger      int               // increases when the model or detector is replaced
}

// tagCacheLimit is how many documents' suggestions are cached.
const tagCacheLimit = 2_000

var (
	modelKey     = []byte("newest")
	modelInfoKey = []byte("info")
)

func (ws *workspace) readModel(tx *store.Tx) error {
	info, err := store.GetJSON[modelInfo](tx, bucketModels, modelInfoKey)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	raw, err := tx.Get(bucketModels, modelKey)
	if errors.Is(err, store.ErrNotFound) {
		ws.model.info.Number = info.Number // it was dropped; numbers are not reused
		return nil
	}
	if err != nil {
		return err
	}
	model, err := crf.Decode(bytes.NewReader(raw))
	if errors.Is(err, crf.ErrOldModel) {
		ws.model.info.Number = info.Number
		return nil // as if there were no model: a new one is trained, under its own number
	}
	if err != nil {
		return fmt.Errorf("model %d of %s: %w", info.Number, ws.ID, err)
	}
	info.Shown = info.passes(ws.Settings().MinRecall)
	ws.model.info, ws.model.model = info, model
	return nil
}

// suggest returns the newest model's spans in a document, in text order. A model swapped
// in during the call affects only the next call.
func (ws *workspace) suggest(doc annotate.DocumentID, d annotate.Document) []annotate.Suggestion {
	ws.mu.RLock()
	model, number := ws.model.model, ws.model.info.Number
	detector := ws.model.detector
	known, cached := ws.model.tags[doc]
	ws.mu.RUnlock()
	if model == nil || cached {
		return known
	}
	tags := model.Tag(new(annotate.NewNote(annotate.Annotated{Document: d})).View())
	if detector != nil {
		tags = detected(detector, model, d, tags)
	}
	for i := range tags {
		tags[i].Model = number
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.model.model == model && ws.model.detector == detector {
		ws.model.remember(doc, tags)
	}
	return tags
}

func (m *modelState) remember(doc annotate.DocumentID, tags []annotate.Suggestion) {
	if m.tags == nil || len(m.tags) >= tagCacheLimit {
		m.tags = map[annotate.DocumentID][]annotate.Suggestion{}
	}
	m.tags[doc] = tags
}

// number is 0 before the first model.
func (m *modelState) number() int {
	if m.model == nil {
		return 0
	}
	return m.info.Number
}

// next prepares the record of the next model, to be trained with these options. Until its
// check it keeps the scores of the previous model, if that was trained with the same
// options.
func (ws *workspace) next(opts trainOptions) modelInfo {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	info := modelInfo{Number: ws.model.info.Number + 1, Options: opts.fingerprint()}
	if info.Options == ws.model.info.Options {
		info.Scores = ws.model.info.Scores
	}
	return info
}

// swap makes model the newest. It decides by the current level whether its suggestions
// are shown.
func (ws *workspace) swap(info modelInfo, model *crf.Model) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	info.Shown = ws.model.info.Shown // for its slack
	info.Shown = info.passes(ws.Settings().MinRecall)
	ws.model.info, ws.model.model = info, model
	ws.model.tags = nil // looks are replaced when the model has scored other notes
	ws.model.tagger++
}

// LabelSpans gives each span the likeliest of labels by the newest model, or the first of
// them if the model has no answer.
func (s *Service) LabelSpans(p *project.Workspace, d annotate.Document, spans []annotate.Span, labels []annotate.Label) []annotate.Label {
	out := make([]annotate.Label, len(spans))
	_, model := s.newest(of(p))
	doc := annotate.NewNote(annotate.Annotated{Document: d})
	var guess []annotate.Label
	if model != nil {
		guess = model.Typed(doc.View())
	}
	renames := p.Names().Present() // the model may be older than a rename
	for i, span := range spans {
		if len(labels) > 0 {
			out[i] = labels[0]
		}
		at, _ := annotate.Covered(doc.Tokens, span)
		if at < len(guess) && slices.Contains(labels, renames.Of(guess[at])) {
			out[i] = renames.Of(guess[at])
		}
	}
	return out
}

// Card is the provenance of a model; see package crf.
type Card = crf.Card

// ModelCard describes a project's newest model. It contains no text of notes, so people
// who may not read notes may read it.
type ModelCard struct {
	Status   // Model is 0 before the first
	Card     Card
	Labels   []annotate.Label    // that it predicts
	Identity string              // SHA-256 of its behaviour; two models with the same value behave the same
	Bytes    int                 // of its file
	Preset   string              // preset of its feature families; "" if it matches none
	Without  []string            // families of the preset that were left out
	By       project.SuggestedBy // who makes the visible suggestions; the zero value while no model does
	Check    Check               // the last one, possibly of an earlier model
}

// ModelCard describes the newest model.
func (s *Service) ModelCard(ctx context.Context, by account.User, id project.ID) (ModelCard, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return ModelCard{}, err
	}
	c, model := s.newest(ws)
	if model != nil {
		c.describe(model)
	}
	r, err := s.lastCheck(id)
	if err != nil {
		return ModelCard{}, err
	}
	c.Check = ws.beforeCheck()
	if r != nil {
		c.Check = r.summary()
	}
	c.Bytes, err = s.modelBytes(id)
	return c, err
}

// newest returns the newest model, nil before the first, with its state.
func (s *Service) newest(ws *workspace) (ModelCard, *crf.Model) {
	done, _, _ := ws.FinishedCounts()
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	c := ModelCard{Status: s.training(ws, done)}
	if c.Offer.Model {
		c.By = ws.model.suggester(c.Model)
	}
	return c, ws.model.model
}

// describe fills in the model's own description.
func (c *ModelCard) describe(m *crf.Model) {
	hash := m.Hash()
	c.Card, c.Labels, c.Identity = m.Card(), m.Labels(), hex.EncodeToString(hash[:])
	c.Preset, c.Without = presetOf(c.Card.Features.Families)
}

// presetOf returns the preset that contains all the families with the fewest extra ones,
// and these extra families, which were left out.
func presetOf(families []string) (preset string, without []string) {
	for _, name := range crf.Presets() {
		f, _ := crf.Preset(name)
		all := f.Names()
		left := slices.DeleteFunc(slices.Clone(all), func(family string) bool { return slices.Contains(families, family) })
		if len(all)-len(left) == len(families) && (preset == "" || len(left) < len(without)) {
			preset, without = name, left
		}
	}
	return preset, without
}

// modelBytes is the size of the newest model's file, 0 without a model.
func (s *Service) modelBytes(id project.ID) (n int, err error) {
	err = s.projects.View(id, func(tx *store.Tx) error {
		raw, err := tx.Get(bucketModels, modelKey)
		n = len(raw)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	return n, err
}

// WriteModel writes the newest model's file. The access is recorded in the audit trail
// before the first byte is written. The file contains words of the training notes,
// including names, so it is as sensitive as they are.
func (s *Service) WriteModel(ctx context.Context, by account.User, id project.ID, w io.Writer) error {
	ws, err := s.enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	if err := s.projects.CheckOutgoing(); err != nil {
		return err
	}
	if _, model := s.newest(ws); model == nil {
		return project.NotFoundf("project %s has no model yet", id)
	}
	var raw []byte
	err = s.projects.Transact(id, func(tx *store.Tx) error {
		info, err := store.GetJSON[modelInfo](tx, bucketModels, modelInfoKey)
		if err != nil {
			return err
		}
		if raw, err = tx.Get(bucketModels, modelKey); err != nil {
			return err
		}
		return tx.Audit(project.EventBy(by, "download model", id.Object("models", info.Number)))
	})
	if err != nil {
		return err
	}
	_, err = w.Write(raw)
	return err
}
