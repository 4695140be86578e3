// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"context"
	"fmt"
	"slices"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/annotate/labels"
	"hide/internal/corpus"
	"hide/internal/crf"
	"hide/internal/hint"
)

// Files name what is scored and what models are trained on; "" names no file.
type Files struct {
	Notes, Train, Model, Contrast, Entities string
	Labels                                  []annotate.Label // that count; nil means all
	Map                                     *labels.Mapping  // of the labels of all notes; nil for none
}

// Read reads the files into the sources.
func (f Files) Read(ctx context.Context, s *Sources) (err error) {
	if f.Model != "" {
		s.Model, err = corpus.Model(f.Model)
	}
	if err == nil && f.Train != "" {
		s.Train, err = ReadNotes(ctx, f.Train, f.Labels, f.Map)
	}
	if err == nil && f.Contrast != "" {
		s.Contrast, err = format.ReadEntitiesFile(f.Contrast)
	}
	if err == nil && f.Entities != "" {
		s.Entities, err = format.ReadEntitiesFile(f.Entities)
	}
	if err == nil {
		s.Notes, err = ReadNotes(ctx, f.Notes, f.Labels, f.Map)
	}
	if err != nil {
		return err
	}
	known := append(annotate.Labels(s.Train), annotate.Labels(s.Notes)...)
	if s.Model != nil {
		known = append(known, s.Model.Labels()...)
	}
	return checkLabels(f.Labels, known)
}

// ReadNotes reads notes with the spans of counted labels, nil for all, under the labels of the
// mapping. It requires at least one span, because a table of zeros would be meaningless.
func ReadNotes(ctx context.Context, name string, counted []annotate.Label, m *labels.Mapping) ([]annotate.Annotated, error) {
	notes, report, err := corpus.Notes(ctx, name)
	for i := range notes {
		if m != nil {
			notes[i] = m.Document(notes[i], nil)
		}
	}
	if err == nil && report.Spans == 0 {
		err = fmt.Errorf("%s: none of its %d documents has a span: there is nothing to train on, nor to score", name, len(notes))
	}
	if err != nil || counted == nil {
		return notes, err
	}
	if Only(notes, counted) == 0 {
		return nil, noSuchLabel(name, report.Spans)
	}
	return notes, nil
}

// ReadTraining reads notes to train on, with the spans of counted labels, nil for all, and
// with the mentions of an entities file that a model learns not to mask; "" for none. It
// also counts the spans of the notes.
func ReadTraining(ctx context.Context, name, contrast string, counted []annotate.Label) (notes []annotate.Annotated, spans int, err error) {
	notes, report, err := corpus.Notes(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	if report.Spans == 0 {
		return nil, 0, fmt.Errorf("train on %s: none of its %d documents has a span to train on", name, len(notes))
	}
	spans = report.Spans
	if counted != nil {
		if spans = Only(notes, counted); spans == 0 {
			return nil, 0, noSuchLabel(name, report.Spans)
		}
		if err := checkLabels(counted, annotate.Labels(notes)); err != nil {
			return nil, 0, fmt.Errorf("train on %s: %w", name, err)
		}
	}
	if contrast != "" {
		documents, err := format.ReadEntitiesFile(contrast)
		if err != nil {
			return nil, 0, err
		}
		if notes, err = Contrast(notes, documents); err != nil {
			return nil, 0, err
		}
	}
	if n := len(annotate.Labels(notes)); n > crf.MaxLabels {
		return nil, 0, hint.Add(fmt.Errorf("train on %s: it has %d labels; at most %d are supported", name, n, crf.MaxLabels), "merge labels")
	}
	return notes, spans, nil
}

// checkLabels refuses a label that is not among the known ones: it is likely misspelt, and would
// be left out in silence.
func checkLabels(counted, known []annotate.Label) error {
	for _, l := range counted {
		if !slices.Contains(known, l) {
			return hint.Add(fmt.Errorf("no span has the label %s", l), "separate labels by commas; they are case-sensitive")
		}
	}
	return nil
}

func noSuchLabel(name string, spans int) error {
	return hint.Add(fmt.Errorf("%s: none of its %d spans has a requested label", name, spans), "separate labels by commas; they are case-sensitive")
}
