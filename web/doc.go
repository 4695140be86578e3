// SPDX-License-Identifier: Apache-2.0

// Package web is hide in the browser: routes, pages, sign-in and the live
// connection. It knows HTTP and no algorithm; what a page shows and what a form
// does is asked of the project and account services, which check permissions
// themselves.
//
//	server, err := web.New(web.Config{Accounts: accounts, Projects: projects, PublicOrigin: "http://127.0.0.1:8080"})
//	...
//	err = server.Serve(ctx, listener) // until ctx ends, then within ten seconds
//
// A page is a file with handlers and a file with its templates. A handler has
// the type func(echo.Context) error: it asks a service, and answers with
// [Server.page], [Server.fragment] or an error. Errors are turned into pages and
// fragments in one place, error.go. Every route is listed with the permission it
// needs in routes.go, and testdata/routes.txt says what each role gets from it.
//
// Pages work without JavaScript, except that they do not refresh themselves.
// With it, htmx 4 swaps fragments, and live.go sends the whole state of the
// parts a page asked for on connect, and again after each change; a frame that
// was missed is never missed for long, and a GET shows the same state.
//
// What defends the notes is in files of its own: host.go (DNS rebinding),
// origin.go and csrf.go (other sites), header.go (content security policy and
// its kin), session.go (who is there), limit.go (bodies and deadlines), log.go
// (no text in logs), static.go (immutable files, no cookie). Each has a test on
// the whole handler stack in defence_test.go.
//
// # Caveats
//
// The package trusts no proxy header. Behind a TLS proxy give it the origin that
// browsers see as Config.PublicOrigin and let the proxy pass Host on.
package web
