// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hide/internal/account"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/store"
)

// mostTrainings limits, in bytes, the training results that a run keeps until it ends or
// is interrupted: about 100 cross-fits of 400,000 tokens. Later results are not kept and
// would be computed again. At most mostWaiting bytes of them are in memory only.
const (
	mostTrainings = 512 << 20
	mostWaiting   = 32 << 20
)

// trainings keeps the training results of a run, encrypted in the store, so that the run
// can be resumed. They are valid only for one program version and for the same documents,
// options and dictionaries.
type trainings struct {
	store *store.Store
	id    project.ID
	run   int
	of    string // program, options and dictionaries

	mu   sync.Mutex        // guards what follows
	wait map[string][]byte // not in the store yet
	size int               // of wait, in bytes
	kept int               // bytes in the store and in wait
}

var _ greedy.Checkpoint = (*trainings)(nil)

// newTrainings opens the kept results of the run; dictionaries identifies the
// dictionaries that it uses.
func (s *Service) newTrainings(ws *workspace, p Params, dictionaries string) (*trainings, error) {
	now, _ := ws.run.State()
	t := &trainings{store: s.projects.Store(), id: ws.ID, run: now.Number, wait: map[string][]byte{},
		of: fmt.Sprintf("%s %s %q %q", s.projects.Version(), dictionaries, p.First, p.Learners)}
	return t, s.projects.View(ws.ID, func(tx *store.Tx) error { // results kept before the interruption count
		return tx.Scan(bucketTrainings, store.Key(uint64(t.run)), func(_, value []byte) error {
			t.kept += len(value)
			return nil
		})
	})
}

// key is the key of a value in the store. It is a keyed hash, so it reveals nothing about
// the texts.
func (t *trainings) key(tx *store.Tx, key [sha256.Size]byte) []byte {
	return append(store.Key(uint64(t.run)), tx.HMAC(append([]byte(t.of), key[:]...))...)
}

// Load implements [greedy.Checkpoint].
func (t *trainings) Load(key [sha256.Size]byte) []byte {
	t.mu.Lock()
	value := t.wait[string(key[:])]
	t.mu.Unlock()
	if value != nil {
		return value
	}
	err := t.store.View(string(t.id), func(tx *store.Tx) (err error) {
		value, err = tx.Get(bucketTrainings, t.key(tx, key))
		return err
	})
	if err != nil {
		return nil // missing results are computed again
	}
	return value
}

// Save implements [greedy.Checkpoint]. The value is in the store after the next
// [trainings.flush].
func (t *trainings) Save(key [sha256.Size]byte, value []byte) {
	t.mu.Lock()
	if t.kept+len(value) <= mostTrainings {
		t.kept, t.size = t.kept+len(value), t.size+len(value)
		t.wait[string(key[:])] = value
	}
	full := t.size > mostWaiting
	t.mu.Unlock()
	if full {
		t.flush()
	}
}

// flush writes the saved values to the store. If that fails they are lost, and the run
// continues without them.
func (t *trainings) flush() {
	t.mu.Lock()
	wait := t.wait
	t.wait, t.size = map[string][]byte{}, 0
	t.mu.Unlock()
	if len(wait) == 0 {
		return
	}
	_ = t.store.Update(string(t.id), func(tx *store.Tx) error {
		var err error
		for key, value := range wait {
			err = errors.Join(err, tx.Put(bucketTrainings, t.key(tx, [sha256.Size]byte([]byte(key))), value))
		}
		return errors.Join(err, tx.Audit(project.SystemEvent("keep trainings", t.id.Object("runs", t.run), fmt.Sprint(len(wait)))))
	})
}

// dropTrainings deletes the training results of all runs but one, 0 for none.
func dropTrainings(tx *store.Tx, but int) error {
	return dropRuns(tx, bucketTrainings, func(run int) bool { return run != but })
}

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
	if err := s.projects.CheckRoom(); err != nil {
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
	r.Drift, r.Local, r.Context, r.ContextFound, r.Target = nil, nil, nil, 0, nil
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
