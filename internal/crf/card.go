// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/words"
)

// Card is the provenance and measured quality of a model. [Train] fills in what it knows;
// the rest is for the caller, who has a clock and knows the patients. It contains no text
// of a note: numbers, labels, names of feature families and dictionaries, and the
// operator's words. It omits the training time, so that the same training gives the same
// file.
type Card struct {
	Program  string       `json:"program,omitempty"` // version of the program that trained the model
	Date     string       `json:"date,omitempty"`    // day of the training, as 2026-01-31
	Note     string       `json:"note,omitempty"`    // provenance in the operator's words, up to MaxNote bytes
	Learner  Learner      `json:"learner"`
	Data     CardData     `json:"data"`
	Features CardFeatures `json:"features"`
	Options  CardOptions  `json:"options"`
	Training CardTraining `json:"training"`
	Scores   []CardScore  `json:"scores,omitempty"`
}

// CardData is what the model trained on.
type CardData struct {
	Documents int                    `json:"documents"`
	Words     int                    `json:"words"`
	TrainedOn int                    `json:"words_learnt_from"` // fewer than Words if training skipped some, more if it drew with replacement
	Patients  int                    `json:"patients,omitempty"`
	First     string                 `json:"first_date,omitempty"` // of the notes, as the caller knows it
	Last      string                 `json:"last_date,omitempty"`
	Spans     map[annotate.Label]int `json:"spans"` // before any folding of labels
}

// CardFeatures are the features of the model.
type CardFeatures struct {
	Families     []string         `json:"families"`
	Dictionaries []CardDictionary `json:"dictionaries,omitempty"`
	NotEnglish   bool             `json:"not_english,omitempty"` // the program's word classes were left out
}

// CardDictionary is a list of phrases that the model keeps.
type CardDictionary struct {
	Name    string `json:"name"`
	Phrases int    `json:"phrases"`
}

// CardOptions are the training options, with defaults filled in. Options that the learner
// does not use are 0.
type CardOptions struct {
	Binary        bool     `json:"binary,omitempty"`
	MinCount      int      `json:"minimum_count"`
	MinDocuments  int      `json:"minimum_documents"`
	Sampling      Sampling `json:"sampling"` // with its seed; "" for none
	Alpha         float64  `json:"alpha,omitempty"`
	C2            float64  `json:"c2,omitempty"`
	L1            float64  `json:"l1,omitempty"`
	Pairs         Pairs    `json:"pairs,omitempty"`
	MaxIterations int      `json:"max_iterations,omitempty"`
	Tolerance     float64  `json:"tolerance,omitempty"`
	Warm          bool     `json:"warm,omitempty"` // training began with the weights of an earlier model
}

// CardTraining is the course of training.
type CardTraining struct {
	Status      Status  `json:"status"`
	Iterations  int     `json:"iterations,omitempty"`
	Evaluations int     `json:"evaluations,omitempty"`
	Objective   float64 `json:"objective,omitempty"`
	Attributes  int     `json:"attributes"`
	Weights     int     `json:"weights"`      // that were trained
	Kept        int     `json:"weights_kept"` // in the model: the others were negligible
}

// CardScore is the score of a model, or of models trained the same way.
type CardScore struct {
	How               string     `json:"how"` // the kind of measurement, such as "5-fold cross-validation by patient"
	Documents         int        `json:"documents"`
	DocumentsWithLeak int        `json:"documents_with_leak"`
	Entity            CardRatios `json:"entity"`
	Token             CardRatios `json:"token"`
}

// CardRatios are over all labels together.
type CardRatios struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// Limits of a card, in bytes.
const (
	MaxNote = 4 << 10
	maxCard = 1 << 20
)

// Card returns the model's card. That of a model out of [Options.Intermediate] is
// empty.
func (m *Model) Card() Card { return m.card.clone() }

// WithCard returns the same model with another card.
func (m *Model) WithCard(c Card) (*Model, error) {
	if _, err := c.encode(); err != nil {
		return nil, err
	}
	return &Model{
		states: m.states, families: m.families, gazette: m.gazette, binary: m.binary,
		attrs: m.attrs, rows: m.rows, pairs: m.pairs, weights: m.weights, bayes: m.bayes, card: c.clone(), first: m.first,
	}, nil
}

func (c Card) clone() Card {
	c.Data.Spans = maps.Clone(c.Data.Spans)
	c.Features.Families = slices.Clone(c.Features.Families)
	c.Features.Dictionaries = slices.Clone(c.Features.Dictionaries)
	c.Options.Sampling.Cost = maps.Clone(c.Options.Sampling.Cost)
	c.Scores = slices.Clone(c.Scores)
	return c
}

// encode is the card in its file format.
func (c Card) encode() ([]byte, error) {
	if len(c.Note) > MaxNote || !utf8.ValidString(c.Note) {
		return nil, fmt.Errorf("card: the note has %d bytes; it must be UTF-8 of at most %d bytes", len(c.Note), MaxNote)
	}
	text, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("card: %w", err)
	}
	if len(text) > maxCard {
		return nil, fmt.Errorf("card: %d bytes; the limit is %d", len(text), maxCard)
	}
	return text, nil
}

// decodeCard accepts only the output of encode.
func decodeCard(text []byte) (Card, error) {
	var c Card
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return Card{}, errors.New("not in the form that this program writes")
	}
	again, err := c.encode()
	if err != nil {
		return Card{}, err
	}
	if !bytes.Equal(again, text) {
		return Card{}, errors.New("not in the form that this program writes")
	}
	return c, nil
}

// cardOf is the part known to training. docs have all their labels; warm says that it did
// not begin with zero weights.
func cardOf(m *Model, docs []sequence, o Options, warm bool, s Stats) Card {
	c := Card{
		Learner:  o.Learner,
		Data:     dataOf(docs),
		Features: CardFeatures{Families: o.Features.Names(), NotEnglish: o.foreign},
		Options:  CardOptions{Binary: o.Binary, MinCount: o.MinCount, MinDocuments: o.MinDocuments, Sampling: o.Sampling},
		Training: CardTraining{s.Status, s.Number, s.Evaluations, s.Objective, s.Attributes, s.Weights, m.Weights()},
	}
	c.Data.TrainedOn = s.Tokens
	if o.Features&(Dictionary|Member) != 0 {
		for _, list := range o.Dictionaries {
			c.Features.Dictionaries = append(c.Features.Dictionaries, CardDictionary{list.Name, len(list.Phrases)})
		}
	}
	if o.Learner == Bayes {
		c.Options.Alpha = o.Alpha
		return c
	}
	p := &c.Options
	p.C2, p.L1, p.Pairs, p.MaxIterations, p.Tolerance, p.Warm = o.C2, o.L1, o.Pairs, o.MaxIterations, o.Tolerance, warm
	return c
}

func dataOf(docs []sequence) CardData {
	data := CardData{Documents: len(docs), Spans: map[annotate.Label]int{}}
	for _, d := range docs {
		data.Words += len(d.words)
		for t, label := range d.labels {
			if label != "" && d.opens(t) {
				data.Spans[label]++
			}
		}
	}
	return data
}

// The words of a card, wherever it is shown.

// String describes the training data.
func (d CardData) String() string {
	line := counted(d.Documents, "document") + ", " + counted(d.Words, "word")
	switch {
	case d.TrainedOn < d.Words:
		line += ", " + words.Number(d.TrainedOn) + " of them trained on"
	case d.TrainedOn > d.Words:
		line += ", " + words.Number(d.TrainedOn) + " drawn from them for training"
	}
	if d.Patients > 0 {
		line += ", " + counted(d.Patients, "patient")
	}
	if d.First != "" {
		line += ", " + d.First + " to " + d.Last
	}
	return line
}

// Labels lists the labels of the spans, most frequent first.
func (d CardData) Labels() []annotate.Label {
	return slices.SortedFunc(maps.Keys(d.Spans), func(a, b annotate.Label) int {
		return cmp.Or(cmp.Compare(d.Spans[b], d.Spans[a]), cmp.Compare(a, b))
	})
}

// OptionsText describes the training options.
func (c Card) OptionsText() string {
	o := c.Options
	parts := []string{fmt.Sprintf("minimum count %d", o.MinCount)}
	if c.Learner == Bayes {
		parts = append(parts, fmt.Sprintf("alpha %g", o.Alpha))
	} else {
		parts = append(parts, fmt.Sprintf("c2 %g", o.C2), fmt.Sprintf("pairs %s", o.Pairs), fmt.Sprintf("at most %d iterations", o.MaxIterations), fmt.Sprintf("tolerance %g", o.Tolerance))
	}
	if o.L1 > 0 {
		parts = append(parts, fmt.Sprintf("l1 %g", o.L1))
	}
	if s := o.Sampling.String(); s != "" {
		parts = append(parts, "sampling "+s)
	}
	if o.Binary {
		parts = append(parts, "labels folded into one")
	}
	if o.Warm {
		parts = append(parts, "begun from an earlier model")
	}
	return strings.Join(parts, ", ")
}

// String describes the course of training.
func (t CardTraining) String() string {
	line := cmp.Or(string(t.Status), "unknown")
	if t.Iterations > 0 {
		line += fmt.Sprintf(", %s, objective %.4f", counted(t.Iterations, "iteration"), t.Objective)
	}
	line += ", " + counted(t.Attributes, "attribute") + ", " + counted(t.Weights, "weight")
	if t.Kept != t.Weights {
		line += " of which " + words.Number(t.Kept) + " are far enough from 0 to keep"
	}
	return line
}

func counted(n int, what string) string { return words.Count(n, what, what+"s") }
