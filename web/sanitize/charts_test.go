// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/project/sanitize"
	"hide/internal/words"
	"hide/web/webtest"
)

// figuresRun is a run whose only L/C results have these remaining identifiers and kept shares.
func figuresRun(left, kept []float64) *sanitize.Run {
	r := &sanitize.Run{}
	for i := range left {
		o := greedy.Outcome{IdentifiersMissed: chart.Exact(left[i]), NonsensitiveKept: chart.Exact(kept[i])}
		r.Choices = append(r.Choices, sanitize.Result{LC: float64(i + 1), Done: true, Outcome: o})
	}
	return r
}

var nan, inf = math.NaN(), math.Inf(1)

// chartCases are data that a chart must bear.
func chartCases() map[string]*chart.Plot {
	marked := func(p *chart.Plot) *chart.Plot {
		p.LC, p.Budget = 10, 100
		return p
	}
	unmeasured := webtest.MadeResult(10, 2)
	unmeasured.Rounds[0].Outcome.IdentifiersMissed = greedy.Estimate{Value: nan, Low: nan, High: nan}
	unmeasured.Rounds[1].Outcome.IdentifiersMissed.High = inf
	return map[string]*chart.Plot{
		"frontier":           marked(frontierPlot(webtest.MadeRun(), nil)),
		"frontier-compared":  marked(frontierPlot(webtest.MadeRun(), []*sanitize.Run{webtest.MadePaperRun()})),
		"frontier-paper":     marked(frontierPlot(webtest.MadePaperRun(), nil)),
		"frontier-empty":     frontierPlot(&sanitize.Run{}, nil),
		"frontier-one-point": frontierPlot(figuresRun([]float64{7}, []float64{0.96}), nil),
		"frontier-all-equal": frontierPlot(figuresRun([]float64{4, 4, 4}, []float64{0.98, 0.98, 0.98}), nil),
		"frontier-zero":      frontierPlot(figuresRun([]float64{0, 0, 0}, []float64{1, 1, 1}), nil),
		"frontier-nan":       frontierPlot(figuresRun([]float64{nan, 3, inf}, []float64{0.9, 0.97, 0.99}), nil),
		"rounds-left":        marked(roundPlots(webtest.MadeResult(10, 2))[1]),
		"rounds-kept":        marked(roundPlots(webtest.MadeResult(10, 2))[3]),
		"rounds-empty":       roundPlots(sanitize.Result{LC: 5})[0],
		"rounds-unmeasured":  marked(roundPlots(unmeasured)[1]),
		"attack":             marked(attackPlot(webtest.MadeResult(10, 2))),
	}
}

func TestChartsMatchGoldenFiles(t *testing.T) {
	for name, p := range chartCases() {
		t.Run(name, func(t *testing.T) { webtest.Golden(t, "chart-"+name+".svg", webtest.Rendered(t, chart.Draw(p))) })
	}
}

func TestChartsAreWellFormedAndNamed(t *testing.T) {
	for name, p := range chartCases() {
		svg := webtest.Rendered(t, chart.Draw(p))
		webtest.WellFormed(t, svg)
		for _, part := range []string{`role="img"`, `<title id="` + p.ID + `-title">`, `<desc id="` + p.ID + `-desc">`} {
			if !strings.Contains(svg, part) {
				t.Errorf("%s: no %s", name, part)
			}
		}
		if points(p) == 0 && !strings.Contains(svg, `class="chart-empty"`) {
			t.Errorf("%s: an empty chart says nothing", name)
		}
	}
}

func points(p *chart.Plot) int {
	n := 0
	for _, s := range p.Series {
		n += len(s.Points)
	}
	return n
}

// inside reports what of a plot lies outside its data area.
func inside(t *testing.T, name string, p *chart.Plot) {
	t.Helper()
	b := p.Box
	x := func(v float64) bool { return v >= b.Left-0.01 && v <= b.Right+0.01 }
	y := func(v float64) bool { return v >= b.Top-0.01 && v <= b.Bottom+0.01 }
	for _, s := range p.Series {
		for _, d := range s.Points {
			if !x(d.X) || !x(d.XLow) || !x(d.XHigh) || !y(d.Y) || !y(d.YLow) || !y(d.YHigh) {
				t.Errorf("%s: %s has a point or whisker outside: %+v", name, s.Class, d)
			}
			if d.YLow < d.YHigh || d.XLow > d.XHigh {
				t.Errorf("%s: %s has a whisker upside down: %+v", name, s.Class, d)
			}
			if d.Label != "" && (d.LabelX < 0 || d.LabelX > p.W || d.LabelY < 0 || d.LabelY > p.H) {
				t.Errorf("%s: label %q outside", name, d.Label)
			}
		}
	}
	for _, m := range append(p.X, p.Y...) {
		if !(m.At >= 0 && m.At <= max(p.W, p.H)) {
			t.Errorf("%s: tick %q at %v", name, m.Label, m.At)
		}
	}
}

func TestPointsAndIntervalsLieInsideThePlot(t *testing.T) {
	for name, p := range chartCases() {
		inside(t, name, p)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		p := frontierPlot(randomRun(rng), nil)
		inside(t, "random", p)
		if n%10 == 0 { // the parser is slow under the race detector
			webtest.WellFormed(t, webtest.Rendered(t, chart.Draw(p)))
		}
	}
}

// randomRun has figures of any size, some of them no numbers.
func randomRun(rng *rand.Rand) *sanitize.Run {
	r := &sanitize.Run{}
	for i := range 1 + rng.IntN(9) {
		left := math.Floor(math.Pow(10, rng.Float64()*6)) - 1
		kept := 1 - math.Pow(10, -rng.Float64()*6)
		o := greedy.Outcome{
			IdentifiersMissed: greedy.Estimate{Value: left, Low: left * rng.Float64(), High: left * (1 + rng.Float64())},
			NonsensitiveKept:  greedy.Estimate{Value: kept, Low: kept * (1 - 0.1*rng.Float64()), High: min(kept+0.01, 1)},
		}
		switch rng.IntN(8) {
		case 0:
			o.IdentifiersMissed.Value = nan
		case 1:
			o.IdentifiersMissed.High = inf
		case 2:
			o.NonsensitiveKept = chart.Exact(1)
		}
		r.Choices = append(r.Choices, sanitize.Result{LC: float64(i + 1), Done: true, Outcome: o})
	}
	return r
}

func TestSharesNeverClaimWhatIsNotSo(t *testing.T) {
	for _, c := range []struct {
		share float64
		want  string
	}{
		{1, "100.0 %"}, {0.9996, "99.96 %"}, {0.999996, "99.999 %"}, {0.96, "96.0 %"},
		{0.0004, "0.04 %"}, {0.0000001, "0.001 %"}, {0, "0.0 %"}, {nan, "not known"},
	} {
		if got := words.Percent(c.share); got != c.want {
			t.Errorf("%v is written %q, want %q", c.share, got, c.want)
		}
	}
}

func TestTheMarkedPointIsTheChosenLC(t *testing.T) {
	v := view{Run: webtest.MadeRun()}
	v.choose(20)
	p := v.frontier()
	svg := webtest.Rendered(t, chart.Draw(p))
	if !strings.Contains(svg, `class="dot current" data-lc="20"`) || strings.Count(svg, "dot current") != 1 {
		t.Error("the drawing does not mark 20 alone")
	}
}

func TestPointsThatCoincideShareALabel(t *testing.T) {
	labels := func(left, kept []float64) []string {
		var out []string
		for _, d := range frontierPlot(figuresRun(left, kept), nil).Series[0].Points {
			out = append(out, d.Label)
		}
		return out
	}
	for _, c := range []struct {
		left, kept []float64
		want       string
	}{
		{[]float64{90, 20, 20, 20}, []float64{0.999, 0.98, 0.98, 0.98}, `["1" "2, 3, 4" "" ""]`},
		{[]float64{20, 20, 20, 20, 2}, []float64{0.99, 0.99, 0.99, 0.99, 0.9}, `["1 to 4" "" "" "" "5"]`},
		{[]float64{90, 30, 9}, []float64{0.999, 0.99, 0.9}, `["1" "2" "3"]`},
	} {
		if got := fmt.Sprintf("%q", labels(c.left, c.kept)); got != c.want {
			t.Errorf("left %v, kept %v: labels %s, want %s", c.left, c.kept, got, c.want)
		}
	}
}
