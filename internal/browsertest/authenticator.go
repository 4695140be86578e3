// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// Authenticator is a virtual authenticator of a tab, such as the fingerprint reader of a
// laptop. It says yes at once, and verifies the person.
type Authenticator struct {
	b  *Browser
	id webauthn.AuthenticatorID
}

// Authenticator gives the tab one, for the rest of the test.
func (b *Browser) Authenticator() *Authenticator {
	b.t.Helper()
	a := &Authenticator{b: b}
	b.do("add an authenticator", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		if _, err := chromedp.Call(ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
			return err
		}
		r, err := chromedp.Call(ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		}})
		a.id = r.AuthenticatorID
		return err
	}))
	return a
}

// Verifies says whether the authenticator recognizes the person from now on.
func (a *Authenticator) Verifies(does bool) {
	a.b.t.Helper()
	a.b.do("set user verification", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: a.id, IsUserVerified: does})
		return err
	}))
}

// CountFrom makes the only passkey count its uses from n, as a copy of it would.
func (a *Authenticator) CountFrom(n int64) {
	a.b.t.Helper()
	a.b.do("set the counter", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		r, err := chromedp.Call(ctx, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: a.id})
		if err != nil {
			return err
		}
		is := r.Credentials[0]
		// Not a webauthn.Credential: it always has fields that this authenticator refuses.
		copied := map[string]any{"credentialId": is.CredentialID, "isResidentCredential": is.IsResidentCredential, "rpId": is.RpID, "privateKey": is.PrivateKey, "userHandle": is.UserHandle, "signCount": n}
		if _, err := chromedp.Call(ctx, webauthn.ClearCredentials, webauthn.ClearCredentialsParams{AuthenticatorID: a.id}); err != nil {
			return err
		}
		add := cdp.Command[map[string]any, cdp.Empty]{Method: webauthn.CommandAddCredential}
		_, err = chromedp.Call(ctx, add, map[string]any{"authenticatorId": a.id, "credential": copied})
		return err
	}))
}
