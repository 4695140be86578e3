// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"fmt"
)

var (
	// ErrNotFound is returned when there is no such key or no such space.
	ErrNotFound = errors.New("not found")

	// ErrWrongKey is returned by Open and Restore when the key file or the
	// passphrase is not the one that the data was sealed with.
	ErrWrongKey = errors.New("the key does not fit this data")

	// ErrExists is returned when a space that should be made is there already.
	ErrExists = errors.New("exists already")

	// ErrUnaudited is returned by Update when something was changed without an
	// audit row. Nothing is kept.
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

// Unwrap gives the cause.
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

// SchemaError says that the data was written by another version of hide.
type SchemaError struct {
	Path         string
	Found, Known int // schema numbers: of the file, and the newest that this program knows
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("%s has schema %d, this program knows up to %d: use a newer hide", e.Path, e.Found, e.Known)
}
