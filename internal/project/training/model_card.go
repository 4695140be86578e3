// SPDX-License-Identifier: Apache-2.0

package training

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/project"
	"hide/internal/store"
)

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
	done := len(ws.Finished())
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
