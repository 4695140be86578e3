// SPDX-License-Identifier: Apache-2.0

package publishing

import (
	"hide/internal/publish/idview"
	"strings"
)

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
