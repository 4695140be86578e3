// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
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

// numbers reads a list of them with commas between.
func numbers(list string) ([]float64, error) {
	var out []float64
	for part := range strings.SplitSeq(list, ",") {
		v, err := number(part)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", part)
		}
		out = append(out, v)
	}
	return out, nil
}
