// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/term"

	"hide/internal/account"
	"hide/internal/control"
	"hide/internal/recovery"
	"hide/internal/store"
)

// newLink makes a link for a person of a data folder that may be open in a server.
func (d *dataFlags) newLink(ctx context.Context, name string) (l recovery.Link, err error) {
	err = d.withPeople(func(people *account.Service) error {
		l, err = recovery.Invite(people, name)
		return err
	})
	if _, locked := errors.AsType[*store.LockedError](err); !locked {
		return l, err
	}
	l, asked := recovery.InviteBeside(ctx, d.dir, name)
	if errors.Is(asked, control.ErrNoServer) {
		return l, err
	}
	return l, asked
}

// answerBeside answers commands beside a server until ctx ends. Without it the server
// still serves, so that a failure is a warning.
func (e *env) answerBeside(ctx context.Context, running *sync.WaitGroup, data *folder, dir string) {
	server, err := control.Listen(dir, recovery.Handlers(data.accounts))
	if err != nil {
		report(e.stderr, fmt.Errorf("hide user link will not work while this server runs: %w", err))
		return
	}
	running.Go(func() {
		if err := server.Serve(ctx); err != nil {
			report(e.stderr, fmt.Errorf("answer commands beside the server: %w", err))
		}
	})
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

const addAdmin = "stop hide and run hide user add NAME --role admin"

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
