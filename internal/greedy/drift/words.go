// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"fmt"
	"math"
)

// Says is the test's result in words; "" for one that does not ring.
func (t Test) Says() string {
	if !t.Rings() {
		return ""
	}
	switch t.Name {
	case Doubt:
		return fmt.Sprintf("What would be kept of the notes to be published holds %s that of the annotated ones: by the model, %s words in 1,000 are sensitive, against %s.", timesWords(t.Target, t.Reference), digits(t.Target), digits(t.Reference))
	case Kept:
		return fmt.Sprintf("Of the notes to be published %s %% of the words would be kept, of the annotated ones %s %%.", digits(100*t.Target), digits(100*t.Reference))
	case Words:
		return fmt.Sprintf("Of the different words in a note to be published, %s %% are in no annotated one; in an annotated note, %s %% are in no other.", digits(100*t.Target), digits(100*t.Reference))
	case Heads:
		return fmt.Sprintf("Of the headings and field names in a note to be published, %s %% are in no annotated one; in an annotated note, %s %% are in no other.", digits(100*t.Target), digits(100*t.Reference))
	case Length:
		return fmt.Sprintf("Notes to be published are %.0f words and signs long on average, annotated ones %.0f.", t.Target, t.Reference)
	case Kinds:
		return fmt.Sprintf("The types of notes are not the same: %.0f in 100 notes to be published would have to be of another type.", 100*t.Distance)
	}
	return fmt.Sprintf("The institutions are not the same: %.0f in 100 notes to be published would have to be from another.", 100*t.Distance)
}

// Sentences are what rings, in words.
func (s Side) Sentences() []string {
	var out []string
	for _, t := range s.Tests {
		if words := t.Says(); words != "" {
			out = append(out, words)
		}
	}
	return out
}

func timesWords(a, b float64) string {
	switch ratio := a / b; {
	case !(b > 0) || math.IsInf(ratio, 0):
		return "more doubt than"
	case ratio >= 1:
		return digits(ratio) + " times as much doubt as"
	default:
		return digits(100*ratio) + " % as much doubt as"
	}
}

// digits keeps a decimal of what is small.
func digits(x float64) string {
	if math.Abs(x) < 9.95 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
