// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/term"

	"hide/internal/account"
	"hide/internal/caller"
	"hide/internal/control"
	"hide/internal/project"
	"hide/internal/recovery"
)

// besideError says that a server has the data folder open, which then runs the command.
type besideError struct{ server *control.Conn }

func (*besideError) Error() string { return "a server has the data folder open" }

// besideServer returns a *besideError if a server has the command's data folder open. In the
// server it refuses commands that do not use one.
func (e *env) besideServer(f *flag.FlagSet) error {
	if e.shared != nil && e.data == nil {
		return misuse("%s does not run in a server", e.command.name)
	}
	if e.shared != nil || e.data == nil || e.data.replaced(f) {
		return nil
	}
	server, err := control.Dial(e.data.dir)
	switch {
	case err == nil:
		return &besideError{server}
	case errors.Is(err, control.ErrNoServer), errors.Is(err, fs.ErrPermission): // opening the folder then says more
		return nil
	}
	return err
}

// replaced reports whether a flag was given in whose place the data folder would be used.
func (d *dataFlags) replaced(f *flag.FlagSet) bool {
	return slices.ContainsFunc(d.instead, func(name string) bool { return given(f)[name] })
}

// runBeside lets a server run the command, and returns its exit code.
func (e *env) runBeside(ctx context.Context, server *control.Conn, args []string) (int, error) {
	answers, end := caller.Answers(ctx, args)
	exit, err := server.Run(ctx, control.Request{
		Args: args, Terminal: e.terminal, Stdin: e.stdin, Stdout: e.stdout, Stderr: e.stderr,
	}, answers)
	if errors.Is(err, control.ErrGone) {
		err = withHint(err, "start it and look at what the command has finished, then run it again")
	}
	return exit, errors.Join(err, end())
}

// answerBeside runs commands beside a server until ctx ends. Without it the server
// still serves, so that a failure is a warning.
func (e *env) answerBeside(ctx context.Context, running *sync.WaitGroup, data *folder, dir string) {
	server, err := control.Listen(dir, func(ctx context.Context, c *control.Call) int { return e.answerCall(ctx, data, c) })
	if err != nil {
		report(e.stderr, fmt.Errorf("no command will work on the data while this server runs: %w", err))
		return
	}
	running.Go(func() {
		if err := server.Serve(ctx); err != nil {
			report(e.stderr, fmt.Errorf("run commands beside the server: %w", err))
		}
	})
}

// answerCall runs one command on the open folder. A panic ends the command and not the
// server; its value could hold text of a note.
func (e *env) answerCall(ctx context.Context, data *folder, c *control.Call) (exit int) {
	inner := &env{
		stdin: c.Stdin, stdout: c.Stdout, stderr: c.Stderr, terminal: c.Terminal, now: e.now,
		shared: data, theirs: caller.In(c),
	}
	defer func() {
		if recover() != nil {
			report(c.Stderr, errors.New("the command met an unexpected problem and ended; the server goes on"))
			exit = exitFailed
		}
	}()
	return run(withOperator(ctx, c.User), c.Args, inner)
}

// files are the files that the command's arguments name.
func (e *env) files() caller.Files {
	if e.theirs != nil {
		return e.theirs
	}
	return caller.Here{}
}

// cancelJob cancels a job of the server if the command that waits for it was cancelled where
// it was typed, and gives it some time to end. Without a server, closing the folder ends the
// job.
func cancelJob(ctx context.Context, id project.ID, cancel func(context.Context, account.User, project.ID) error, running func(context.Context) bool) {
	if !errors.Is(context.Cause(ctx), control.ErrCancelled) {
		return
	}
	ctx = context.WithoutCancel(ctx)
	_ = cancel(ctx, operator(ctx), id) // it may have ended meanwhile
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(jobsEndWithin); running(ctx) && time.Now().Before(end); {
		<-tick.C
	}
}

// atTerminal reports whether somebody can type.
func (e *env) atTerminal() bool {
	in, isFile := e.stdin.(*os.File)
	return isFile && term.IsTerminal(int(in.Fd()))
}

// printLinks prints what link returns for each line of standard input and, with an empty
// line, for each signal; "" prints nothing.
func (e *env) printLinks(ctx context.Context, signals <-chan os.Signal, link func(line string) (string, error)) {
	recovery.Listen(ctx, e.stdin, signals, func(line string) bool {
		text, err := link(line)
		if err != nil {
			report(e.stderr, err)
		}
		return text == "" || sayOn(e.stdout, text) == nil
	})
}

const addAdmin = "run hide user add NAME --role admin"

// linkForLine is what the terminal of a server prints for a line.
func (f *folder) linkForLine(origin, line string) (string, error) {
	token, err := recovery.AtTerminal(f.accounts, line)
	switch {
	case errors.Is(err, recovery.ErrManyAdmins):
		return "", withHint(err, "type l, a space, the name of one and Enter")
	case errors.Is(err, recovery.ErrNoAdmin):
		return "", withHint(err, addAdmin)
	case err != nil:
		return "", fmt.Errorf("make a link: %w", err)
	case token == "":
		return "", nil
	}
	return signInURL(origin, token), nil
}

// The acting person of a command is in its context.
type operatorKey struct{}

func withOperator(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, operatorKey{}, name)
}

// operator is the acting person when a command works on a data folder: who can read its
// key, or reach the socket of its server, may do everything. Audit rows name the account of
// the system.
func operator(ctx context.Context) account.User {
	name, _ := ctx.Value(operatorKey{}).(string)
	name = cmp.Or(name, userName(), "somebody")
	return account.User{ID: "shell:" + name, Name: name + " (command line)", Role: account.Admin}
}
