// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strconv"
	"strings"
)

// number reads a number as people write one. Go alone takes 1_0 for 10 and 0x10p0 for 16.
func number(s string) (float64, error) {
	s = strings.TrimSpace(s)
	if strings.ContainsAny(s, "_xX") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(s, 64)
}
