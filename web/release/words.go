// SPDX-License-Identifier: Apache-2.0

package release

import (
	"fmt"
	"math"
	"slices"

	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/publish"
	"hide/web/outcome"
	"hide/web/ui"
)

// hasForecast reports whether the figures of the run carry over to unfinished notes. Counts
// on training notes do not, and a run in the papers' mode without held-out notes has no
// others.
func (v publishView) hasForecast() bool {
	_, ok := v.forecast()
	return ok
}

// validity says whether the figures of the run hold for the notes.
func (v publishView) validity() publish.Validity {
	if v.Run == nil {
		return publish.Validity{Hold: true}
	}
	return v.Run.Validity(v.Bundle.LC)
}

// validity says whether the figures of the run hold for the notes of the release. A release of an
// earlier version does not keep it; for that one it is what the run says today.
func (v releaseView) validity() publish.Validity {
	if known := v.Release.Validity; known != nil {
		return *known
	}
	return publish.Validity{Hold: v.Read.Doubt == "", Because: v.Read.Doubt, Measured: v.Release.Outcome.Unseen().Documents}
}

// forecast is that of the identifiers missed in the unfinished notes.
func (v publishView) forecast() (missed greedy.Estimate, ok bool) {
	mode := greedy.Default
	if v.Run != nil {
		mode = v.Run.Params.Mode
	}
	return v.Outcome.MissedIn(v.unfinished(), mode)
}

// expectedWords is the forecast for the unfinished notes: missed identifiers per annotated
// note, times the number of unfinished notes. The number of all identifiers is estimated in
// the same way.
//
//	"Of about 1,198 identifiers in the 264 unfinished notes, about 42 are expected to remain readable, upper bound 71."
func (v publishView) expectedWords() string {
	where := " the " + ui.Count(v.unfinished(), "unfinished note", "unfinished notes") + ", "
	missed, ok := v.forecast()
	if !ok {
		return "In" + where + "it is not known how many identifiers will remain readable: the run has no figures that carry over to them."
	}
	o := v.Outcome.Unseen()
	scale := float64(v.unfinished()) / float64(o.Documents)
	total := int(math.Round(float64(o.Identifiers) * scale))
	tail := " expected to remain readable" + outcome.UpperBoundWords(missed) + "." + v.countedLabels()
	if total == 0 {
		return "In" + where + expectedNumber(missed.Value, " identifier", " identifiers") + tail
	}
	return "Of about " + ui.Count(total, "identifier", "identifiers") + " in" + where + expectedNumber(missed.Value, "", "") + tail
}

// countedLabels says which labels the forecast counts when the run excluded some: it names
// the excluded or the counted labels, whichever are fewer.
//
//	" Only the label PATIENT is counted. All other labels stay readable."
func (v publishView) countedLabels() string {
	if len(v.Bundle.Excluded) == 0 {
		return ""
	}
	counted := slices.DeleteFunc(v.Project.Labels.Labels(), func(l annotate.Label) bool { return slices.Contains(v.Bundle.Excluded, l) })
	if len(v.Bundle.Excluded) <= len(counted) {
		return " This count leaves out " + labelList(v.Bundle.Excluded) + ", which " + plural(v.Bundle.Excluded, "stays", "stay") + " readable."
	}
	if len(counted) == 1 {
		return " Only the label " + labelList(counted) + " is counted. All other labels stay readable."
	}
	return " Only the labels " + labelList(counted) + " are counted. All other labels stay readable."
}

// confirmReadable is the part of the confirmation that names the labels which stay readable.
func (v publishView) confirmReadable() string {
	if len(v.Readable) == 0 {
		return ""
	}
	return ". Everything marked " + labelList(v.Readable) + " stays readable"
}

// expectedNumber writes an expected number with its noun and verb: "about 42 identifiers
// are", or "about 42 are" without a noun. It keeps a decimal where the number is small and
// never rounds to zero.
func expectedNumber(n float64, one, many string) string {
	switch {
	case n <= 0 && one == "":
		return "none is"
	case n <= 0:
		return "no" + one + " is"
	case n < 0.1:
		return "fewer than 0.1" + many + " are"
	case n < 9.95 && math.Abs(n-math.Round(n)) >= 0.05:
		return fmt.Sprintf("about %.1f%s are", n, many)
	case math.Round(n) == 1:
		return "about 1" + one + " is"
	}
	return "about " + ui.Number(int(math.Round(n))) + many + " are"
}

// forecastWords says what [publishView.expectedWords] is based on.
func (v publishView) forecastWords() string {
	o := v.Outcome.Unseen()
	return fmt.Sprintf("This is a forecast from %[2]s of run %[1]d, not a count. It holds only if the unfinished notes are like the annotated ones. %[3]s",
		v.Bundle.Run, ui.Count(o.Documents, "annotated note", "annotated notes"), expectedKept(o))
}

// expectedKept: "Of their non-PHI words, 96.0 % [95.4–96.5] are expected to be kept."
func expectedKept(o greedy.Outcome) string {
	return "Of their non-PHI words, " + chart.ShareCell(o.NonsensitiveKept) + " are expected to be kept."
}

// finishedWords says what is redacted in finished notes.
func (v publishView) finishedWords() string {
	except := ""
	if len(v.Bundle.Excluded) > 0 {
		except = ", except " + labelList(v.Bundle.Excluded) + ","
	}
	return "everything that people marked" + except + " is redacted, and everything else that the model finds"
}

// excludedWords: "AGE and CITY stay readable."
func excludedWords(labels []annotate.Label) string {
	return labelList(labels) + plural(labels, " stays", " stay") + " readable."
}

// plural chooses the word for one label or for several.
func plural(labels []annotate.Label, one, several string) string {
	if len(labels) == 1 {
		return one
	}
	return several
}

// labelList: "AGE", "AGE and CITY", "AGE, CITY and DATE".
func labelList(labels []annotate.Label) string {
	words := make([]string, len(labels))
	for i, l := range labels {
		words[i] = string(l)
	}
	return ui.Listed(words)
}

// publishOrFreeze is what the form that publishes does under a rule.
func publishOrFreeze(r project.Rule) string {
	if r.Needed() {
		return "freeze"
	}
	return "publish or freeze"
}
