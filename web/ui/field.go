// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"fmt"

	"hide/internal/account"
)

// PasswordRule says what a password must be.
var PasswordRule = fmt.Sprintf("At least %d characters. Several words that have nothing to do with each other are good, and easy to type.", account.MinPassword)

// Described lists the ids of a field's help and problem for aria-describedby.
func Described(name, help, problem string) string {
	switch {
	case help != "" && problem != "":
		return name + "-help " + name + "-error"
	case problem != "":
		return name + "-error"
	}
	return name + "-help"
}

// Fault is the problem when it is this field's.
func Fault(mine bool, problem string) string {
	if mine {
		return problem
	}
	return ""
}
