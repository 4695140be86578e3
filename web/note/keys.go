// SPDX-License-Identifier: Apache-2.0

package note

import "strings"

// noteKey is a key of the annotation page. The page writes the table into its
// help, and note_keys.js reads it from there: this is the only list. Single
// letters are taken from labels by annotate's reserved keys, and a test keeps the
// two in step.
type noteKey struct {
	keys   []string // as KeyboardEvent.key names them
	shown  string   // "" when the first of keys says it
	action string   // of note_actions.js
	words  string
}

type noteKeyGroup struct {
	title string
	keys  []noteKey
}

var noteKeyGroups = []noteKeyGroup{
	{"Mark", []noteKey{
		{nil, "drag", "", "select words with the mouse; hold Shift or Alt for exact characters"},
		{[]string{"c"}, "", "caret", "put the caret into the note (arrow keys do it too)"},
		{nil, "← → ↑ ↓", "", "move by word and by line; Home and End go to the ends of the line"},
		{nil, "Shift + arrow", "", "select more or fewer words"},
		{nil, "letter", "", "a label's key gives the selected words, or the chosen span, that label"},
		{[]string{"l"}, "", "labels", "choose from all labels by name"},
		{[]string{"z"}, "", "again", "use the last label again"},
		{[]string{"Escape"}, "Esc", "clear", "clear the selection"},
	}},
	{"Change a span", []noteKey{
		{[]string{"e"}, "", "nextSpan", "choose the next span"},
		{[]string{"E"}, "E", "previousSpan", "choose the previous span"},
		{[]string{"["}, "", "widenLeft", "one more word at the start"},
		{[]string{"]"}, "", "widenRight", "one more word at the end"},
		{[]string{"{"}, "", "narrowLeft", "one word fewer at the start"},
		{[]string{"}"}, "", "narrowRight", "one word fewer at the end"},
		{[]string{"x", "Delete", "Backspace"}, "x or Delete", "remove", "remove the span"},
		{[]string{"m"}, "", "matches", "tag all matches in this note, from a list"},
	}},
	{"Suggestions", []noteKey{
		{[]string{"n"}, "n or Tab", "nextSuggestion", "next suggestion"},
		{[]string{"N"}, "N", "previousSuggestion", "previous suggestion"},
		{[]string{"a"}, "", "accept", "accept, and go to the next"},
		{[]string{"r"}, "", "reject", "reject, and go to the next"},
		{[]string{"A"}, "A", "acceptMany", "accept all above a score"},
		{[]string{"s"}, "", "toggleSuggestions", "show or hide suggestions"},
	}},
	{"The note", []noteKey{
		{[]string{"u", "ctrl+z"}, "u or Ctrl + Z", "undo", "undo"},
		{[]string{"U", "ctrl+y", "ctrl+Z"}, "U or Ctrl + Y", "redo", "redo"},
		{[]string{"d"}, "", "finish", "finish the note, and open the note after “Next” in the list"},
		{[]string{"j"}, "", "nextNote", "next note in the list"},
		{[]string{"k"}, "", "previousNote", "previous note in the list"},
		{[]string{"<"}, "", "back", "back to the run that the note was opened from"},
		{[]string{"?"}, "", "help", "this list"},
	}},
}

// label is how the help shows the key.
func (k noteKey) label() string {
	if k.shown != "" {
		return k.shown
	}
	return k.keys[0]
}

// join is the keys as note_keys.js reads them. No key is a space.
func (k noteKey) join() string { return strings.Join(k.keys, " ") }
