// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"strings"

	"hide/internal/project/training"
	"hide/web/ui"
)

// kindWords name the kinds of errors.
func kindWords(k training.ErrorKind) string {
	if k == training.Miss {
		return "missed"
	}
	return "false alarm"
}

// outOf: "12 of 90".
func outOf(n, all int) string { return ui.Number(n) + " of " + ui.Number(all) }

// all is how many errors of a kind there are.
func (v errorsView) all(k training.ErrorKind) int {
	if k == training.Miss {
		return v.Misses
	}
	return v.Alarms
}

// howChecked says what was checked, and how.
func howChecked(c training.Check) string {
	return fmt.Sprintf("%s, in %d parts: each part was read by a model that was trained on the other parts and had not seen its patients. There were %s and %s.",
		ui.Count(c.Documents, "finished note", "finished notes"), c.Folds,
		ui.Count(c.Misses, "missed span", "missed spans"), ui.Count(c.Alarms, "false alarm", "false alarms"))
}

// checkWaits says what the first check still needs.
func checkWaits(c training.Check, t Training) string {
	switch {
	case c.NeedMore > 0:
		return "Finish " + ui.Count(c.NeedMore, "more note", "more notes") + ". The model is then tested on notes that it has not seen, and this page lists its errors."
	case c.Patients > 0:
		return "The model is tested on notes of patients that it has not seen. Finish notes of " + ui.Count(c.Patients, "more patient", "more patients") + "."
	case t.Running || t.Queued:
		return "It is being trained or checked. This page will say when that is finished."
	}
	return "Train it: it is checked afterwards, on notes that it has not seen."
}

// basisWords say which notes the figures are of.
func basisWords(c training.Check) string {
	if c.Random {
		return fmt.Sprintf("Measured on a random sample of %s.", ui.Count(c.Report.Documents, "note", "notes"))
	}
	return fmt.Sprintf("Measured on %s, %s.", ui.Count(c.Report.Documents, "note", "notes"), ui.NotRandomWords)
}

// reasonWords is a reason as the head of a row.
func reasonWords(r training.ReasonCount) string {
	return ui.Capitalized(r.Reason.Words(r.Kind))
}

// sizeWords: "3 spans in 2 notes, 4 missed words".
func sizeWords(g training.ErrorGroup) string {
	words := fmt.Sprintf("%s in %s", ui.Count(g.Count, "span", "spans"), ui.Count(g.Documents, "note", "notes"))
	if g.Leaks > 0 {
		words += ", " + ui.Count(g.Leaks, "missed word", "missed words")
	}
	return words
}

// whyWords are the reasons of a group, the most frequent first.
func whyWords(g training.ErrorGroup) string {
	parts := make([]string, len(g.Reasons))
	for i, r := range g.Reasons {
		parts[i] = r.Reason.Words(r.Kind)
		if len(g.Reasons) > 1 {
			parts[i] += fmt.Sprintf(" (%s)", ui.Number(r.Count))
		}
	}
	return ui.Sentence(strings.Join(parts, "; "))
}

// placeWords describes one place of an error: its note, and the model's score.
func placeWords(p training.ErrorPlace, kind training.ErrorKind) string {
	thought := "score " + ui.ScorePercent(p.Score) + " %"
	if kind == training.Miss {
		thought = "probability of PHI " + ui.ScorePercent(p.Score) + " %"
	}
	if p.Changed {
		thought += ", changed since"
	}
	return p.Name + ", " + thought
}

// adviceWords say how to reduce a kind of error.
func adviceWords(r training.ReasonCount) string {
	if r.Kind == training.Alarm {
		if words, ok := alarmAdvice[r.Reason]; ok {
			return words
		}
	}
	return missAdvice[r.Reason]
}

var missAdvice = map[training.Reason]string{
	"boundary":  "Check that everybody marks such spans the same way, for example titles and full stops.",
	"label":     "Check that the guideline separates the two labels. The words are redacted all the same.",
	"elsewhere": "The model knows the word, but not in this context. Finish more notes with such lines.",
	"form":      "Finish notes that have numbers in this format.",
	"unseen":    "Add a dictionary that has the word, or finish more notes.",
	"ordinary":  "Finish notes in which this word is sensitive. A dictionary would also match it where it is not.",
	"ambiguous": "Check that the word is marked wherever it should be.",
	"known":     "Look at the note: the model knows the word, but the words around it make it uncertain.",
}

var alarmAdvice = map[training.Reason]string{
	"elsewhere": "A mark may have been forgotten. Look at the note.",
	"form":      "Look at the note. If no mark is missing, finish more notes with such numbers.",
	"unseen":    "Look at the note. If no mark is missing, finish more notes.",
	"ordinary":  "Finish more notes in which the word is not sensitive.",
	"known":     "A mark may have been forgotten: the word is marked everywhere else.",
}
