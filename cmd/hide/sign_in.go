// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/flagfile"
	"hide/internal/issuer"
)

// signInFlags say how people sign in to a server.
type signInFlags struct {
	secondFactor string
	local        string

	oidc       issuer.Config
	secretFile string
	scopes     string
	roles      []string // "admin=GROUP"
}

func (s *signInFlags) add(f *flag.FlagSet) {
	f.StringVar(&s.secondFactor, "second-factor", "", "`ROLES`, with commas, whose people need a second factor to sign in: admin, broker, annotator, reviewer")
	f.StringVar(&s.local, "local-sign-in", "on", "`on or off`: off leaves only the issuer of --oidc-issuer, and hide user break-glass")
	f.StringVar(&s.oidc.URL, "oidc-issuer", "", "`URL` of the OpenID Connect issuer that signs people in")
	f.StringVar(&s.oidc.Client, "oidc-client", "", "`ID` of hide at the issuer")
	flagfile.Secret(f, &s.secretFile, "oidc-secret-file", "`FILE` whose first line is the secret of the client; \"\" means a public client")
	f.Func("oidc-role", "`ROLE=GROUP`: members of the group have the role; once for each group", func(text string) error {
		s.roles = append(s.roles, text)
		return nil
	})
	f.StringVar(&s.oidc.GroupsClaim, "oidc-groups-claim", "groups", "`CLAIM` with the groups of a person; a.b is claim b within claim a")
	f.StringVar(&s.scopes, "oidc-scopes", "openid profile", "`SCOPES` to ask for, with spaces")
	f.StringVar(&s.oidc.Name, "oidc-name", "Hospital sign-in", "`NAME` of the issuer on the sign-in page")
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
	switch {
	case s.local != "on" && s.local != "off":
		return o, e.usage("--local-sign-in is %q: say on or off", s.local)
	case s.local == "off" && s.oidc.URL == "":
		return o, e.usage("--local-sign-in off needs --oidc-issuer: otherwise nobody could sign in")
	}
	o.LocalOff = s.local == "off"
	return o, nil
}

// issuer is the single sign-on of a server with this origin, nil for none. The issuer is not
// asked: a server starts without it.
func (s *signInFlags) issuer(e *env, origin string) (*issuer.Issuer, error) {
	if s.oidc.URL == "" {
		if s.oidc.Client != "" || len(s.roles) > 0 || s.secretFile != "" {
			return nil, e.usage("--oidc-issuer is missing")
		}
		return nil, nil
	}
	cfg := s.oidc
	cfg.Origin, cfg.Now, cfg.Roles, cfg.Scopes = origin, e.now, map[string][]string{}, strings.Fields(s.scopes)
	for _, pair := range s.roles {
		role, group, ok := strings.Cut(pair, "=")
		if !ok || group == "" {
			return nil, e.usage("--oidc-role is %q: say ROLE=GROUP, such as broker=hide-brokers", pair)
		}
		cfg.Roles[role] = append(cfg.Roles[role], group)
	}
	if s.secretFile != "" {
		text, err := os.ReadFile(s.secretFile)
		if err != nil {
			return nil, fmt.Errorf("read the secret of the client: %w", err)
		}
		cfg.Secret = strings.TrimSpace(string(firstLine(text)))
	}
	i, err := issuer.New(cfg)
	if err != nil {
		return nil, e.usage("single sign-on: %v", err)
	}
	return i, nil
}

// askIssuer tells the operator early whether the issuer answers.
func (e *env) askIssuer(ctx context.Context, i *issuer.Issuer) {
	if i == nil {
		return
	}
	if err := i.Ready(ctx); err != nil && ctx.Err() == nil {
		report(e.stderr, withHint(fmt.Errorf("%w: %w", err, cause(err)), "hide goes on without it and asks again at the next sign-in"))
	}
}

// cause is what is behind an error of single sign-on.
func cause(err error) error {
	if inner, ok := err.(interface{ Unwrap() error }); ok && inner.Unwrap() != nil {
		return inner.Unwrap()
	}
	return err
}

// runUserResetFactor helps a person who has lost the phone and the recovery codes.
func runUserResetFactor(_ context.Context, e *env, args []string) error {
	const done = "%s has no second factor any more and is signed out; the password alone signs in, and leads to a new second factor if the role needs one\n"
	return e.changeUser(args, "reset the second factors of", done, func(people *account.Service, u *account.User) error {
		return people.ResetFactors(account.Operator(), u.ID)
	})
}

// runUserBreakGlass lets a person in when nothing else does.
func runUserBreakGlass(_ context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	server := e.serverFlag(f)
	reason := f.String("reason", "", "`TEXT` why, without names of patients: it is on record and stands on every page of the session")
	lifetime := f.Duration("for", time.Hour, "`TIME` until the access ends, from 1m to 12h")
	rest, err := e.parse(f, args, 1, 1, "reason")
	if err != nil {
		return err
	}
	var r struct {
		linkResult
		Ends time.Time `json:"ends"`
	}
	err = data.withPeople(func(people *account.Service) (err error) {
		if r.User, err = people.Find(rest[0]); err != nil {
			return err
		}
		var token string
		token, r.Ends, err = people.BreakGlass(r.User.ID, *reason, *lifetime)
		r.Link = server.link(token)
		return err
	})
	if err != nil {
		return e.userError("give emergency access to", err)
	}
	return e.result(r, func(w io.Writer) {
		fmt.Fprintf(w, "Emergency access of %s until %s. This link works once; give it to nobody else. The reason is on record, and administrators see it:\n%s\n", r.Name, r.Ends.Local().Format("2 January 2006 15:04"), r.Link)
	})
}
