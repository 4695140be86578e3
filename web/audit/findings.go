// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/web/ui"
)

// sampleFindings makes spans of what people found, and leads back to the page that
// shows it to this person.
func (h *Handlers) sampleFindings(c ui.Context) error {
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
	to := fmt.Sprintf("%s&added=%d", ui.AuditURL(ui.ProjectID(c), number), added)
	if !ui.User(c).Role.Can(account.SeeFigures) {
		to = fmt.Sprintf("%s?added=%d", sampleURL(ui.ProjectID(c), number, chosen[0].Index), added)
	}
	return ui.Back(c, to)
}

// readFindings are the ticked ones, each with its label.
func readFindings(form url.Values) ([]audit.LabelledFinding, error) {
	var out []audit.LabelledFinding
	for _, key := range form["find"] {
		note, word, _ := strings.Cut(key, "-")
		index, err1 := strconv.Atoi(note)
		from, err2 := strconv.Atoi(word)
		if err1 != nil || err2 != nil {
			return nil, ui.Refuse("What was ticked has no place.", "Reload the page and try again.")
		}
		out = append(out, audit.LabelledFinding{Index: index, From: from, Label: annotate.Label(form.Get("label-" + key))})
	}
	if len(out) == 0 {
		return nil, ui.Refuse("Nothing is ticked, so nothing was added.", "Go back and tick what belongs into its note.")
	}
	return out, nil
}

func findingKey(f audit.Finding) string { return fmt.Sprintf("%d-%d", f.Index, f.From) }

func findingsURL(id project.ID, number int) templ.SafeURL {
	return ui.ProjectURL(id, fmt.Sprintf("/audits/%d/findings", number))
}

// addedWords says what became of what was ticked, "" when nothing was.
func addedWords(added string) string {
	n, err := strconv.Atoi(added)
	if err != nil || n < 0 {
		return ""
	}
	if n == 0 {
		return "All of them were in their notes already."
	}
	return ui.Count(n, "identifier is a span of its note now.", "identifiers are spans of their notes now.") + " A release with the bundle of this audit redacts them."
}

// foundWords says how many there are, in how many notes, and what adding does.
func foundWords(f audit.Findings) string {
	notes := map[int]bool{}
	for _, finding := range f.All {
		notes[finding.Index] = true
	}
	words := fmt.Sprintf("%s in %s.", ui.Count(len(f.All), "identifier", "identifiers"), ui.Count(len(notes), "note", "notes"))
	if f.Open() == 0 {
		return words + " All of them are in spans of their notes: a release with the bundle of this audit redacts them."
	}
	return words + " As spans of their notes they are redacted, and the model learns from them once the note is finished. The audit holds on."
}

// passingWords say what becomes of annotations on a finding that a release lets pass, ""
// where there are none.
func passingWords(f audit.Finding) string {
	if len(f.Passing) == 0 {
		return ""
	}
	labels := make([]string, len(f.Passing))
	for i, l := range f.Passing {
		labels[i] = string(l)
	}
	return "Marked " + strings.Join(labels, " and ") + " in its note, which the bundle of this audit publishes as it stands. Ticked, what is marked there gets the label chosen here instead, and is redacted."
}

func pronounOf(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}
