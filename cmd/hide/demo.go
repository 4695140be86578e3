// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"hide/internal/account"
	"hide/internal/demo"
	"hide/internal/project"
	"hide/web"
	"hide/web/site"
)

// A demo holds no real notes: its link and its sessions last for a working day.
const (
	demoLinkLife = 12 * time.Hour
	demoIdleFor  = 8 * time.Hour
)

const demoBroker = "Demo broker"

// runningDemo is a demo and the terminal that it was started in.
type runningDemo struct {
	*env
	data   *folder
	dir    string // of the data
	origin string
	admin  account.User
	kept   bool // the data are kept at the end
	made   *demo.Demo
}

func runDemo(ctx context.Context, e *env, args []string) (err error) {
	var l listenFlags
	f := e.flags()
	l.add(f, "127.0.0.1:0")
	dir := f.String("data", "", "`folder` for the demo's data, which is kept (default: a temporary folder, removed at the end)")
	noOpen := f.Bool("no-open", false, "do not open a browser")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	listener, origin, err := l.open(e)
	if err != nil {
		return err
	}
	door := web.Open(listener, e.serverLog())
	defer door.Close()
	d := &runningDemo{env: e, dir: *dir, origin: origin, kept: *dir != ""}
	remove, err := d.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.data.close(), remove()) }()
	link, err := d.prepare(ctx)
	if err != nil {
		return err
	}
	if err := sayOn(e.stdout, link); err != nil {
		return err
	}
	fmt.Fprintln(e.stderr, "hide: the demo is running; open the link above, and stop it with Ctrl-C")
	fmt.Fprintln(e.stderr, "hide: for a new sign-in link, "+d.newLinkHint())
	if !*noOpen {
		openBrowser(link)
	}
	ctx, stop := context.WithCancel(ctx)
	var background sync.WaitGroup
	defer background.Wait()
	defer stop()
	background.Go(func() {
		if err := d.made.MakeExample(ctx); err != nil {
			report(d.stderr, err)
		}
	})
	background.Go(func() { d.printLinks(ctx, linkSignal(), func(string) (string, error) { return d.link() }) })
	e.answerBeside(ctx, &background, d.data, d.dir)
	return e.serve(ctx, d.data, door, origin, site.Config{Guide: d.made, NewLink: "For a new sign-in link, " + d.newLinkHint() + "."})
}

// open opens the demo's data folder and returns how to remove it.
func (d *runningDemo) open() (remove func() error, err error) {
	remove = func() error { return nil }
	if d.dir == "" {
		temp, err := os.MkdirTemp("", "hide-demo-")
		if err != nil {
			return nil, err
		}
		d.dir, remove = filepath.Join(temp, "data"), func() error { return os.RemoveAll(temp) }
	}
	flags := &dataFlags{dir: d.dir, people: account.Options{Now: d.now, IdleFor: demoIdleFor}}
	if d.data, err = flags.open(true); err != nil {
		return nil, errors.Join(err, remove())
	}
	return remove, nil
}

// prepare makes the demo's people and project if they do not exist, and a sign-in link.
func (d *runningDemo) prepare(ctx context.Context) (string, error) {
	var err error
	if d.admin, err = d.data.demoAdmin(); err != nil {
		return "", err
	}
	others, err := d.data.accounts.All()
	if err != nil {
		return "", err
	}
	others = slices.DeleteFunc(others, func(u account.User) bool { return u.Disabled || !slices.Contains(project.MemberRoles(), u.Role) })
	d.made = demo.New(d.data.projects, d.admin, others, d.kept)
	if err := d.made.Prepare(ctx); err != nil {
		return "", fmt.Errorf("prepare the demo project: %w", err)
	}
	return d.link()
}

// link is a new sign-in link.
func (d *runningDemo) link() (string, error) {
	token, err := d.data.accounts.SignInLink(d.admin.ID, demoLinkLife)
	if err != nil {
		return "", err
	}
	return signInURL(d.origin, token), nil
}

// newLinkHint says how to get a new sign-in link while the demo runs: at a key press, and
// without a terminal by a signal.
func (d *runningDemo) newLinkHint() string {
	command := linkCommand()
	if command == "" || d.atTerminal() {
		return "press Enter in the terminal where hide demo runs"
	}
	return "run " + command + " on this computer: the demo prints the link where it printed the first one"
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
