// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"errors"
	"net/http"
	"syscall"

	"hide/internal/account"
	"hide/internal/project"
)

// Error is an error with all that the person who caused it should read. No field holds
// text of a note.
type Error struct {
	Status int
	Title  string // "This cannot be done"
	What   string // what happened, to which thing
	Next   string // what to do next
	Ref    string // found in the log; only for unexpected errors
	Back   string // path of the page that asked; "" when it is not known, or asking it again makes no sense

	// More are further members of the problem document, where the API answers with the error.
	More map[string]any
}

func (e *Error) Error() string { return e.Title + ": " + e.What }

// GoBack is what to do next on a page that knows nothing better.
const GoBack = "Go back to the page you came from."

// Refuse is an [Error] about a form whose request cannot be fulfilled.
func Refuse(what, next string) error {
	return &Error{Status: http.StatusUnprocessableEntity, Title: "This cannot be done", What: what, Next: next}
}

// Refused is err if it is a refusal that the form can show; nil for any other error.
func Refused(err error) *Error {
	if p := Explain(err); p != nil && p.Status == http.StatusUnprocessableEntity {
		return p
	}
	return nil
}

// Explain finds the words for an error of a service, or nil when it knows none.
func Explain(err error) *Error {
	for _, explain := range []func(error) *Error{explainOwn, explainProject, explainAccount, explainDisk} {
		if p := explain(err); p != nil {
			return p
		}
	}
	return nil
}

func explainOwn(err error) *Error {
	var p *Error
	if errors.As(err, &p) {
		return p
	}
	return nil
}

func explainProject(err error) *Error {
	var conflict *project.ConflictError
	if errors.As(err, &conflict) {
		return &Error{
			Status: http.StatusConflict, Title: "The note was changed meanwhile", What: "Your change was not saved: " + conflict.Error() + ".",
			Next: "Go back to see the current note, then repeat your change if it is still needed.",
		}
	}
	var e *project.Error
	if !errors.As(err, &e) {
		return nil
	}
	p := &Error{What: Sentence(e.Message), Next: Sentence(e.Hint)}
	switch e.Kind {
	case project.NotFound:
		p.Status, p.Title = http.StatusNotFound, "Not found"
	case project.Forbidden:
		p.Status, p.Title = http.StatusForbidden, "Not allowed"
	case project.Invalid:
		p.Status, p.Title = http.StatusUnprocessableEntity, "This cannot be done"
	case project.Stale:
		p.Status, p.Title = http.StatusConflict, "The data have changed meanwhile"
	case project.Full:
		p.Status, p.Title = http.StatusInsufficientStorage, "The disk is almost full"
	case project.Unrecorded:
		p.Status, p.Title = http.StatusServiceUnavailable, "Nothing may leave hide now"
	case project.Partly:
		p.Status, p.Title = http.StatusInternalServerError, "Something is left to do"
	default:
		return nil
	}
	return p
}

// explainAccount is for errors about accounts that a form does not show itself.
func explainAccount(err error) *Error {
	var slow *account.TooManyTriesError
	if errors.As(err, &slow) {
		return &Error{Status: http.StatusTooManyRequests, Title: "Too many tries", What: Sentence(slow.Error())}
	}
	for known, p := range map[error]*Error{
		account.ErrForbidden: {Status: http.StatusForbidden, Title: "Not allowed"},
		account.ErrSession:   {Status: http.StatusUnauthorized, Title: "You are signed out"},
		account.ErrNotFound:  {Status: http.StatusNotFound, Title: "Not found"},
		account.ErrExternal:  {Status: http.StatusUnprocessableEntity, Title: "This cannot be done"},
		account.ErrLocalOff:  {Status: http.StatusForbidden, Title: "Not allowed"},
		account.ErrInvite:    {Status: http.StatusForbidden, Title: "Not allowed"},
		account.ErrLastAdmin: {Status: http.StatusUnprocessableEntity, Title: "This cannot be done"},
		account.ErrRole:      {Status: http.StatusUnprocessableEntity, Title: "This cannot be done"},
		account.ErrNameTaken: {Status: http.StatusUnprocessableEntity, Title: "This cannot be done"},
		account.ErrName:      {Status: http.StatusUnprocessableEntity, Title: "This cannot be done"},
		account.ErrWeak:      {Status: http.StatusUnprocessableEntity, Title: "This cannot be done"},
	} {
		if errors.Is(err, known) {
			p.What, p.Next = Sentence(known.Error()), GoBack
			return p
		}
	}
	return nil
}

// explainDisk is for a full disk.
func explainDisk(err error) *Error {
	if !errors.Is(err, syscall.ENOSPC) {
		return nil
	}
	return &Error{
		Status: http.StatusInsufficientStorage, Title: "Not saved: the disk is full",
		What: "Everything that was saved before is safe.", Next: "Free space on the disk and try again.",
	}
}

// RefusedName says why the name of a new account, or the invitation of its person, was
// refused; "" for other errors.
func RefusedName(err error) string {
	for _, known := range []error{account.ErrName, account.ErrNameTaken, account.ErrInvite} {
		if errors.Is(err, known) {
			return Sentence(known.Error())
		}
	}
	return ""
}
