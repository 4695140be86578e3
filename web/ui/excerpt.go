// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"

	"hide/internal/annotate"
	"hide/internal/project"
)

// NotePath is the page of a note.
func NotePath(id project.ID, doc annotate.DocumentID) string {
	return fmt.Sprintf("/p/%s/notes/%d", id, doc)
}

// PlaceURL is a note, opened at a place in it by sanitize_place.js.
func PlaceURL(id project.ID, doc annotate.DocumentID, start, end annotate.RuneOff) templ.SafeURL {
	return templ.SafeURL(fmt.Sprintf("%s#at-%d-%d", NotePath(id, doc), start, end))
}

// How many characters the service gives around a passage, at most.
const around = 40

// Before is the text before a passage, on one line. Text that was cut begins with
// the next whole word.
func Before(text string) string {
	line := OneLine(text, around)
	if _, rest, found := strings.Cut(line, " "); found && rest != "" && utf8.RuneCountInString(text) >= around {
		return "… " + rest
	}
	return line
}

// After is the text after a passage, on one line. Text that was cut ends with the
// last whole word.
func After(text string) string {
	line := OneLine(text, around)
	if at := strings.LastIndex(line, " "); at > 0 && utf8.RuneCountInString(text) >= around {
		return line[:at] + " …"
	}
	return line
}

// ScorePercent is a suggestion's score in whole per cent, rounded down: 99 for
// everything below certainty, and <1 for everything above zero.
func ScorePercent(v float64) string {
	if v > 0 && v < 0.01 {
		return "<1"
	}
	return strconv.Itoa(int(100*v + 1e-9)) // 0.29 is not 28
}
