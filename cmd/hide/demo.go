// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/hospital"
	"hide/internal/project"
)

// demoLinkLife is how long the printed link signs in.
const demoLinkLife = 12 * time.Hour

// Size of the demo's hospital: enough for a useful model within a minute.
const (
	demoPatients = 30
	demoSeed     = 2014
	demoDone     = 48 // notes imported with annotations
	demoNotes    = 96
	demoName     = "Demo hospital"
	demoBroker   = "Demo broker"
)

func runDemo(ctx context.Context, e *env, args []string) (err error) {
	var l listenFlags
	f := e.flags()
	l.add(f, "127.0.0.1:0")
	dir := f.String("data", "", "`folder` for the demo's data, which is kept (default: a temporary folder, removed at the end)")
	noOpen := f.Bool("no-open", false, "do not open a browser")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	listener, origin, err := l.listen(e)
	if err != nil {
		return err
	}
	defer listener.Close()
	data, remove, err := e.demoFolder(*dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, data.close(), remove()) }()
	link, err := e.demoLink(ctx, data, origin)
	if err != nil {
		return err
	}
	if err := sayOn(e.stdout, link); err != nil {
		return err
	}
	fmt.Fprintln(e.stderr, "hide: the demo is running; open the link above, and stop it with Ctrl-C")
	if !*noOpen {
		openBrowser(link)
	}
	return e.serve(ctx, data, listener, origin, false)
}

// demoFolder opens the demo's data folder and returns how to remove it.
func (e *env) demoFolder(dir string) (*folder, func() error, error) {
	remove := func() error { return nil }
	if dir == "" {
		temp, err := os.MkdirTemp("", "hide-demo-")
		if err != nil {
			return nil, nil, err
		}
		dir, remove = filepath.Join(temp, "data"), func() error { return os.RemoveAll(temp) }
	}
	data, err := (&dataFlags{dir: dir}).open(true)
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	return data, remove, nil
}

// demoLink makes the demo's people and project if they do not exist, and a sign-in link.
func (e *env) demoLink(ctx context.Context, data *folder, origin string) (string, error) {
	admin, err := data.demoAdmin()
	if err != nil {
		return "", err
	}
	if err := data.demoProject(ctx, admin); err != nil {
		return "", fmt.Errorf("prepare the demo project: %w", err)
	}
	token, err := data.accounts.SignInLink(admin.ID, demoLinkLife)
	if err != nil {
		return "", err
	}
	return signInURL(origin, token), nil
}

// demoAdmin is the demo's broker, made on first use together with the other people. A
// folder with real accounts is refused.
func (f *folder) demoAdmin() (account.User, error) {
	admin, err := f.accounts.Find(demoBroker)
	if err == nil || !errors.Is(err, account.ErrNotFound) {
		return admin, err
	}
	empty, err := f.accounts.Empty()
	if err != nil {
		return account.User{}, err
	}
	if !empty {
		return account.User{}, withHint(errors.New("this data folder already has accounts"), "serve it with hide serve, or give the demo a folder of its own")
	}
	for _, u := range []account.User{{Name: demoBroker, Role: account.Admin}, {Name: "Demo annotator", Role: account.Annotator}, {Name: "Demo reviewer", Role: account.Reviewer}} {
		if _, _, err := f.accounts.Create(account.Operator(), u.Name, u.Role); err != nil {
			return account.User{}, err
		}
	}
	return f.accounts.Find(demoBroker)
}

// demoProject fills a project with the generated hospital, half of it annotated, unless
// it exists already.
func (f *folder) demoProject(ctx context.Context, by account.User) error {
	all, err := f.projects.Projects(ctx, by)
	if err != nil || len(all) > 0 {
		return err
	}
	p, err := f.projects.Create(ctx, by, demoName, nil)
	if err != nil {
		return err
	}
	done, open, err := demoFiles()
	if err != nil {
		return err
	}
	if _, err := f.projects.Import(ctx, by, p.ID, open, project.ImportOptions{}); err != nil {
		return err
	}
	_, err = f.projects.Import(ctx, by, p.ID, done, project.ImportOptions{Finished: true, Random: true})
	return err
}

// demoFiles are the annotated and the unannotated notes, as files to import.
func demoFiles() (done, open []format.File, err error) {
	var annotated, bare []annotate.Annotated
	for note := range hospital.Generate(hospital.Options{Patients: demoPatients, Seed: demoSeed, Institution: "a"}) {
		switch {
		case len(annotated) < demoDone:
			annotated = append(annotated, note)
		case len(annotated)+len(bare) < demoNotes:
			note.Spans = nil
			bare = append(bare, note)
		}
	}
	done, err = demoFile("annotated.jsonl", annotated)
	if err != nil {
		return nil, nil, err
	}
	open, err = demoFile("notes.jsonl", bare)
	return done, open, err
}

func demoFile(name string, docs []annotate.Annotated) ([]format.File, error) {
	var b bytes.Buffer
	err := format.WriteJSONL(&b, func(yield func(annotate.Annotated, error) bool) {
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	})
	return []format.File{{Name: name, Size: int64(b.Len()), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b.Bytes())), nil
	}}}, err
}

// openBrowser asks the desktop to open the link. If that fails, the printed link remains.
func openBrowser(link string) {
	opener := map[string]string{"linux": "xdg-open", "darwin": "open"}[runtime.GOOS]
	path, err := exec.LookPath(opener)
	if err != nil {
		return
	}
	cmd := exec.Command(path, link)
	if cmd.Start() == nil {
		go cmd.Wait() // nolint:errcheck // the result of the desktop's opener does not matter
	}
}
