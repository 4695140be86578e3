// SPDX-License-Identifier: Apache-2.0

// Package projecttest opens the services of projects over a temporary store, for
// tests.
package projecttest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/disk"
	"hide/internal/project"
	"hide/internal/project/services"
	"hide/internal/store"
)

var (
	Broker    = account.User{ID: "u-broker", Name: "Bea", Role: account.Broker}
	Annotator = account.User{ID: "u-annotator", Name: "Ann", Role: account.Annotator}
	Second    = account.User{ID: "u-second", Name: "Sam", Role: account.Annotator}
	Reviewer  = account.User{ID: "u-reviewer", Name: "Rob", Role: account.Reviewer}
)

// Bench is a service over a fresh store that can be closed and opened again.
type Bench struct {
	*services.All
	T      *testing.T
	Folder string
	now    func() time.Time // nil means time.Now

	Disk       *disk.Guard // see [project.Options]; the next opening uses them
	WorkMemory int64
	Copies     project.Copies
}

func New(t *testing.T) *Bench { return NewAt(t, nil) }

// NewAt is New with a clock.
func NewAt(t *testing.T, now func() time.Time) *Bench {
	t.Helper()
	b := &Bench{T: t, Folder: filepath.Join(t.TempDir(), "data"), now: now}
	b.Open()
	t.Cleanup(b.Shut)
	return b
}

// ReopenAt closes it and opens it with another clock.
func (b *Bench) ReopenAt(now func() time.Time) {
	b.T.Helper()
	b.now = now
	b.Reopen()
}

// Copy opens a bench over a copy of the data of a closed one. Tests that begin alike
// share one preparation so.
func (b *Bench) Copy(t *testing.T) *Bench {
	t.Helper()
	dir := t.TempDir()
	c := &Bench{T: t, Folder: filepath.Join(dir, "data"), now: b.now}
	if err := CopyData(dir, filepath.Dir(b.Folder)); err != nil {
		t.Fatal(err)
	}
	c.Open()
	t.Cleanup(c.Shut)
	return c
}

// CopyData copies a closed data folder and the key beside it, which only its owner may read.
func CopyData(to, from string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			err = os.Chmod(path, 0o600)
		}
		return err
	})
}

func (b *Bench) Open() {
	b.T.Helper()
	st, err := store.Open(store.Options{Dir: b.Folder, Create: true, Now: b.now})
	if err != nil {
		b.T.Fatal(err)
	}
	if b.All, err = services.New(st, project.Options{Releases: filepath.Join(b.Folder, "releases"), Version: "test", NewRule: &project.Rule{}, Now: b.now, Disk: b.Disk, WorkMemory: b.WorkMemory, Copies: b.Copies}); err != nil {
		b.T.Fatal(err)
	}
}

func (b *Bench) Shut() {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := errors.Join(b.Close(ctx), b.Store().Close()); err != nil {
		b.T.Error(err)
	}
}

func (b *Bench) Reopen() {
	b.T.Helper()
	b.Shut()
	b.Open()
}

// NewProject makes a project with the people of this package as members, and imports the documents into it.
func (b *Bench) NewProject(docs []annotate.Annotated, finished bool) project.ID {
	b.T.Helper()
	p, err := b.Create(b.T.Context(), Broker, "Ward 7", nil)
	if err != nil {
		b.T.Fatal(err)
	}
	if len(docs) > 0 {
		b.MustImport(p.ID, docs, finished)
	}
	return p.ID
}

// Create makes a project whose members are all people of this package. All.Create makes one
// whose only member is the person who makes it.
func (b *Bench) Create(ctx context.Context, by account.User, name string, labels annotate.LabelSet) (project.Project, error) {
	p, err := b.All.Create(ctx, by, name, labels)
	for _, u := range []account.User{Broker, Annotator, Second, Reviewer} {
		if err == nil && u != by {
			_, err = b.SetMember(ctx, by, p.ID, u.ID, u.Role)
		}
	}
	return p, err
}

// finished makes a project of finished notes without training a model, for tests of other
// parts.
func (b *Bench) FinishedProject(docs []annotate.Annotated) project.ID {
	b.T.Helper()
	id := b.NewProject(docs, true)
	if err := b.CancelTraining(b.T.Context(), Annotator, id); err != nil {
		b.T.Fatal(err)
	}
	return id
}

func (b *Bench) MustImport(id project.ID, docs []annotate.Annotated, finished bool) {
	b.T.Helper()
	if _, err := b.Import(b.T.Context(), Broker, id, JSONL(docs), project.ImportOptions{Finished: finished}); err != nil {
		b.T.Fatal(err)
	}
}

func (b *Bench) MustNote(by account.User, id project.ID, doc annotate.DocumentID) *project.Note {
	b.T.Helper()
	n, err := b.Note(b.T.Context(), by, id, doc)
	if err != nil {
		b.T.Fatal(err)
	}
	return n
}

func (b *Bench) MustEdit(by account.User, id project.ID, doc annotate.DocumentID, revision int, e annotate.Edit) *project.Note {
	b.T.Helper()
	n, err := b.Edit(b.T.Context(), by, id, doc, revision, e)
	if err != nil {
		b.T.Fatal(err)
	}
	return n
}

// Wait polls until done returns true or the test's time is almost over. The race detector
// makes polling slow, so most of the time is left for the work.
func (b *Bench) Wait(what string, done func() bool) {
	b.T.Helper()
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); {
		looked := time.Now()
		if done() {
			return
		}
		time.Sleep(max(20*time.Millisecond, 5*time.Since(looked)))
	}
	b.T.Fatalf("waited too long for %s", what)
}

func WantKind(t *testing.T, err error, want project.Kind) {
	t.Helper()
	if got := project.KindOf(err); got != want {
		t.Errorf("error %v has kind %q, want %q", err, got, want)
	}
}

func (b *Bench) Finish(by account.User, id project.ID, doc annotate.DocumentID) {
	b.T.Helper()
	n := b.MustNote(by, id, doc)
	b.MustEdit(by, id, doc, n.Layer.Revision, annotate.Edit{Verb: annotate.VerbFinish})
}

// Set changes one setting.
func (b *Bench) Set(id project.ID, change func(*project.Settings)) {
	b.T.Helper()
	s, err := b.Settings(b.T.Context(), Broker, id)
	if err != nil {
		b.T.Fatal(err)
	}
	change(&s)
	if err := b.SetSettings(b.T.Context(), Broker, id, s); err != nil {
		b.T.Fatal(err)
	}
}
