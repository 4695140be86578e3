// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/store"
)

// CutShort reports whether a run was interrupted or cancelled, rather than failed.
func (r *Run) CutShort() bool { return r.State == Cancelled || r.State == Interrupted }

// ResumeSanitize continues a run that was cancelled or that the server did not finish,
// with the same result as in one go. Finished trainings are not repeated, unless another
// run came between. The error is Stale if the run was not interrupted, if documents have
// changed since, or while another run is in progress.
func (s *Service) ResumeSanitize(ctx context.Context, by account.User, id project.ID, number int) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	if err := ws.claim(Run{State: Running}); err != nil {
		return err
	}
	r, err := s.cutShortRun(ws, number) // under the claim, so that nobody else resumes it
	if err == nil {
		err = s.projects.Update(id, project.EventBy(by, "resume run", id.Object("runs", number)), func(tx *store.Tx) error {
			return errors.Join(putRun(tx, r), dropTrainings(tx, number))
		})
	}
	if err != nil {
		ws.run.Drop()
		return err
	}
	ws.run.Change(func(now *Run) { *now = r })
	s.submitRun(ws, r.Params)
	return nil
}

// cutShortRun returns an interrupted run, reset so that it can continue.
func (s *Service) cutShortRun(ws *workspace, number int) (Run, error) {
	r, err := s.run(ws, number)
	switch {
	case project.KindOf(err) == project.NotFound:
		return r, s.cannotGoOn(ws, project.NotFound, "project %s has no sanitizing run %d", ws.ID, number)
	case err != nil:
		return r, err
	case !r.CutShort():
		return r, s.cannotGoOn(ws, project.Stale, "run %d is %s and cannot be resumed", number, r.State)
	case r.Revisions != ws.Revisions():
		return r, s.cannotGoOn(ws, project.Stale, "documents have changed since run %d", number)
	}
	r.State, r.Error, r.Ended = Running, "", time.Time{}
	r.Drift, r.Local, r.Context, r.ContextFound = nil, nil, nil, 0
	r.Progress = Progress{Doing: "reading the finished notes"}
	r.Choices = slices.DeleteFunc(slices.Clone(r.Choices), func(c Result) bool { return !c.Done })
	return r, nil
}

// cannotGoOn is an error that lists the runs that can be resumed.
func (s *Service) cannotGoOn(ws *workspace, kind project.Kind, format string, args ...any) error {
	var able []string
	now := ws.Revisions()
	err := s.projects.View(ws.ID, func(tx *store.Tx) error {
		runs, err := store.ListJSON[Run](tx, bucketRuns)
		for _, r := range runs {
			if r.CutShort() && r.Revisions == now {
				able = append(able, strconv.Itoa(r.Number))
			}
		}
		return err
	})
	hint := "no run can be resumed: start a new one"
	if len(able) > 0 {
		hint = "runs that can be resumed: " + strings.Join(able, ", ")
	}
	return errors.Join(&project.Error{Kind: kind, Message: fmt.Sprintf(format, args...), Hint: hint}, err)
}

// submitRun starts the work of the claimed run.
func (s *Service) submitRun(ws *workspace, p Params) {
	ws.run.Start(
		func(ctx context.Context) error { return s.runSanitize(ctx, ws, p) },
		func(r *Run, _ error) {
			*r = Run{} // it is stored
			s.projects.Tell(ws.ID, project.TopicRuns)
		},
	)
	s.tellRuns(ws.ID)
}
