// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/recovery"
)

// linkResult is a person and a one-time sign-in link.
type linkResult struct {
	account.User
	Link string `json:"link"`
}

func runUserAdd(_ context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	role := f.String("role", "", "`ROLE`: admin, broker, annotator or reviewer")
	server := e.serverFlag(f)
	rest, err := e.parse(f, args, 1, 1, "role")
	if err != nil {
		return err
	}
	var r linkResult
	// Opened as a whole, so that projects from before there were memberships take in the
	// earlier accounts first.
	err = data.withFolder(false, func(f *folder) error {
		user, token, err := f.accounts.Create(account.Operator(), rest[0], account.Role(*role))
		r = linkResult{user, server.link(token)}
		return err
	})
	if err != nil {
		return e.userError("add", err)
	}
	return e.result(r, func(w io.Writer) {
		fmt.Fprintf(w, "%s may now sign in as %s. This link works once, within a day; give it to nobody else:\n%s\n", r.Name, r.Role, r.Link)
	})
}

func runUserLink(_ context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	server := e.serverFlag(f)
	rest, err := e.parse(f, args, 1, 1)
	if err != nil {
		return err
	}
	var v recovery.Link
	err = data.withPeople(func(people *account.Service) (err error) {
		v, err = recovery.Invite(people, rest[0])
		return err
	})
	if err != nil {
		return e.userError("make a link for", err)
	}
	r := linkResult{v.User, server.link(v.Token)}
	return e.result(r, func(w io.Writer) { fmt.Fprintln(w, r.Link) })
}

// listedUser is a line of hide user list.
type listedUser struct {
	account.User
	Created  time.Time  `json:"created"`
	SignedIn *time.Time `json:"signed_in"` // null: never
	Password bool       `json:"password"`  // false: signs in by link only
}

func runUserList(_ context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	var all []account.Account
	if err := data.withPeople(func(people *account.Service) (err error) {
		all, err = people.List(account.Operator())
		return err
	}); err != nil {
		return err
	}
	v := struct {
		Users []listedUser `json:"users"`
	}{make([]listedUser, len(all))}
	for i, a := range all {
		v.Users[i] = listedUser{User: a.User, Created: a.Created, Password: a.HasPassword}
		if !a.SignedIn.IsZero() {
			v.Users[i].SignedIn = &a.SignedIn
		}
	}
	return e.result(v, func(w io.Writer) { writeUsers(w, v.Users) })
}

func writeUsers(w io.Writer, users []listedUser) {
	for _, u := range users {
		seen := "never signed in"
		if u.SignedIn != nil {
			seen = "signed in " + u.SignedIn.Format("2 January 2006 15:04")
		}
		if u.Disabled {
			seen = "disabled"
		}
		fmt.Fprintf(w, "%-24s %-10s %-22s %s\n", u.Name, u.Role, u.ID, seen)
	}
}

func runUserDisable(_ context.Context, e *env, args []string) error {
	return e.changeUser(args, "disable", "%s is signed out and cannot sign in any more\n", func(people *account.Service, u *account.User) error {
		u.Disabled = true
		return people.Disable(account.Operator(), u.ID)
	})
}

// changeUser makes one change to the account that the argument names. done says so of the
// person.
func (e *env) changeUser(args []string, doing, done string, change func(*account.Service, *account.User) error) error {
	f := e.flags()
	data := e.dataFlags(f)
	rest, err := e.parse(f, args, 1, 1)
	if err != nil {
		return err
	}
	var user account.User
	err = data.withPeople(func(people *account.Service) (err error) {
		if user, err = people.Find(rest[0]); err != nil {
			return err
		}
		return change(people, &user)
	})
	if err != nil {
		return e.userError(doing, err)
	}
	return e.result(user, func(w io.Writer) { fmt.Fprintf(w, done, user.Name) })
}

// userError says what was tried. For a wrong name or role it adds the list.
func (e *env) userError(doing string, err error) error {
	if errors.Is(err, account.ErrRole) {
		return e.usage("unknown role; roles are admin, broker, annotator and reviewer")
	}
	if errors.Is(err, account.ErrNotFound) {
		err = withHint(err, "see: hide user list")
	}
	return fmt.Errorf("%s user: %w", doing, err)
}

// linkPath is the page of the server for one-time links. Browsers never send the part
// after #.
const linkPath = "/welcome#"

// serverFlag declares --url.
func (e *env) serverFlag(f *flag.FlagSet) *serverAddress {
	s := &serverAddress{known: "http://127.0.0.1:8080"}
	if e.shared != nil {
		s.known = e.shared.origin
	}
	f.StringVar(&s.url, "url", "", "`URL` under which people reach the server, for the link (default: that of the running server, or http://127.0.0.1:8080)")
	return s
}

// serverAddress is where people reach the server, as links name it.
type serverAddress struct{ url, known string }

func (s *serverAddress) link(token string) string {
	return signInURL(strings.TrimSuffix(cmp.Or(s.url, s.known), "/"), token)
}
