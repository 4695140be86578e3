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
	Invalid   Kind = "invalid"  // the request cannot be carried out; the message says why
	Stale     Kind = "conflict" // somebody else was faster
)

// Error is an error with a message for the person who caused it. The message
// holds no document text.
type Error struct {
	Kind    Kind
	Message string
	Hint    string // what to do next; may be empty
	Err     error  // for the log; may be nil

	// Obstacle is what blocks a release until [Despite] answers it; "" for all other
	// errors.
	Obstacle Obstacle
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the first [*Error] in err's chain, or "".
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// ConflictError is returned by an edit of an older revision. It carries both versions.
type ConflictError struct {
	Mine   annotate.Edit // the requested edit
	Theirs *Note         // the current note
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("document %d was changed by somebody else: revision %d is the newest", e.Theirs.ID, e.Theirs.Layer.Revision)
}

// ErrorWords is the text of an error for a person: its message and hint, or the whole
// error if it has none.
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

// Obstructed is an error about an obstacle to a release.
func Obstructed(by Obstacle, hint, format string, args ...any) error {
	return &Error{Kind: Invalid, Message: fmt.Sprintf(format, args...), Hint: hint, Obstacle: by}
}

// Obstacle is something that blocks a release of text.
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
