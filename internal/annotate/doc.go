// SPDX-License-Identifier: Apache-2.0

// Package annotate is the domain of hide: notes, their spans, and the rules by which
// spans change.
//
//	note := annotate.NewNote(annotated)         // tokenized once
//	view := annotate.View{Note: &note, Redacted: mask} // what a learner reads
//	err := layer.Apply(text, edit)              // one person's edit
//
// # Which types hold a note?
//
// A [Document] is the record that an import stores; it never changes. An [Annotated] is a
// record of a corpus file: a document and its spans. A [Note] is an annotated document cut
// into tokens; every engine and publisher reads it. A [View] is a note under a mask:
// redacted tokens read as [Placeholder].
//
// # How do spans change?
//
// A [Span] covers the bytes text[Start:End] and carries a [Label]. A [Layer] has the
// spans of people on one document, a revision that every accepted edit raises by one,
// and a history for undo and redo. A [Suggestion] is a model's span. It is not an
// annotation until someone accepts it.
//
// # Which unit do offsets have?
//
// Go code counts bytes ([ByteOff]). Files and wires count Unicode code points
// ([RuneOff]). Only the browser counts UTF-16 units. [Offsets] converts, and refuses
// positions inside a code point.
//
// The package does no I/O and reads no clock.
package annotate
