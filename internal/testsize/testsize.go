// SPDX-License-Identifier: Apache-2.0

// Package testsize chooses how many cases a test runs.
//
//	for seed := range testsize.Of(12, 100) { ... }
//
// Statistics and exhaustive searches run a short size by default, which takes seconds,
// and their full size when HIDE_TEST_LONG is set, as `./test long` does. Only tests use
// this package.
package testsize

import (
	"os"
	"testing"
)

// Of is short, or long when HIDE_TEST_LONG is set.
func Of(short, long int) int {
	if os.Getenv("HIDE_TEST_LONG") != "" {
		return long
	}
	return short
}

// Slow skips a test with -short. Tests begin with it that the race detector slows down
// too much: `./test` runs them without it, and `./test long` with it.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("this takes seconds, and -short was given")
	}
}
