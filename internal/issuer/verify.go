// SPDX-License-Identifier: Apache-2.0

package issuer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"hide/internal/words"
)

// Kind is why a sign-in failed.
type Kind int

// The kinds of errors.
const (
	Unreachable Kind = iota // the issuer does not answer
	Stale                   // the sign-in took too long: start again
	Denied                  // the issuer did not sign the person in
	Refused                 // what the issuer sent cannot be trusted
	Clock                   // the clocks differ
)

// Error says why a sign-in failed, in words for the person who tried.
type Error struct {
	Kind       Kind
	What, Next string
	cause      error // for the log
}

func (e *Error) Error() string { return e.What }

// Unwrap is the cause, for the log of the server.
func (e *Error) Unwrap() error { return e.cause }

const askAdmin = "Nobody was signed in. Tell the people who run hide: the log of the server has the details"

func (i *Issuer) refuse(what string, cause error) error {
	return &Error{Kind: Refused, What: what, Next: askAdmin, cause: cause}
}

// denied explains an error that the issuer sent by the browser. Its description is text from
// outside and is not shown.
func (i *Issuer) denied(code string) error {
	if code == "access_denied" {
		return &Error{Kind: Denied, What: i.cfg.Name + " did not let you in, or you cancelled", Next: "Start again, or ask the people who run it for access to hide"}
	}
	return &Error{Kind: Denied, What: i.cfg.Name + " refused the sign-in", Next: askAdmin, cause: fmt.Errorf("the issuer answered %q", short(code))}
}

// short is a code of the issuer for the log.
func short(code string) string {
	if len(code) > 40 {
		code = code[:40]
	}
	return code
}

// exchangeFailed explains why the visitor of ctx got no token for the code.
func (i *Issuer) exchangeFailed(ctx context.Context, err error) error {
	answered, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return i.unreachable(ctx, err)
	}
	cause := fmt.Errorf("the issuer answered %d %q to the code", answered.Response.StatusCode, short(answered.ErrorCode))
	if answered.Response.StatusCode >= 500 {
		return &Error{Kind: Unreachable, What: i.cfg.Name + " does not answer", Next: nextUnreachable, cause: cause}
	}
	return i.refuse(i.cfg.Name+" did not accept this server or its code", cause)
}

// verify checks the ID token. The checks of go-oidc for audience and time are made here, so
// that each failure has words of its own.
func (i *Issuer) verify(ctx context.Context, f *found, token *oauth2.Token, nonce string) (Person, error) {
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return Person{}, i.refuse(i.cfg.Name+" sent no ID token", nil)
	}
	t, err := f.provider.VerifierContext(ctx, &oidc.Config{SkipClientIDCheck: true, SkipExpiryCheck: true}).Verify(ctx, raw)
	switch {
	case err != nil:
		return Person{}, i.refuse("the ID token is not signed with a key of "+i.cfg.Name+", or comes from another issuer", err)
	case !slices.Contains(t.Audience, i.cfg.Client):
		return Person{}, i.refuse("the ID token is for another program", fmt.Errorf("its audience is %d other clients", len(t.Audience)))
	case t.Nonce != nonce:
		return Person{}, i.refuse("the ID token belongs to another sign-in", errors.New("the nonce differs"))
	case t.Subject == "" || len(t.Subject) > 255:
		return Person{}, i.refuse("the ID token names nobody", nil)
	}
	claims := map[string]any{}
	if err := t.Claims(&claims); err != nil {
		return Person{}, i.refuse("the ID token cannot be read", err)
	}
	if party, _ := claims["azp"].(string); party != "" && party != i.cfg.Client {
		return Person{}, i.refuse("the ID token is for another program", errors.New("another authorized party"))
	}
	if err := i.checkTime(t, claims); err != nil {
		return Person{}, err
	}
	if _, there := claimAt(claims, i.cfg.GroupsClaim); !there && f.provider.UserInfoEndpoint() != "" {
		if err := i.addUserInfo(ctx, f, token, t.Subject, claims); err != nil {
			return Person{}, err
		}
	}
	p := Person{Issuer: t.Issuer, Subject: t.Subject, Name: nameIn(claims), IDToken: raw}
	groups, there := claimAt(claims, i.cfg.GroupsClaim)
	p.Groups, p.HasGroups = textsIn(groups), there
	p.Role = i.roleOf(p.Groups)
	return p, nil
}

// checkTime refuses a token that is over or not valid yet. It has just been made, so a wrong
// clock is the usual reason: then the words name the clocks.
func (i *Issuer) checkTime(t *oidc.IDToken, claims map[string]any) error {
	now := i.cfg.Now()
	over := now.After(t.Expiry.Add(leeway))
	early := t.IssuedAt.After(now.Add(leeway))
	if from, ok := claims["nbf"].(float64); ok && time.Unix(int64(from), 0).After(now.Add(leeway)) {
		early = true
	}
	if !over && !early {
		return nil
	}
	skew := i.gate.clockSkew()
	if skew.Abs() > 2*leeway {
		theirs := now.Add(skew)
		return &Error{Kind: Clock, Next: "Set the clock that is wrong; nobody was signed in",
			What: fmt.Sprintf("the clock of this server says %s UTC and that of %s says %s UTC: they differ by %s", now.UTC().Format("15:04"), i.cfg.Name, theirs.UTC().Format("15:04"), words.Count(int(skew.Abs().Round(time.Minute)/time.Minute), "minute", "minutes"))}
	}
	if over {
		return i.refuse("the ID token has expired", nil)
	}
	return i.refuse("the ID token is not valid yet", nil)
}

// addUserInfo adds claims that the issuer tells only when it is asked. Without an answer nobody
// is signed in: a person whose groups are missing for the moment would count as one without a
// role, and would lose all sessions and tokens.
func (i *Issuer) addUserInfo(ctx context.Context, f *found, token *oauth2.Token, subject string, claims map[string]any) error {
	info, err := f.provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return &Error{Kind: Unreachable, What: i.cfg.Name + " did not say which groups you are in", Next: nextUnreachable, cause: fmt.Errorf("userinfo: %w", err)}
	}
	if info.Subject != subject {
		return i.refuse(i.cfg.Name+" told the groups of somebody else", errors.New("userinfo has another subject"))
	}
	more := map[string]any{}
	if err := info.Claims(&more); err != nil {
		return i.refuse(i.cfg.Name+" told groups that cannot be read", err)
	}
	for name, value := range more {
		if _, there := claims[name]; !there {
			claims[name] = value
		}
	}
	return nil
}

// claimAt finds a claim by its name, or by a path with dots.
func claimAt(claims map[string]any, path string) (any, bool) {
	if v, there := claims[path]; there {
		return v, true
	}
	first, rest, nested := strings.Cut(path, ".")
	inner, ok := claims[first].(map[string]any)
	if !nested || !ok {
		return nil, false
	}
	return claimAt(inner, rest)
}

// maxGroups bounds the groups that are looked at.
const maxGroups = 2000

func textsIn(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, one := range v[:min(len(v), maxGroups)] {
			if s, ok := one.(string); ok {
				all = append(all, s)
			}
		}
		return all
	}
	return nil
}

// nameIn is a name for display: it identifies nobody.
func nameIn(claims map[string]any) string {
	for _, claim := range []string{"name", "preferred_username", "nickname"} {
		if name, _ := claims[claim].(string); strings.TrimSpace(name) != "" {
			return name
		}
	}
	return ""
}
