// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"hide/internal/hint"

	"go.etcd.io/bbolt"
)

// Rotating the root key is one short transaction, the switch: it wraps every data key anew
// and writes the state under the new root key. Audit rows are encrypted anew in portions
// afterwards. Until then the file holds the old key of audit rows, encrypted with the new
// root key.
//
// The new key file is written before the switch under a name that the switch records.
// After it, the old file gets the name KEY.old-DATE, and the new one its place. A process
// that is killed between the two leaves this to the next opening.

var (
	oldRootKey  = []byte("old-root")  // meta: oldRoot, encrypted
	keyFilesKey = []byte("key-files") // meta: keyFiles, as JSON
)

// oldRoot is what is still needed of the root key before.
type oldRoot struct {
	Audit []byte `json:"audit"` // key of audit rows
	Head  []byte `json:"head"`  // key of the head file
	Last  uint64 `json:"last"`  // the last row that may be encrypted with it
	Done  uint64 `json:"done"`  // up to here rows are encrypted with the new key
}

// NewRoot says what the new root key is.
type NewRoot struct {
	// Passphrase is called for a new passphrase. nil means a key file.
	Passphrase func() ([]byte, error)
}

// RootRotated says where the keys are after a rotation of the root key.
type RootRotated struct {
	KeyFile string // of the new key; "" for a passphrase
	OldFile string // the old key: backups made before need it; "" for a passphrase
}

// RotateRoot replaces the root key and audits ev. Backups made before still need the old
// one. It waits for a moment without readers. If ctx ends after the switch, the rotation is
// continued by [Store.FinishRotation] or after the next opening.
func (s *Store) RotateRoot(ctx context.Context, to NewRoot, ev Event, progress func(done, total int)) (RootRotated, error) {
	if err := s.finishRoot(ctx, nil); err != nil {
		return RootRotated{}, err
	}
	next, keys, files, err := s.newRootKey(to)
	if err != nil {
		return RootRotated{}, fmt.Errorf("make the new root key: %w", err)
	}
	tried := false // to commit: from then on only the new key may open the data
	err = s.alone(ctx, func() (err error) {
		tried, err = s.switchRoot(next, keys, files, ev)
		return err
	})
	switch {
	case err != nil && tried:
		return RootRotated{}, hint.Add(fmt.Errorf("it is not certain whether the new key is in use: %w", err),
			"start the server again: it finds the key file that opens the data. Remove no key file, and forget no passphrase, before it runs")
	case err != nil && files.New != "":
		return RootRotated{}, errors.Join(err, destroyFile(s.besideKey(files.New)))
	case err != nil:
		return RootRotated{}, err
	}
	done := RootRotated{}
	if files.New != "" {
		done.KeyFile = s.opts.KeyFile
	}
	if files.Old != "" {
		done.OldFile = s.besideKey(files.Old)
	}
	if err := s.moveKeyFiles(); err != nil {
		return done, fmt.Errorf("the root key is rotated, but its files are not in place; the next start tries again: %w", err)
	}
	return done, s.finishRoot(ctx, progress)
}

// description is that of the root key now.
func (s *Store) description() *root {
	s.readers.RLock()
	defer s.readers.RUnlock()
	return s.root
}

// newRootKey makes the new key, and its file under a name of its own.
func (s *Store) newRootKey(to NewRoot) (*root, *rootKeys, keyFiles, error) {
	now := s.description()
	next := &root{Schema: now.Schema, Source: sourceFile}
	files := keyFiles{Was: now.encode()}
	if now.Source == sourceFile {
		files.Old = s.nameForOld()
	}
	opts := s.opts
	switch {
	case to.Passphrase != nil:
		*next = passphraseRoot(now.Schema)
		opts.Passphrase = to.Passphrase
	case now.Source == sourcePassphrase && isThere(s.opts.KeyFile):
		return nil, nil, files, hint.Add(fmt.Errorf("%s is there, and is not the key of these data", s.opts.KeyFile),
			"move it away first: it may open other data")
	default:
		files.New = fmt.Sprintf("%s.next-%x", filepath.Base(s.opts.KeyFile), random(8))
		opts.KeyFile = s.besideKey(files.New)
		if err := createKeyFile(opts.KeyFile); err != nil {
			return nil, nil, files, err
		}
	}
	key, err := next.key(opts)
	if err != nil {
		return nil, nil, files, err
	}
	keys := deriveRoot(key)
	next.Check = keys.check.seal(next.place(), nil)
	return next, keys, files, nil
}

var errRotating = errors.New("another replacement of the root key is under way: wait until it has ended")

// switchRoot runs alone. tried says that a commit was tried: even after an error the new key
// may then be the one that opens the file.
func (s *Store) switchRoot(next *root, keys *rootKeys, files keyFiles, ev Event) (tried bool, err error) {
	var head chainHead
	err = s.access(true, new(bool), func(btx *bbolt.Tx) error {
		st, err := getState(btx, s.keys)
		if err != nil {
			return s.damaged("", err)
		}
		// The file has room for one older key of audit rows, and the old key file gets its name
		// by the description in files.
		if old, err := getOld(btx, s.keys); err != nil || old != nil || !bytes.Equal(files.Was, s.root.encode()) {
			return errors.Join(err, errRotating)
		}
		if found, err := totals(btx, s.keys); err != nil || found != st.ledger {
			return s.damaged("", errors.Join(err, errMissing))
		}
		if err := s.wrapAll(btx, keys); err != nil {
			return err
		}
		if st.ledger, err = totals(btx, keys); err != nil {
			return err
		}
		if err := noteOld(btx, keys, &oldRoot{Audit: s.keys.audit[:], Head: s.keys.head[:], Last: st.head.seq}); err != nil {
			return err
		}
		names, err := json.Marshal(files)
		if err != nil {
			return err
		}
		meta := btx.Bucket(metaBucket)
		if err := errors.Join(meta.Put(keyFilesKey, names), meta.Put(rootKey, next.encode()), meta.Put(wipeKey, []byte{1})); err != nil {
			return err
		}
		if err := appendAudit(btx, keys, st, System, ev, s.opts.Now()); err != nil {
			return err
		}
		head = st.head
		tried = true
		return putState(btx, keys, st)
	})
	if err != nil {
		return tried, plain(err)
	}
	audit, old := s.keys.audit, s.keys.head
	keys.oldAudit, keys.oldHead = &audit, &old
	s.keys, s.root = keys, next
	return tried, s.newHeadFile(head)
}

// newHeadFile writes the head of the audit trail under the new key. If it cannot, no further
// change is allowed.
func (s *Store) newHeadFile(head chainHead) error {
	err := writeHeadFile(s.opts.head(), &s.keys.head, head)
	if err == nil {
		s.head.close()
		s.head, err = openHead(s.opts.head(), &s.keys.head)
	}
	if err != nil {
		err = fmt.Errorf("the audit head %s cannot be written: %w", s.opts.head(), plain(err))
		s.fail(err)
	}
	return err
}

// wrapAll wraps the data keys of all spaces with another root key. It needs no secret.
func (s *Store) wrapAll(btx *bbolt.Tx, keys *rootKeys) error {
	b := btx.Bucket(spacesBucket)
	wrapped := map[string][]byte{}
	for c, k, v := first(b); k != nil; k, v = c.Next() {
		inner, err := s.keys.wrap.open(spacePlace(string(k)), v)
		if err != nil {
			return s.damaged(fmt.Sprintf("key of space %q", k), err)
		}
		wrapped[string(k)] = keys.wrap.seal(spacePlace(string(k)), inner)
	}
	for name, v := range wrapped {
		if err := b.Put([]byte(name), v); err != nil {
			return err
		}
	}
	return nil
}

func oldRootPlace() []byte { return bind("old root") }

func noteOld(btx *bbolt.Tx, keys *rootKeys, old *oldRoot) error {
	b, err := json.Marshal(old)
	if err != nil {
		return err
	}
	return btx.Bucket(metaBucket).Put(oldRootKey, keys.state.seal(oldRootPlace(), b))
}

// getOld is nil if no rotation of the root key is being finished.
func getOld(btx *bbolt.Tx, keys *rootKeys) (*oldRoot, error) {
	sealed := btx.Bucket(metaBucket).Get(oldRootKey)
	if sealed == nil {
		return nil, nil
	}
	b, err := keys.state.open(oldRootPlace(), sealed)
	if err != nil {
		return nil, errors.New("the record of the older root key does not open")
	}
	old := new(oldRoot)
	if err := json.Unmarshal(b, old); err != nil || len(old.Audit) != keySize || len(old.Head) != keySize {
		return nil, errors.New("the record of the older root key cannot be read")
	}
	return old, nil
}

// loadOld takes what is still needed of the older root key, at opening.
func (s *Store) loadOld() error {
	return s.read(func(btx *bbolt.Tx) error {
		old, err := getOld(btx, s.keys)
		if err != nil {
			return s.damaged("", err)
		}
		if old != nil {
			audit, head := sealKey(old.Audit), [keySize]byte(old.Head)
			s.keys.oldAudit, s.keys.oldHead = &audit, &head
		}
		return nil
	})
}

// rowsAtOnce is how many audit rows are encrypted anew in one transaction.
const rowsAtOnce = 256

// finishRoot encrypts the audit rows of an older root key anew and forgets the key.
func (s *Store) finishRoot(ctx context.Context, progress func(done, total int)) error {
	for {
		var old *oldRoot
		err := s.portion(ctx, func() error {
			return s.access(true, new(bool), func(btx *bbolt.Tx) (err error) {
				if old, err = getOld(btx, s.keys); err != nil || old == nil || old.Done >= old.Last {
					return err
				}
				return s.sealRows(btx, old)
			})
		})
		if err != nil || old == nil {
			return plain(err)
		}
		if progress != nil {
			progress(int(old.Done), int(old.Last))
		}
		if old.Done >= old.Last {
			return s.forgetRoot(ctx)
		}
	}
}

func (s *Store) sealRows(btx *bbolt.Tx, old *oldRoot) error {
	b := btx.Bucket(auditBucket)
	b.FillPercent = appendFill
	for range rowsAtOnce {
		if old.Done >= old.Last {
			break
		}
		old.Done++
		key := Key(old.Done)
		sealed, err := s.keys.audit.reseal(auditPlace(old.Done), bytes.Clone(b.Get(key)), s.keys.oldAudit)
		if err != nil {
			return s.badRow(old.Done, err)
		}
		if err := b.Put(key, sealed); err != nil {
			return err
		}
	}
	return noteOld(btx, s.keys, old)
}

// forgetRoot ends a rotation of the root key.
func (s *Store) forgetRoot(ctx context.Context) error {
	err := s.alone(ctx, func() error {
		err := s.changeLocked(new(bool), func(btx *bbolt.Tx, st *state) error {
			meta := btx.Bucket(metaBucket)
			if meta.Get(oldRootKey) == nil {
				return nil
			}
			if err := errors.Join(meta.Delete(oldRootKey), meta.Put(wipeKey, []byte{1})); err != nil {
				return err
			}
			ev := Event{Actor: System, Action: "root key rotated", Object: System, Detail: "every audit row is encrypted with the new key"}
			return appendAudit(btx, s.keys, st, System, ev, s.opts.Now())
		})
		if err == nil {
			s.keys.oldAudit, s.keys.oldHead = nil, nil
		}
		return err
	})
	return errors.Join(err, s.resumeWipe())
}
