// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/greedy/attack"
	"hide/internal/hospital"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/web/home"
)

// The demo has a project to work on, half of it annotated, and a small one in which every
// step is finished.
const (
	demoPatients = 30
	demoSeed     = 2014
	demoFinished = 50 // notes imported with annotations: enough for usable figures
	demoNotes    = 96

	exampleName  = "Finished example"
	exampleSeed  = 2015
	exampleNotes = 52 // with fewer than 50 the figures come with a warning
	exampleLC    = 10
)

// exampleParams are a run of the example that takes seconds: no detector, and few values.
func exampleParams() sanitize.Params {
	return sanitize.Params{
		LC: []float64{1, exampleLC, 100}, Folds: 3, First: "none", Leak: exampleLC,
		Attackers: []attack.Kind{attack.Dictionary, attack.Repeat},
	}
}

// workProject finds the project to work on, or fills it with the generated hospital.
func (d *demo) workProject(ctx context.Context) error {
	all, err := d.data.projects.Projects(ctx, d.admin)
	if err != nil {
		return err
	}
	d.tour.Kept = d.kept
	for _, p := range all {
		switch p.Name {
		case demoName:
			d.tour.Work = p.ID
		case exampleName:
			d.tour.Example = p.ID
		}
	}
	if d.tour.Work != "" {
		return nil
	}
	finished, open := demoDocuments(demoSeed, demoFinished, demoNotes)
	d.tour.Work, err = d.fill(ctx, demoName, open, finished)
	return err
}

// fill makes a project with notes to annotate, if any, and finished notes.
func (d *demo) fill(ctx context.Context, name string, open, finished []annotate.Annotated) (project.ID, error) {
	p, err := d.data.projects.Create(ctx, d.admin, name, nil)
	if err != nil {
		return "", err
	}
	settings, err := d.data.projects.Settings(ctx, d.admin, p.ID)
	if err != nil {
		return "", err
	}
	settings.Blind = 0 // the first note that somebody opens shows suggestions
	if err := d.data.projects.SetSettings(ctx, d.admin, p.ID, settings); err != nil {
		return "", err
	}
	for _, part := range []struct {
		name  string
		notes []annotate.Annotated
		how   project.ImportOptions
	}{
		{"notes.jsonl", open, project.ImportOptions{}},
		{"annotated.jsonl", finished, project.ImportOptions{Finished: true, Random: true}},
	} {
		if len(part.notes) == 0 {
			continue
		}
		files, err := demoFile(part.name, part.notes)
		if err != nil {
			return "", err
		}
		if _, err := d.data.projects.Import(ctx, d.admin, p.ID, files, part.how); err != nil {
			return "", err
		}
	}
	return p.ID, nil
}

// demoDocuments are annotated and unannotated notes of a generated hospital.
func demoDocuments(seed uint64, annotated, all int) (finished, open []annotate.Annotated) {
	for note := range hospital.Generate(hospital.Options{Patients: demoPatients, Seed: seed, Institution: "a"}) {
		switch {
		case len(finished) < annotated:
			finished = append(finished, note)
		case len(finished)+len(open) < all:
			note.Spans = nil
			open = append(open, note)
		}
	}
	return finished, open
}

func demoFile(name string, docs []annotate.Annotated) ([]format.File, error) {
	var b bytes.Buffer
	err := format.WriteJSONL(&b, func(yield func(annotate.Annotated, error) bool) {
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	})
	return []format.File{{Name: name, Size: int64(b.Len()), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b.Bytes())), nil
	}}}, err
}

// makeExample makes the finished example after the demo has started, so that nobody waits
// for it. What fails is reported, and the demo goes on without it.
func (d *demo) makeExample(ctx context.Context) {
	if d.Tour().Example != "" {
		return
	}
	err := d.example(ctx)
	if err != nil && ctx.Err() == nil {
		report(d.stderr, fmt.Errorf("prepare the finished example: %w", err))
	}
	d.change(func(t *home.Tour) { t.Doing = "" })
}

func (d *demo) example(ctx context.Context) error {
	finished, _ := demoDocuments(exampleSeed, exampleNotes, exampleNotes)
	id, err := d.fill(ctx, exampleName, nil, finished)
	if err != nil {
		return err
	}
	d.change(func(t *home.Tour) { t.Example, t.Doing = id, "training its model" })
	// One thing at a time: the person's own project is trained first.
	for _, id := range []project.ID{d.Tour().Work, id} {
		if err := d.until(ctx, func() (bool, error) {
			s, err := d.data.projects.Training(ctx, d.admin, id)
			return s.Model > 0 || s.Error != "", err
		}); err != nil {
			return err
		}
	}
	d.change(func(t *home.Tour) { t.Doing = "sanitizing its notes" })
	run, err := d.exampleRun(ctx, id)
	if err != nil {
		return err
	}
	d.change(func(t *home.Tour) { t.Doing = "publishing them" })
	bundle, err := d.data.projects.Choose(ctx, d.admin, id, run, exampleLC)
	if err != nil {
		return err
	}
	if err := d.data.projects.StartPublish(ctx, d.admin, id, bundle.Number, release.Despite{}); err != nil {
		return err
	}
	return d.until(ctx, func() (bool, error) {
		s, err := d.data.projects.Publishing(ctx, d.admin, id)
		return !s.Running, err
	})
}

// exampleRun starts a run and waits for its end.
func (d *demo) exampleRun(ctx context.Context, id project.ID) (int, error) {
	number, err := d.data.projects.StartSanitize(ctx, d.admin, id, exampleParams())
	if err != nil {
		return 0, err
	}
	return number, d.until(ctx, func() (bool, error) {
		runs, err := d.data.projects.Runs(ctx, d.admin, id)
		if err != nil {
			return false, err
		}
		switch runs[0].State {
		case sanitize.Running:
			return false, nil
		case sanitize.Finished:
			return true, nil
		}
		return false, errors.New("its run has ended early: " + runs[0].Error)
	})
}

// exampleLooks is how often the example looks whether a step has ended.
const exampleLooks = 200 * time.Millisecond

// until waits until something has happened, or ctx ends.
func (d *demo) until(ctx context.Context, happened func() (bool, error)) error {
	tick := time.NewTicker(exampleLooks)
	defer tick.Stop()
	for {
		if is, err := happened(); is || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
