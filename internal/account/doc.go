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
// A program has an access token instead, which CreateToken makes: ByToken returns its person
// and what the token allows.
//
// Tokens are 256 random bits. The store holds only their SHA-256. Passwords are hashed
// with Argon2id (19 MiB, 2 passes), at most two at once. A wrong password, an unknown
// name and a disabled account give the same error after the same work.
//
// Failed tries are counted by name and by address. After five for a name, or twenty from
// an address, the next try has to wait: two seconds at first, twice as long after each
// further failure, at most 15 minutes. A sign-in clears the count of the name. The count
// of an address halves every 15 minutes. An hour without a try clears either. Nobody is
// locked out. A browser in which somebody has signed in is a known device of that account
// for 90 days (see Device): it has a count of its own, and strangers do not add to it.
//
// At most 24 sign-ins are under way at once, or 32 with those from known devices. Others
// get ErrBusy.
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
