// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"hide/internal/greedy"
	"hide/internal/words"
	"hide/static"
)

var update = flag.Bool("update", false, "write the golden files of this package anew")

func rendered(t *testing.T, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// golden compares output with testdata/name, one element per line; -update writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	got = strings.ReplaceAll(got, "><", ">\n<") + "\n"
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs from what is rendered; look at it, then run go test ./internal/chart -update", path)
	}
}

var (
	attributes = regexp.MustCompile(`="([^"]*)"`)
	notNumber  = regexp.MustCompile(`NaN|Inf|[0-9]e[+-]?[0-9]`)
)

// wellFormed fails for an SVG that does not parse, or that holds a style attribute (which
// the content policy forbids) or NaN or an infinite number.
func wellFormed(t *testing.T, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("does not parse: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				if a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("attribute %s on %s", a.Name.Local, e.Name.Local)
				}
			}
		}
	}
	for _, a := range attributes.FindAllStringSubmatch(svg, -1) {
		if notNumber.MatchString(a[1]) {
			t.Errorf("attribute value %q", a[1])
		}
	}
}

var nan, inf = math.NaN(), math.Inf(1)

// randomPlot has figures of any size, some unknown.
func randomPlot(rng *rand.Rand, width float64) *Plot {
	p := &Plot{ID: "random", Title: "Remaining and kept", W: width, H: WideHeight, Wide: width > PanelWidth}
	s := Series{Measure: Measure{Class: "left", Name: "remaining", Marker: "circle"}}
	var xs []float64
	for i := range 1 + rng.IntN(9) {
		left := math.Floor(math.Pow(10, rng.Float64()*6)) - 1
		kept := 1 - math.Pow(10, -rng.Float64()*6)
		d := Datum{
			X:     greedy.Estimate{Value: kept, Low: kept * (1 - 0.1*rng.Float64()), High: min(kept+0.01, 1)},
			Y:     greedy.Estimate{Value: left, Low: left * rng.Float64(), High: left * (1 + rng.Float64())},
			Label: strconv.Itoa(i + 1),
		}
		switch rng.IntN(8) {
		case 0:
			d.Y.Value = nan
		case 1:
			d.Y.High = inf
		case 2:
			d.X = Exact(1)
		}
		s.Data, xs = append(s.Data, d), append(xs, d.X.Value)
	}
	all := []Series{s}
	p.Desc = Describe(all, words.Amount)
	p.Layout(KeptScale(xs), CountScale(Extent(all)), all)
	return p
}

func TestRandomPlotsAreWellFormedWithAllPointsInside(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		p := randomPlot(rng, WideWidth)
		wellFormed(t, rendered(t, Draw(p)))
		for _, s := range p.Series {
			for _, d := range s.Points {
				if !within(plotBox{d.X, d.Y, d.X, d.Y}, p.Box) || (d.Label != "" && !within(plotBox{d.LabelX, d.LabelY, d.LabelX, d.LabelY}, plotBox{0, 0, p.W, p.H})) {
					t.Errorf("%+v lies outside", d)
				}
			}
		}
	}
}

func TestAxisTicksCoverTheData(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		top := math.Pow(10, rng.Float64()*7-1)
		values := []float64{top, top * rng.Float64(), 0}
		checkAxis(t, "counts", CountScale(values), values)
		share := []float64{rng.Float64(), rng.Float64(), rng.Float64()}
		checkAxis(t, "shares", ShareScale(share), share)
		kept := []float64{1 - math.Pow(10, -rng.Float64()*4), 1 - math.Pow(10, -rng.Float64()*4)}
		checkAxis(t, "kept", KeptScale(kept), kept)
	}
	checkAxis(t, "rounds", RoundScale(0, 37), []float64{0, 37})
	checkAxis(t, "nothing", CountScale(nil), nil)
	checkAxis(t, "no share", ShareScale([]float64{nan}), nil)
}

func checkAxis(t *testing.T, name string, s Scale, values []float64) {
	t.Helper()
	for _, v := range values {
		if !s.covers(v) {
			t.Errorf("%s: axis %v does not cover %v", name, s.Ticks, v)
		}
	}
	if len(s.Ticks) < 2 || len(s.Ticks) > 16 {
		t.Errorf("%s: %d ticks", name, len(s.Ticks))
	}
	for i, tick := range s.Ticks[1:] {
		if before := s.Ticks[i]; tick.Value <= before.Value || tick.Label == before.Label {
			t.Errorf("%s: ticks %v and %v do not rise or look the same", name, before, tick)
		}
		if s.at(tick.Value) <= s.at(s.Ticks[i].Value) {
			t.Errorf("%s: tick %v is not drawn after %v", name, tick, s.Ticks[i])
		}
	}
}

func TestTickLabelsSayTheirValue(t *testing.T) {
	for _, s := range []Scale{CountScale([]float64{48}), CountScale([]float64{5, 90000}), LinearScale(0, 7, 4, words.Amount)} {
		for _, tick := range s.Ticks {
			if got, err := strconv.ParseFloat(strings.ReplaceAll(tick.Label, ",", ""), 64); err != nil || got != tick.Value {
				t.Errorf("label %q at %v", tick.Label, tick.Value)
			}
		}
	}
	for _, s := range []Scale{ShareScale([]float64{0.913, 0.964}), KeptScale([]float64{0.7, 0.9995})} {
		for _, tick := range s.Ticks {
			if got, err := strconv.ParseFloat(tick.Label, 64); err != nil || math.Abs(got/100-tick.Value) > 1e-9 {
				t.Errorf("label %q at %v", tick.Label, tick.Value)
			}
		}
	}
}

func TestZeroAndOneAreTwoPlacesOnALogarithmicAxis(t *testing.T) {
	s := CountScale([]float64{0, 1, 5000})
	if !s.Log {
		t.Fatal("0 to 5,000 is not logarithmic")
	}
	if s.at(0) != 0 || s.at(1) <= 0.05 || s.at(5000) > 1 {
		t.Errorf("0, 1 and 5000 lie at %v, %v, %v", s.at(0), s.at(1), s.at(5000))
	}
}

func TestLabelsDoNotOverlap(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		p := randomPlot(rng, 520)
		var boxes []plotBox
		for _, s := range p.Series {
			for _, d := range s.Points {
				if d.Label == "" {
					continue
				}
				b := plotBox{d.LabelX, d.LabelY - 11, d.LabelX + 7.2*float64(len(d.Label)), d.LabelY + 2}
				if d.Anchor == "end" {
					b.Left, b.Right = d.LabelX-(b.Right-b.Left), d.LabelX
				}
				if overlapsAny(b, boxes) {
					t.Fatalf("label %q overlaps another", d.Label)
				}
				boxes = append(boxes, b)
			}
		}
	}
}

// TestTicksHaveRoomWhereLettersAreLargest lays out random plots and checks that the tick
// labels fit at the largest letters of the CSS.
func TestTicksHaveRoomWhereLettersAreLargest(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	cases := map[string]*Plot{}
	for i := range 40 {
		cases[fmt.Sprint("wide ", i)] = randomPlot(rng, WideWidth)
		cases[fmt.Sprint("panel ", i)] = randomPlot(rng, PanelWidth)
	}
	many := Panel{Title: "many steps", X: AxisSteps, Y: AxisWholeShares, Lines: []Line{{Name: "one", Points: []Point{{X: 0, Y: 0.5}, {X: 39, Y: 0.9}}}}}
	for i := range 40 {
		many.Steps = append(many.Steps, fmt.Sprint("step ", i))
	}
	cases["many steps"] = NewPlot("many", many)
	for name, p := range cases {
		for axis, marks := range map[string][]axisMark{"x": p.X, "y": p.Y} {
			last, labels := axisMark{At: math.Inf(-1)}, 0
			for _, m := range marks {
				if m.Label == "" {
					continue
				}
				apart := p.height()
				if axis == "x" {
					apart = p.letter() * float64(len(m.Label)+len(last.Label)) / 2
				}
				if math.Abs(m.At-last.At) < apart {
					t.Errorf("%s: %q and %q of the %s axis overlap", name, last.Label, m.Label, axis)
				}
				last = m
				labels++
			}
			if len(marks) > 0 && labels == 0 {
				t.Errorf("%s: no tick of the %s axis has a label", name, axis)
			}
		}
	}
}

// TestEveryWidthOfADrawingHasItsLetters checks that the CSS has a step for each width, so
// that a drawing stays readable in the narrowest window.
func TestEveryWidthOfADrawingHasItsLetters(t *testing.T) {
	css, err := static.Files.ReadFile("css/chart.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []float64{PanelWidth, WideWidth, panelsWidth, chartsWidth, reliabilitySize, NewBars("", "").W} {
		if !strings.Contains(string(css), "."+chartSize(width)+" text") {
			t.Errorf("css has no letter size for drawings %g units wide", width)
		}
	}
}
