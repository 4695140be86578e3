// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// bbolt does not overwrite the pages that it frees, so a destroyed space's
// wrapped key would stay in the file. resumeWipe overwrites all pages that are not
// in use, when a destroyed space has left word that this is to be done. While
// somebody reads it leaves that to the next time.
func (s *Store) resumeWipe() error {
	s.write.Lock()
	defer s.write.Unlock()
	wanted := false
	if err := s.read(func(btx *bbolt.Tx) error {
		wanted = btx.Bucket(metaBucket).Get(wipeKey) != nil
		return nil
	}); err != nil || !wanted {
		return err
	}
	if !s.readers.TryLock() {
		return nil
	}
	defer s.readers.Unlock()
	return s.wipe()
}

// wipe runs alone: no writer, no reader. Two commits first, so that neither of
// the two meta pages leads to what was destroyed.
func (s *Store) wipe() error {
	if err := s.commits(2); err != nil {
		return err
	}
	used, size, err := s.usedPages()
	if err != nil {
		return s.damaged("", err)
	}
	zero := make([]byte, size)
	for page, inUse := range used {
		if inUse {
			continue
		}
		if _, err := s.file.WriteAt(zero, int64(page)*size); err != nil {
			return fmt.Errorf("overwrite freed pages: %w", plain(err))
		}
	}
	if err := s.file.Sync(); err != nil {
		return fmt.Errorf("overwrite freed pages: %w", plain(err))
	}
	return s.access(true, new(bool), func(btx *bbolt.Tx) error { return btx.Bucket(metaBucket).Delete(wipeKey) })
}

func (s *Store) commits(n int) error {
	for range n {
		if err := s.access(true, new(bool), func(*bbolt.Tx) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// usedPages says for each page of the file whether either meta page reaches it.
func (s *Store) usedPages() (used []bool, pageSize int64, err error) {
	info, err := s.file.Stat()
	if err != nil {
		return nil, 0, err
	}
	metas, err := readMetas(s.file)
	if err != nil {
		return nil, 0, err
	}
	if len(metas) != 2 {
		return nil, 0, errors.New("one of its first pages is not valid")
	}
	for _, m := range metas {
		seen, err := checkPages(s.file, info.Size(), m, false)
		if err != nil {
			return nil, 0, err
		}
		for page, inUse := range seen {
			if page >= len(used) {
				used = append(used, inUse)
			}
			used[page] = used[page] || inUse
		}
	}
	return used, metas[0].pageSize, nil
}
