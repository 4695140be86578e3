// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"crypto/rand"
	"net/http"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
)

// visit is one request's view of who is there. Handlers and templates read it
// from the context.
type visit struct {
	id     string       // of the request, shown with an error and found in the log
	token  string       // of the session, or of the anonymous visit
	user   account.User // zero when nobody is signed in
	csrf   string       // goes into every form
	assets *assets
	path   string // of the page, for the sign-in page to come back to
}

type visitKey struct{}

func withVisit(ctx context.Context, v visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

// visitFrom is the visit of a request, or the zero visit outside one.
func visitFrom(ctx context.Context) visit {
	v, _ := ctx.Value(visitKey{}).(visit)
	return v
}

func (v visit) signedIn() bool { return v.user.ID != "" }

// userFrom is the person who asks. In a handler whose route needs a permission it
// is never the zero user.
func userFrom(ctx context.Context) account.User { return visitFrom(ctx).user }

// user is [userFrom] for handlers.
func user(c echo.Context) account.User { return userFrom(c.Request().Context()) }

// may is for templates that leave out what the reader cannot use.
func may(ctx context.Context, p account.Permission) bool { return allowed(visitFrom(ctx), p) }

// allowed reports whether the visitor may use what needs p.
func allowed(v visit, p account.Permission) bool {
	switch p {
	case anyone:
		return true
	case signedIn:
		return v.signedIn()
	}
	return v.signedIn() && v.user.Role.Can(p)
}

// asset is the URL of a file of the static folder: asset(ctx, "note.js").
func asset(ctx context.Context, name string) string { return visitFrom(ctx).assets.url(name) }

// isFragment reports whether a script of htmx asks: the answer is a fragment,
// not a page.
func isFragment(r *http.Request) bool { return r.Header.Get("HX-Request") == "true" }

func newRequestID() string { return rand.Text()[:8] }
