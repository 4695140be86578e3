// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

func TestWriteLinesDrawsEveryPointAndSaysItInWords(t *testing.T) {
	panel := Panel{Title: "Loss <by> k", XLabel: "k", YLabel: "NCP, %", X: AxisSteps, Y: AxisWholeShares, Steps: []string{"2", "5"}, Lines: []Line{
		{Name: "GDF", Points: []Point{{X: 0, Y: 0.25}, {X: 1, Y: 1}}},
		{Name: "Mondrian", Points: []Point{{X: 0, Y: 0}, {X: 1, Y: 0.5}}},
	}}
	var b bytes.Buffer
	if err := WriteLines(&b, "Losses", []Panel{panel, {Title: "none"}}); err != nil {
		t.Fatal(err)
	}
	out := b.String()
	for _, want := range []string{"GDF, k 5: 100.0 %", "Mondrian, k 2: 0.0 %", "Loss &lt;by&gt; k", ">20<", ">80<", "Nothing to show yet."} {
		if !strings.Contains(out, want) {
			t.Errorf("the drawing does not say %q", want)
		}
	}
	if n := strings.Count(out, `class="marker"`); n != 4+2 {
		t.Errorf("there are %d markers, want 4 and 2 in the key", n)
	}
	for d := xml.NewDecoder(&b); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("not valid XML: %v", err)
		}
	}
}

func TestMarkersOfLongLinesAreThinnedAndTheLineIsWhole(t *testing.T) {
	var long, short Line
	for i := range 100 {
		long.Points = append(long.Points, Point{X: float64(i) / 100, Y: float64(i%7) / 10})
	}
	short.Points = long.Points[:24]
	p := NewPlot("x", Panel{X: AxisWholeShares, Y: AxisWholeShares, Lines: []Line{long, short, long}})
	for i, want := range []int{20, 24, 20} {
		if got := len(p.Series[i].Points); got != want {
			t.Errorf("line %d has %d markers, want %d", i, got, want)
		}
	}
	if n := strings.Count(p.Series[0].Path, "L"); n != 99 {
		t.Errorf("the line goes through %d extra points", n)
	}
	if p.Series[0].Points[0].X == p.Series[2].Points[0].X {
		t.Error("lines have their markers in the same places")
	}
}

func TestHistogramsHaveEqualStepsHoweverFarTheyReach(t *testing.T) {
	far := []float64{0, 3, 90_000}
	if s := (Panel{}).scale(AxisLinear, far); s.Log || s.at(45_000) < 0.4 {
		t.Errorf("%+v", s)
	}
	if s := (Panel{}).scale(AxisCounts, far); !s.Log {
		t.Errorf("%+v", s)
	}
}

func TestLinesOfCountsAreWrittenAsCounts(t *testing.T) {
	var b strings.Builder
	panel := Panel{Title: "Errors", XLabel: "length", X: AxisSteps, Steps: []string{"1", "2"}, Lines: []Line{{Name: "tree", Points: []Point{{X: 0, Y: -12}, {X: 1, Y: 250}}}}}
	if err := WriteLines(&b, "Errors", []Panel{panel}); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); !strings.Contains(s, "length 2: 250.") || strings.Contains(s, "%") {
		t.Errorf("counts are not written as counts:\n%s", s)
	}
}
