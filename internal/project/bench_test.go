// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"testing"

	"hide/internal/project/projecttest"
)

// bench is the services over a fresh store, with what the tests here do to them.
type bench struct{ *projecttest.Bench }

func newBench(t *testing.T) *bench {
	t.Helper()
	return &bench{projecttest.New(t)}
}
