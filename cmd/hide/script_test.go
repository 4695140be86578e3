// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/corpus"
	"hide/internal/crf"
	"hide/internal/outfile"
	"hide/internal/publish"
	"hide/internal/publish/publishtest"
	"hide/internal/store"
)

// TestMain lets the scripts in testdata run hide itself, and commands that make
// what they need to start from.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"hide":        main,
		"makebundle":  func() { made(makeBundle(os.Args[1], os.Args[2])) },
		"makerelease": func() { made(makeRelease(os.Args[1], os.Args[2], os.Args[3], os.Args[4])) },
		"makesqlite":  func() { made(makeSQLite(os.Args[1])) },
		"makedata":    func() { made(makeData(os.Args[1])) },
		"liar":        func() { made(lieAboutK(os.Args[1], os.Args[2])) },
	})
}

// makeSQLite makes a database with a table of notes.
func makeSQLite(path string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	_, err = db.Exec(`CREATE TABLE note (id TEXT, body TEXT, mrn TEXT, ward TEXT);
		INSERT INTO note VALUES ('q1', 'Rose walks.', '4711', '3'), ('q2', 'Rose sits.', '4711', '4')`)
	return errors.Join(err, db.Close())
}

func made(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestScripts runs testdata/*.txtar: each command's success, refusal and help.
// They start more than a thousand programs. With the race detector each waits a second before
// it exits, for races of goroutines that it leaves behind; and half of the time of a short one
// is the collection of the dictionaries that it begins with.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", "atexit_sleep_ms=20")
			e.Setenv("GOGC", "1000")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs a command and expects this exit code: exits 2 hide frobnicate
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	err = ts.Exec(args[1], args[2:]...)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// makeBundle trains a small bundle on an annotated file.
func makeBundle(in, out string) error {
	notes, _, err := corpus.Notes(context.Background(), in)
	if err != nil {
		return err
	}
	docs := make([]annotate.View, len(notes))
	for i, n := range notes {
		docs[i] = new(annotate.NewNote(n)).View()
	}
	b, err := publishtest.Bundle(docs, crf.Options{MaxIterations: 20})
	if err != nil {
		return err
	}
	_, err = outfile.Write(out, b.Encode)
	return err
}

// makeRelease publishes an annotated file, people's spans included, into a
// folder, and writes the mapping beside it.
func makeRelease(in, bundle, dir, mapping string) error {
	notes, _, err := corpus.Notes(context.Background(), in)
	if err != nil {
		return err
	}
	b, err := readBundle(bundle)
	if err != nil {
		return err
	}
	docs := func(yield func(publish.Input, error) bool) {
		for i, n := range notes {
			if !yield(publish.Input{Document: annotate.DocumentID(i + 1), Name: n.Name, Text: n.Text, Spans: n.Spans}, nil) {
				return
			}
		}
	}
	meta := publish.Meta{Tool: "test", Created: time.Now(), Name: "release-1", Project: "p1"}
	w, err := publish.WriteRelease(context.Background(), dir, docs, b, meta, nil)
	if err != nil {
		return err
	}
	return os.WriteFile(mapping, w.Mapping, 0o600)
}

// makeData makes a data folder with one admin in it.
func makeData(dir string) error {
	s, err := store.Open(store.Options{Dir: dir, Create: true})
	if err != nil {
		return err
	}
	people, err := account.New(s, account.Options{})
	if err == nil {
		_, _, err = people.Create(account.Operator(), "Ada", account.Admin)
	}
	return errors.Join(err, s.Close())
}
