// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hide/internal/account"
	"hide/internal/greedy/drift"
	"hide/internal/project"
	"hide/internal/store"
)

// interrupted is the message of a run that the server did not finish.
const interrupted = "the server stopped during this run; its results so far are kept"

// markInterrupted marks the unfinished runs of an earlier process.
func (s *Service) markInterrupted() error {
	ids, err := s.projects.IDs()
	if err != nil {
		return err
	}
	for _, id := range ids {
		var left []Run
		err := s.projects.View(id, func(tx *store.Tx) error {
			runs, err := store.ListJSON[Run](tx, bucketRuns)
			left = slices.DeleteFunc(runs, func(r Run) bool { return r.State != Running })
			return err
		})
		for _, r := range left {
			r.State, r.Error, r.Ended = Interrupted, interrupted, s.projects.Now().UTC()
			err = errors.Join(err, s.saveRun(id, r, project.SystemEvent("interrupt run", id.Object("runs", r.Number), "")))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tellRuns notifies watchers that the list of runs, and a run, have changed.
func (s *Service) tellRuns(id project.ID) {
	s.projects.Tell(id, project.TopicSanitize)
	s.projects.Tell(id, project.TopicRuns)
}

func (s *Service) saveRun(id project.ID, r Run, ev store.Event) error {
	return s.projects.Update(id, ev, func(tx *store.Tx) error { return putRun(tx, r) })
}

// putRun writes a run under its stored name, which may be newer than the name in r.
func putRun(tx *store.Tx, r Run) error {
	key := store.Key(uint64(r.Number))
	stored, err := store.GetJSON[Run](tx, bucketRuns, key)
	if err != nil {
		return err
	}
	r.Name = stored.Name
	return store.PutJSON(tx, bucketRuns, key, r)
}

// Runs lists the runs, newest first, without text of notes.
func (s *Service) Runs(ctx context.Context, by account.User, id project.ID) ([]Run, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return nil, err
	}
	now := ws.underWay()
	runs, err := project.ListJSON[Run](s.projects, id, bucketRuns)
	if err != nil {
		return nil, err
	}
	slices.Reverse(runs)
	for i := range runs {
		runs[i] = s.figures(ws, by, ws.live(runs[i], now))
	}
	return runs, s.enterForgotten(ws, runs)
}

// RunFigures describes one run as Runs does, without text of notes.
func (s *Service) RunFigures(ctx context.Context, by account.User, id project.ID, number int) (*Run, error) {
	ws, r, err := s.enterRun(by, account.SeeFigures, id, number)
	if err != nil {
		return nil, err
	}
	one := []Run{s.figures(ws, by, r)}
	return &one[0], s.enterForgotten(ws, one)
}

// figures is a run for a person, without text of notes.
func (s *Service) figures(ws *workspace, by account.User, r Run) Run {
	out := *s.present(ws, by, r)
	out.Context = nil
	for i := range out.Choices { // a copy that present has made
		out.Choices[i].Leaks, out.Choices[i].Lost = nil, nil
	}
	return out
}

// NewestRun is the number of the newest run, 0 if there is none. It reads no run.
func (s *Service) NewestRun(ctx context.Context, by account.User, id project.ID) (int, error) {
	if _, err := s.enter(by, account.SeeFigures, id); err != nil {
		return 0, err
	}
	newest := 0
	err := s.projects.View(id, func(tx *store.Tx) error {
		return tx.Keys(bucketRuns, nil, func(key []byte) error {
			newest = int(store.Number(key)) // keys are in order of number
			return nil
		})
	})
	return newest, err
}

// Run describes one run. For people who may not read notes, text of notes is left out;
// for others the access is recorded in the audit trail.
func (s *Service) Run(ctx context.Context, by account.User, id project.ID, number int) (*Run, error) {
	ws, r, err := s.enterRun(by, account.SeeFigures, id, number)
	if err != nil {
		return nil, err
	}
	if s.projects.May(by, id, account.ReadNotes) {
		if err := s.projects.AuditReading(by, id, id.Object("runs", number)); err != nil {
			return nil, err
		}
	}
	one := []Run{*s.present(ws, by, r)}
	return &one[0], s.enterForgotten(ws, one)
}

// enterRun opens a project for somebody with the permission, and a run of it.
func (s *Service) enterRun(by account.User, p account.Permission, id project.ID, number int) (*workspace, Run, error) {
	ws, err := s.enter(by, p, id)
	if err != nil {
		return nil, Run{}, err
	}
	r, err := s.run(ws, number)
	return ws, r, err
}

// run returns a stored run, or its newer state in memory.
func (s *Service) run(ws *workspace, number int) (Run, error) {
	now := ws.underWay()
	r, err := project.GetJSON[Run](s.projects, ws.ID, bucketRuns, store.Key(uint64(number)))
	if errors.Is(err, store.ErrNotFound) {
		return Run{}, noRun(ws.ID, number)
	}
	return ws.live(r, now), err
}

// noRun is the error about a run that does not exist.
func noRun(id project.ID, number int) error {
	return &project.Error{Kind: project.NotFound, Message: fmt.Sprintf("project %s has no sanitizing run %d", id, number), Hint: "the sanitize page of the project lists its runs"}
}

// underWay is the in-memory state of the current run, nil if there is none. Callers ask
// it before they read the store: a run is stored completely before it stops being
// current.
func (ws *workspace) underWay() *Run {
	now, busy := ws.run.State()
	if !busy {
		return nil
	}
	return &now
}

// live returns r, or its in-memory state if it is the current run, with the notes
// imported later.
func (ws *workspace) live(r Run, now *Run) Run {
	o := ws.Overview()
	if now != nil && now.Number == r.Number {
		name := r.Name
		r = *now
		r.Name, r.Choices = name, slices.Clone(r.Choices)
	}
	r.Later, r.AllFinished = ws.ImportedAfter(r.Newest), o.Done == o.Documents
	return r
}

// present returns the parts of a run that this person may see.
func (s *Service) present(ws *workspace, by account.User, r Run) *Run {
	r.Changed = r.Revisions != ws.Revisions()
	r.By = s.projects.PersonName(r.By)
	r.Choices = slices.Clone(r.Choices)
	for i := range r.Choices {
		c := &r.Choices[i]
		c.Leaks, c.Lost = without(c.Leaks, ws.Has), without(c.Lost, ws.Has)
	}
	if s.projects.May(by, ws.ID, account.ReadNotes) {
		r.Local, r.Drawn = ws.Unfinished(r.Local), ws.Unfinished(r.Drawn)
		return &r
	}
	r.Local, r.Drawn, r.Context, r.Drift = nil, nil, nil, withoutNames(r.Drift)
	for i := range r.Choices {
		r.Choices[i].Leaks = withoutText(r.Choices[i].Leaks)
		r.Choices[i].Lost = withoutText(r.Choices[i].Lost)
	}
	return &r
}

// withoutNames is the report without the names of institutions.
func withoutNames(r *drift.Report) *drift.Report {
	if r == nil {
		return nil
	}
	out := *r
	out.Sources = slices.Clone(r.Sources)
	for i := range out.Sources {
		out.Sources[i].Source = ""
	}
	return &out
}

func withoutText(views []project.Excerpt) []project.Excerpt {
	out := slices.Clone(views)
	for i := range out {
		out[i].Text, out[i].Before, out[i].After = "", "", ""
	}
	return out
}

// StoredRun returns the current state of a run, for packages that publish with it.
func (s *Service) StoredRun(ws *project.Workspace, number int) (Run, error) {
	return s.run(s.of(ws), number)
}

// RunWarnings are the warnings of a run for this person.
func (s *Service) RunWarnings(ws *project.Workspace, by account.User, r Run) []string {
	return s.present(s.of(ws), by, r).Warnings()
}

// NewestRuns yields the stored runs, newest first. Runs are large, so it reads each one
// only when needed.
func (s *Service) NewestRuns(id project.ID, enough func(Run) bool) error {
	return s.projects.View(id, func(tx *store.Tx) error {
		var keys [][]byte
		err := tx.Keys(bucketRuns, nil, func(key []byte) error {
			keys = append(keys, slices.Clone(key))
			return nil
		})
		for _, key := range slices.Backward(keys) {
			if err != nil {
				return err
			}
			var r Run
			if r, err = store.GetJSON[Run](tx, bucketRuns, key); err == nil && enough(r) {
				return nil
			}
		}
		return err
	})
}

// runNameLimit is how long a run's name may be, in characters.
const runNameLimit = 40

// NameRun names a run, or removes the name with "". Names need not be unique. The audit
// trail records that it was named, but not the name, because people can write anything
// into it.
func (s *Service) NameRun(ctx context.Context, by account.User, id project.ID, number int, name string) error {
	if _, err := s.enter(by, account.Sanitize, id); err != nil {
		return err
	}
	name = strings.TrimSpace(name)
	if !project.FitsName(name, runNameLimit) {
		return project.Invalidf("choose another name", "a run's name has at most %d visible characters", runNameLimit)
	}
	err := s.projects.Update(id, project.EventBy(by, "name run", id.Object("runs", number)), func(tx *store.Tx) error {
		key := store.Key(uint64(number))
		r, err := store.GetJSON[Run](tx, bucketRuns, key)
		if err != nil {
			return err
		}
		r.Name = name
		return store.PutJSON(tx, bucketRuns, key, r)
	})
	if errors.Is(err, store.ErrNotFound) {
		return noRun(id, number)
	}
	if err == nil {
		s.tellRuns(id)
	}
	return err
}
