// SPDX-License-Identifier: Apache-2.0

// Package demo makes the projects of a demo: one to work on, and a finished example.
package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/greedy/attack"
	"hide/internal/hospital"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/project/services"
)

// The demo has a project to work on, half of it annotated, and a small one in which every
// step is finished.
const (
	Name = "Demo hospital"

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

// Tour is what a guide through the demo leads to.
type Tour struct {
	Work    project.ID // the project to try the three steps in
	Example project.ID // a project in which all steps are finished; "" before it exists
	Doing   string     // what is still prepared in the example: "sanitizing its notes"; "" when it is complete
	Kept    bool       // its data are kept when the demo ends
}

// Demo makes the projects of a demo. Its methods may be called concurrently.
type Demo struct {
	projects *services.All
	admin    account.User
	others   []account.User // members of its projects

	mu   sync.Mutex // guards tour
	tour Tour
}

// New makes a demo whose projects belong to admin, and have the others as members with the
// roles of their accounts. kept says that the data are kept when it ends.
func New(projects *services.All, admin account.User, others []account.User, kept bool) *Demo {
	return &Demo{projects: projects, admin: admin, others: others, tour: Tour{Kept: kept}}
}

// Tour is the state of the demo.
func (d *Demo) Tour() Tour {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.tour
}

func (d *Demo) change(what func(*Tour)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	what(&d.tour)
}

// Prepare finds the project to work on, or fills it with notes of a generated hospital.
func (d *Demo) Prepare(ctx context.Context) error {
	all, err := d.projects.Projects(ctx, d.admin)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range all {
		switch p.Name {
		case Name:
			d.tour.Work = p.ID
		case exampleName:
			d.tour.Example = p.ID
		}
	}
	if d.tour.Work != "" {
		return nil
	}
	finished, open := demoDocuments(demoSeed, demoFinished, demoNotes)
	d.tour.Work, err = d.fill(ctx, Name, open, finished)
	return err
}

// fill makes a project with notes to annotate, if any, and finished notes.
func (d *Demo) fill(ctx context.Context, name string, open, finished []annotate.Annotated) (project.ID, error) {
	p, err := d.projects.Create(ctx, d.admin, name, nil)
	if err != nil {
		return "", err
	}
	for _, u := range d.others {
		if _, err := d.projects.SetMember(ctx, d.admin, p.ID, u.ID, u.Role); err != nil {
			return "", err
		}
	}
	// A person who tries the demo is alone: nobody else could approve a release.
	if err := d.projects.SetRule(ctx, d.admin, p.ID, project.Rule{}); err != nil {
		return "", err
	}
	settings, err := d.projects.Settings(ctx, d.admin, p.ID)
	if err != nil {
		return "", err
	}
	settings.Blind = 0 // the first note that somebody opens shows suggestions
	if err := d.projects.SetSettings(ctx, d.admin, p.ID, settings); err != nil {
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
		if _, err := d.projects.Import(ctx, d.admin, p.ID, files, part.how); err != nil {
			return "", err
		}
	}
	return p.ID, nil
}

// demoDocuments are annotated and unannotated notes of a generated hospital.
func demoDocuments(seed uint64, annotated, all int) (finished, open []annotate.Annotated) {
	for note := range hospital.Generate(hospital.Options{Patients: demoPatients, Seed: seed, Institution: "a", Identities: true}) {
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

// MakeExample makes the finished example, unless it exists. The demo is usable without it.
func (d *Demo) MakeExample(ctx context.Context) error {
	if d.Tour().Example != "" {
		return nil
	}
	err := d.example(ctx)
	d.change(func(t *Tour) { t.Doing = "" })
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("prepare the finished example: %w", err)
	}
	return nil
}

func (d *Demo) example(ctx context.Context) error {
	finished, _ := demoDocuments(exampleSeed, exampleNotes, exampleNotes)
	id, err := d.fill(ctx, exampleName, nil, finished)
	if err != nil {
		return err
	}
	d.change(func(t *Tour) { t.Example, t.Doing = id, "training its model" })
	// One thing at a time: the person's own project is trained first.
	for _, id := range []project.ID{d.Tour().Work, id} {
		if err := d.until(ctx, func() (bool, error) {
			s, err := d.projects.Training(ctx, d.admin, id)
			return s.Model > 0 || s.Error != "", err
		}); err != nil {
			return err
		}
	}
	d.change(func(t *Tour) { t.Doing = "sanitizing its notes" })
	run, err := d.exampleRun(ctx, id)
	if err != nil {
		return err
	}
	d.change(func(t *Tour) { t.Doing = "publishing them" })
	bundle, err := d.projects.Choose(ctx, d.admin, id, run, exampleLC)
	if err != nil {
		return err
	}
	if err := d.projects.StartPublish(ctx, d.admin, id, release.Publish, bundle.Number, release.Despite{}); err != nil {
		return err
	}
	return d.until(ctx, func() (bool, error) {
		s, err := d.projects.Publishing(ctx, d.admin, id)
		return !s.Running, err
	})
}

// exampleRun starts a run and waits for its end.
func (d *Demo) exampleRun(ctx context.Context, id project.ID) (int, error) {
	number, err := d.projects.StartSanitize(ctx, d.admin, id, exampleParams())
	if err != nil {
		return 0, err
	}
	return number, d.until(ctx, func() (bool, error) {
		runs, err := d.projects.Runs(ctx, d.admin, id)
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
func (d *Demo) until(ctx context.Context, happened func() (bool, error)) error {
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
