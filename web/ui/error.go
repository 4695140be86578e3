// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"errors"
	"net/http"
	"syscall"

	"hide/internal/account"
	"hide/internal/project"
)

// Error is an error with everything that the person who caused it should read.
// None of it holds document text.
type Error struct {
	Status int
	Title  string // "This cannot be done"
	What   string // what happened, to which thing
	Next   string // what to do next
	Ref    string // found in the log; only for unexpected errors
	Back   string // path of the page that asked; "" when it is not known, or asking it again makes no sense
}

func (e *Error) Error() string { return e.Title + ": " + e.What }

// Refuse is an [Error] about a form that asks for something that cannot be done.
func Refuse(what, next string) error {
	return &Error{Status: http.StatusUnprocessableEntity, Title: "This cannot be done", What: what, Next: next}
}

// Refused is the error when it says that what a form asks cannot be done, for
// the form to show; nil for any other error.
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
			Status: http.StatusConflict, Title: "The note was changed meanwhile", What: "Nothing of yours was saved: " + conflict.Error() + ".",
			Next: "Go back to see it as it stands now, then repeat what you did if it is still needed.",
		}
	}
	var e *project.Error
	if !errors.As(err, &e) {
		return nil
	}
	p := &Error{What: Sentence(e.Message), Next: Sentence(e.Hint)}
	switch e.Kind {
	case project.NotFound:
		p.Status, p.Title = http.StatusNotFound, "This is not there"
	case project.Forbidden:
		p.Status, p.Title = http.StatusForbidden, "This is not for you"
	case project.Invalid:
		p.Status, p.Title = http.StatusUnprocessableEntity, "This cannot be done"
	case project.Stale:
		p.Status, p.Title = http.StatusConflict, "Things have changed meanwhile"
	default:
		return nil
	}
	return p
}

// explainAccount is for what forms about people do not say in the form itself.
func explainAccount(err error) *Error {
	var locked *account.LockoutError
	if errors.As(err, &locked) {
		return &Error{Status: http.StatusTooManyRequests, Title: "Too many tries", What: Sentence(locked.Error())}
	}
	for known, p := range map[error]*Error{
		account.ErrForbidden: {Status: http.StatusForbidden, Title: "This is not for you"},
		account.ErrSession:   {Status: http.StatusUnauthorized, Title: "You are signed out"},
		account.ErrNotFound:  {Status: http.StatusNotFound, Title: "This is not there"},
		account.ErrLastAdmin: {Status: http.StatusUnprocessableEntity, Title: "This cannot be done"},
		account.ErrRole:      {Status: http.StatusUnprocessableEntity, Title: "This cannot be done"},
		account.ErrNameTaken: {Status: http.StatusUnprocessableEntity, Title: "This cannot be done"},
		account.ErrName:      {Status: http.StatusUnprocessableEntity, Title: "This cannot be done"},
		account.ErrWeak:      {Status: http.StatusUnprocessableEntity, Title: "This cannot be done"},
	} {
		if errors.Is(err, known) {
			p.What, p.Next = Sentence(known.Error()), "Go back to the page you came from."
			return p
		}
	}
	return nil
}

// explainDisk is for the one failure of the machine that people can do something
// about.
func explainDisk(err error) *Error {
	if !errors.Is(err, syscall.ENOSPC) {
		return nil
	}
	return &Error{
		Status: http.StatusInsufficientStorage, Title: "Not saved: the disk is full",
		What: "Everything that was saved before is safe.", Next: "Make room on the disk and repeat what you did.",
	}
}
