// SPDX-License-Identifier: Apache-2.0

// Hide de-identifies clinical notes: an honest broker imports them, marks what
// is sensitive while a model learns from it, measures what an attacker could
// still find, and publishes.
//
// Each subcommand lives in a file of its own and is one row of the table in
// commands.go. A subcommand declares its flags with [env.flags], reads them with
// [env.parse], does its work through the packages under internal, and reports
// with [env.result]. It returns its error; only [run] prints it.
//
// The rules of this program's terminal:
//
//   - Standard output carries results only; with --json, exactly one JSON object.
//   - Everything else goes to standard error. Progress is shown only when that is
//     a terminal.
//   - An error is one line, "hide: what was being done: why", without capitals
//     and full stop, and at most one line that says what to do about it. Neither
//     holds text of a document.
//   - The exit code is 0 when it was done, 1 when it failed and 2 when it was
//     asked for wrongly.
//   - The first interrupt cancels in good order, a second one kills.
package main
