// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"

	"hide/internal/words"
)

// Write prints the preview, with the samples only if text is true: they hold identified text.
func (p ImportPreview) Write(w io.Writer, text bool) {
	fmt.Fprintf(w, "%s with %s would be imported (%s)\n", words.Count(p.Documents, "note", "notes"), words.Count(p.Spans, "span", "spans"), cmp.Or(p.Detail, p.Format, "no format"))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "patients\t%d\t%s\n", p.Patients, words.Count(p.Without, "note without one", "notes without one"))
	for _, m := range p.Mapped {
		fmt.Fprintf(t, "label %s\t%d\t%s\n", m.Label, m.Spans, m.words())
	}
	for _, a := range p.Attributes {
		fmt.Fprintf(t, "field %s\t%d\tkept\n", a.Name, a.Notes)
	}
	for _, i := range p.Identities {
		fmt.Fprintf(t, "identity %s of a %s\t%d\tkept\n", i.Label, i.Of, i.Count)
	}
	_ = t.Flush() // a table that cannot be written shows in the next write
	if p.Known > 0 {
		fmt.Fprintf(w, "in the project already: %s\n", words.Count(p.Known, "note", "notes"))
	}
	p.Report.Write(w)
	for _, s := range p.Samples {
		if text {
			fmt.Fprintf(w, "\n%s:\n%s\n", s.Name, s.Text)
		}
	}
}

// words says what a label becomes.
func (m MappedLabel) words() string {
	switch {
	case m.To == "":
		return "dropped"
	case m.Proposed != "" && m.To != m.Proposed:
		return fmt.Sprintf("new label; --map suggested makes it %s", m.Proposed)
	case m.To != m.Label && m.New:
		return fmt.Sprintf("becomes the new label %s", m.To)
	case m.To != m.Label:
		return fmt.Sprintf("becomes %s", m.To)
	case m.New:
		return "new label"
	}
	return "kept"
}
