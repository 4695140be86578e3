// SPDX-License-Identifier: Apache-2.0

// Package osuser names users of the operating system.
package osuser

import (
	"os/user"
	"strconv"
)

// Name is the name of the user with a number, or the number if the system has no name for it.
func Name(uid int) string {
	number := strconv.Itoa(uid)
	if u, err := user.LookupId(number); err == nil {
		return u.Username
	}
	return number
}
