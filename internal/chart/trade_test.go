// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// tradePanels are two charts of two lines.
func tradePanels() []Panel {
	point := func(label string, recall, precision float64) Point {
		return Point{Label: label, X: recall, Y: precision}
	}
	lines := []Line{
		{Name: "o", Points: []Point{point("all", 0.80, 0.97), point(".5", 0.86, 0.94), point(".1", 0.93, 0.80)}},
		{Name: "window", Points: []Point{point("all", 0.80, 0.97), point("4", 0.91, 0.85)}},
	}
	return []Panel{{Title: "Spans & labels", XLabel: "recall, %", YLabel: "precision, %", X: AxisShares, Y: AxisShares, Lines: lines}, {Title: "Words", X: AxisShares, Y: AxisShares, Lines: lines}}
}

func TestTradeFileIsWellFormedAndSaysWhatItShows(t *testing.T) {
	var b strings.Builder
	if err := WriteLines(&b, "Precision <against> recall", tradePanels()); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(strings.NewReader(b.String()))
	var root xml.Name
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && root.Local == "" {
			root = e.Name
		}
	}
	if root.Local != "svg" || root.Space != "http://www.w3.org/2000/svg" {
		t.Errorf("the root is %v", root)
	}
	if strings.Contains(b.String(), "var(") {
		t.Error("it needs a style sheet")
	}
	for _, want := range []string{"Precision &lt;against&gt; recall", "Spans &amp; labels", "window 4: recall 91.0 %, precision 85.0 %", ">recall, %<"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("it does not hold %q", want)
		}
	}
}

func TestPointsLieWhereTheirFiguresAre(t *testing.T) {
	p := NewPlot("t", tradePanels()[0])
	if len(p.Series) != 2 || len(p.Series[0].Points) != 3 {
		t.Fatalf("%d lines", len(p.Series))
	}
	all, half, tenth := p.Series[0].Points[0], p.Series[0].Points[1], p.Series[0].Points[2]
	if !(all.X < half.X && half.X < tenth.X && all.Y < half.Y && half.Y < tenth.Y) {
		t.Errorf("points at %v %v, %v %v, %v %v: recall must be on x, precision on y", all.X, all.Y, half.X, half.Y, tenth.X, tenth.Y)
	}
}

func TestTradeLinesDifferByMarkerToo(t *testing.T) {
	seen := map[string]bool{}
	for i := range lineMarkers {
		seen[markerPath(LineMeasure(i, fmt.Sprint(i)).Marker)] = true
	}
	if len(seen) != len(lineMarkers) {
		t.Errorf("%d markers for %d lines", len(seen), len(lineMarkers))
	}
}
