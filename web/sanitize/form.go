// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/option"
	"hide/internal/project/sanitize"
	"hide/web/ui"
)

// startForm is the form that starts a run.
type startForm struct {
	option.Form
	Error string // what is wrong, when it is not one field
	Waits int    // the run that has to end first; 0 for none
}

// The options that the form asks about outside its advanced part.
const (
	optionSensitive = "sensitive"
	optionLeak      = "leak"
)

// newStartForm has the default settings.
func newStartForm(labels annotate.LabelSet) startForm {
	usual := sanitize.Options.Default()
	usual.Leak = sanitize.UsualLeak
	return offerLabels(sanitize.Options.Form(&usual), labels)
}

// rest is the form without its questions.
func (f startForm) rest() option.Form {
	return withoutTarget(f.Drop(optionSensitive).Drop(optionLeak))
}

// sensitiveWords: "all 31 labels", "2 of 31 labels".
func sensitiveWords(f option.Field) string {
	if n := len(f.Choices); len(f.Texts) < n {
		return fmt.Sprintf("%d of %d labels", len(f.Texts), n)
	}
	return "all " + ui.Count(len(f.Choices), "label", "labels")
}

// advancedWords are the options that differ from their default.
func advancedWords(form option.Form) string {
	var words []string
	for _, g := range form.Groups() {
		if text := g.Words(); text != "" {
			words = append(words, text)
		}
	}
	return cmp.Or(strings.Join(words, "; "), "all as recommended")
}

// readStartForm reads a form and keeps it, so that it can be shown again. It ignores the
// loss of a label that is not selected. The run also measures the L/C of the answer.
func readStartForm(values url.Values, labels annotate.LabelSet) (startForm, sanitize.Params) {
	counted := url.Values{}
	for name, texts := range values {
		if label, is := strings.CutPrefix(name, "loss:"); !is || slices.Contains(values[optionSensitive], label) {
			counted[name] = texts
		}
	}
	var p sanitize.Params
	form := offerLabels(sanitize.Options.ReadForm(counted, &p), labels)
	if len(p.Labels) == len(labels) {
		p.Labels = nil
	}
	if p.Leak > 0 && !slices.Contains(p.LC, p.Leak) && len(p.LC) < sanitize.MaxLCs {
		p.LC = append(p.LC, p.Leak)
		slices.Sort(p.LC)
	}
	return form, p
}

// offerLabels lists the labels of a project where a form asks about them.
func offerLabels(form option.Form, labels annotate.LabelSet) startForm {
	var choices []option.Choice
	for _, l := range labels {
		choices = append(choices, option.Choice{Value: string(l.Label), Help: l.Help})
	}
	form.Offer(optionSensitive, choices)
	choices = slices.Clone(choices)
	for i := range choices {
		choices[i].Help = ""
	}
	form.Offer("loss", choices)
	form.Offer("target-labels", choices)
	return startForm{Form: form}
}

// runningIn is the number of the running run, 0 for none.
func runningIn(runs []sanitize.Run) int {
	for _, r := range runs {
		if r.State == sanitize.Running {
			return r.Number
		}
	}
	return 0
}
