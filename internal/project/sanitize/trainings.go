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

// mostTrainings bounds what a run keeps of its trainings until it ends or is cut
// short, in bytes: about 100 cross-fits of 400,000 tokens. What comes after is not
// kept, and would be trained again. Of these, mostWaiting may be in memory alone.
const (
	mostTrainings = 512 << 20
	mostWaiting   = 32 << 20
)

// trainings keep what the trainings of a run came to, sealed in the store, so that
// the run goes on where it was cut short. They are of one program, and of the
// documents, options and dictionaries that they were made with: others find
// nothing.
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

// newTrainings finds what the run has kept; dictionaries numbers those it learns with.
func (s *Service) newTrainings(ws *workspace, p Params, dictionaries string) (*trainings, error) {
	now, _ := ws.run.State()
	t := &trainings{store: s.projects.Store(), id: ws.ID, run: now.Number, wait: map[string][]byte{},
		of: fmt.Sprintf("%s %s %q %q", s.projects.Version(), dictionaries, p.First, p.Learners)}
	return t, s.projects.View(ws.ID, func(tx *store.Tx) error { // what it kept before it was cut short counts
		return tx.Scan(bucketTrainings, store.Key(uint64(t.run)), func(_, value []byte) error {
			t.kept += len(value)
			return nil
		})
	})
}

// key is where a value is in the store. It is keyed: it tells nothing of the texts
// that it depends on.
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
		return nil // what is not there is trained
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

// flush puts what was saved into the store. Where it cannot be written it is lost,
// and the run does without.
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

// dropTrainings forgets the trainings of all runs but one, 0 for none.
func dropTrainings(tx *store.Tx, but int) error {
	return dropRuns(tx, bucketTrainings, func(run int) bool { return run != but })
}
