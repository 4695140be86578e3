// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"

	"hide/internal/account"
)

// newToken is what hide token create prints.
type newToken struct {
	account.OwnedToken
	Secret string `json:"secret"`
}

func runTokenCreate(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	user := f.String("user", "", "`NAME` of the person whose rights the token has")
	name := f.String("name", "", "`TEXT` that says what uses the token")
	scopes := f.String("scope", "", "`SCOPES`, with commas: "+account.ScopeText(account.Scopes(), ", "))
	days := f.Int("days", account.TokenDays, "`NUMBER` of days until the token ends")
	where := f.String("project", "", "`PROJECT` that the token is for, by id or name (default: all projects of the person)")
	if _, err := e.parse(f, args, 0, 0, "user", "name", "scope"); err != nil {
		return err
	}
	if *days == 0 {
		return e.usage("--days: %v", account.ErrTokenDays)
	}
	var made newToken
	err := data.withFolder(false, func(f *folder) error {
		u, err := f.accounts.Find(*user)
		if err != nil {
			return err
		}
		wanted := account.NewToken{Person: u.ID, Name: *name, Days: *days, Scopes: account.SplitScopes(*scopes)}
		if *where != "" {
			p, err := f.projects.Find(ctx, operator(ctx), *where)
			if err != nil {
				return err
			}
			wanted.Project = string(p.ID)
		}
		made.User = u.Name
		made.Secret, made.Token, err = f.accounts.CreateToken(account.Operator(), wanted)
		return err
	})
	if err != nil {
		return e.userError("create a token for", err)
	}
	return e.result(made, func(w io.Writer) {
		fmt.Fprintf(w, "token %s of %s, until %s. It is not shown again; who has it can use the API as %s:\n%s\n", made.ID, made.User, made.Ends.Format("2 January 2006 15:04"), made.User, made.Secret)
	})
}

func runTokenList(_ context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	user := f.String("user", "", "`NAME` of a person (default: everybody)")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	var all []account.OwnedToken
	if err := data.withPeople(func(people *account.Service) (err error) {
		all, err = people.TokensOf(*user)
		return err
	}); err != nil {
		return e.userError("list the tokens of", err)
	}
	return e.result(map[string]any{"tokens": all}, func(w io.Writer) {
		for _, t := range all {
			fmt.Fprintf(w, "%s  %-20s %-24s until %s  %s\n", t.ID, t.User, t.Name, t.Ends.Format("2006-01-02"), account.ScopeText(t.Scopes, ","))
		}
	})
}

func runTokenRevoke(_ context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	rest, err := e.parse(f, args, 1, 1)
	if err != nil {
		return err
	}
	if err := data.withPeople(func(people *account.Service) error {
		return people.RevokeToken(account.Operator(), rest[0])
	}); err != nil {
		return fmt.Errorf("revoke token: %w", withHint(err, "see: hide token list"))
	}
	return e.result(map[string]string{"revoked": rest[0]}, func(w io.Writer) { fmt.Fprintf(w, "token %s is revoked\n", rest[0]) })
}
