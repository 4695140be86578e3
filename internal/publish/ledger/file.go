// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"hide/internal/outfile"
	"hide/internal/store"
)

// lockWait is how long a process waits for another process that has the ledger open.
const lockWait = 30 * time.Second

var (
	entriesBucket = []byte("entries") // seq, 8 bytes big-endian -> entry
	answersBucket = []byte("answers") // request -> stored answer
)

// fileBook is a separate bbolt file. A new ledger has no file before the first write, so
// a refusal leaves no file.
type fileBook struct {
	path string
	db   *bbolt.DB
}

// openBook opens the file, waiting for other processes; create makes it if it does not
// exist.
func openBook(path string, create bool) (*fileBook, error) {
	b := &fileBook{path: path}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !create:
		return nil, fmt.Errorf("there is no ledger %s: %w", path, fs.ErrNotExist)
	case errors.Is(err, fs.ErrNotExist):
		return b, nil
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", path)
	case err == nil && !create && info.Size() == 0:
		return nil, fmt.Errorf("%w: %s is empty", ErrDamaged, path)
	}
	return b, b.open()
}

// open opens or makes the file, and makes its name durable.
func (b *fileBook) open() error {
	err := guard(func() (err error) {
		b.db, err = bbolt.Open(b.path, 0o600, &bbolt.Options{Timeout: lockWait, NoStatistics: true})
		return err
	})
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return fmt.Errorf("%s is open in another process: wait until it has ended", b.path)
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch), errors.Is(err, ErrDamaged):
		return fmt.Errorf("%w: %s is not a ledger or was cut: %w", ErrDamaged, b.path, err)
	case err != nil:
		return fmt.Errorf("open the ledger: %w", err)
	}
	return outfile.SyncFolder(filepath.Dir(b.path))
}

// guard turns a panic of bbolt about a damaged file into an error.
func guard(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, r)
		}
	}()
	return fn()
}

func (b *fileBook) Load() ([][]byte, error) {
	var out [][]byte
	if b.db == nil {
		return nil, nil
	}
	err := guard(func() error {
		return b.db.View(func(tx *bbolt.Tx) error {
			bucket := tx.Bucket(entriesBucket)
			if bucket == nil {
				return nil
			}
			return bucket.ForEach(func(_, v []byte) error {
				out = append(out, slices.Clone(v))
				return nil
			})
		})
	})
	return out, err
}

func (b *fileBook) Append(seq uint64, entry []byte, key string, answer []byte, _ Note) error {
	if b.db == nil {
		if err := b.open(); err != nil {
			return err
		}
	}
	return guard(func() error {
		return b.db.Update(func(tx *bbolt.Tx) error {
			entries, err := tx.CreateBucketIfNotExists(entriesBucket)
			if err != nil {
				return err
			}
			at := binary.BigEndian.AppendUint64(nil, seq)
			if entries.Get(at) != nil {
				return errThere(seq)
			}
			if err := entries.Put(at, entry); err != nil || key == "" {
				return err
			}
			answers, err := tx.CreateBucketIfNotExists(answersBucket)
			if err != nil {
				return err
			}
			return answers.Put([]byte(key), answer)
		})
	})
}

func (b *fileBook) Answer(key string) ([]byte, error) {
	var out []byte
	err := guard(func() error {
		return b.db.View(func(tx *bbolt.Tx) error {
			if bucket := tx.Bucket(answersBucket); bucket != nil {
				out = slices.Clone(bucket.Get([]byte(key)))
			}
			return nil
		})
	})
	return out, err
}

// errThere says that the ledger has changed since this process read it.
func errThere(seq uint64) error {
	return fmt.Errorf("entry %d already exists: another process started the ledger meanwhile; try again", seq)
}

// Restored is false: a file cannot know that it is a copy.
func (b *fileBook) Restored() (bool, error) { return false, nil }

func (b *fileBook) Close() error {
	if b.db == nil {
		return nil
	}
	return b.db.Close()
}

// Book is a database of entries and answers. It does not interpret them.
type Book interface {
	// Load gives all entries, in order.
	Load() ([][]byte, error)
	// Append adds entry number seq, and stores the answer to a request if key is not "".
	// If it returns nil, both are on disk; otherwise neither is. note is for an audit
	// trail.
	Append(seq uint64, entry []byte, key string, answer []byte, note Note) error
	// Answer returns the bytes stored under the key.
	Answer(key string) ([]byte, error)
	// Restored reports whether the database is a restored backup or a copy, which may
	// lack later debits of the original.
	Restored() (bool, error)
	// Close closes the database.
	Close() error
}

// Note describes an entry for the audit trail of a database that has one.
type Note struct {
	Actor, Action, Object, Detail string
}

// The buckets of the store's system space. A data folder has one ledger for all projects,
// which outlives them.
const (
	storeEntries = "budget"
	storeAnswers = "budget-answers"
)

// storeBook keeps the ledger in an encrypted data folder, each entry with its audit row.
type storeBook struct{ st *store.Store }

// InStore opens the ledger of a data folder. It fails with ErrNotBegun or ErrUnused if there
// is none and o.Create is not set.
func InStore(st *store.Store, o Options) (*Ledger, error) {
	if !o.Look {
		sweepHead(storeHead(st, o))
	}
	l, err := open(storeBook{st}, storeHead(st, o), o)
	if errors.Is(err, ErrNotBegun) {
		if restored, unknown := st.Restored(); !restored && unknown == nil {
			err = ErrUnused
		}
	}
	return l, err
}

// storeHead is next to the folder, not in it, so that backups do not contain it.
func storeHead(st *store.Store, o Options) string {
	return cmp.Or(o.Head, st.Dir()+".budget")
}

// RecoverInStore is [RecoverFile] for the ledger of a data folder.
func RecoverInStore(st *store.Store, o Options) ([]Charge, error) {
	return recoverBook(storeBook{st}, storeHead(st, o), o)
}

func (b storeBook) Load() ([][]byte, error) {
	var out [][]byte
	err := b.st.View(store.System, func(tx *store.Tx) error {
		return tx.Scan(storeEntries, nil, func(_, v []byte) error {
			out = append(out, v)
			return nil
		})
	})
	return out, err
}

func (b storeBook) Append(seq uint64, entry []byte, key string, answer []byte, n Note) error {
	return b.st.Update(store.System, func(tx *store.Tx) error {
		if _, err := tx.Get(storeEntries, store.Key(seq)); !errors.Is(err, store.ErrNotFound) {
			return errors.Join(errThere(seq), err)
		}
		if err := tx.Put(storeEntries, store.Key(seq), entry); err != nil {
			return err
		}
		if key != "" {
			if err := tx.Put(storeAnswers, []byte(key), answer); err != nil {
				return err
			}
		}
		return tx.Audit(store.Event{Actor: n.Actor, Action: n.Action, Object: n.Object, Detail: n.Detail})
	})
}

func (b storeBook) Answer(key string) ([]byte, error) {
	var out []byte
	err := b.st.View(store.System, func(tx *store.Tx) (err error) {
		out, err = tx.Get(storeAnswers, []byte(key))
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return out, err
}

// Restored is the store's own answer.
func (b storeBook) Restored() (bool, error) { return b.st.Restored() }

// Close does nothing: the store does not belong to the ledger.
func (b storeBook) Close() error { return nil }
