// SPDX-License-Identifier: Apache-2.0

// Package recovery makes new one-time links for people who cannot sign in: by a command on
// the data folder, and at the server's terminal. Both audit the link as made by the
// operator, who has access to the folder.
package recovery

import (
	"errors"
	"strings"

	"hide/internal/account"
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
