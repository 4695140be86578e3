// SPDX-License-Identifier: Apache-2.0

// Package recovery makes new one-time links for people who cannot sign in: by a command on
// the data folder, by the same command beside a running server, and at the server's
// terminal. All three audit the link as made by the operator, who has access to the folder.
package recovery

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"hide/internal/account"
	"hide/internal/control"
	"hide/internal/strictjson"
)

// Link is a new one-time link of a person.
type Link struct {
	User  account.User `json:"user"`
	Token string       `json:"token"`
}

// Invite makes a link for the person with this name. It fails with account.ErrNotFound.
func Invite(people *account.Service, name string) (l Link, err error) {
	if l.User, err = people.Find(name); err != nil {
		return l, err
	}
	l.Token, err = people.Invite(account.Operator(), l.User.ID)
	return l, err
}

// The command and a code between a command and a server.
const (
	command  = "user.link"
	codeGone = "not-found"
)

type request struct {
	Name string `json:"name"`
}

// Handlers are for the control socket of a server.
func Handlers(people *account.Service) map[string]control.Handler {
	return map[string]control.Handler{command: func(_ context.Context, input json.RawMessage) (any, error) {
		var r request
		if err := strictjson.Decode(input, &r); err != nil {
			return nil, err
		}
		l, err := Invite(people, r.Name)
		if errors.Is(err, account.ErrNotFound) {
			err = &control.Error{Code: codeGone, Text: err.Error()}
		}
		return l, err
	}}
}

// InviteBeside is Invite by the server that has the data folder open. It fails with
// account.ErrNotFound or control.ErrNoServer.
func InviteBeside(ctx context.Context, dir, name string) (l Link, err error) {
	err = control.Call(ctx, dir, command, request{name}, &l)
	if refused, ok := errors.AsType[*control.Error](err); ok && refused.Code == codeGone {
		err = account.ErrNotFound
	}
	return l, err
}

// ErrManyAdmins is returned by AtTerminal if it is not clear whose link is asked for.
var ErrManyAdmins = errors.New("there is more than one administrator")

// ErrNoAdmin is returned if there are accounts and none is an administrator's.
var ErrNoAdmin = errors.New("nobody is an administrator")

// AtTerminal makes the link that a line at the server's terminal asks for: "l NAME" one of
// a person; "l" alone one of the only administrator, or the first one of an empty folder.
// Other lines make none: "".
func AtTerminal(people *account.Service, line string) (token string, err error) {
	verb, name, _ := strings.Cut(strings.TrimSpace(line), " ")
	if verb != "l" {
		return "", nil
	}
	if token, err = people.FirstRun(); !errors.Is(err, account.ErrNotFirst) {
		return token, err
	}
	if name = strings.TrimSpace(name); name == "" {
		if name, err = OnlyAdmin(people); err != nil {
			return "", err
		}
	}
	l, err := Invite(people, name)
	return l.Token, err
}

// OnlyAdmin is the name of the only administrator. It fails with ErrNoAdmin or
// ErrManyAdmins.
func OnlyAdmin(people *account.Service) (name string, err error) {
	all, err := people.List(account.Operator())
	if err != nil {
		return "", err
	}
	for _, p := range all {
		if p.Role != account.Admin || p.Disabled {
			continue
		}
		if name != "" {
			return "", ErrManyAdmins
		}
		name = p.Name
	}
	if name == "" {
		return "", ErrNoAdmin
	}
	return name, nil
}
