// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/term"

	"hide/internal/account"
	"hide/internal/store"
)

// dataFlags say where the data folder is and what opens it.
type dataFlags struct {
	dir, key, passphrase string
}

// dataFlags adds --data, --key and --passphrase-file to a command's flags.
func (e *env) dataFlags(f *flag.FlagSet) *dataFlags {
	d := &dataFlags{}
	f.StringVar(&d.dir, "data", "./hide-data", "data `FOLDER`")
	f.StringVar(&d.key, "key", "", "`FILE` with the root key; \"\" means FOLDER.key, beside the data folder")
	f.StringVar(&d.passphrase, "passphrase-file", "", "`FILE` whose first line is the passphrase, for data sealed with one")
	return d
}

// options are for a store that exists: data sealed with a passphrase then asks
// for it at the terminal when no file was named.
func (d *dataFlags) options() store.Options {
	o := store.Options{Dir: d.dir, KeyFile: d.key, Passphrase: askPassphrase}
	if d.passphrase != "" {
		o.Passphrase = d.readPassphrase
	}
	return o
}

// newOptions are options for a store that is made when there is none: sealed
// with a passphrase only when a file with one was named.
func (d *dataFlags) newOptions() store.Options {
	o := d.options()
	o.Create = true
	if d.passphrase == "" && !store.Exists(d.dir) {
		o.Passphrase = nil
	}
	return o
}

func (d *dataFlags) readPassphrase() ([]byte, error) {
	text, err := os.ReadFile(d.passphrase)
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), err
}

func askPassphrase() ([]byte, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, withHint(errors.New("no terminal to ask for it"), "name a file with --passphrase-file")
	}
	fmt.Fprint(tty, "Passphrase of the data: ")
	pass, err := term.ReadPassword(int(tty.Fd()))
	fmt.Fprintln(tty)
	return pass, errors.Join(err, tty.Close())
}

// withStore opens an existing data folder for the time of fn.
func (d *dataFlags) withStore(fn func(*store.Store) error) error {
	s, err := store.Open(d.options())
	if err != nil {
		return d.explain(err)
	}
	return errors.Join(fn(s), s.Close())
}

// withPeople is withStore for commands about accounts.
func (d *dataFlags) withPeople(fn func(*account.Service) error) error {
	return d.withStore(func(s *store.Store) error {
		people, err := account.New(s, account.Options{})
		if err != nil {
			return err
		}
		return fn(people)
	})
}

// explain adds what to do next to an error of opening a store.
func (d *dataFlags) explain(err error) error {
	there := store.Exists(d.dir)
	switch {
	case errors.Is(err, store.ErrWrongKey) && d.passphrase != "":
		return withHint(err, "wrong passphrase: check the first line of the file of --passphrase-file")
	case errors.Is(err, store.ErrWrongKey):
		return withHint(err, "name the right key with --key FILE")
	case errors.Is(err, fs.ErrNotExist) && there:
		return withHint(err, "the data folder exists but its key was not found: name it with --key FILE")
	case errors.Is(err, fs.ErrNotExist):
		return withHint(err, "name the data folder with --data FOLDER, or create one with hide serve")
	}
	return err
}
