// SPDX-License-Identifier: Apache-2.0

// Package account manages the people who use hide: who they are, what they may do, how
// they sign in and how long a session lasts.
//
// A new installation has no account. FirstRun gives a one-time token that the
// program prints as a link; redeeming it creates the first admin:
//
//	people, err := account.New(st, account.Options{})
//	token, err := people.FirstRun()
//	...
//	session, user, err := people.Redeem(token, account.Redemption{Name: "anna", Password: "..."})
//
// An admin creates all other accounts. Each gets a token of the same kind, valid for a
// day. With a session's token, Session returns the person behind each request:
//
//	user, session, err := people.Session(token)
//
// Tokens are 256 random bits. The store holds only their SHA-256. Passwords are hashed
// with Argon2id (19 MiB, 2 passes), at most two at once. After ten failures within 15
// minutes, for one name or from one address, further tries are refused. A wrong
// password, an unknown name and a disabled account give the same error after the same
// work.
//
// Every method that changes something for somebody else takes the acting person and
// looks up their current permissions: a stale User gives no rights. Operator is the
// person at the command line, who has the data folder and its key.
//
// Each change has an audit row, with ids and without names.
//
// # Caveats
//
// Failed tries are counted in memory: a restart forgets them. A session's last use
// is written every five minutes, so a restart may end an idle session up to five
// minutes early, never late.
package account
