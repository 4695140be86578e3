// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"

	"go.etcd.io/bbolt"
)

// Why a store is not ready. The words name no file and no space: anybody may read them.
var (
	errNotReadyDamaged  = errors.New("the data are damaged: the log of the server says where")
	errNotReadyReadOnly = errors.New("the data folder cannot be written: the log of the server says why")
)

// Ready returns nil while the store can be read and written and no damage was noticed. It
// reads no value.
func (s *Store) Ready(context.Context) error {
	err := s.usable()
	switch {
	case errors.Is(err, ErrClosed):
		return ErrClosed
	case s.hurt.Load():
		return errNotReadyDamaged
	case err != nil:
		return errNotReadyReadOnly
	}
	return nil
}

// Size is the size of the data file in bytes, free pages included.
func (s *Store) Size() (int64, error) {
	info, err := s.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Audited is the number of rows of the audit chain.
func (s *Store) Audited() (rows uint64, err error) {
	err = s.read(func(btx *bbolt.Tx) error {
		st, err := getState(btx, s.keys)
		if err != nil {
			return s.damaged("", err)
		}
		rows = st.head.seq
		return nil
	})
	return rows, err
}
