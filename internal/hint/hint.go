// SPDX-License-Identifier: Apache-2.0

// Package hint adds the next step to an error: what its reader can do about it.
//
//	err = hint.Add(err, "name another file with --out")
//	hint.Of(fmt.Errorf("publish: %w", err)) // name another file with --out
package hint

import "errors"

type hinted struct {
	error
	next string
}

func (h *hinted) Unwrap() error { return h.error }

// Add adds the next step to an error, whose text stays the same.
func Add(err error, next string) error { return &hinted{err, next} }

// Of is the next step that was added to an error last, or "".
func Of(err error) string {
	if h, ok := errors.AsType[*hinted](err); ok {
		return h.next
	}
	return ""
}
