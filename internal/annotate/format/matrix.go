// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

// WriteMatrix writes the formats as a table in Markdown.
func WriteMatrix(w io.Writer) error {
	var out strings.Builder
	out.WriteString("| Format | Name | Read | Write | Notes in its files | A written file holds | Remark |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, f := range Formats() {
		write, holds := "no", ""
		if f.Write {
			write, holds = f.Ending, f.Holds.words()
		}
		fmt.Fprintf(&out, "| %s | `%s` | %s | %s | %s | %s | %s |\n", cell(f.Title), f.Name, yesNo(f.Read), write, cell(f.Files), holds, cell(f.Remark))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// words lists the parts of a note that a file holds.
func (h Holds) words() string {
	var parts []string
	for _, p := range []struct {
		held bool
		name string
	}{{h.Name, "id"}, {h.Text, "text"}, {h.Spans, "spans"}, {h.Patient, "patient"}, {h.Attributes, "attributes"}, {h.Identities, "identities"}} {
		if p.held {
			parts = append(parts, p.name)
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing exactly")
}

func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// cell escapes what Markdown would take for the end of a cell, or for a tag.
func cell(text string) string { return strings.NewReplacer("|", `\|`, "<", `\<`).Replace(text) }
