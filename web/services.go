// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/ui"
)

// Projects is what the frame around every page needs. Each method checks the permission of
// by first.
type Projects interface {
	ui.Projects
	RoleIn(by account.User, id project.ID) (account.Role, error)
	Watch(ctx context.Context, by account.User, id project.ID) (<-chan project.Event, error)
}

// Accounts finds the person of a session.
type Accounts interface {
	Session(token string) (account.User, account.Session, error)
	Peek(token string) (account.User, account.Session, error) // Session without counting as use
	NameOf(id string) (string, error)
	Changes(fn func(userID string)) (stop func()) // calls fn after each change that may take rights from a person
}

// Tokens finds the person of an access token, for the API.
type Tokens interface {
	ByToken(secret string, from account.From) (account.User, account.Token, error)
	PeekToken(secret string) (account.User, account.Token, error) // ByToken without counting as use
	RecordRequest(by account.User, object, detail string) error   // writes an audit row
}
