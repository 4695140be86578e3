// SPDX-License-Identifier: Apache-2.0

package webhooks

import (
	"fmt"
	"slices"
	"strings"

	"hide/internal/project/webhooks"
	"hide/web/ui"
)

// says explains each event to the person who chooses.
var says = map[webhooks.Event]string{
	webhooks.ImportFinished:   "notes of an import are visible",
	webhooks.TrainingFinished: "a new model is in use",
	webhooks.TrainingFailed:   "a training failed",
	webhooks.RunFinished:      "a sanitizing run has finished",
	webhooks.RunFailed:        "a sanitizing run failed",
	webhooks.CandidateReady:   "a release is frozen for review",
	webhooks.ReviewDecided:    "the votes of a review are counted",
	webhooks.ReleasePublished: "a release is published",
	webhooks.ReleaseWithdrawn: "a release is withdrawn or superseded",
}

// chosenBefore reports whether the form had an event. A new form has the events of releases.
func (f form) chosenBefore(e webhooks.Event) bool {
	if f.problem == "" {
		return strings.HasPrefix(string(e), "release.")
	}
	return slices.Contains(f.events, e)
}

func (f form) fault(field string) string { return ui.Fault(f.which == field, f.problem) }

// waiting says how many messages wait, and when the next attempt is.
func waiting(w webhooks.Webhook) string {
	if w.Waiting == 0 {
		return "No message waits."
	}
	return fmt.Sprintf("%s: the next attempt is due at %s.", ui.Count(w.Waiting, "message waits", "messages wait"), ui.Moment(w.Next))
}

// said is how an attempt went, as a sentence of the log.
func said(a webhooks.Attempt) string {
	words := ui.Capitalized(a.Words())
	if a.Last {
		words += ". hide has given up"
	}
	return words
}

func eventNames(events []webhooks.Event) string {
	names := make([]string, len(events))
	for i, e := range events {
		names[i] = string(e)
	}
	return strings.Join(names, ", ")
}
