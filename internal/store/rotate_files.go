// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"hide/internal/outfile"

	"go.etcd.io/bbolt"
)

// keyFiles are files beside the key file that wait for their names.
type keyFiles struct {
	New string `json:"new,omitempty"` // name of the new key file; "" for a passphrase
	Old string `json:"old,omitempty"` // name that the old key file is to get; "" for a passphrase
	Was []byte `json:"was"`           // description of the old root key
}

func (s *Store) besideKey(name string) string {
	return filepath.Join(filepath.Dir(s.opts.KeyFile), filepath.Base(name))
}

// nameForOld is a name that no older key has: the clock may have been set back.
func (s *Store) nameForOld() string {
	for now := s.opts.Now().UTC(); ; now = now.Add(time.Second) {
		name := filepath.Base(s.opts.KeyFile) + ".old-" + now.Format("20060102-150405")
		if !isThere(s.besideKey(name)) {
			return name
		}
	}
}

// moveKeyFiles gives the files of the old and the new root key their names. It does nothing
// if that was done, or if the key files are those of another folder.
func (s *Store) moveKeyFiles() error {
	s.write.Lock()
	defer s.write.Unlock()
	var files *keyFiles
	if err := s.read(func(btx *bbolt.Tx) (err error) {
		files, err = getKeyFiles(btx)
		return err
	}); err != nil || files == nil || s.opts.drill != "" {
		return err
	}
	if err := s.moveOld(files); err != nil {
		return plain(err)
	}
	if files.New != "" && isThere(s.besideKey(files.New)) {
		if err := os.Rename(s.besideKey(files.New), s.opts.KeyFile); err != nil {
			return plain(err)
		}
	}
	if err := outfile.SyncFolder(filepath.Dir(s.opts.KeyFile)); err != nil {
		return plain(err)
	}
	return s.access(true, new(bool), func(btx *bbolt.Tx) error { return btx.Bucket(metaBucket).Delete(keyFilesKey) })
}

// moveOld keeps the old key under another name, if it is the old key that is in its place.
func (s *Store) moveOld(files *keyFiles) error {
	was, err := decodeRoot(files.Was)
	if err != nil {
		return err
	}
	key, err := readKeyFile(s.opts.KeyFile)
	switch {
	case files.Old == "" || errors.Is(err, fs.ErrNotExist):
		return nil // there is no old key file to keep
	case err != nil: // what cannot be read may be the old key: it is kept
		return os.Rename(s.opts.KeyFile, s.besideKey(files.Old))
	}
	keys := deriveRoot(key)
	if _, err := keys.check.open(was.place(), was.Check); err != nil {
		return nil //nolint:nilerr // the new key is in its place already
	}
	if files.New == "" {
		return os.Rename(s.opts.KeyFile, s.besideKey(files.Old))
	}
	text := keyFileHeader + "\n" + base64.StdEncoding.EncodeToString(key) + "\n"
	if err := createFile(s.besideKey(files.Old), []byte(text)); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

func getKeyFiles(btx *bbolt.Tx) (*keyFiles, error) {
	b := btx.Bucket(metaBucket).Get(keyFilesKey)
	if b == nil {
		return nil, nil
	}
	files := new(keyFiles)
	if err := json.Unmarshal(b, files); err != nil {
		return nil, errors.New("the record of key files cannot be read")
	}
	return files, nil
}
