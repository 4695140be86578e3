// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/lab"
	"hide/internal/outfile"
)

// CardFacts are facts about a model that training cannot know.
type CardFacts struct {
	Program string // version that trains
	Date    string // day of the training, as 2026-01-31
	Dates   string // first and last day of the notes, as 2020-01-01..2021-12-31; "" when unknown
	Note    string
}

// Check refuses invalid facts, as flags of a command.
func (c CardFacts) Check() error {
	if len(c.Note) > crf.MaxNote || !utf8.ValidString(c.Note) {
		return fmt.Errorf("--note is UTF-8 of at most %d bytes", crf.MaxNote)
	}
	if !isDay(c.Date) {
		return fmt.Errorf("--date is a day as 2026-01-31")
	}
	first, last, both := strings.Cut(c.Dates, "..")
	if c.Dates != "" && !(both && isDay(first) && isDay(last) && first <= last) {
		return fmt.Errorf("--dates are two days as 2020-01-01..2021-12-31")
	}
	return nil
}

func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// fill completes the card of a model trained on these notes.
func (c CardFacts) fill(card crf.Card, notes []annotate.Annotated, scores []crf.CardScore) crf.Card {
	card.Program, card.Date, card.Note, card.Scores = c.Program, c.Date, c.Note, scores
	card.Data.First, card.Data.Last, _ = strings.Cut(c.Dates, "..")
	patients := map[string]bool{}
	for _, n := range notes {
		if n.Patient != "" {
			patients[n.Patient] = true
		}
	}
	card.Data.Patients = len(patients)
	return card
}

// Described configures [TrainDescribed].
type Described struct {
	crf.Options
	Facts CardFacts
	Folds int    // first cross-validate for the card; 0 for no scores
	Seed  uint64 // deals the folds
}

// Trained describes a new model and its file.
type Trained struct {
	Model     string           `json:"model"`
	Bytes     int64            `json:"bytes"`
	SHA256    string           `json:"sha256"`       // of the file
	Hash      string           `json:"model_sha256"` // of the model without its card
	Preset    string           `json:"preset"`       // "custom" for any other choice of families
	Documents int              `json:"documents"`
	Spans     int              `json:"spans"`
	Labels    []annotate.Label `json:"labels"`
	Stats     crf.Stats        `json:"train"`
	Card      crf.Card         `json:"card"`
}

// TrainDescribed trains a model and fills its card.
func TrainDescribed(ctx context.Context, notes []annotate.Annotated, o Described, progress lab.Progress) (*crf.Model, crf.Stats, error) {
	var scores []crf.CardScore
	if o.Folds > 0 {
		found, err := CrossValidate(ctx, notes, o.Folds, o.Seed, o.Options, progress)
		if err != nil {
			return nil, crf.Stats{}, err
		}
		scores = append(scores, found.CardScore(fmt.Sprintf("%d-fold cross-validation by patient, seed %d", o.Folds, o.Seed)))
	}
	m, stats, err := Train(ctx, notes, o.Options, progress)
	if err != nil {
		return nil, stats, err
	}
	m, err = m.WithCard(o.Facts.fill(m.Card(), notes, scores))
	return m, stats, err
}

// Save writes a model to a file, and completes the description.
func (t *Trained) Save(m *crf.Model, name string) error {
	sum, hash := sha256.New(), m.Hash()
	size, err := outfile.Write(name, func(w io.Writer) error { return m.Encode(io.MultiWriter(w, sum)) })
	if err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	t.Model, t.Bytes, t.SHA256, t.Hash = name, size, hex.EncodeToString(sum.Sum(nil)), hex.EncodeToString(hash[:])
	t.Labels, t.Card = m.Labels(), m.Card()
	return nil
}

// Write prints a line about the model.
func (t Trained) Write(w io.Writer) {
	fmt.Fprintf(w, "%s: trained %d labels on %d documents with %d spans, %d iterations (%s), %.1f s\n",
		t.Model, len(t.Labels), t.Documents, t.Spans, t.Stats.Number, t.Stats.Status, t.Stats.Seconds)
}
