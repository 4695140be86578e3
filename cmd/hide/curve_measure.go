// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/crf/score"
)

// curves is what hide curve says.
type curves struct {
	Documents int            `json:"documents"`
	Folds     int            `json:"folds"`
	Seed      uint64         `json:"seed"`
	Learner   crf.Learner    `json:"learner"`
	Preset    string         `json:"preset"`
	Settings  []curveSetting `json:"settings"` // each once; the first trains on all words
	Lines     []curveLine    `json:"curves"`
	SVG       string         `json:"svg,omitempty"` // the file drawn
}

// curveSetting is what cross-validation finds with one sampling.
type curveSetting struct {
	Sampling          crf.Sampling `json:"sampling"`
	WordsKept         float64      `json:"words_kept"` // share of all words that training sees
	Entity            score.Tally  `json:"entity"`
	Token             score.Tally  `json:"token"`
	DocumentsWithLeak int          `json:"documents_with_leak"`
	Seconds           float64      `json:"train_seconds"` // of all folds
}

// curveLine is one curve: its settings in order.
type curveLine struct {
	Name   string       `json:"name"`
	Points []curvePoint `json:"points"`
}

type curvePoint struct {
	Label   string `json:"label"`
	Setting int    `json:"setting"` // index into the settings
}

// curveRun measures settings, each of them once.
type curveRun struct {
	curves
	notes   []annotate.Annotated
	docs    []crf.Doc
	groups  []string
	options crf.Options
	known   map[string]int // setting by its text
}

// measureCurves cross-validates with every setting of every line.
func (e *env) measureCurves(ctx context.Context, v curveFlags, o crf.Options, lines []samplingLine) (curves, error) {
	notes, err := readEvaluated(ctx, v.in, v.labels)
	if err != nil {
		return curves{}, err
	}
	r := &curveRun{notes: notes, options: o, known: map[string]int{}}
	r.curves = curves{Documents: len(notes), Folds: v.folds, Seed: v.seed, Learner: o.Learner, Preset: v.features.name(), SVG: v.svg}
	for _, n := range notes {
		r.docs, r.groups = append(r.docs, crf.NewDoc(n)), append(r.groups, n.Group())
	}
	p := e.progress("cross-validating with sampling")
	defer p.end()
	for _, line := range lines {
		drawn := curveLine{Name: line.name}
		for i, s := range line.samplings {
			p.step(len(r.Settings), 0, s.String())
			at, err := r.setting(ctx, s)
			if err != nil {
				return curves{}, err
			}
			drawn.Points = append(drawn.Points, curvePoint{line.labels[i], at})
		}
		r.Lines = append(r.Lines, drawn)
	}
	return r.curves, nil
}

// setting gives the index of the setting with sampling s, measured when it is new.
func (r *curveRun) setting(ctx context.Context, s crf.Sampling) (int, error) {
	if at, ok := r.known[s.String()]; ok {
		return at, nil
	}
	o := r.options
	o.Sampling = s
	c, err := crf.CrossValidate(ctx, r.docs, r.groups, r.Folds, r.Seed, o)
	if err != nil {
		return 0, err
	}
	r.known[s.String()] = len(r.Settings)
	r.Settings = append(r.Settings, r.scored(s, c))
	return len(r.Settings) - 1, nil
}

func (r *curveRun) scored(s crf.Sampling, c crf.CrossValidation) curveSetting {
	docs := make([]score.Document, len(r.docs))
	for i, n := range r.notes {
		docs[i] = score.Document{Text: n.Text, Patient: n.Patient, Tokens: r.docs[i].Tokens, Gold: n.Spans, Predicted: c.Tags[i]}
	}
	report := score.Of(docs, score.Options{Resamples: 1000, Seed: r.Seed})
	set := curveSetting{
		Sampling: s, WordsKept: r.kept(s),
		Entity: report.Entity.Micro, Token: report.Token.Micro, DocumentsWithLeak: report.DocumentsWithLeak,
	}
	for _, t := range c.Training {
		set.Seconds += t.Seconds
	}
	return set
}

// kept is the share of all words that a sampling leaves.
func (r *curveRun) kept(s crf.Sampling) float64 {
	words, skipped := 0, 0
	for _, d := range r.docs {
		words += len(d.Words)
		for _, skip := range s.Skips(d) {
			if skip {
				skipped++
			}
		}
	}
	return 1 - float64(skipped)/float64(max(words, 1))
}
