// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/web/ui"
)

// addFindings adds the ticked findings to their notes as spans.
func (h *Handlers) addFindings(c ui.Context) error {
	number, err := ui.AddressNumber(c.Param("number"))
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	chosen, err := readFindings(form)
	if err != nil {
		return err
	}
	added, err := h.projects.AddAuditFindings(c.Request().Context(), ui.User(c), ui.ProjectID(c), number, chosen)
	if err != nil {
		return err
	}
	return ui.Back(c, fmt.Sprintf("%s&added=%d", ui.AuditURL(ui.ProjectID(c), number), added))
}

// readFindings reads the ticked findings with their labels.
func readFindings(form url.Values) ([]audit.LabelledFinding, error) {
	var out []audit.LabelledFinding
	for _, key := range form["find"] {
		note, word, _ := strings.Cut(key, "-")
		index, err1 := strconv.Atoi(note)
		from, err2 := strconv.Atoi(word)
		if err1 != nil || err2 != nil {
			return nil, ui.Refuse("A ticked identifier has no place in a note.", "Reload the page and try again.")
		}
		out = append(out, audit.LabelledFinding{Index: index, From: from, Label: annotate.Label(form.Get("label-" + key))})
	}
	if len(out) == 0 {
		return nil, ui.Refuse("Nothing is ticked, so nothing was added.", "Go back and tick the identifiers to add.")
	}
	return out, nil
}

func findingKey(f audit.Finding) string { return fmt.Sprintf("%d-%d", f.Index, f.From) }

func findingsURL(id project.ID, number int) templ.SafeURL {
	return ui.ProjectURL(id, fmt.Sprintf("/audits/%d/findings", number))
}

// addedWords reports how many findings were added; it is "" without a number.
func addedWords(added string) string {
	n, err := strconv.Atoi(added)
	if err != nil || n < 0 {
		return ""
	}
	if n == 0 {
		return "All of them were covered by spans already."
	}
	return ui.Count(n, "identifier was added to its note as a span.", "identifiers were added to their notes as spans.") + " Releases with the redaction model of this audit redact " + pronoun(n) + "."
}

// foundWords counts the findings and says what adding them does.
func foundWords(f audit.Findings) string {
	notes := map[int]bool{}
	for _, finding := range f.All {
		notes[finding.Index] = true
	}
	words := fmt.Sprintf("%s in %s.", ui.Count(len(f.All), "identifier", "identifiers"), ui.Count(len(notes), "note", "notes"))
	if f.Open() == 0 {
		return words + " All of them are covered by spans: releases with the redaction model of this audit redact them."
	}
	return words + " Once they are added as spans, releases redact them, and models are trained on them when the note is finished. The audit stays valid."
}

// readableLabelWords warns of annotations on a finding with labels that a release leaves
// readable. Adding the finding changes these labels.
func readableLabelWords(f audit.Finding) string {
	if len(f.Passing) == 0 {
		return ""
	}
	labels := make([]string, len(f.Passing))
	for i, l := range f.Passing {
		labels[i] = string(l)
	}
	return "Marked " + strings.Join(labels, " and ") + " in its note, and the redaction model of this audit leaves that readable. If you tick it, the annotation there gets the label chosen here and is redacted."
}

func pronoun(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}
