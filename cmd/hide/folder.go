// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"os/user"
	"path/filepath"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/services"
	"hide/internal/store"
)

// operator is who acts when a command works on a data folder: the person who
// can read its key may do everything. Audit rows name the account of the system.
func operator() account.User {
	name := "somebody"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return account.User{ID: "shell:" + name, Name: name + " (command line)", Role: account.Admin}
}

// folder is an open data folder with the services over it.
type folder struct {
	store    *store.Store
	accounts *account.Service
	projects *services.All
}

// open opens a data folder with all services; create makes an empty one when
// there is none.
func (d *dataFlags) open(create bool) (*folder, error) {
	options := d.options()
	if create {
		options = d.newOptions()
	}
	st, err := store.Open(options)
	if err != nil {
		return nil, d.explain(err)
	}
	f, err := newFolder(st, d.dir)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return f, nil
}

func newFolder(st *store.Store, dir string) (*folder, error) {
	accounts, err := account.New(st, account.Options{})
	if err != nil {
		return nil, err
	}
	personName := func(id string) string {
		if u, err := accounts.User(id); err == nil {
			return u.Name
		}
		return id // an account that is gone, or the command line
	}
	projects, err := services.New(st, project.Options{
		Releases: filepath.Join(dir, "releases"), PersonName: personName, Version: toolVersion(),
	})
	if err != nil {
		return nil, err
	}
	return &folder{st, accounts, projects}, nil
}

// jobsEndWithin is how long jobs may take to end when a command does.
const jobsEndWithin = 10 * time.Second

func (f *folder) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), jobsEndWithin)
	defer cancel()
	return errors.Join(f.projects.Close(ctx), f.store.Close())
}

// withFolder opens the data folder for the time of fn.
func (d *dataFlags) withFolder(create bool, fn func(*folder) error) error {
	f, err := d.open(create)
	if err != nil {
		return err
	}
	return errors.Join(fn(f), f.close())
}
