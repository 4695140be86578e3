// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"hide/internal/outfile"

	"go.etcd.io/bbolt"
)

// The data key of each space but "system" is wrapped twice: by a secret of the space, and
// then by the root key. The secret is a small file beside the root key, so it is in no
// backup. Once every copy of it is destroyed, nobody can decrypt the space any more,
// neither in the data file nor in a backup, even with the root key.

const (
	secretHeader = "hide project secret 1"
	secretIDSize = 16
)

// secretID names a secret. Data folders that share a key file share the folder of
// secrets, so the name of the space alone would not do.
type secretID [secretIDSize]byte

func (id secretID) file(space string) string { return space + "-" + hex.EncodeToString(id[:]) }

// secretFile is where the secret of a space is kept.
func (o Options) secretFile(space string, id secretID) string {
	if o.drill != "" {
		if path := filepath.Join(o.drill, id.file(space)); isThere(path) {
			return path
		}
	}
	return filepath.Join(o.Secrets, id.file(space))
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func secretPlace(space string, id secretID) []byte { return bind("secret", space, string(id[:])) }

// MissingSecretError says that a space cannot be decrypted, because its secret is not
// beside the root key.
type MissingSecretError struct {
	Space string
	File  string // where the secret should be
	Err   error  // what is wrong with the file
}

func (e *MissingSecretError) Error() string {
	return fmt.Sprintf("%s cannot be decrypted without its secret in %s (%v): bring back a copy with `hide project-secret import`; if it was destroyed, nobody can read this project again",
		e.Space, e.File, e.Err)
}

// Unwrap returns the cause.
func (e *MissingSecretError) Unwrap() error { return e.Err }

var errNoSecret = errors.New("the file is missing")

// wrapKey encrypts a data key with the space's secret and then with the root key.
func wrapKey(keys *rootKeys, space string, id secretID, secret, dataKey []byte) []byte {
	own := sealKey(derive(secret, "space"))
	return keys.wrap.seal(spacePlace(space), slices.Concat(id[:], own.seal(secretPlace(space, id), dataKey)))
}

// unwrapOuter removes the root key's encryption. Data keys without a secret are
// a ring; id then has no meaning.
func unwrapOuter(keys *rootKeys, space string, sealed []byte) (id secretID, inner []byte, err error) {
	inner, err = keys.wrap.open(spacePlace(space), sealed)
	if err != nil || isRing(len(inner)) {
		return id, inner, err
	}
	if !isRing(len(inner) - secretIDSize - sealOverhead) {
		return id, nil, errSeal
	}
	return secretID(inner), inner[secretIDSize:], nil
}

func unwrapInner(space string, id secretID, secret, inner []byte) ([]byte, error) {
	own := sealKey(derive(secret, "space"))
	return own.open(secretPlace(space, id), inner)
}

// unwrap decrypts a data key. A missing secret is a [*MissingSecretError].
func (s *Store) unwrap(space string, sealed []byte) ([]byte, error) {
	id, inner, err := unwrapOuter(s.keys, space, sealed)
	if err != nil || isRing(len(inner)) {
		return inner, err
	}
	path := s.opts.secretFile(space, id)
	secret, err := readSecret(path)
	if err == nil {
		if inner, err = unwrapInner(space, id, secret, inner); err == nil {
			return inner, nil
		}
	}
	return nil, &MissingSecretError{Space: space, File: path, Err: err}
}

// newSecret writes the file of a new secret, before any key is wrapped with it. If the
// transaction fails or is killed afterwards, the file belongs to nothing and harms nobody.
func newSecret(opts Options, space string) (id secretID, secret []byte, err error) {
	id, secret = secretID(random(secretIDSize)), random(keySize)
	return id, secret, writeSecret(opts, space, id, secret)
}

func writeSecret(opts Options, space string, id secretID, secret []byte) error {
	dir := cmp.Or(opts.drill, opts.Secrets)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("folder of the project secrets: %w", plain(err))
	}
	err := createFile(filepath.Join(dir, id.file(space)), []byte(secretHeader+"\n"+base64.StdEncoding.EncodeToString(secret)+"\n"))
	if err == nil {
		err = outfile.SyncFolder(filepath.Dir(dir))
	}
	if err != nil {
		return fmt.Errorf("write the project secret: %w", plain(err))
	}
	return nil
}

func readSecret(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errNoSecret
	case err != nil:
		return nil, err
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("others can read the file: run chmod 600 %s", path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseSecret(strings.TrimSuffix(string(b), "\n"))
}

func parseSecret(text string) ([]byte, error) {
	head, rest, _ := strings.Cut(text, "\n")
	secret, ok := decodeSecret(rest)
	if head != secretHeader || !ok {
		return nil, errors.New("the file does not hold a secret")
	}
	return secret, nil
}

func decodeSecret(text string) (secret []byte, ok bool) {
	secret, err := base64.StdEncoding.Strict().DecodeString(text)
	return secret, err == nil && len(secret) == keySize
}

// addSecrets is the migration to schema 2: it gives every space a secret. The old wrapped
// keys are overwritten in the file afterwards.
func addSecrets(s *Store, btx *bbolt.Tx, st *state) error {
	names := map[string][]byte{}
	for c, k, v := first(btx.Bucket(spacesBucket)); k != nil; k, v = c.Next() {
		names[string(k)] = bytes.Clone(v)
	}
	for _, space := range slices.Sorted(maps.Keys(names)) {
		_, dataKey, err := unwrapOuter(s.keys, space, names[space])
		if err != nil {
			return s.damaged("key of space "+space, err)
		}
		if space == System || !isRing(len(dataKey)) {
			continue
		}
		id, secret, err := newSecret(s.opts, space)
		if err != nil {
			return err
		}
		if err := st.replace(btx, s.keys, spacesBucket, []byte(space), wrapKey(s.keys, space, id, secret, dataKey)); err != nil {
			return err
		}
	}
	return btx.Bucket(metaBucket).Put(wipeKey, []byte{1})
}

// Sealed lists the spaces that cannot be decrypted because their secrets are missing,
// sorted by name.
func (s *Store) Sealed() []*MissingSecretError {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.SortedFunc(maps.Values(s.sealed), func(a, b *MissingSecretError) int { return cmp.Compare(a.Space, b.Space) })
}

// SealedSpaces lists their names.
func (s *Store) SealedSpaces() (names []string) {
	for _, missing := range s.Sealed() {
		names = append(names, missing.Space)
	}
	return names
}

// shred is a meta entry: the files of secrets to destroy, one per line. It is written in
// the transaction that destroys a space, so a crash afterwards keeps no secret alive.

// noteShred records in the transaction that the secret of a space is to be destroyed.
func (s *Store) noteShred(btx *bbolt.Tx, space string) error {
	id, inner, err := unwrapOuter(s.keys, space, btx.Bucket(spacesBucket).Get([]byte(space)))
	if err != nil || isRing(len(inner)) {
		return err
	}
	b := btx.Bucket(metaBucket)
	return b.Put(shredKey, slices.Concat(b.Get(shredKey), []byte(id.file(space)+"\n")))
}

// SecretLeftError says that the data of a destroyed space are deleted, but its secret cannot
// be destroyed.
type SecretLeftError struct {
	File string
	Err  error
}

func (e *SecretLeftError) Error() string {
	return fmt.Sprintf("the data of a destroyed project are deleted, but its secret %s cannot be destroyed (%v): delete the file by hand", e.File, e.Err)
}

// Unwrap returns the cause.
func (e *SecretLeftError) Unwrap() error { return e.Err }

// SecretsLeft lists the secrets of destroyed spaces that could not be destroyed. The next
// destruction and the next opening try again.
func (s *Store) SecretsLeft() []*SecretLeftError {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.secretsLeft)
}

// resumeShred destroys the recorded secrets. Those that cannot be destroyed stay on record:
// [Store.SecretsLeft] lists them.
func (s *Store) resumeShred() error {
	if s.opts.drill != "" {
		return nil // the secrets belong to another folder
	}
	s.write.Lock()
	defer s.write.Unlock()
	var files []string
	err := s.read(func(btx *bbolt.Tx) error {
		files = strings.Fields(string(btx.Bucket(metaBucket).Get(shredKey)))
		return nil
	})
	if err != nil || len(files) == 0 {
		return err
	}
	var left []*SecretLeftError
	var record []byte
	for _, name := range files {
		path := filepath.Join(s.opts.Secrets, filepath.Base(name))
		if err := destroyFile(path); err != nil {
			left = append(left, &SecretLeftError{path, plain(err)})
			record = append(record, name+"\n"...)
		}
	}
	s.mu.Lock()
	s.secretsLeft = left
	s.mu.Unlock()
	if len(left) == len(files) {
		return nil
	}
	return s.access(true, new(bool), func(btx *bbolt.Tx) error {
		if len(record) == 0 {
			return btx.Bucket(metaBucket).Delete(shredKey)
		}
		return btx.Bucket(metaBucket).Put(shredKey, record)
	})
}

// destroyFile overwrites a file and removes it. On file systems that do not overwrite in
// place, and on flash memory, old blocks may survive: the operator guide says so.
func destroyFile(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		_, err = f.WriteAt(random(int(info.Size())), 0)
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return errors.Join(os.Remove(path), outfile.SyncFolder(filepath.Dir(path)))
}
