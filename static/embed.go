// SPDX-License-Identifier: Apache-2.0

// Package static holds the files that browsers are given: style sheets, small
// ES modules, the icon, and the vendored htmx. They are embedded, so that the
// binary needs no folder beside it and asks no other host for anything.
package static

import "embed"

// Files is everything that is served, by the name it has in this folder.
//
//go:embed css js vendor *.js *.svg
var Files embed.FS
