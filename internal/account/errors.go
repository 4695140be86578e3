// SPDX-License-Identifier: Apache-2.0

package account

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrForbidden is returned when the person who asks may not do this.
	ErrForbidden = errors.New("this needs an admin")

	// ErrCredentials is returned by Login for an unknown name, a wrong password and
	// a disabled account alike.
	ErrCredentials = errors.New("the name or the password is wrong")

	// ErrPassword is returned by SetPassword when the present password is wrong.
	ErrPassword = errors.New("the present password is wrong")

	// ErrSession is returned when there is no such session, or it has ended.
	ErrSession = errors.New("not signed in, or signed out after a while without use")

	// ErrLink is returned when a link was used, has expired, was replaced or never
	// was one.
	ErrLink = errors.New("this link has been used or has expired: ask for a new one")

	// ErrNotFirst is returned by FirstRun when there are accounts already.
	ErrNotFirst = errors.New("there are accounts already: an admin can make more")

	// ErrNotFound is returned when there is no such account.
	ErrNotFound = errors.New("there is no such account")

	// ErrNameTaken is returned when another account has this name, in any case.
	ErrNameTaken = errors.New("this name is taken")

	// ErrLastAdmin is returned when a change would leave no active admin.
	ErrLastAdmin = errors.New("this is the last active admin: make another one first")

	// ErrName is returned for a name that is empty, too long or not visible.
	ErrName = fmt.Errorf("a name has 1 to %d visible characters, with single spaces between words", MaxName)

	// ErrWeak is returned for a password that is too short, too long or too plain.
	ErrWeak = fmt.Errorf("a password has %d to %d characters, at least five different ones, and is not the name", MinPassword, MaxPassword)

	// ErrRole is returned for a role that does not exist.
	ErrRole = errors.New("there is no such role")
)

// LockoutError says that there were too many failed tries.
type LockoutError struct {
	Until time.Time // when the next try is possible
}

func (e *LockoutError) Error() string {
	return "too many failed tries: try again after " + e.Until.Format("15:04")
}
