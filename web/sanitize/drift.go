// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"hide/internal/chart"
	"hide/internal/greedy/drift"
	"hide/internal/greedy/local"
	"hide/internal/project/sanitize"
	"hide/internal/words"
	"hide/web/publishing"
	"hide/web/ui"
)

// driftWords name the compared property: in full, as the head of a column, and its unit.
var driftWords = map[drift.Name]struct{ full, short, unit string }{
	drift.Doubt:   {"doubtful words in the kept text", "doubt", "in 1,000"},
	drift.Kept:    {"words kept", "kept", "%"},
	drift.Words:   {"words in no other note", "words", "%"},
	drift.Heads:   {"headings in no other note", "headings", "%"},
	drift.Length:  {"length of a note", "length", "words"},
	drift.Kinds:   {"types of notes", "types", "% apart"},
	drift.Sources: {"institutions", "places", "% apart"},
}

// driftNames are all comparisons, in the order of a report.
var driftNames = []drift.Name{drift.Doubt, drift.Kept, drift.Words, drift.Heads, drift.Length, drift.Kinds, drift.Sources}

// dividing reports whether the test compares two distributions: its only number is their
// distance.
func dividing(t drift.Test) bool { return t.Name == drift.Kinds || t.Name == drift.Sources }

// driftValues are the two numbers of a test in its unit; of one that divides the
// first is 0.
func driftValues(t drift.Test) (measured, other float64) {
	switch t.Name {
	case drift.Kept, drift.Words, drift.Heads:
		return 100 * t.Reference, 100 * t.Target
	case drift.Kinds, drift.Sources:
		return 0, 100 * t.Distance
	}
	return t.Reference, t.Target
}

func driftNumber(v float64) string {
	if v < 9.95 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return words.Amount(v)
}

// driftCells are the two numbers, a dash for the first where there is none.
func driftCells(t drift.Test) (measured, other string) {
	a, b := driftValues(t)
	if dividing(t) {
		return "–", driftNumber(b)
	}
	return driftNumber(a), driftNumber(b)
}

// sourceCell: "9.2 → 46", or the distance alone.
func sourceCell(t drift.Test) string {
	a, b := driftCells(t)
	if dividing(t) {
		return b
	}
	return a + " → " + b
}

// driftChance is the p-value: how often notes of the same kind would differ as much.
func driftChance(t drift.Test) string {
	if t.P < 0.001 {
		return "< 0.1 %"
	}
	return strconv.FormatFloat(100*t.P, 'f', 1, 64) + " %"
}

// The length of the longest bar of a drift chart and the height of a row. The words are
// above the bars, so that a phone shows them at full size.
const (
	driftMost, driftRow = 230, 56
	driftWidth          = driftMost + 90
)

// driftRowDrawn is a test in place: two bars of one scale.
type driftRowDrawn struct {
	drift.Test
	Y               float64
	Measured, Other float64 // lengths
	A, B            string
}

// driftRows are the tests of a side, each on a scale of its own.
func driftRows(s drift.Side) []driftRowDrawn {
	rows := make([]driftRowDrawn, len(s.Tests))
	for i, t := range s.Tests {
		a, b := driftValues(t)
		longest := max(a, b)
		if unit := driftWords[t.Name].unit; strings.HasPrefix(unit, "%") {
			longest = 100
		}
		if !(longest > 0) {
			longest = 1
		}
		r := driftRowDrawn{Test: t, Y: float64(i * driftRow), Measured: driftMost * a / longest, Other: driftMost * b / longest}
		r.A, r.B = driftCells(t)
		r.B += " " + driftWords[t.Name].unit
		rows[i] = r
	}
	return rows
}

func driftDesc(s drift.Side) string {
	var b strings.Builder
	for _, r := range driftRows(s) {
		fmt.Fprintf(&b, "%s: measured %s, to be published %s", driftWords[r.Name].full, r.A, r.B)
		if r.Warns() {
			b.WriteString(", warning")
		}
		b.WriteString(". ")
	}
	return b.String() + "The same numbers are in the table."
}

// testOf is the test of that name; a side does not have every test.
func testOf(s drift.Side, name drift.Name) (drift.Test, bool) {
	for _, t := range s.Tests {
		if t.Name == name {
			return t, true
		}
	}
	return drift.Test{}, false
}

// sourcesCompared are the comparisons that any institution has.
func sourcesCompared(sides []drift.Side) []drift.Name {
	var out []drift.Name
	for _, name := range driftNames {
		for _, s := range sides {
			if _, has := testOf(s, name); has {
				out = append(out, name)
				break
			}
		}
	}
	return out
}

// Where the chart of institutions has its marks.
const (
	sourceLeft, sourceColumn, sourceRow, sourceHead = 150, 62, 26, 26
)

func sourceName(s drift.Side) string { return cmp.Or(s.Source, "no institution given") }

func sourcesDesc(sides []drift.Side) string {
	var b strings.Builder
	for _, s := range sides {
		fmt.Fprintf(&b, "%s: %s. ", sourceName(s), sourceVerdict(s))
	}
	return b.String() + "The same is in the table."
}

func sourceVerdict(s drift.Side) string {
	switch {
	case s.Warns():
		return "differs"
	case len(s.Tests) == 0:
		return "too few to tell"
	}
	return "no warning"
}

// comparedWith names the notes that those of an institution are compared with.
func comparedWith(s drift.Side) string {
	if s.Annotated {
		return "its own annotated notes"
	}
	return "all annotated notes, because hardly any is from this institution"
}

// foretoldBars shows the shares of missed words with their ranges.
func foretoldBars(f sanitize.Foretold) *chart.Bars {
	b := chart.NewBars("foretold-"+ui.Ratio(f.LC), "Sensitive words missed, by number of annotated notes, at L/C "+ui.Ratio(f.LC))
	most := 1e-9
	for _, p := range f.At {
		most = max(most, p.Missed.High)
	}
	for k, p := range f.At {
		b.Add(foretoldName(k, p), sanitize.RangeWords(p.Missed), chart.BarLength*p.Missed.Value/most)
		row := &b.Rows[k]
		row.From, row.To = chart.BarLength*p.Missed.Low/most, chart.BarLength*p.Missed.High/most
	}
	return b
}

// foretoldName: "now, 12 notes" or "30 notes, predicted".
func foretoldName(k int, p local.Prediction) string {
	if k == 0 {
		return "now, " + ui.Count(p.Notes, "note", "notes")
	}
	return ui.Count(p.Notes, "note", "notes") + ", predicted"
}

// driftWarning says whether the notes to be published are like the measured notes.
func driftWarning(r *sanitize.Run) string {
	switch {
	case r.Drift == nil && r.State == sanitize.Running:
		return "The other notes are compared with the measured notes when the run has finished."
	case r.Drift == nil && r.State != sanitize.Finished:
		return "The other notes were not compared with the measured notes, because the run did not finish."
	case r.Drift == nil:
		return "There are no other notes to compare, or too few. It is unknown whether these figures hold for them."
	case r.Drift.Warns():
		return "Drift warning: the notes to be published differ from the measured notes, as shown below. The figures do not hold for them."
	case !r.Drift.Known():
		return "There are too few notes to tell whether the notes to be published are like the measured notes."
	default:
		return "No drift warning: " + ui.Count(r.Drift.All.Target, "note", "notes") + " to be published " + wereCompared(r.Drift) + " with " +
			ui.Count(r.Drift.All.Reference, "measured note", "measured notes") + " and are similar."
	}
}

// wereCompared: "(120 of them from institutions with hardly any annotated note) were
// compared".
func wereCompared(r *drift.Report) string {
	foreign := 0
	for _, s := range r.Sources {
		if !s.Annotated {
			foreign += s.Target
		}
	}
	if foreign == 0 {
		return "were compared"
	}
	return "(" + ui.Number(foreign) + " of them from institutions with hardly any annotated note) were compared"
}

// reading is what people have read of what the run would publish.
func (v view) reading() publishing.Reading {
	return publishing.Reading{Project: v.Project.ID, Of: "what this run would publish", Sampled: v.Read, Freeze: ui.ProjectURL(v.Project.ID, "/publish")}
}
