// SPDX-License-Identifier: Apache-2.0

// Package advice says what to do when a data folder cannot be opened, restored or saved.
//
//	st, err := store.Open(options)
//	if err != nil {
//		return advice.Add(err, options.Dir, passphraseFile)
//	}
//
// The text of the error stays the same: package hint has the next step.
package advice

import (
	"errors"
	"io/fs"
	"syscall"

	"hide/internal/hint"
	"hide/internal/store"
)

// Add adds the next step to an error about the data folder dir. passphraseFile is the file
// that --passphrase-file names, "" for none. An error that has a next step keeps it; one that
// nothing is known about stays as it is.
func Add(err error, dir, passphraseFile string) error {
	if err == nil || hint.Of(err) != "" {
		return err
	}
	if next := step(err, store.Exists(dir), passphraseFile); next != "" {
		return hint.Add(err, next)
	}
	return err
}

func step(err error, there bool, passphraseFile string) string {
	if next := ofPassphrase(err, passphraseFile); next != "" {
		return next
	}
	foreign, isForeign := errors.AsType[*store.OwnerError](err)
	switch {
	case isForeign:
		return "run the same as that user: runuser -u " + foreign.Owner + " -- hide ..."
	case errors.Is(err, store.ErrWrongKey):
		return "name the right key with --key FILE"
	case errors.Is(err, fs.ErrPermission):
		return "run this as the user of the server, such as runuser -u hide -- hide ...; if it is that user, hide doctor names the files with a wrong owner"
	case errors.Is(err, syscall.ENOSPC):
		return "make space on the disk that is named, and try again; the data are as they were"
	case errors.Is(err, fs.ErrNotExist) && there:
		return "the data folder exists but its key was not found: name it with --key FILE"
	case errors.Is(err, fs.ErrNotExist):
		return "name the data folder with --data FOLDER, or create one with hide serve"
	}
	return ""
}

// ofPassphrase is about data that a passphrase encrypts.
func ofPassphrase(err error, file string) string {
	path, isPath := errors.AsType[*fs.PathError](err)
	switch {
	case file == "":
		return ""
	case errors.Is(err, store.ErrNoPassphrase):
		return "write the passphrase into the first line of " + file
	case errors.Is(err, store.ErrWrongKey):
		return "wrong passphrase: check the first line of the file of --passphrase-file"
	case isPath && path.Path == file && errors.Is(err, fs.ErrNotExist):
		return "make the file of --passphrase-file with the passphrase in its first line; it must belong to the user of the server, with mode 0600"
	case isPath && path.Path == file && errors.Is(err, fs.ErrPermission):
		return "let the file of --passphrase-file belong to the user of the server, with mode 0600"
	}
	return ""
}
