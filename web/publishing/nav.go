// SPDX-License-Identifier: Apache-2.0

// Package publishing is what the pages that publish share: the way from one kind of release
// to another, the list of releases, earlier releases of the same patients, findings of audits
// that are still open, and the words for a release.
package publishing

import (
	"strings"

	"hide/internal/publish/idview"
)

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

// Lines are the lines of a text field without blank ones.
func Lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// ReadKey reads what [KeyText] has written.
func ReadKey(text string) idview.Key {
	source, name, _ := strings.Cut(text, ":")
	return idview.Key{Source: idview.Source(source), Name: name}
}

// KeyText writes an attribute's key as one word of a form; [ReadKey] reads it.
func KeyText(k idview.Key) string { return string(k.Source) + ":" + k.Name }

// SourceWords says where an attribute is from.
func SourceWords(k idview.Key) string {
	switch k.Source {
	case idview.Field:
		return "field"
	case idview.Label:
		return "marked in notes"
	}
	return "counted"
}

// Choice is one entry of a [Select].
type Choice struct{ Value, Says string }
