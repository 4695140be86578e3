// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"golang.org/x/term"

	"hide/internal/account"
	"hide/internal/doctor/gather"
	"hide/internal/flagfile"
	"hide/internal/project"
	"hide/internal/project/services"
	"hide/internal/store"
	"hide/internal/store/advice"
	"hide/web"
)

// userName is the user of this process, or "".
func userName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}

// folder is an open data folder with its services.
type folder struct {
	store    *store.Store
	accounts *account.Service
	projects *services.All

	// Of the server that has it open.
	origin  string          // for browsers
	door    *web.Door       // its port
	backups gather.Schedule // nil for none
	copies  gather.Copies   // nil for none
}

// open opens a data folder with all services; create makes an empty one if it does not
// exist.
func (d *dataFlags) open(create bool) (*folder, error) {
	options := d.options()
	if create {
		options = d.newOptions()
	}
	st, err := store.Open(options)
	if err != nil {
		return nil, d.explain(err)
	}
	f, err := newFolder(st, d)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return f, nil
}

func newFolder(st *store.Store, d *dataFlags) (*folder, error) {
	accounts, err := account.New(st, d.people)
	if err != nil {
		return nil, err
	}
	personName := func(id string) string {
		if u, err := accounts.User(id); err == nil {
			return u.Name
		}
		return id // a deleted account, or the command line
	}
	o := d.limits
	o.Releases, o.PersonName, o.People, o.Version = filepath.Join(d.dir, store.FilesFolder), personName, accounts, toolVersion()
	projects, err := services.New(st, o)
	if err != nil {
		return nil, err
	}
	return &folder{store: st, accounts: accounts, projects: projects}, nil
}

// jobsEndWithin is how long jobs may take to end after a command.
const jobsEndWithin = 10 * time.Second

func (f *folder) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), jobsEndWithin)
	defer cancel()
	return errors.Join(f.projects.Close(ctx), f.store.Close())
}

// withFolder opens the data folder while fn runs, or uses the one that the server has open.
func (d *dataFlags) withFolder(create bool, fn func(*folder) error) error {
	if d.shared != nil {
		return fn(d.shared)
	}
	f, err := d.open(create)
	if err != nil {
		return err
	}
	return errors.Join(fn(f), f.close())
}

// withProject is withFolder for a project, by its name or id.
func (d *dataFlags) withProject(ctx context.Context, name string, fn func(*folder, project.Overview) error) error {
	return d.withFolder(false, func(f *folder) error {
		p, err := f.projects.Find(ctx, operator(ctx), name)
		if err != nil {
			return err
		}
		return fn(f, p)
	})
}

// dataFlags locate the data folder and its key.
type dataFlags struct {
	dir, key, secrets, passphrase string

	warnings io.Writer // receives what to know before a passphrase is set

	people  account.Options // of the accounts in the folder
	limits  project.Options // of the projects in the folder, as far as a server sets them
	shared  *folder         // that this process, a server, has open; nil in any other process
	instead []string        // flags in whose place the folder is used
}

// dataFlags adds --data, --key, --secrets and --passphrase-file to the flags of a command
// that runs in the server if one has the folder open. With one of the flags named instead,
// the command does not use the folder.
func (e *env) dataFlags(f *flag.FlagSet, instead ...string) *dataFlags {
	d := e.ownDataFlags(f)
	d.shared, d.instead = e.shared, instead
	e.data = d
	return d
}

// ownDataFlags are dataFlags of a command that opens the folder itself.
func (e *env) ownDataFlags(f *flag.FlagSet) *dataFlags {
	d := &dataFlags{warnings: e.stderr}
	f.StringVar(&d.dir, "data", "./hide-data", "data `FOLDER`")
	f.StringVar(&d.key, "key", "", "`FILE` with the root key; \"\" means FOLDER.key, beside the data folder")
	f.StringVar(&d.secrets, "secrets", "", "`FOLDER` with the secrets of the projects; \"\" means the name of the key without .key, with .secrets")
	flagfile.Secret(f, &d.passphrase, "passphrase-file", "`FILE` whose first line is the passphrase, for data encrypted with one")
	return d
}

// options are for an existing store: data encrypted with a passphrase asks for it at the
// terminal if no file is named.
func (d *dataFlags) options() store.Options {
	o := store.Options{Dir: d.dir, KeyFile: d.key, Secrets: d.secrets, Passphrase: askPassphrase}
	if d.passphrase != "" {
		o.Passphrase = d.readPassphrase
	}
	return o
}

// newOptions are for a store that may be new: it is encrypted with a passphrase only if a
// passphrase file is named.
func (d *dataFlags) newOptions() store.Options {
	o := d.options()
	o.Create = true
	switch fresh := !store.Exists(d.dir); {
	case fresh && d.passphrase == "":
		o.Passphrase = nil
	case fresh:
		o.Passphrase = d.newPassphrase
		if d.warnings != nil {
			fmt.Fprintln(d.warnings, noHelp)
		}
	}
	return o
}

// keyFlag is the option that named the key, to be repeated in a command.
func (d *dataFlags) keyFlag() string {
	switch {
	case d.passphrase != "":
		return " --passphrase-file " + d.passphrase
	case d.key != "":
		return " --key " + d.key
	}
	return ""
}

func (d *dataFlags) newPassphrase() ([]byte, error) {
	text, err := d.readPassphrase()
	return text, errors.Join(err, account.CheckPassphrase(text))
}

func (d *dataFlags) readPassphrase() ([]byte, error) {
	text, err := os.ReadFile(d.passphrase)
	return firstLine(text), err
}

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
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

// withStore is withFolder for commands that need the store alone.
func (d *dataFlags) withStore(fn func(*store.Store) error) error {
	if d.shared != nil {
		return fn(d.shared.store)
	}
	s, err := store.Open(d.options())
	if err != nil {
		return d.explain(err)
	}
	return errors.Join(fn(s), s.Close())
}

// withPeople is withFolder for commands about accounts.
func (d *dataFlags) withPeople(fn func(*account.Service) error) error {
	return d.withStore(func(s *store.Store) error {
		people, err := d.peopleOf(s)
		if err != nil {
			return err
		}
		return fn(people)
	})
}

// peopleOf are the accounts of the store that is open.
func (d *dataFlags) peopleOf(s *store.Store) (*account.Service, error) {
	if d.shared != nil {
		return d.shared.accounts, nil
	}
	return account.New(s, account.Options{})
}

// explain adds the next step to an error of opening or restoring a store.
func (d *dataFlags) explain(err error) error { return advice.Add(err, d.dir, d.passphrase) }

// result prints the output of a command: v as one JSON object with --json, otherwise the
// output of text.
func (e *env) result(v any, text func(w io.Writer)) error {
	if !e.json {
		text(e.stdout)
		return nil
	}
	enc := json.NewEncoder(e.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}
