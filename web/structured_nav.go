// SPDX-License-Identifier: Apache-2.0

package web

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
