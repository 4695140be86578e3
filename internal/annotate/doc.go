// SPDX-License-Identifier: Apache-2.0

// Package annotate is the domain of hide: notes, the spans people and models
// put on them, and the rules by which spans change.
//
// A [Document] never changes after import. Everything said about it is
// stand-off: a [Span] covers the half-open byte range text[Start:End] and
// carries a [Label]. A [Layer] is the set of spans people hold on one document,
// with a revision that every accepted edit raises by one, and a history from
// which each edit can be undone and redone. A [Suggestion] is a model's span; it
// is never an annotation until somebody accepts it.
//
// Offsets have a type per unit. Inside Go everything is [ByteOff]; every wire
// and every file speaks Unicode code points, [RuneOff]; only the browser knows
// UTF-16. [Offsets] converts, and refuses positions that fall inside a code
// point.
//
// The package does no I/O, keeps no clock and knows no user interface.
package annotate
