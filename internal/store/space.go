// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.etcd.io/bbolt"
)

const maxSpaceName = 64

func checkSpaceName(name string) error {
	if name == "" || len(name) > maxSpaceName {
		return fmt.Errorf("the name of a space must have 1 to %d bytes", maxSpaceName)
	}
	return nil
}

func spacePlace(name string) []byte { return bind("space", name) }

// addSystem wraps the data key of the system space, which has no secret.
func addSystem(btx *bbolt.Tx, keys *rootKeys, st *state, dataKey []byte) error {
	return st.replace(btx, keys, spacesBucket, []byte(System), keys.wrap.seal(spacePlace(System), dataKey))
}

// loadSpaces unwraps all data keys. Spaces without their secret stay sealed.
func (s *Store) loadSpaces() error {
	return s.read(func(btx *bbolt.Tx) error {
		b := btx.Bucket(spacesBucket)
		if b == nil {
			return s.damaged("", errors.New("its spaces are missing"))
		}
		for c, k, v := first(b); k != nil; k, v = c.Next() {
			dataKey, err := s.unwrap(string(k), v)
			if missing, ok := errors.AsType[*MissingSecretError](err); ok {
				s.sealed[string(k)] = missing
				continue
			}
			if err != nil {
				return s.damaged("key of space "+fmt.Sprintf("%q", k), err)
			}
			if s.spaces[string(k)], err = ringKeys(dataKey); err != nil {
				return s.damaged("key of space "+fmt.Sprintf("%q", k), err)
			}
		}
		return nil
	})
}

func (s *Store) space(name string) (*spaceKeys, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.broken != nil {
		return nil, s.broken
	}
	keys, ok := s.spaces[name]
	if missing := s.sealed[name]; missing != nil {
		return nil, missing
	}
	if !ok {
		return nil, fmt.Errorf("space %s: %w", name, ErrNotFound)
	}
	return keys, nil
}

// known reports whether there is a space, sealed or not.
func (s *Store) known(name string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.spaces[name] != nil || s.sealed[name] != nil
}

// Spaces lists the names of all spaces that can be decrypted, sorted.
func (s *Store) Spaces() ([]string, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Sorted(maps.Keys(s.spaces)), nil
}

// CreateSpace makes an empty space with a new random data key and a new secret, and
// audits ev in it. It fails with ErrExists if the name (1 to 64 bytes) is taken.
func (s *Store) CreateSpace(name string, ev Event) error {
	if err := checkSpaceName(name); err != nil {
		return err
	}
	if s.known(name) { // before a secret is written for nothing
		return fmt.Errorf("space %s: %w", name, ErrExists)
	}
	dataKey := random(keySize)
	id, secret, err := newSecret(s.opts, name)
	if err != nil {
		return err
	}
	tried := false // to commit: the space may then be on disk, also after an error
	err = s.change(func(btx *bbolt.Tx, st *state) error {
		if btx.Bucket(spacesBucket).Get([]byte(name)) != nil {
			return fmt.Errorf("space %s: %w", name, ErrExists)
		}
		if err := st.replace(btx, s.keys, spacesBucket, []byte(name), wrapKey(s.keys, name, id, secret, dataKey)); err != nil {
			return err
		}
		err := appendAudit(btx, s.keys, st, name, ev, s.opts.Now())
		tried = err == nil
		return err
	})
	if err != nil && !tried {
		err = errors.Join(err, destroyFile(s.opts.secretFile(name, id)))
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spaces[name] = deriveSpace(dataKey)
	return nil
}

// DestroySpace deletes the space's key and content, audits ev, destroys the space's
// secret, and overwrites the freed pages of the file. Audit rows stay. After that, the
// space's data in older backups can be decrypted only with a copy of the secret; backups
// of schema 1 need no secret. "system" cannot be destroyed. If it is killed after the
// transaction, the next opening does the rest. A secret that cannot be destroyed is a
// [*SecretLeftError].
func (s *Store) DestroySpace(name string, ev Event) error {
	if name == System {
		return errors.New("the system space cannot be destroyed")
	}
	err := s.change(func(btx *bbolt.Tx, st *state) error {
		if btx.Bucket(spacesBucket).Get([]byte(name)) == nil {
			return fmt.Errorf("space %s: %w", name, ErrNotFound)
		}
		if err := s.noteShred(btx, name); err != nil {
			return err
		}
		if err := s.dropSpace(btx, st, name); err != nil {
			return err
		}
		if err := btx.Bucket(metaBucket).Put(wipeKey, []byte{1}); err != nil {
			return err
		}
		return appendAudit(btx, s.keys, st, name, ev, s.opts.Now())
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.spaces, name)
	delete(s.sealed, name)
	s.mu.Unlock()
	err = errors.Join(s.resumeShred(), s.resumeWipe())
	for _, left := range s.SecretsLeft() {
		err = errors.Join(err, left)
	}
	return err
}

func (s *Store) dropSpace(btx *bbolt.Tx, st *state, name string) error {
	if err := st.replace(btx, s.keys, spacesBucket, []byte(name), nil); err != nil {
		return err
	}
	for _, bucket := range spaceBuckets(btx, name) {
		if err := btx.DeleteBucket(bucket); err != nil {
			return err
		}
		if err := st.replace(btx, s.keys, ledgerBucket, bucket, nil); err != nil {
			return err
		}
	}
	return nil
}

// spaceBuckets returns the names of a space's data buckets in the file.
func spaceBuckets(btx *bbolt.Tx, space string) [][]byte {
	var names [][]byte
	prefix := dataBucket(space, "")
	c := btx.Cursor()
	for k, _ := c.Seek(prefix); k != nil; k, _ = c.Next() {
		if got, _, ok := splitBucket(k); !ok || got != space {
			break
		}
		names = append(names, slices.Clone(k))
	}
	return names
}
