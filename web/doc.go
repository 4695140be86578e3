// SPDX-License-Identifier: Apache-2.0

// Package web is the shell of hide in the browser: the server, sessions, limits, the
// live connection, static files and error pages. It has no other page. Pages are
// features, each in a package below this one, and [hide/web/site] makes one server of
// them all.
//
//	server, err := web.New(web.Config{Accounts: accounts, Projects: projects, Features: features, PublicOrigin: "http://127.0.0.1:8080"})
//	...
//	err = server.Serve(ctx, listener) // until ctx ends, then within ten seconds
//
// # Features
//
// A feature lists its routes, each with the permission that it needs, and its live
// parts. Its handlers call a service, which checks permissions itself, and answer with a
// page, a fragment or an error. What all features share is in packages ui (frame, errors,
// words), outcome (figures of runs) and publishing (kinds of releases). Features import
// neither this package nor, with few exceptions, each other.
//
// Pages work without JavaScript, except that they do not refresh themselves. With
// JavaScript, htmx swaps fragments, and live.go sends the parts that a page names: all of
// them on connect, and each one again after an event of its topics, if it looks
// different. A viewer that missed a frame gets the next one, and a GET shows the same
// state.
//
// The HTTP API has routes of its own, which Config.API lists. A request to it carries an
// access token and has the rights of its person; its errors are problem documents. What
// differs from pages is in api.go and problem.go.
//
// # Defences
//
// Defences of the notes are in defence.go (DNS rebinding, other sites, content security
// policy, sessions, limits), error.go (logs without text of notes) and static.go
// (immutable files without a cookie). defence_test.go asks each of the whole handler
// stack over a feature of its own, and the tests of package site ask them of every route
// of the program. testdata/routes.txt of package site lists every route and who may use
// it.
//
// # Caveats
//
// The package trusts no proxy header. Behind a TLS proxy, Config.PublicOrigin is the
// origin that browsers see, and the proxy passes Host on.
package web
