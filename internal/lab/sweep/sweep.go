// SPDX-License-Identifier: Apache-2.0

// Package sweep reports the information loss of joint releases under many settings, as
// rx-anon's figures 2 to 5 do, and draws the risk of persons in one release.
//
//	result := sweep.New(folder, view, points, threshold)
//	release.Write(ctx, folder, manifest, result.Files(), nil)
//	result.Write(os.Stdout)
package sweep

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"hide/internal/chart"
	"hide/internal/lab"
	"hide/internal/publish/joint"
	"hide/internal/publish/release"
	"hide/internal/tabular"
)

// Result holds the measurements.
type Result struct {
	Out     string             `json:"out"`
	Persons int                `json:"persons"`
	Rows    int                `json:"rows"`
	Terms   int                `json:"terms"`
	Best    *joint.SweepPoint  `json:"best"` // the least loss with no person above the threshold; null when there is none
	Points  []joint.SweepPoint `json:"points"`
}

// New is the result of a sweep over a view. threshold is the highest acceptable risk of a
// person.
func New(out string, view *joint.View, points []joint.SweepPoint, threshold float64) Result {
	s := Result{Out: out, Persons: view.Persons(), Rows: view.Rows(), Terms: view.Terms(), Points: points}
	if best, ok := joint.Best(points, threshold); ok {
		s.Best = &best
	}
	return s
}

// Files are the result as JSON, CSV, text and figures.
func (s Result) Files() []release.Content {
	return []release.Content{
		release.JSON("sweep.json", s),
		{Name: "sweep.csv", Table: s.writeTable},
		{Name: "sweep.txt", Write: func(w io.Writer) error { s.Write(w); return nil }},
		{Name: "loss-by-k.svg", Write: func(w io.Writer) error { return s.drawLosses(w, joint.Median) }},
		{Name: "loss-by-k-ncp.svg", Write: func(w io.Writer) error { return s.drawLosses(w, joint.Least) }},
		{Name: "loss-against-loss.svg", Write: s.drawTrade},
		{Name: "loss-by-type.svg", Write: s.drawTypes},
		{Name: "cuts-by-lambda.svg", Write: s.drawCuts},
	}
}

// method names the method that made a point.
func method(p joint.SweepPoint) string {
	switch name := string(p.Strategy); {
	case p.Strategy == joint.GDF && p.Published:
		return name + " as published"
	case p.Strategy == joint.GDF:
		return name
	case p.Published:
		return name + " as published"
	default:
		return name + ", " + string(p.Cut)
	}
}

// Write prints the result as text.
func (s Result) Write(w io.Writer) {
	fmt.Fprintf(w, "%d persons, %d rows, %d sensitive terms\n\n", s.Persons, s.Rows, s.Terms)
	t := lab.Table(w)
	fmt.Fprint(t, "k\tlambda\tmethod\tclasses\tmean\tNCP_A\tNCP_X\tNCP\tcuts at attributes\tat terms\trisk at most\t\n")
	for _, p := range s.Points {
		lambda := "-"
		if p.Strategy == joint.Mondrian {
			lambda = strconv.FormatFloat(p.Lambda, 'g', -1, 64)
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%d\t%.1f\t%.4f\t%.4f\t%.4f\t%d\t%d\t%.4f\t\n", p.K, lambda, method(p), p.Classes.Count, p.Classes.Mean, p.Relational, p.Textual, p.Total, p.Cuts[0], p.Cuts[1], p.MaxRisk)
	}
	_ = t.Flush() // a write error shows in the next write
	if s.Best == nil {
		fmt.Fprintln(w, "\nno setting keeps the risk of every person within the threshold")
		return
	}
	fmt.Fprintf(w, "\nleast loss with the risk of every person within the threshold: k %d, lambda %g, %s, NCP %.4f\n", s.Best.K, s.Best.Lambda, method(*s.Best), s.Best.Total)
}

func (s Result) writeTable(out *tabular.Writer) error {
	_ = out.Write([]string{"k", "lambda", "method", "classes", "mean_size", "ncp_relational", "ncp_textual", "ncp", "program_relational", "program_textual", "cuts_relational", "cuts_textual", "max_risk", "mean_risk"}) // errors stay in out
	for _, p := range s.Points {
		line := []string{strconv.Itoa(p.K), "", method(p), strconv.Itoa(p.Classes.Count)}
		if p.Strategy == joint.Mondrian {
			line[1] = strconv.FormatFloat(p.Lambda, 'g', -1, 64)
		}
		for _, v := range []float64{p.Classes.Mean, p.Relational, p.Textual, p.Total, p.Program[0], p.Program[1], float64(p.Cuts[0]), float64(p.Cuts[1]), p.MaxRisk, p.MeanRisk} {
			line = append(line, strconv.FormatFloat(v, 'g', 6, 64))
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// ks and lambdas are the values of the sweep, in order.
func (s Result) ks() []int {
	var ks []int
	for _, p := range s.Points {
		if !slices.Contains(ks, p.K) {
			ks = append(ks, p.K)
		}
	}
	slices.Sort(ks)
	return ks
}

func (s Result) lambdas() []float64 {
	var all []float64
	for _, p := range s.Points {
		if p.Strategy == joint.Mondrian && !slices.Contains(all, p.Lambda) {
			all = append(all, p.Lambda)
		}
	}
	slices.Sort(all)
	return all
}

// chosen are four lambdas from the least to the greatest: more lines, beside those of GDF,
// could not be told apart.
func (s Result) chosen() []float64 {
	all := s.lambdas()
	if len(all) <= 4 {
		return all
	}
	var few []float64
	for i := range 4 {
		few = append(few, all[i*(len(all)-1)/3])
	}
	return few
}

// lines are NCP by k: for a few lambdas and GDF, with our cuts and the published ones.
func (s Result) lines(cut joint.Cut, of func(joint.SweepPoint) float64) []chart.Line {
	ks := s.ks()
	line := func(name string, wanted func(joint.SweepPoint) bool) chart.Line {
		l := chart.Line{Name: name}
		for _, p := range s.Points {
			if wanted(p) {
				l.Points = append(l.Points, chart.Point{X: float64(slices.Index(ks, p.K)), Y: of(p)})
			}
		}
		return l
	}
	var all []chart.Line
	for _, lambda := range s.chosen() {
		all = append(all, line(fmt.Sprintf("lambda %g", lambda), func(p joint.SweepPoint) bool {
			return p.Strategy == joint.Mondrian && !p.Published && p.Cut == cut && p.Lambda == lambda
		}))
	}
	return append(all,
		line("GDF", func(p joint.SweepPoint) bool { return p.Strategy == joint.GDF && !p.Published }),
		line("GDF as published", func(p joint.SweepPoint) bool { return p.Strategy == joint.GDF && p.Published }))
}

func (s Result) steps() []string {
	var steps []string
	for _, k := range s.ks() {
		steps = append(steps, strconv.Itoa(k))
	}
	return steps
}

// drawLosses is rx-anon's figures 3 and 4, with one way to cut.
func (s Result) drawLosses(w io.Writer, cut joint.Cut) error {
	return chart.WriteLines(w, "Loss by k and lambda, cut by "+string(cut), []chart.Panel{
		{Title: "Attributes", XLabel: "k", YLabel: "NCP of the attributes, %", X: chart.AxisSteps, Y: chart.AxisWholeShares, Steps: s.steps(), Lines: s.lines(cut, func(p joint.SweepPoint) float64 { return p.Relational })},
		{Title: "Texts", XLabel: "k", YLabel: "NCP of the texts, %", X: chart.AxisSteps, Y: chart.AxisWholeShares, Steps: s.steps(), Lines: s.lines(cut, func(p joint.SweepPoint) float64 { return p.Textual })},
	})
}

// drawTrade draws relational against textual loss, along lambda.
func (s Result) drawTrade(w io.Writer) error {
	var panels []chart.Panel
	for _, cut := range []joint.Cut{joint.Median, joint.Least} {
		panel := chart.Panel{Title: "Cut by " + string(cut), XLabel: "NCP of the attributes, %", YLabel: "NCP of the texts, %", X: chart.AxisWholeShares, Y: chart.AxisWholeShares}
		for _, k := range s.ks()[:min(6, len(s.ks()))] {
			l := chart.Line{Name: fmt.Sprintf("k %d", k)}
			for _, p := range s.Points {
				if p.Strategy == joint.Mondrian && !p.Published && p.Cut == cut && p.K == k {
					l.Points = append(l.Points, chart.Point{Label: strconv.FormatFloat(p.Lambda, 'g', -1, 64), X: p.Relational, Y: p.Textual})
				}
			}
			panel.Lines = append(panel.Lines, l)
		}
		panels = append(panels, panel)
	}
	return chart.WriteLines(w, "The two losses against each other, lambda beside the points", panels)
}

// drawTypes is rx-anon's figure 5: the loss of each term type by k, at the lambda nearest
// to 0.2. It draws at most six types, those with the most terms.
func (s Result) drawTypes(w io.Writer) error {
	lambdas := s.lambdas()
	if len(lambdas) == 0 || len(s.Points) == 0 {
		return chart.WriteLines(w, "Loss by type of terms", nil)
	}
	lambda := slices.MinFunc(lambdas, func(a, b float64) int { return cmp.Compare(math.Abs(a-0.2), math.Abs(b-0.2)) })
	ks := s.ks()
	var panels []chart.Panel
	for _, cut := range []joint.Cut{joint.Median, joint.Least} {
		panel := chart.Panel{Title: fmt.Sprintf("lambda %g, cut by %s", lambda, cut), XLabel: "k", YLabel: "loss of the terms of a type, %", X: chart.AxisSteps, Y: chart.AxisWholeShares, Steps: s.steps()}
		for _, t := range mostTerms(s.Points[0].Types, 6) {
			l := chart.Line{Name: string(s.Points[0].Types[t].Type)}
			for _, p := range s.Points {
				if p.Strategy == joint.Mondrian && !p.Published && p.Cut == cut && p.Lambda == lambda {
					l.Points = append(l.Points, chart.Point{X: float64(slices.Index(ks, p.K)), Y: p.Types[t].Loss})
				}
			}
			panel.Lines = append(panel.Lines, l)
		}
		panels = append(panels, panel)
	}
	return chart.WriteLines(w, "Loss by type of terms", panels)
}

// mostTerms gives the indices of the n types with the most terms, in their order.
func mostTerms(types []joint.TypeLoss, n int) []int {
	order := make([]int, len(types))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return types[b].Terms - types[a].Terms })
	order = order[:min(n, len(order))]
	slices.Sort(order)
	return order
}

// drawCuts is rx-anon's figure 2: the share of cuts made at terms, by lambda.
func (s Result) drawCuts(w io.Writer) error {
	lambdas := s.lambdas()
	var steps []string
	for _, lambda := range lambdas {
		steps = append(steps, strconv.FormatFloat(lambda, 'g', -1, 64))
	}
	panel := chart.Panel{Title: "Cuts at terms", XLabel: "lambda", YLabel: "% of all cuts", X: chart.AxisSteps, Y: chart.AxisWholeShares, Steps: steps}
	for _, k := range s.ks()[:min(6, len(s.ks()))] {
		l := chart.Line{Name: fmt.Sprintf("k %d", k)}
		for _, p := range s.Points {
			if all := p.Cuts[0] + p.Cuts[1]; p.Strategy == joint.Mondrian && !p.Published && p.Cut == joint.Median && p.K == k && all > 0 {
				l.Points = append(l.Points, chart.Point{X: float64(slices.Index(lambdas, p.Lambda)), Y: float64(p.Cuts[1]) / float64(all)})
			}
		}
		panel.Lines = append(panel.Lines, l)
	}
	return chart.WriteLines(w, "Cuts at terms by lambda", []chart.Panel{panel})
}

// riskPoints is the largest number of persons drawn.
const riskPoints = 41

// DrawRisk draws the risk of persons in descending order.
func DrawRisk(w io.Writer, r joint.Risk) error {
	lines := []chart.Line{{Name: "table and text"}, {Name: "table alone"}, {Name: "text alone"}}
	last := len(r.Persons) - 1
	points := min(riskPoints, len(r.Persons))
	for i := range points {
		at := r.Persons[i*last/max(1, points-1)]
		x := float64(i) / float64(max(1, points-1))
		for n, y := range []float64{at.Joint, at.Table, at.Text} {
			lines[n].Points = append(lines[n].Points, chart.Point{X: x, Y: y})
		}
	}
	title := fmt.Sprintf("Risk of a person to be re-identified: %d persons", len(r.Persons))
	return chart.WriteLines(w, title, []chart.Panel{{Title: title, XLabel: "persons, the greatest joint risk first, %", YLabel: "risk, %", X: chart.AxisWholeShares, Y: chart.AxisWholeShares, Lines: lines}})
}
