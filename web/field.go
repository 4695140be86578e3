// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"

	"hide/internal/account"
)

var passwordRule = fmt.Sprintf("At least %d characters. Several words that have nothing to do with each other are good, and easy to type.", account.MinPassword)

// described lists the ids of a field's help and problem for aria-describedby.
func described(name, help, problem string) string {
	switch {
	case help != "" && problem != "":
		return name + "-help " + name + "-error"
	case problem != "":
		return name + "-error"
	}
	return name + "-help"
}

// fault is the problem when it is this field's.
func fault(mine bool, problem string) string {
	if mine {
		return problem
	}
	return ""
}
