// SPDX-License-Identifier: Apache-2.0

package site

import (
	"hide/web/signin"
)

// signIn makes the pages of the door.
func signIn(cfg Config) *signin.Handlers {
	return signin.New(signin.Config{
		Accounts: cfg.Accounts, Factors: cfg.Accounts, Origin: cfg.PublicOrigin,
		Proxied: cfg.Proxied && len(cfg.Proxies) == 0, NewLink: cfg.NewLink,
	})
}
