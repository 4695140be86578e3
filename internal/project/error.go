// SPDX-License-Identifier: Apache-2.0

package project

import (
	"errors"
	"fmt"
	"strings"

	"hide/internal/annotate"
)

// Kind sorts the errors of this package by what a caller does about them.
type Kind string

// The kinds.
const (
	NotFound  Kind = "not found"
	Forbidden Kind = "forbidden"
	Invalid   Kind = "invalid"  // what was asked for cannot be done; the message says why
	Stale     Kind = "conflict" // somebody was faster
)

// Error is an error with a message for the person who caused it. The message
// holds no document text.
type Error struct {
	Kind    Kind
	Message string
	Hint    string // what to do next; may be empty
	Err     error  // for the log; may be nil

	// Obstacle is what stands against a release until [Despite] answers it; "" for
	// everything else.
	Obstacle Obstacle
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf is the kind of the first [*Error] in err's chain, or "".
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// ConflictError is returned by an edit that was made on an older revision. It
// carries both versions.
type ConflictError struct {
	Mine   annotate.Edit // what was asked for
	Theirs *Note         // the note as it stands now
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("document %d was changed by somebody else: revision %d is the newest", e.Theirs.ID, e.Theirs.Layer.Revision)
}

// ErrorWords is what a person is told of an error: its message and what to do, or all of it
// when it has none.
func ErrorWords(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

func NotFoundf(format string, args ...any) error {
	return &Error{Kind: NotFound, Message: fmt.Sprintf(format, args...)}
}

func Invalidf(hint, format string, args ...any) error {
	return &Error{Kind: Invalid, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// Obstructed is an error about what stands against a release.
func Obstructed(by Obstacle, hint, format string, args ...any) error {
	return &Error{Kind: Invalid, Message: fmt.Sprintf(format, args...), Hint: hint, Obstacle: by}
}

// Obstacle is what stands against a release of text.
type Obstacle string

// The obstacles. Package release says how each is answered.
const (
	NotAudited    Obstacle = "unaudited"
	StillOpen     Obstacle = "found"
	StaysReadable Obstacle = "readable"
)

// Joined lists names with commas between.
func Joined[S ~string](names []S) string {
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = string(n)
	}
	return strings.Join(words, ", ")
}
