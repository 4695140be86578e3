// SPDX-License-Identifier: Apache-2.0

// Package publishing holds what all pages that publish share: the tabs for the kinds of
// release, the list of releases, the warnings about earlier releases of the same patients
// and about open findings of audits, and the text that describes a release.
package publishing

import (
	"strings"

	"hide/internal/project/release"
	"hide/internal/publish/idview"
	"hide/web/ui"
)

// kindTab is the tab of a page that publishes one kind of release.
type kindTab struct{ name, title, path string }

var kindTabs = []kindTab{
	{"links", "Patients", "/links"},
	{"text", "Text", "/publish"},
	{"draft", "Text by policy", "/draft"},
	{"table", "Table", "/publish/table"},
	{"joint", "Notes with fields", "/publish/joint"},
	{"counts", "Counts", "/publish/counts"},
	{"sequences", "Sequences", "/publish/sequences"},
	{"questions", "Answers", "/publish/questions"},
}

// Lines splits a text field into its lines and drops blank ones.
func Lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// ReadKey is the inverse of [KeyText].
func ReadKey(text string) idview.Key {
	source, name, _ := strings.Cut(text, ":")
	return idview.Key{Source: idview.Source(source), Name: name}
}

// KeyText writes the key of an attribute as the value of a form field.
func KeyText(k idview.Key) string { return string(k.Source) + ":" + k.Name }

// SourceWords names the source of an attribute.
func SourceWords(k idview.Key) string {
	switch k.Source {
	case idview.Field:
		return "field"
	case idview.Label:
		return "marked in notes"
	}
	return "counted"
}

// Choice is one option of a [Select]: the value that the form sends, and the text that
// people read.
type Choice struct{ Value, Says string }

// EndingField is the name of the buttons of a form that publishes, and FreezeValue the value
// of the one that freezes a candidate.
const (
	EndingField = "do"
	FreezeValue = "freeze"

	publishValue = "publish"
)

// Ends reports whether a button of [Submit] has this value.
func Ends(value string) bool { return value == publishValue || value == FreezeValue }

// Ending reads which button of [Submit] was pressed.
func Ending(c ui.Context) release.Ending {
	if c.FormValue(EndingField) == FreezeValue {
		return release.Freeze
	}
	return release.Publish
}
