// SPDX-License-Identifier: Apache-2.0

// Package format reads and writes notes in the file formats people have: plain
// text, hide's own JSON lines, CSV, brat standoff, CoNLL columns, and zip
// archives of these.
//
//	files, done, err := format.FromPaths([]string{"notes/"})
//	...
//	defer done()
//	report, err := format.Read(ctx, files, format.Options{}, func(d annotate.Annotated) error {
//		return keep(d)
//	})
//
// Documents reach the sink one by one, so memory is bounded by the largest
// document and not by the import. [Read] stops at the first bad record and
// returns it as a [*Problem]; the caller's transaction makes that all or
// nothing. With [Options.SkipBad] bad records are listed in the [Report] and the
// good ones go on.
//
// # What is promised
//
// A text is taken over byte for byte or refused, never repaired: no newline is
// normalised, no white space trimmed, no invalid byte replaced. The only thing
// removed is a byte order mark at the start of a file, and the report says so.
// CoNLL files do not say what stood between their tokens; there the rule is one
// space between tokens and a line break after each sentence.
//
// Positions in files are Unicode code points, end exclusive. A file that carries
// the text under a span has it compared, and a difference is refused.
//
// Errors and reports name file, record, byte offset and a stable code, and say
// what to do next. They never quote a document.
//
// # Limits
//
// See [MaxDocument], [MaxSpans] and the limits on archives in zip.go. Overlapping
// spans are refused, identical ones taken once. Two documents whose names differ
// only in case or in Unicode normal form count as duplicates.
package format
