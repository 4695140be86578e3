// SPDX-License-Identifier: Apache-2.0

//go:build unix

package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"hide/internal/osuser"
)

// effectiveUser is the number of the user of this process, for tests.
var effectiveUser = os.Geteuid

// checkOwner refuses root where the data folder belongs to another user: the audit head, keys
// and secrets that root writes could not be read by the server, which then does not start.
// Of a folder that is not there yet the nearest folder above counts.
func checkOwner(dir string) error {
	if effectiveUser() != 0 {
		return nil
	}
	at, err := filepath.Abs(dir)
	for err == nil {
		var info fs.FileInfo
		if info, err = os.Stat(at); err == nil {
			return ownedByRoot(dir, info)
		}
		if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return nil // what opens the folder says more
		}
		at, err = filepath.Dir(at), nil
	}
	return nil
}

func ownedByRoot(dir string, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || st.Uid == 0 {
		return nil
	}
	return &OwnerError{Dir: dir, Owner: osuser.Name(int(st.Uid))}
}
