// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"hide/internal/account"
)

// signInFlags say how people sign in to a server.
type signInFlags struct {
	secondFactor string
}

func (s *signInFlags) add(f *flag.FlagSet) {
	f.StringVar(&s.secondFactor, "second-factor", "", "`ROLES`, with commas, whose people need a second factor to sign in: admin, broker, annotator, reviewer")
}

// options are those of the accounts.
func (s *signInFlags) options(e *env) (account.Options, error) {
	var o account.Options
	for _, name := range strings.FieldsFunc(s.secondFactor, func(r rune) bool { return r == ',' || r == ' ' }) {
		role := account.Role(name)
		if !slices.Contains([]account.Role{account.Admin, account.Broker, account.Annotator, account.Reviewer}, role) {
			return o, e.usage("--second-factor: unknown role %q; roles are admin, broker, annotator and reviewer", name)
		}
		o.SecondFactor = append(o.SecondFactor, role)
	}
	return o, nil
}

// runUserResetFactor helps a person who has lost the phone and the recovery codes.
func runUserResetFactor(_ context.Context, e *env, args []string) error {
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
		return people.ResetFactors(account.Operator(), user.ID)
	})
	if err != nil {
		return e.userError("reset the second factors of", err)
	}
	return e.result(user, func(w io.Writer) {
		fmt.Fprintf(w, "%s has no second factor any more and is signed out; the password alone signs in, and leads to a new second factor if the role needs one\n", user.Name)
	})
}
