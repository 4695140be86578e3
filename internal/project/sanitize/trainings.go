// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

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
