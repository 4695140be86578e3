// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/lab"
	"hide/internal/words"
)

// Page is the report as a page. The papers' figures come first.
func (r Report) Page() chart.Report {
	page := chart.Report{Title: "hide experiment", Command: r.Command, Lines: []string{
		fmt.Sprintf("%d documents, %d tokens, %d of them sensitive in %d spans, published in %s by what had not seen them; hide %s.",
			r.Documents, r.Tokens, r.Sensitive, r.Names, words.Count(r.Folds, "fold", "folds"), r.Version),
		"Bars are 95 % intervals from resampling documents. Figure and table numbers are those of the paper on GreedySanitize (IEEE TKDE).",
	}}
	if r.Partial {
		page.Title += " (partial)"
		page.Lines = append([]string{partialWords}, page.Lines...)
	}
	page.Sections = []chart.Section{r.corpusSection()}
	if len(r.Results) > 0 {
		page.Sections = append(page.Sections, r.resultSections()...)
	}
	if r.Frontier != nil {
		page.Sections = append(page.Sections, r.Frontier.section("Left at equal shares kept"))
	}
	page.Sections = append(page.Sections, r.moreSections()...)
	return page
}

func (r Report) resultSections() []chart.Section {
	learner := func(row Row) string { return row.Learner }
	mode := func(row Row) string { return string(row.Mode) }
	counts, shares := numberFormat{chart.AxisCounts, "%.0f"}, numberFormat{chart.AxisShares, "%.2f %%"}
	sections := []chart.Section{
		r.overLC("Found by the papers' attacker (Figure 3)", "TP_A: PHI tokens that the most accurate classifier marks in the published text.", "TP_A", counts,
			learner, mode, func(row Row) (float64, [2]float64) {
				return row.Attack.Classifier, row.Interval.Attack.Classifier
			}),
		r.overBudgets("Found by an attacker who inspects B tokens (Figure 4)", "The ranked attacker: PHI tokens found, as a share of the tokens inspected.", r.near(5, 10), nil,
			func(row Row) string { return fmt.Sprintf("%s, L/C %g", row.Learner, row.LC) }, mode),
		r.overLC("Share of all tokens published (Figure 5)", "", "% published", shares,
			learner, mode, func(row Row) (float64, [2]float64) { return row.PublishedRatio, row.Interval.PublishedRatio }),
		r.overLC("Share of the non-PHI tokens kept", "", "% kept", shares,
			learner, mode, func(row Row) (float64, [2]float64) {
				return row.NonsensitiveKept, row.Interval.NonsensitiveKept
			}),
	}
	if r.learners() > 1 {
		sections = append(sections, r.overBudgets("Size of the hypothesis space (Figures 6 and 7)", "The best of the trained attackers, against publishers with one learner each.", r.near(5, 10), r.greedyMode(),
			func(row Row) string { return fmt.Sprintf("%s, L/C %g", row.Mode, row.LC) }, learner))
	}
	return append(sections,
		r.overLC("Rounds (Figure 8)", "Classifiers used, the mean over the folds.", "rounds", numberFormat{chart.AxisCounts, "%.2f"},
			mode, learner, func(row Row) (float64, [2]float64) { return row.Rounds, [2]float64{} }),
		r.leftSection(learner, mode), r.attackersSection(), r.boundsSection())
}

// numberFormat says how a number is drawn and written.
type numberFormat struct {
	axis chart.Axis
	verb string
}

func (n numberFormat) text(v float64) string {
	if n.axis == chart.AxisShares {
		v *= 100
	}
	return fmt.Sprintf(n.verb, v)
}

func (n numberFormat) interval(v float64, i [2]float64) string {
	if i[1] <= i[0] {
		return n.text(v)
	}
	return fmt.Sprintf("%s (%s to %s)", n.text(v), n.text(i[0]), n.text(i[1]))
}

// overLC draws figure over L/C. panel and line name the panel and the line of a row.
func (r Report) overLC(title, about, unit string, n numberFormat, panel, line func(Row) string, figure func(Row) (float64, [2]float64)) chart.Section {
	s := chart.Section{Title: title, About: about, Tables: []chart.Table{{Caption: title, Head: []string{"L/C"}}}}
	lcs := r.lcs()
	for _, lc := range lcs {
		s.Tables[0].Head = append(s.Tables[0].Head, csvNumber(lc))
	}
	for _, p := range namesOf(r.Results, panel) {
		shown := chart.Panel{Title: p, XLabel: "L/C", YLabel: unit, X: chart.AxisFactors, Y: n.axis}
		for _, l := range namesOf(r.Results, line) {
			drawn, cells := chart.Line{Name: l}, []string{p + ", " + l}
			for _, row := range r.Results {
				if panel(row) == p && line(row) == l {
					v, i := figure(row)
					drawn.Points = append(drawn.Points, chart.Point{X: row.LC, Y: v, Low: i[0], High: i[1]})
					cells = append(cells, n.interval(v, i))
				}
			}
			shown.Lines = append(shown.Lines, drawn)
			s.Tables[0].Rows = append(s.Tables[0].Rows, cells)
		}
		s.Panels = append(s.Panels, shown)
	}
	return s
}

// overBudgets draws the PHI found as a share of B, for some values of L/C and one mode
// (nil for all).
func (r Report) overBudgets(title, about string, lcs []float64, only *greedy.Mode, panel, line func(Row) string) chart.Section {
	s := chart.Section{Title: title, About: about, Tables: []chart.Table{{Caption: title, Head: []string{"B"}}}}
	for _, b := range r.budgets {
		s.Tables[0].Head = append(s.Tables[0].Head, strconv.Itoa(b))
	}
	rows := slices.DeleteFunc(slices.Clone(r.Results), func(row Row) bool {
		return !slices.Contains(lcs, row.LC) || only != nil && row.Mode != *only
	})
	for _, p := range namesOf(rows, panel) {
		shown := chart.Panel{Title: p, XLabel: "budget B, tokens", YLabel: "found / B, %", X: chart.AxisFactors, Y: chart.AxisShares}
		for _, row := range rows {
			if panel(row) != p {
				continue
			}
			drawn, cells := chart.Line{Name: line(row)}, []string{p + ", " + line(row)}
			for _, b := range r.budgets {
				share := row.found(b, only != nil) / float64(b)
				drawn.Points = append(drawn.Points, chart.Point{X: float64(b), Y: share})
				cells = append(cells, fmt.Sprintf("%.2f %%", 100*share))
			}
			shown.Lines = append(shown.Lines, drawn)
			s.Tables[0].Rows = append(s.Tables[0].Rows, cells)
		}
		s.Panels = append(s.Panels, shown)
	}
	return s
}

// found is the PHI that the ranked attacker finds. With strongest it is the most that any
// attacker trained on the published text finds.
func (r Row) found(budget int, strongest bool) float64 {
	most := r.Attack.Ranked[strconv.Itoa(budget)]
	for _, a := range r.Attackers {
		for _, p := range a.Points {
			if strongest && p.Budget == budget && slices.Contains([]string{"classifier", "ranked", "best", "stacked"}, string(a.Kind)) {
				most = max(most, p.Found)
			}
		}
	}
	return most
}

// leftSection shows the missed PHI by L/C, with all its counts.
func (r Report) leftSection(panel, line func(Row) string) chart.Section {
	n := numberFormat{chart.AxisCounts, "%.0f"}
	s := r.overLC("Missed PHI tokens", "", "missed", n, panel, line, func(row Row) (float64, [2]float64) { return row.Residual, row.Interval.Residual })
	s.About = "The upper bound is what 95 % of publications of as many further documents do not exceed. Informative tokens are neither punctuation nor common words."
	t := chart.Table{Caption: "Missed PHI, by mode, learner and L/C", Head: []string{"mode, learner", "L/C", "missed", "upper bound", "informative", "spans", "documents", "patients", "over-redacted", "FP_A"}}
	for _, row := range r.Results {
		t.Rows = append(t.Rows, []string{string(row.Mode) + ", " + row.Learner, csvNumber(row.LC), n.interval(row.Residual, row.Interval.Residual), n.text(row.AtMost.Residual),
			n.text(row.InformativeLeft), n.text(row.NamesLeft), n.text(row.DocumentsWithLeak), n.text(row.PatientsWithLeak), n.text(row.FalsePositives), strconv.Itoa(row.Attacker.FP)})
	}
	s.Tables = []chart.Table{t, r.categoriesTable(), r.kindsTable()}
	return s
}

func (r Report) categoriesTable() chart.Table {
	t := chart.Table{Caption: "Tokens left by category", Head: []string{"mode, learner, L/C"}}
	for _, l := range r.ByLabel {
		t.Head = append(t.Head, fmt.Sprintf("%s, of %d", l.Label, l.Sensitive))
	}
	for _, row := range r.Results {
		cells := []string{fmt.Sprintf("%s, %s, %g", row.Mode, row.Learner, row.LC)}
		for _, l := range row.ByLabel {
			cells = append(cells, fmt.Sprintf("%.0f, at most %.0f", l.Left, l.LeftAtMost))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// kindsTable shows over-redacted words by kind; a dash where there are none.
func (r Report) kindsTable() chart.Table {
	kinds, n := greedy.WordKinds(), numberFormat{chart.AxisCounts, "%.0f"}
	t := chart.Table{Caption: "Words lost that are not sensitive, by kind", Head: []string{"mode, learner, L/C"}}
	for _, k := range kinds {
		t.Head = append(t.Head, string(k))
	}
	for _, row := range r.Results {
		cells := []string{fmt.Sprintf("%s, %s, %g", row.Mode, row.Learner, row.LC)}
		for _, k := range kinds {
			cell := "-"
			if i := slices.IndexFunc(row.ByKind, func(l greedy.OverRedacted) bool { return l.Kind == k }); i >= 0 {
				l := row.ByKind[i]
				cell = fmt.Sprintf("%s of %d", n.interval(l.Redacted.Value, intervalOf(l.Redacted)), l.Words)
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// attackersSection shows what each attacker finds with the largest budget, and up to it.
func (r Report) attackersSection() chart.Section {
	t := chart.Table{Caption: "Found by each attacker, by budget", Head: []string{"mode, learner, L/C", "attacker", "TP_A", "FP_A"}}
	for _, b := range r.budgets {
		t.Head = append(t.Head, fmt.Sprintf("B = %d", b))
	}
	for _, row := range r.Results {
		name := fmt.Sprintf("%s, %s, %g", row.Mode, row.Learner, row.LC)
		papers := []string{name, "the papers' (U_A*/L)", fmt.Sprint(row.Attacker.TP), fmt.Sprint(row.Attacker.FP)}
		ranked := []string{name, "ranked", "", ""}
		for _, b := range r.budgets {
			papers = append(papers, fmt.Sprintf("%.1f", row.UAStar[strconv.Itoa(b)]/row.LC))
			ranked = append(ranked, fmt.Sprintf("%.1f", row.Attack.Ranked[strconv.Itoa(b)]))
		}
		t.Rows = append(t.Rows, papers, ranked)
		for _, a := range row.Attackers {
			cells := []string{name, strings.TrimSpace(string(a.Kind) + ", " + a.Learner), fmt.Sprint(a.Marked.TP), fmt.Sprint(a.Marked.FP)}
			for _, p := range a.Points {
				cells = append(cells, fmt.Sprintf("%.1f", p.Found))
			}
			t.Rows = append(t.Rows, cells)
		}
	}
	return chart.Section{Title: "Attackers", About: "Sensitive tokens among the first B that each inspects.", Tables: []chart.Table{t}}
}

func (r Report) corpusSection() chart.Section {
	t := chart.Table{Caption: "Corpus", Head: []string{"file", "words", "documents", "patients", "PHI tokens", "informative", "PHI spans"}}
	add := func(name string, c lab.Corpus) {
		t.Rows = append(t.Rows, []string{name, fmt.Sprint(c.Tokens), fmt.Sprint(c.Documents), fmt.Sprint(c.Patients), fmt.Sprint(c.Sensitive), fmt.Sprint(c.Informative), fmt.Sprint(c.Names)})
	}
	if r.TrainedOn != nil {
		add("trained on", *r.TrainedOn)
	}
	add("published", r.published)
	labels := chart.Table{Caption: "Sensitive tokens and spans by category", Head: []string{"label", "tokens", "spans"}}
	for _, l := range r.ByLabel {
		labels.Rows = append(labels.Rows, []string{string(l.Label), fmt.Sprint(l.Sensitive), fmt.Sprint(l.Spans)})
	}
	return chart.Section{Title: "Corpus (Table 2)", Tables: []chart.Table{t, labels}}
}

func (f *frontierJSON) section(title string) chart.Section {
	s := chart.Section{Title: title, About: "PHI tokens that each learner misses when a share of the non-PHI tokens is kept, read off the order of its scores. More: than " + f.Against +
		" misses, with the standard error of the difference paired by document or patient."}
	shown := chart.Panel{Title: "Missed PHI tokens", XLabel: "non-PHI tokens kept, %", YLabel: "missed", X: chart.AxisKept}
	t := chart.Table{Caption: title, Head: []string{"learner", "kept", "missed", "informative", "spans", "documents", "more", "standard error", "ratio"}}
	for _, line := range f.Learners {
		drawn := chart.Line{Name: line.Learner}
		for _, p := range line.Points {
			drawn.Points = append(drawn.Points, chart.Point{X: p.Kept, Y: float64(p.Left)})
			t.Rows = append(t.Rows, []string{line.Learner, fmt.Sprintf("%g %%", percent(p.Kept)), fmt.Sprint(p.Left), fmt.Sprint(p.Informative), fmt.Sprint(p.Spans), fmt.Sprint(p.Documents),
				fmt.Sprintf("%+.0f", p.More), orDash("%.1f", p.StandardError), orDash("%.2f", p.Ratio)})
		}
		shown.Lines = append(shown.Lines, drawn)
	}
	s.Panels, s.Tables = []chart.Panel{shown}, []chart.Table{t}
	return s
}

// near are the values of L/C nearest to those wanted on a log scale, each once.
func (r Report) near(wanted ...float64) []float64 {
	var out []float64
	for _, w := range wanted {
		best := r.Results[0].LC
		for _, lc := range r.lcs() {
			if math.Abs(math.Log(lc/w)) < math.Abs(math.Log(best/w)) {
				best = lc
			}
		}
		out = append(out, best)
	}
	return slices.Compact(out)
}

// greedyMode is the mode whose hypothesis space is studied: the papers' mode, or else the
// first one of the run.
func (r Report) greedyMode() *greedy.Mode {
	mode := r.Results[0].Mode
	if slices.ContainsFunc(r.Results, func(row Row) bool { return row.Mode == greedy.Paper }) {
		mode = greedy.Paper
	}
	return &mode
}

func (r Report) learners() int {
	return len(namesOf(r.Results, func(row Row) string { return row.Learner }))
}

func (r Report) lcs() []float64 {
	var out []float64
	for _, row := range r.Results {
		out = append(out, row.LC)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// namesOf lists the names of rows in order, each once.
func namesOf(rows []Row, name func(Row) string) []string {
	var out []string
	for _, row := range rows {
		if n := name(row); !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// moreSections are the charts of the studies of the run.
func (r Report) moreSections() []chart.Section {
	var out []chart.Section
	if r.Ablation != nil {
		s := r.Ablation.section("Ablation of the detector")
		s.Panels = nil // a chart cannot style this many lines
		out = append(out, s)
	}
	if r.Curve != nil {
		table := r.curveTable()
		s := chart.Section{Title: "Learning curve", About: "Missed PHI tokens by number of training documents.", Tables: []chart.Table{{Caption: "Learning curve", Head: table[0], Rows: table[1:]}}}
		for k, kept := range r.Curve[0].Points {
			s.Panels = append(s.Panels, r.curvePanel(k, fmt.Sprintf("%g %% of the other tokens kept", percent(kept.Kept))))
		}
		out = append(out, s)
	}
	if r.Coverage != nil {
		table := r.coverageTable()
		out = append(out, chart.Section{Title: "Coverage of the estimates", About: "Trained on a random half of the documents, and compared with what is missed in the other half.",
			Tables: []chart.Table{{Caption: "Coverage", Head: table[0], Rows: table[1:]}}})
	}
	return append(out, r.alarmSections()...)
}

func (r Report) curvePanel(point int, title string) chart.Panel {
	panel := chart.Panel{Title: title, XLabel: "documents", YLabel: "missed", X: chart.AxisFactors}
	for _, c := range r.Curve {
		n := len(panel.Lines)
		if n == 0 || panel.Lines[n-1].Name != c.Learner {
			panel.Lines = append(panel.Lines, chart.Line{Name: c.Learner})
			n++
		}
		panel.Lines[n-1].Points = append(panel.Lines[n-1].Points, chart.Point{X: c.Documents, Y: float64(c.Points[point].Left)})
	}
	return panel
}

func (r Report) alarmSections() []chart.Section {
	if r.Alarms == nil {
		return nil
	}
	table := r.alarmTable()
	return []chart.Section{{Title: "Drift warnings and audits", About: alarmAbout(), Tables: []chart.Table{{Caption: "Drift warnings and audits", Head: table[0], Rows: table[1:]}}}}
}

// boundsSection is the same for the page.
func (r Report) boundsSection() chart.Section {
	return chart.Section{
		Title: "Bounds of the theorems (section 4)", About: "T" + lab.BoundsAbout[1:] + ".",
		Tables: []chart.Table{{Caption: "Bounds", Head: append([]string{"mode, learner, L/C"}, lab.BoundHead...), Rows: r.boundRows()}},
	}
}

// CommandLine is the shell command that runs hide experiment with these arguments.
func CommandLine(args []string) string {
	words := []string{"hide experiment"}
	for _, a := range args {
		words = append(words, shellWord(a))
	}
	return strings.Join(words, " ")
}

// shellWord quotes an argument that a shell would change.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./,=:+@%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
