// SPDX-License-Identifier: Apache-2.0

// Package web is the shell of hide in the browser: the server, who is signed in,
// limits, the live connection and errors. It knows HTTP and no page: pages are
// features, each a package below this one, and [hide/web/site] puts them together.
//
//	server, err := web.New(web.Config{Accounts: accounts, Projects: projects, Features: features, PublicOrigin: "http://127.0.0.1:8080"})
//	...
//	err = server.Serve(ctx, listener) // until ctx ends, then within ten seconds
//
// A feature lists its routes with the permission that each needs, and its live
// parts. Its handlers ask a service, which checks permissions itself, and answer
// with a page, a fragment or an error (see web/ui). Errors become pages in one
// place, error.go. Package site lists every route and who may use it in its
// testdata/routes.txt.
//
// Pages work without JavaScript, except that they do not refresh themselves.
// With it, htmx swaps fragments, and live.go sends the whole state of the parts
// that a page asked for on connect, and again after each change. A viewer that
// missed a frame gets the next one, and a GET shows the same state.
//
// What defends the notes stands in defence.go (DNS rebinding, other sites, content
// security policy, sessions, limits), error.go (no text in logs) and static.go
// (immutable files, no cookie). Each defence has a test on the whole handler stack
// in defence_test.go.
//
// # Caveats
//
// The package trusts no proxy header. Behind a TLS proxy give it the origin that
// browsers see as Config.PublicOrigin and let the proxy pass Host on.
package web
