// SPDX-License-Identifier: Apache-2.0

package training

import (
	"errors"
	"fmt"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/detect"
	"hide/internal/greedy/learners"
	"hide/internal/project"
	"hide/internal/store"
)

// A sanitizing run trains the detector, which finds PHI that the annotator's model
// misses. From then on it adds to the model's suggestions, in unfinished notes, until the
// next run trains a newer one.

// surely is the probability from which on the detector suggests a token.
const surely = 0.5

var (
	detectorKey    = []byte("detector")
	detectorRunKey = []byte("detector run") // the number of its run
)

// PutDetector stores a run's detector as the newest; nil has no effect.
func (s *Service) PutDetector(tx *store.Tx, c greedy.Classifier, run int) error {
	if c == nil {
		return nil
	}
	raw, err := learners.Encode(c)
	if err != nil {
		return err
	}
	return errors.Join(tx.Put(bucketModels, detectorKey, raw), store.PutJSON(tx, bucketModels, detectorRunKey, run))
}

// readDetector loads it. A detector of another program version is ignored.
func (ws *workspace) readDetector(tx *store.Tx) error {
	raw, err := tx.Get(bucketModels, detectorKey)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	ws.model.detector, err = learners.Decode(raw)
	if err != nil && !errors.Is(err, detect.ErrDetector) {
		return fmt.Errorf("detector of %s: %w", ws.ID, err)
	}
	ws.model.detectorRun, err = store.GetJSON[int](tx, bucketModels, detectorRunKey)
	if errors.Is(err, store.ErrNotFound) {
		return nil // stored by an older version
	}
	return err
}

// SuggestedBy implements [project.Model]. It describes the current suggestions.
func (ws *workspace) SuggestedBy(all []annotate.Suggestion) project.SuggestedBy {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	number, others := 0, 0
	for _, s := range all {
		number = max(number, s.Model)
		if !s.Known {
			others++
		}
	}
	by := ws.model.suggester(number)
	by.Known, by.KnownOnly = others < len(all), others == 0
	return by
}

// suggester is the model with this number, 0 for rules, with the detector that adds to
// it. The caller holds the workspace's lock.
func (m *modelState) suggester(number int) project.SuggestedBy {
	b := project.SuggestedBy{Model: number}
	if number > 0 && m.detector != nil {
		b.Detector, b.Run = true, m.detectorRun
	}
	return b
}

// UseDetector makes the detector of a run suggest, unless it is nil.
func (s *Service) UseDetector(p *project.Workspace, c greedy.Classifier, run int) {
	if c == nil {
		return
	}
	ws := of(p)
	ws.mu.Lock()
	ws.model.detector, ws.model.detectorRun, ws.model.tags = c, run, nil
	ws.model.tagger++
	ws.mu.Unlock()
	s.projects.Tell(ws.ID, project.TopicTraining)
	s.projects.Tell(ws.ID, project.TopicQueue)
	s.projects.TellDocument(ws.ID, 0) // suggestions change from now on
}

// detected adds to a model's suggestions the runs of tokens that only the detector finds,
// each with the label that the model finds likeliest.
func detected(detector greedy.Classifier, model *crf.Model, d annotate.Document, tags []annotate.Suggestion) []annotate.Suggestion {
	doc := annotate.NewNote(annotate.Annotated{Document: d})
	p := detector.Scores(doc.View())
	for _, t := range tags {
		from, to := annotate.Covered(doc.Tokens, t.Span)
		for x := from; x < to; x++ {
			p[x] = 0
		}
	}
	if !slices.ContainsFunc(p, func(p float64) bool { return p >= surely }) {
		return tags
	}
	marginals, labels := model.Marginals(doc.View())
	for from := 0; from < len(p); from++ {
		to := from
		for to < len(p) && p[to] >= surely {
			to++
		}
		if to > from && len(labels) > 0 {
			span := annotate.Span{Start: doc.Tokens[from].Start, End: doc.Tokens[to-1].End, Label: likeliest(marginals[from:to], labels)}
			tags = append(tags, annotate.Suggestion{Span: span, Score: meanOf(p[from:to])})
			from = to
		}
	}
	slices.SortFunc(tags, func(a, b annotate.Suggestion) int { return int(a.Span.Start - b.Span.Start) })
	return tags
}

// likeliest is the label with the highest sum of probabilities.
func likeliest(marginals [][]float64, labels []annotate.Label) annotate.Label {
	best, most := 0, -1.0
	for k := range labels {
		sum := 0.0
		for _, p := range marginals {
			sum += p[k]
		}
		if sum > most {
			best, most = k, sum
		}
	}
	return labels[best]
}

func meanOf(p []float64) float64 {
	sum := 0.0
	for _, v := range p {
		sum += v
	}
	return sum / float64(len(p))
}
