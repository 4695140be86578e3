// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
)

// Permissions of a route besides those of [account.Role].
const (
	Anyone   account.Permission = "anyone"
	SignedIn account.Permission = "signed in"
)

// Route is one method and path, with the permission that its handler needs. The services
// check permissions again. The check of the route makes sure that none is forgotten, and
// that a refused person learns nothing about what exists.
type Route struct {
	Method, Path string
	Needs        account.Permission
	Handle       func(Context) error

	// Streams says that a request carries files or a whole data set, up or down:
	// it may take any time while it goes on, and has a larger limit.
	Streams bool

	// Files says that the form has files. Other forms never come as multipart.
	Files bool
}

// Get is a route that shows something.
func Get(path string, needs account.Permission, handle func(Context) error) Route {
	return Route{Method: http.MethodGet, Path: path, Needs: needs, Handle: handle}
}

// Post is a route that takes a form.
func Post(path string, needs account.Permission, handle func(Context) error) Route {
	return Route{Method: http.MethodPost, Path: path, Needs: needs, Handle: handle}
}

// Uploading is r as a route that takes files.
func (r Route) Uploading() Route {
	r.Streams, r.Files = true, true
	return r
}

// Streaming is r as a route that sends files.
func (r Route) Streaming() Route {
	r.Streams = true
	return r
}

// APIBase is the address of the HTTP API. Its routes are below it.
const APIBase = "/api/v1"

// APIRoute is one method and path of the HTTP API. A request has the rights of the person of
// its access token, within the scope of the route.
type APIRoute struct {
	Route // Path is below APIBase: "/projects/:project/notes"

	// Scope is what the token must allow; "" means any token. A route that needs [Anyone] asks
	// for no token.
	Scope account.Scope

	// Object is how the audit trail names what the last parameter of the path is, such as
	// "documents" for a number of a note; "" for nothing besides the project.
	Object string

	// Recorded says that the use case writes the audit row of each request that succeeds, and
	// names the token in it. The shell then writes rows of the others only.
	Recorded bool

	// Narrows says, of a route outside of projects, that its handler keeps to the project of
	// the token, if it has one. Other routes outside of projects refuse such a token.
	Narrows bool
}

// Audited reports whether each request is in the audit trail: it changes something, or handles
// identified text.
func (r APIRoute) Audited() bool {
	return r.Needs != Anyone && (r.Method != http.MethodGet && r.Method != http.MethodHead || r.Scope.HandlesNotes())
}

// LivePart is a fragment of a page that refreshes itself. A page names the parts
// it shows in Page.Live. The server renders a part after every event of its topics, once
// for all who look at it: those with the same role and the same values of Page.Query. They
// get it whole on connect, and afterwards the elements with an id that changed. So a row
// or a number that changes alone needs an id. The page's GET renders the same component,
// so nothing depends on the connection.
type LivePart struct {
	Name     string             // what Page.Live calls it
	Topics   []project.Topic    // whose events make it stale
	Needs    account.Permission // who may watch it
	OfNote   bool               // it shows the document that Page.Query names as "doc": events of others are not its
	Personal bool               // it depends on the person, so each gets one of their own: for small parts with a Pause
	Ignores  []string           // values of Page.Query that are for other parts of the page
	Pause    time.Duration      // at least this long between two renderings of it: for large parts that change often
	Target   string             // selector of the element that the component renders: "#training"

	// Admits refuses a person who may not watch it although the role would do, such as one who
	// is not a member of what it shows. nil admits everybody with the permission. It is asked
	// again and again while the person watches.
	Admits func(ctx context.Context, u account.User, id project.ID, q url.Values) error

	// Render makes the whole state. q is Page.Query without what the part ignores. u is
	// one of those who look: unless the part is Personal, only the role may matter. The
	// service checks u's permission, as for the page.
	Render func(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error)
}

// MaxBody bounds a request in bytes where its route has no limit of its own.
const MaxBody = 64 << 20
