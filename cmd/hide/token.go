// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"hide/internal/account"
)

// listedToken is an access token with the name of its person.
type listedToken struct {
	account.Token
	User   string `json:"user"`
	Secret string `json:"secret,omitempty"` // of a new token only
}

func runTokenCreate(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	user := f.String("user", "", "`NAME` of the person whose rights the token has")
	name := f.String("name", "", "`TEXT` that says what uses the token")
	scopes := f.String("scope", "", "`SCOPES`, with commas: "+strings.Join(scopeNames(account.Scopes()), ", "))
	days := f.Int("days", account.TokenDays, "`NUMBER` of days until the token ends")
	where := f.String("project", "", "`PROJECT` that the token is for, by id or name (default: all projects of the person)")
	if _, err := e.parse(f, args, 0, 0, "user", "name", "scope"); err != nil {
		return err
	}
	if *days == 0 {
		return e.usage("--days: %v", account.ErrTokenDays)
	}
	made := listedToken{}
	err := data.withFolder(false, func(f *folder) error {
		u, err := f.accounts.Find(*user)
		if err != nil {
			return err
		}
		wanted := account.NewToken{Person: u.ID, Name: *name, Days: *days}
		for _, s := range strings.Split(*scopes, ",") {
			wanted.Scopes = append(wanted.Scopes, account.Scope(strings.TrimSpace(s)))
		}
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

func scopeNames(scopes []account.Scope) (names []string) {
	for _, s := range scopes {
		names = append(names, string(s))
	}
	return names
}

func runTokenList(_ context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	user := f.String("user", "", "`NAME` of a person (default: everybody)")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	v := struct {
		Tokens []listedToken `json:"tokens"`
	}{[]listedToken{}}
	err := data.withPeople(func(people *account.Service) error {
		everybody, err := people.All()
		if *user != "" {
			everybody = make([]account.User, 1)
			everybody[0], err = people.Find(*user)
		}
		for _, u := range everybody {
			if err != nil {
				break
			}
			var tokens []account.Token
			tokens, err = people.Tokens(account.Operator(), u.ID)
			for _, t := range tokens {
				v.Tokens = append(v.Tokens, listedToken{Token: t, User: u.Name})
			}
		}
		return err
	})
	if err != nil {
		return e.userError("list the tokens of", err)
	}
	return e.result(v, func(w io.Writer) {
		for _, t := range v.Tokens {
			fmt.Fprintf(w, "%s  %-20s %-24s until %s  %s\n", t.ID, t.User, t.Name, t.Ends.Format("2006-01-02"), strings.Join(scopeNames(t.Scopes), ","))
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
