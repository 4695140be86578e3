// SPDX-License-Identifier: Apache-2.0

//go:build unix && !solaris && !aix

package store

import (
	"os"
	"syscall"
	"time"

	berrors "go.etcd.io/bbolt/errors"
)

// lock takes the lock that bbolt takes on the same file a moment later, so that
// the file's pages can be checked in between.
func lock(f *os.File, wait time.Duration) error {
	for deadline := time.Now().Add(wait); ; time.Sleep(20 * time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EWOULDBLOCK {
			return err
		}
		if time.Now().After(deadline) {
			return berrors.ErrTimeout
		}
	}
}
