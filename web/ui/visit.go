// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/project"
)

// Context is one request and its answer.
type Context = echo.Context

// Visit says who makes a request, and what pages need to know of the server.
// The shell puts it into the context of the request.
type Visit struct {
	ID      string          // of the request, shown with an error and found in the log
	Token   string          // of the session; "" when nobody is signed in
	User    account.User    // zero when nobody is signed in; below a project, Role is the role in it
	Session account.Session // zero when nobody is signed in
	Access  account.Token   // of a request to the API; zero for pages
	Path    string          // of the page, for the sign-in page to come back to
	Cookie  Cookie
	Asset   func(name string) string // the URL of a static file

	IdleFor time.Duration // how long a session lasts without use
}

type visitKey struct{}

// WithVisit puts v into the context of a request.
func WithVisit(ctx context.Context, v Visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

// SetVisit makes v the visit of the rest of the request.
func SetVisit(c Context, v Visit) {
	c.SetRequest(c.Request().WithContext(WithVisit(c.Request().Context(), v)))
}

// VisitOf is the visit of a request, or the zero Visit outside one.
func VisitOf(ctx context.Context) Visit {
	v, _ := ctx.Value(visitKey{}).(Visit)
	return v
}

// SignedIn reports whether somebody is signed in.
func (v Visit) SignedIn() bool { return v.User.ID != "" }

// UserOf is the person who makes the request. In a handler whose route needs a permission
// it is never the zero user.
func UserOf(ctx context.Context) account.User { return VisitOf(ctx).User }

// User is [UserOf] for handlers.
func User(c Context) account.User { return UserOf(c.Request().Context()) }

// ProjectID is the project of the path. It is not checked: the service answers
// not found.
func ProjectID(c Context) project.ID { return project.ID(c.Param("project")) }

// May reports whether the reader has permission p. Templates leave out what the reader
// cannot use.
func May(ctx context.Context, p account.Permission) bool { return VisitOf(ctx).Allowed(p) }

// Allowed reports whether the visitor may use what needs p.
func (v Visit) Allowed(p account.Permission) bool {
	switch p {
	case Anyone:
		return true
	case SignedIn:
		return v.SignedIn()
	}
	return v.SignedIn() && v.User.Role.Can(p)
}

// Asset is the URL of a file of the static folder: Asset(ctx, "note.js").
func Asset(ctx context.Context, name string) string {
	if find := VisitOf(ctx).Asset; find != nil {
		return find(name)
	}
	return ""
}

// IsFragment reports whether a script of htmx asks: the answer is a fragment,
// not a page.
func IsFragment(r *http.Request) bool { return r.Header.Get("HX-Request") == "true" }

// Names finds the names of people.
type Names interface {
	NameOf(id string) (string, error)
}

// NameFor is what u calls the person with an id: "you", a name or "somebody else".
func NameFor(u account.User, names Names, id string) string {
	if id == u.ID {
		return "you"
	}
	if name, err := names.NameOf(id); err == nil && name != "" {
		return name
	}
	return "somebody else"
}
