// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/greedy/drift"
	"hide/internal/project"
)

// What tests outside the package look at.
const (
	NoFirst         = noFirst
	RunsKept        = runsKept
	RunNameLimit    = runNameLimit
	BucketTrainings = bucketTrainings
)

var (
	Ratio          = ratio
	Entered        = entered
	WithoutNames   = withoutNames
	MostOften      = byFrequency
	SourceWarnings = sourceWarnings
)

// FoundByAttackers is what the added attackers of a run find in these notes.
func (s *Service) FoundByAttackers(ctx context.Context, p Params, published []annotate.View) ([]attack.Result, error) {
	options, err := p.learnOptions(nil)
	if err != nil {
		return nil, err
	}
	others, err := s.newAttackers(ctx, nil, p, options)
	if err != nil {
		return nil, err
	}
	others.link = func(context.Context, []annotate.View) (*retrieve.Result, error) { return nil, nil } // there is no project
	err = others.attack(ctx, 10, published)
	return others.found[10].words, err
}

// Class is the hypothesis class of a run.
func (p Params) Class() ([]greedy.Learner, error) {
	options, err := p.learnOptions(nil)
	if err != nil {
		return nil, err
	}
	return p.class(options)
}

func (s *Service) CompareDocuments(ctx context.Context, ws *project.Workspace, c project.Corpus, sensitive func(annotate.Label) bool, seed uint64) (*drift.Report, []annotate.DocumentID, error) {
	report, advised, err := s.compareDocuments(ctx, s.of(ws), c, sensitive, seed)
	return report, advised.all, err
}

func (s *Service) ToAnnotate(ws *project.Workspace, r *drift.Report, docs []annotate.DocumentID, profiles []drift.Profile) []annotate.DocumentID {
	return s.of(ws).toAnnotate(r, docs, nil, profiles, 1).all
}

// KeepTraining keeps a training of a run, as the run does, and says how many bytes the
// run had kept before.
func (s *Service) KeepTraining(ws *project.Workspace, run int, key [32]byte, value []byte) (before int, err error) {
	w := s.of(ws)
	w.run.Claim(Run{Number: run})
	defer w.run.Drop()
	kept, err := s.newTrainings(w, Params{}, "")
	if err != nil {
		return 0, err
	}
	before = kept.kept
	if value != nil {
		kept.Save(key, value)
		kept.flush()
	}
	return before, nil
}

func (s *Service) Namer(ctx context.Context, ws *project.Workspace, c project.Corpus) (*crf.Model, error) {
	return s.namer(ctx, s.of(ws), c)
}

// Divide says which documents a run with these parameters trains on, and which it sets aside.
func (s *Service) Divide(ctx context.Context, ws *project.Workspace, p Params) (train, aside []project.StoredNote, err error) {
	c, err := ws.Snapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	part, err := s.divide(s.of(ws), c, p.Target())
	return part.train.Docs, part.aside.Docs, err
}
