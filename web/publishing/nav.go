// SPDX-License-Identifier: Apache-2.0

// Package publishing is what the pages that publish share: the way from one kind of release
// to another, the list of releases, earlier releases of the same patients, findings of audits
// that are still open, and the words for a release.
package publishing

// publishKind is one way to publish, a page of its own.
type publishKind struct{ name, title, path string }

var publishKinds = []publishKind{
	{"text", "Text", "/publish"},
	{"table", "Table", "/publish/table"},
	{"joint", "Notes with fields", "/publish/joint"},
	{"counts", "Counts", "/publish/counts"},
	{"sequences", "Sequences", "/publish/sequences"},
	{"questions", "Answers", "/publish/questions"},
}
