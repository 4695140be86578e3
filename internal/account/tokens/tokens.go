// SPDX-License-Identifier: Apache-2.0

// Package tokens has the commands about access tokens: their flags, what they do, and what they
// print.
package tokens

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"hide/internal/account"
)

// FindProject gives the id of a project by its name or id.
type FindProject func(ctx context.Context, nameOrID string) (id string, err error)

// Command is a command about access tokens. Its value is its result as JSON.
type Command interface {
	Flags(f *flag.FlagSet) (required []string) // declares the flags
	Arguments() int                            // besides flags
	Run(ctx context.Context, people *account.Service, find FindProject, args []string) error
	Print(w io.Writer)
}

// Hint is the next step after an error, "" if the error says it.
func Hint(err error) string {
	switch {
	case errors.Is(err, account.ErrNotFound):
		return "hide user list shows the accounts"
	case errors.Is(err, account.ErrNoToken):
		return "hide token list shows the tokens"
	}
	return ""
}

// named says in an error which account was not found.
func named(err error, name string) error {
	if errors.Is(err, account.ErrNotFound) {
		return fmt.Errorf("%w: %q", err, name)
	}
	return err
}

// Create makes a token for a person.
type Create struct {
	account.OwnedToken
	Secret string `json:"secret"`

	name, scopes, project string
	days                  int
}

// Flags are those of the person and the token.
func (c *Create) Flags(f *flag.FlagSet) []string {
	f.StringVar(&c.User, "user", "", "`NAME` of the person whose rights the token has")
	f.StringVar(&c.name, "name", "", "`TEXT` that says what uses the token")
	f.StringVar(&c.scopes, "scope", "", "`SCOPES`, with commas: "+account.ScopeText(account.Scopes(), ", "))
	f.IntVar(&c.days, "days", account.TokenDays, "`NUMBER` of days until the token ends")
	f.StringVar(&c.project, "project", "", "`PROJECT` that the token is for, by id or name (default: all projects of the person)")
	return []string{"user", "name", "scope"}
}

// Arguments is 0.
func (c *Create) Arguments() int { return 0 }

// Run makes the token.
func (c *Create) Run(ctx context.Context, people *account.Service, find FindProject, _ []string) error {
	u, err := people.Find(c.User)
	if err != nil {
		return named(err, c.User)
	}
	wanted := account.NewToken{Person: u.ID, Name: c.name, Days: c.days, Scopes: account.SplitScopes(c.scopes)}
	if c.days == 0 { // which would mean the default
		return account.ErrTokenDays
	}
	if c.project != "" {
		if wanted.Project, err = find(ctx, c.project); err != nil {
			return err
		}
	}
	c.User = u.Name
	c.Secret, c.Token, err = people.CreateToken(account.Operator(), wanted)
	return err
}

// Print shows the secret.
func (c *Create) Print(w io.Writer) {
	fmt.Fprintf(w, "token %s of %s, until %s. It is not shown again; who has it can use the API as %s:\n%s\n", c.ID, c.User, c.Ends.Format("2 January 2006 15:04"), c.User, c.Secret)
}

// List lists the tokens of a person, or of everybody.
type List struct {
	Tokens []account.OwnedToken `json:"tokens"`

	user string
}

// Flags is that of the person.
func (l *List) Flags(f *flag.FlagSet) []string {
	f.StringVar(&l.user, "user", "", "`NAME` of a person (default: everybody)")
	return nil
}

// Arguments is 0.
func (l *List) Arguments() int { return 0 }

// Run reads the tokens.
func (l *List) Run(_ context.Context, people *account.Service, _ FindProject, _ []string) (err error) {
	l.Tokens, err = people.TokensOf(l.user)
	return named(err, l.user)
}

// Print writes a line for each.
func (l *List) Print(w io.Writer) {
	for _, t := range l.Tokens {
		in := ""
		if t.Project != "" {
			in = "  only in " + t.Project
		}
		fmt.Fprintf(w, "%s  %-20s %-24s until %s  %s%s\n", t.ID, t.User, t.Name, t.Ends.Format("2006-01-02"), account.ScopeText(t.Scopes, ","), in)
	}
}

// Revoke ends a token.
type Revoke struct {
	Revoked string `json:"revoked"` // its id
}

// Flags are none.
func (r *Revoke) Flags(*flag.FlagSet) []string { return nil }

// Arguments is 1: the id of the token.
func (r *Revoke) Arguments() int { return 1 }

// Run ends the token at once.
func (r *Revoke) Run(_ context.Context, people *account.Service, _ FindProject, args []string) error {
	r.Revoked = args[0]
	return people.RevokeToken(account.Operator(), r.Revoked)
}

// Print says so.
func (r *Revoke) Print(w io.Writer) { fmt.Fprintf(w, "token %s is revoked\n", r.Revoked) }
