// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"net/url"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/option"
	"hide/internal/project/sanitize"
)

// startForm is the form that starts a run.
type startForm struct {
	option.Form
	Error string // what is wrong, when it is not one field
	Waits int    // the run that has to end first; 0 for none
}

// newStartForm has the default settings.
func newStartForm(labels annotate.LabelSet) startForm {
	usual := sanitize.Options.Default()
	return offerLabels(sanitize.Options.Form(&usual), labels)
}

// readStartForm reads a form and keeps it, so that it can be shown again. It ignores the
// loss of a label that is not selected.
func readStartForm(values url.Values, labels annotate.LabelSet) (startForm, sanitize.Params) {
	counted := url.Values{}
	for name, texts := range values {
		if label, is := strings.CutPrefix(name, "loss:"); !is || slices.Contains(values["sensitive"], label) {
			counted[name] = texts
		}
	}
	var p sanitize.Params
	form := offerLabels(sanitize.Options.ReadForm(counted, &p), labels)
	if len(p.Labels) == len(labels) {
		p.Labels = nil
	}
	return form, p
}

// offerLabels lists the labels of a project where a form asks about them.
func offerLabels(form option.Form, labels annotate.LabelSet) startForm {
	var choices []option.Choice
	for _, l := range labels {
		choices = append(choices, option.Choice{Value: string(l.Label), Help: l.Help})
	}
	form.Offer("sensitive", choices)
	choices = slices.Clone(choices)
	for i := range choices {
		choices[i].Help = ""
	}
	form.Offer("loss", choices)
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
