// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"go.etcd.io/bbolt"
)

// System is the space that always exists.
const System = "system"

// Store is an open store. It is safe for concurrent use: any number of View at
// once, one Update at a time.
type Store struct {
	opts Options
	path string
	file *os.File // the file that bbolt uses
	db   *bbolt.DB
	root *root     // changed by a rotation only, without writer and reader
	keys *rootKeys // the same

	write sync.Mutex // one Update at a time, including its write of the head file; guards head
	head  *headFile

	mu     sync.RWMutex // guards what follows
	spaces map[string]*spaceKeys
	sealed map[string]*MissingSecretError // spaces without their secret
	broken error                          // why the store cannot be used any more

	hurt atomic.Bool // damage was noticed; see Ready

	secretsLeft []*SecretLeftError // see SecretsLeft

	came chainHead // the end of the audit trail in the backup, during a restore

	readers sync.RWMutex // read-locked by each View, so that wiping can wait until there is none
}

// Key is n as eight bytes, big-endian: keys sort like their numbers.
func Key(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// Number is the number at the start of a key made by [Key], which may have a suffix.
func Number(key []byte) uint64 { return binary.BigEndian.Uint64(key) }

// View reads a snapshot of one space. It fails with ErrNotFound if there is no such
// space. Errors of fn are returned unchanged.
func (s *Store) View(space string, fn func(*Tx) error) error {
	var foreign bool
	return s.readFor(&foreign, func(btx *bbolt.Tx) error {
		keys, err := s.space(space) // in the transaction: a rotation changes keys while there is none
		if err != nil {
			return err
		}
		tx := s.newTx(btx, space, keys)
		return tx.run(&foreign, fn)
	})
}

// Record audits in the system space an access that changes nothing in the store.
func (s *Store) Record(ev Event) error {
	return s.Update(System, func(tx *Tx) error { return tx.Audit(ev) })
}

// Update changes one space. If it returns nil, everything that fn did is on disk;
// otherwise nothing is. It fails with ErrUnaudited if fn changed something and wrote no
// audit row, and with ErrNotFound if there is no such space. Errors of fn are returned
// unchanged.
func (s *Store) Update(space string, fn func(*Tx) error) error {
	var foreign bool
	return s.changeFor(&foreign, func(btx *bbolt.Tx, st *state) error {
		keys, err := s.space(space)
		if err != nil {
			return err
		}
		tx := s.newTx(btx, space, keys)
		tx.state = st
		if err := tx.run(&foreign, fn); err != nil {
			return err
		}
		return tx.flush()
	})
}

// change runs one transaction, stores the new state with it, and writes the head of the
// audit chain outside the file.
func (s *Store) change(fn func(*bbolt.Tx, *state) error) error {
	return s.changeFor(new(bool), fn)
}

func (s *Store) changeFor(foreign *bool, fn func(*bbolt.Tx, *state) error) error {
	s.write.Lock()
	defer s.write.Unlock()
	return s.changeLocked(foreign, fn)
}

// changeLocked is changeFor for who holds the lock of writers.
func (s *Store) changeLocked(foreign *bool, fn func(*bbolt.Tx, *state) error) error {
	var st *state
	before := uint64(0)
	err := s.access(true, foreign, func(btx *bbolt.Tx) error {
		var err error
		if st, err = getState(btx, s.keys); err != nil {
			return s.damaged("", err)
		}
		before = st.head.seq
		if err := fn(btx, st); err != nil {
			return err
		}
		if st.head.seq == before && !st.quiet {
			return errNothing
		}
		return putState(btx, s.keys, st)
	})
	if errors.Is(err, errNothing) {
		return nil
	}
	if err != nil {
		return plain(err)
	}
	if err := s.head.write(st.head); err != nil {
		// The change is on disk, so this call succeeds, but no further change is
		// allowed.
		s.fail(fmt.Errorf("the audit head %s cannot be written: %w", s.opts.head(), plain(err)))
	}
	return nil
}

var errNothing = errors.New("nothing was changed")

func (s *Store) read(fn func(*bbolt.Tx) error) error { return s.readFor(new(bool), fn) }

func (s *Store) readFor(foreign *bool, fn func(*bbolt.Tx) error) error {
	s.readers.RLock()
	defer s.readers.RUnlock()
	return s.access(false, foreign, fn)
}

// access runs a bbolt transaction. A panic or memory fault becomes a [*DamageError]; a
// panic of the caller's own code, while *foreign is set, continues. If bbolt panics at
// the start of a transaction, or in a writable one, it never releases its locks, so the
// store becomes unusable.
func (s *Store) access(writable bool, foreign *bool, fn func(*bbolt.Tx) error) (err error) {
	if err := s.usable(); err != nil {
		return err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	begun := false
	defer func() {
		if *foreign {
			return
		}
		if r := recover(); r != nil {
			err = s.damaged("", fmt.Errorf("%v", r))
			if writable || !begun {
				s.fail(err)
			}
		}
	}()
	run := s.db.View
	if writable {
		run = s.db.Update
	}
	return run(func(btx *bbolt.Tx) error {
		begun = true
		return fn(btx)
	})
}

func (s *Store) usable() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.broken
}

func (s *Store) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken == nil {
		s.broken = err
	}
}

// damaged names the data file and, if given, the place in it.
func (s *Store) damaged(place string, err error) error {
	s.hurt.Store(true)
	if _, ok := errors.AsType[*DamageError](err); ok {
		return err
	}
	if place != "" {
		place = ", " + place
	}
	return &DamageError{Place: s.path + place, Err: err}
}

// Close waits for running transactions and closes the store. Closing twice is not
// an error.
func (s *Store) Close() error {
	wipeErr := s.resumeWipe() // also fails if the store is unusable or closed
	s.write.Lock()
	defer s.write.Unlock()
	err := s.usable()
	if errors.Is(err, ErrClosed) {
		return nil
	}
	s.mu.Lock()
	s.broken = ErrClosed
	s.mu.Unlock()
	if err != nil { // bbolt may never release its locks: leave it, but close the file
		return errors.Join(s.head.close(), s.file.Close())
	}
	os.Remove(pidPath(s.opts.Dir))
	return errors.Join(wipeErr, s.head.close(), s.db.Close())
}

// abandon releases a store that could not be started.
func (s *Store) abandon() error {
	err := s.usable()
	s.fail(ErrClosed)
	if s.head != nil {
		s.head.close()
	}
	if err != nil {
		return s.file.Close()
	}
	return s.db.Close()
}

var (
	// ErrNotFound is returned if there is no such key or no such space.
	ErrNotFound = errors.New("not found")

	// ErrWrongKey is returned by Open and Restore if the data were encrypted with
	// another key file or passphrase.
	ErrWrongKey = errors.New("the key does not fit this data")

	// ErrNoPassphrase is returned for an empty passphrase.
	ErrNoPassphrase = errors.New("the passphrase is empty")

	// ErrExists is returned if the space to create exists already.
	ErrExists = errors.New("exists already")

	// ErrUnaudited is returned by Update if something was changed without an audit row.
	// Nothing is saved.
	ErrUnaudited = errors.New("change without an audit row")

	// ErrClosed is returned after Close.
	ErrClosed = errors.New("the store is closed")
)

// DamageError says that stored bytes are not what was written.
type DamageError struct {
	Place string // the file, and where in it
	Err   error  // what is wrong
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("%s is damaged: %v; move the data folder away and bring back a backup with `hide restore`", e.Place, e.Err)
}

// Unwrap returns the cause.
func (e *DamageError) Unwrap() error { return e.Err }

// LockedError says that another process has the data open.
type LockedError struct {
	Path   string // the data file
	Holder int    // process id, 0 when unknown
}

func (e *LockedError) Error() string {
	if e.Holder == 0 {
		return fmt.Sprintf("%s is open in another process: stop it first", e.Path)
	}
	return fmt.Sprintf("%s is open in process %d: stop it first", e.Path, e.Holder)
}

// OwnerError says that root tried to open data of another user. What root writes beside them
// could not be read by the server of that user.
type OwnerError struct {
	Dir   string // the data folder
	Owner string // name or number of the user
}

func (e *OwnerError) Error() string {
	return fmt.Sprintf("the data folder %s belongs to %s, and this is root: hide would leave files of root beside it, and the server of %s could not start", e.Dir, e.Owner, e.Owner)
}

// SchemaError says that the data was written by another version of hide.
type SchemaError struct {
	Path         string
	Found, Known int // schema numbers: of the file, and the newest known to this program
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("%s has schema %d, this program knows up to %d, and nothing was changed: a newer hide has written it, so install that version again", e.Path, e.Found, e.Known)
}
