// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/web/ui"
)

// titleOf is the title of a format in reports.
func titleOf(name string) string {
	for _, f := range format.Formats() {
		if f.Name == name {
			return f.Title
		}
	}
	if name == "mixed" {
		return "several formats"
	}
	return "no format"
}

// formatWords names the format and says who chose it.
func formatWords(k keptState) string {
	if k.options.Format != "" {
		return "read as " + titleOf(k.options.Format)
	}
	return "detected as " + titleOf(k.preview.Format)
}

func formatDetail(k keptState) string {
	words := titleOf(cmp.Or(k.options.Format, k.preview.Format))
	if k.options.Format == "" {
		words += ", detected by name and content"
	}
	if k.preview.Detail != "" {
		words += ": " + k.preview.Detail
	}
	return words
}

func encodingWords(name string) string {
	if name == "" {
		return "UTF-8, or what a byte order mark or an XML file says"
	}
	return name + ", as chosen"
}

func patientWords(p format.Preview) string {
	switch {
	case p.Patients == 0:
		return "No note names its patient."
	case p.Without == 0:
		return ui.Number(p.Patients)
	}
	return fmt.Sprintf("%s; %s", ui.Number(p.Patients), ui.Count(p.Without, "note names none", "notes name none"))
}

// fieldsShown is how many structured fields the page names.
const fieldsShown = 20

func attributeWords(all []format.NameCount) string {
	var words []string
	for _, a := range all[:min(fieldsShown, len(all))] {
		words = append(words, fmt.Sprintf("%s (%s)", a.Name, ui.Count(a.Notes, "note", "notes")))
	}
	if more := len(all) - fieldsShown; more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return cmp.Or(strings.Join(words, ", "), "None.")
}

// identityWords counts identities by label, a line for each kind of person.
func identityWords(all []format.IdentityCount) (lines []string) {
	for i, id := range all {
		one := fmt.Sprintf("%s %s", ui.LabelWords(id.Label), ui.Number(id.Count))
		if i == 0 || id.Of != all[i-1].Of {
			lines = append(lines, fmt.Sprintf("%s: %s", id.Of, one))
		} else {
			lines[len(lines)-1] += ", " + one
		}
	}
	if lines == nil {
		return []string{"the files name none outside the text"}
	}
	return lines
}

// piece is a run of text, marked or not.
type piece struct {
	text  string
	label annotate.Label // "" for text without a mark
}

// pieces cuts a sample at its spans, which are in order and do not overlap.
func pieces(s format.Sample) (all []piece) {
	at := annotate.ByteOff(0)
	for _, span := range s.Spans {
		all = append(all, piece{text: s.Text[at:span.Start]}, piece{s.Text[span.Start:span.End], span.Label})
		at = span.End
	}
	all = append(all, piece{text: s.Text[at:]})
	return slices.DeleteFunc(all, func(p piece) bool { return p.text == "" })
}

// sampleText writes a sample with its marks and no other white space, which a reader would
// take for the note's.
func (v uploadView) sampleText(s format.Sample) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		for _, p := range pieces(s) {
			out := templ.EscapeString(p.text)
			if p.label != "" {
				label := templ.EscapeString(string(p.label))
				out = fmt.Sprintf(`<mark data-code="%s" data-tint="%s" title="%s">%s</mark>`, label, v.tint(p.label), label, out)
			}
			if _, err := io.WriteString(w, out); err != nil {
				return err
			}
		}
		if s.Cut {
			_, err := io.WriteString(w, `<span class="hint">… the note goes on.</span>`)
			return err
		}
		return nil
	})
}

// tints is how many colours of marks there are.
const tints = 8

// tint is the colour of a label of the files, by its place in the list.
func (v uploadView) tint(l annotate.Label) string {
	for i, m := range v.preview.Mapped {
		if m.Label == l {
			return strconv.Itoa(i % tints)
		}
	}
	return "0"
}
