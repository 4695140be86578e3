// SPDX-License-Identifier: Apache-2.0

package site

import (
	"time"

	"hide/internal/passkey"
	"hide/web/signin"
)

// signIn makes the pages of the door.
func signIn(cfg Config) *signin.Handlers {
	door := signin.Config{
		Accounts: cfg.Accounts, Factors: cfg.Accounts, Projects: cfg.Projects, Origin: cfg.PublicOrigin, Log: cfg.Log, Now: cfg.Now,
		Proxied: cfg.unknownProxy(), NewLink: cfg.NewLink,
	}
	if cfg.Issuer != nil {
		door.Issuer = cfg.Issuer
	}
	now := cfg.Now
	if now == nil {
		now = time.Now
	}
	keys, err := passkey.New(cfg.PublicOrigin, cfg.Accounts, now)
	if err != nil {
		door.NoKeys = err.Error()
	} else {
		door.Keys = keys
	}
	return signin.New(door)
}
