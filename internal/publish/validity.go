// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"fmt"

	"hide/internal/greedy"
	"hide/internal/words"
)

// Validity says whether the figures of a run hold for a publication. They come from annotated
// notes, and carry over to other notes only if these are of the same kind.
type Validity struct {
	Hold     bool   `json:"hold_for_publication"`
	Because  string `json:"because,omitempty"`       // why they do not hold
	Drift    bool   `json:"drift_warning,omitempty"` // the notes to be published differ from the measured notes
	Measured int    `json:"measured_notes"`

	// What follows is known of the publication after a drift warning, without an estimate.

	Applied *greedy.Applied `json:"counted,omitempty"`
	Trust   float64         `json:"trust_in_last_stage,omitzero"` // of the detector, from 0.5 to 1
	More    float64         `json:"redacted_beyond_measured,omitzero"`
	Limited bool            `json:"limited,omitzero"` // without [greedy.MostMore] more would be redacted
}

// Figures are those of a run at the L/C of a redaction model, with the notes that they hold for.
type Figures struct {
	Validity *Validity `json:"validity,omitempty"` // nil in files of earlier versions
	greedy.Outcome
}

// Unknown is the statement that takes the place of a forecast; "" if the figures hold.
func (v Validity) Unknown() string {
	if v.Hold {
		return ""
	}
	return "How many identifiers would remain in the notes to be published is unknown: " + v.Because + ". How much of their other text would be kept is unknown, too."
}

// Where says which notes the figures are about.
//
//	"In the 113 measured notes, which differ from those to be published"
func (v Validity) Where() string {
	return "In the " + v.notes()
}

// About is the same as a statement about figures.
func (v Validity) About() string {
	return "These figures are from the " + v.notes() + ". For the notes to be published they are unknown."
}

func (v Validity) notes() string {
	notes := "measured notes"
	if v.Measured > 0 {
		notes = words.Count(v.Measured, "measured note", "measured notes")
	}
	if v.Drift {
		return notes + ", which differ from those to be published"
	}
	return notes + " alone"
}

// Counted states how much the classifiers redact in the notes to be published; "" if it was not
// counted.
func (v Validity) Counted() string {
	a := v.Applied
	if v.Hold || a == nil || a.Words == 0 {
		return ""
	}
	return fmt.Sprintf("Counted, not estimated: the classifiers redact %s of the %s in %s to be published.",
		words.Percent(float64(a.Redacted)/float64(a.Words)), words.Count(a.Words, "word", "words"), words.Count(a.Documents, "note", "notes"))
}

// Known is what is known of the publication although the figures do not hold for it.
func (v Validity) Known() (out []string) {
	if v.Hold {
		return nil
	}
	if says := v.Counted(); says != "" {
		out = append(out, says)
	}
	if v.More > 0 {
		limit := ""
		if v.Limited {
			limit = fmt.Sprintf(", and the limit of %s keeps it from being more", words.Percent(greedy.MostMore))
		}
		out = append(out, fmt.Sprintf("Of all words, %s are redacted beyond what was measured%s.", words.Percent(v.More), limit))
	}
	if v.Trust > 0 && v.Trust < 1 {
		out = append(out, fmt.Sprintf("The last stage of the detector counts %s, because many words are new to it.", words.Percent(v.Trust)))
	}
	return out
}
