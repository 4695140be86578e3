// SPDX-License-Identifier: Apache-2.0

package release

import (
	"fmt"
	"math"
	"slices"

	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/words"
	"hide/web/outcome"
	"hide/web/ui"
)

// projects reports whether the run's figures say anything about documents that
// nobody has annotated. Counts on documents that the classifiers learnt from, which
// are all that a run of the papers' algorithm has without held-out ones, do not.
func (v publishView) projects() bool {
	seen := v.Run != nil && v.Run.Params.Mode == greedy.Paper && v.Outcome.HeldOut == nil
	o := v.Outcome.Unseen()
	return !seen && o.Documents > 0 && words.Finite(o.IdentifiersMissed.Value)
}

// expectedWords say how many names are expected to stay in the unfinished documents:
// names left per annotated document, times the unfinished ones.
//
//	"In the 264 unfinished documents, about 42 names are expected to stay readable, at most 71, of some 1,198 names there."
func (v publishView) expectedWords() string {
	where := "In the " + ui.Count(v.unfinished(), "unfinished document", "unfinished documents") + ", "
	if !v.projects() {
		return where + "nobody knows how many names stay readable: the run measured nothing that carries over to them."
	}
	o := v.Outcome.Unseen()
	expected := o.IdentifiersMissed.Times(float64(v.unfinished()) / float64(o.Documents))
	return where + expectedNames(expected.Value) + " expected to stay readable" + outcome.UpperBoundWords(expected) + v.outOf(o) + v.ofLabels() + "."
}

// ofLabels says what the names are of when the run did not count every label: the
// labels that it did, or those that it did not, whichever are fewer.
//
//	": of the label PATIENT alone, what has another label stays"
func (v publishView) ofLabels() string {
	if len(v.Bundle.Excluded) == 0 {
		return ""
	}
	counted := slices.DeleteFunc(v.Project.Labels.Labels(), func(l annotate.Label) bool { return slices.Contains(v.Bundle.Excluded, l) })
	if len(v.Bundle.Excluded) <= len(counted) {
		return ": of all labels but " + labelList(v.Bundle.Excluded) + ", which stay as they are"
	}
	if len(counted) == 1 {
		return ": of the label " + labelList(counted) + " alone; all others stay as they are"
	}
	return ": of the labels " + labelList(counted) + " alone; all others stay as they are"
}

// confirmReadable is what the confirmation says of labels that stay.
func (v publishView) confirmReadable() string {
	if len(v.Readable) == 0 {
		return ""
	}
	return ", with all that is marked " + labelList(v.Readable) + " as it stands"
}

// outOf: ", of some 1,200 names there": as many for each document as in the annotated
// ones.
func (v publishView) outOf(o greedy.Outcome) string {
	there := int(math.Round(float64(o.Identifiers) * float64(v.unfinished()) / float64(o.Documents)))
	if there == 0 {
		return ""
	}
	return ", of some " + ui.Count(there, "name", "names") + " there"
}

// expectedNames: "about 42 names are". An expectation is no count: it keeps a
// decimal where it is small, and is not rounded to none.
func expectedNames(n float64) string {
	switch {
	case n <= 0:
		return "no name is"
	case n < 0.1:
		return "fewer than 0.1 names are"
	case n < 9.95 && math.Abs(n-math.Round(n)) >= 0.05:
		return fmt.Sprintf("about %.1f names are", n)
	case math.Round(n) == 1:
		return "about 1 name is"
	}
	return "about " + ui.Number(int(math.Round(n))) + " names are"
}

// projectionWords say what expectedWords rest on.
func (v publishView) projectionWords() string {
	o := v.Outcome.Unseen()
	return fmt.Sprintf("This is a projection, not a count: run %d measured it on %s. It holds only if the unfinished documents are like those. %s",
		v.Bundle.Run, ui.Count(o.Documents, "annotated document", "annotated documents"), expectedKept(o))
}

// expectedKept: "Of their other words, 96.0 % [95.4–96.5] are expected to be kept."
func expectedKept(o greedy.Outcome) string {
	return "Of their other words, " + chart.ShareCell(o.NonsensitiveKept) + " are expected to be kept."
}

// markedWords say what happens to a finished document.
func (v publishView) markedWords() string {
	except := ""
	if len(v.Bundle.Excluded) > 0 {
		except = ", except " + labelList(v.Bundle.Excluded) + ","
	}
	return "what people marked" + except + " goes, and what the bundle finds besides"
}

// excludedWords: "AGE and CITY stay readable."
func excludedWords(labels []annotate.Label) string {
	verb := " stay readable."
	if len(labels) == 1 {
		verb = " stays readable."
	}
	return labelList(labels) + verb
}

func pronoun(labels []annotate.Label) string {
	if len(labels) == 1 {
		return "it"
	}
	return "them"
}

// labelList: "AGE", "AGE and CITY", "AGE, CITY and DATE".
func labelList(labels []annotate.Label) string {
	words := make([]string, len(labels))
	for i, l := range labels {
		words[i] = string(l)
	}
	return ui.Listed(words)
}
