// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/lab"
	"hide/internal/words"
)

// Report is the output of hide experiment. Counts are sums over the folds; every document
// is published once.
type Report struct {
	Command     string                     `json:"command"`
	Version     string                     `json:"version"`
	Tokens      int                        `json:"tokens"`
	Sensitive   int                        `json:"sensitive"`
	Names       int                        `json:"names"` // sensitive spans
	Documents   int                        `json:"documents"`
	Patients    int                        `json:"patients"`           // patients; a document without a known patient counts as one
	TrainedOn   *lab.Corpus                `json:"learnt,omitempty"`   // when it is another file
	ByLabel     []lab.LabelCount           `json:"by_label,omitempty"` // of what was published
	Folds       int                        `json:"folds"`
	Seed        uint64                     `json:"seed"`
	VC          float64                    `json:"vc,omitempty"`
	Share       float64                    `json:"share"`                   // of the published tokens, labelled by attackers
	Without     string                     `json:"without_parts,omitempty"` // of the detector
	LossByLabel map[annotate.Label]float64 `json:"loss_by_label,omitempty"` // factors of L
	CostByKind  greedy.Prices              `json:"cost_by_kind,omitempty"`  // factors of C
	Context     *contextJSON               `json:"context,omitempty"`
	Partial     bool                       `json:"partial,omitempty"` // the run was interrupted: some results or studies are missing
	Warnings    []string                   `json:"warnings,omitempty"`
	Results     []Row                      `json:"results,omitempty"`
	studies

	published lab.Corpus
	budgets   []int
}

// Row is the result for one mode, learner and L/C.
type Row struct {
	Mode          greedy.Mode `json:"mode"`
	Learner       string      `json:"learner"`
	LC            float64     `json:"lc"`
	Rounds        float64     `json:"rounds"` // classifiers in H, mean over the folds
	RoundsPerFold []int       `json:"rounds_per_fold"`
	RedactsAs     []float64   `json:"redacts_as,omitempty"` // the L/C used for redaction in each fold, where --ceiling raised it
	figures[float64]
	Interval  figures[[2]float64]   `json:"interval"` // 95 %, from resampling documents
	AtMost    bounds                `json:"at_most"`
	ByLabel   []labelRow            `json:"by_label,omitempty"`
	ByKind    []greedy.OverRedacted `json:"by_kind"`  // over-redacted words by kind
	Attacker  greedy.Counts         `json:"attacker"` // of the papers' attacker on the published text: TP_A, FP_A and the rest
	UA        map[string]float64    `json:"u_a"`      // L times the PHI found by inspecting B random tokens, with C = 1
	UAStar    map[string]float64    `json:"u_a_star"` // the same, inspecting first the tokens that the papers' attacker marks
	Attackers []attackerRow         `json:"attackers,omitempty"`
	Removed   int                   `json:"context_removed,omitempty"` // contextual identifiers that were redacted after the classifiers
	Bounds    []greedy.Bound        `json:"bounds,omitempty"`          // what the theorems guarantee about the papers' attacker
}

// figures are the measurements, as values or as intervals.
type figures[T any] struct {
	Residual          T                `json:"residual"`
	InformativeLeft   T                `json:"informative_left"`
	NamesLeft         T                `json:"names_left"`
	DocumentsWithLeak T                `json:"documents_with_leak"`
	PatientsWithLeak  T                `json:"patients_with_leak"`
	FalsePositives    T                `json:"false_positives"`
	NonsensitiveKept  T                `json:"nonsensitive_kept"`
	PublishedRatio    T                `json:"published_ratio"`
	Loss              T                `json:"loss"`
	Attack            attackFigures[T] `json:"tp_a"`
}

// attackFigures are the PHI found by the papers' attacker and, by budget, the ranked one.
type attackFigures[T any] struct {
	Classifier T            `json:"classifier"`
	Ranked     map[string]T `json:"ranked"`
}

// bounds are upper bounds (95 %) for a publication of as many further documents.
type bounds struct {
	Residual          float64 `json:"residual"`
	InformativeLeft   float64 `json:"informative_left"`
	NamesLeft         float64 `json:"names_left"`
	DocumentsWithLeak float64 `json:"documents_with_leak"`
	PatientsWithLeak  float64 `json:"patients_with_leak"`
}

// labelRow is the missed PHI of one label.
type labelRow struct {
	Label        annotate.Label `json:"label"`
	Sensitive    int            `json:"sensitive"`
	Spans        int            `json:"spans"`
	Left         float64        `json:"left"`
	LeftInterval [2]float64     `json:"left_interval"`
	LeftAtMost   float64        `json:"left_at_most"`
	SpansLeft    float64        `json:"spans_left"`
}

// attackerRow is what one attacker finds in the published text of one result.
type attackerRow struct {
	attack.Result
	Points []attackerPoint `json:"points"`
}

// attackerPoint is what she finds with one budget.
type attackerPoint struct {
	attack.Point
	Share float64 `json:"share"` // of the budget: found / B
}

func attackerRowOf(r attack.Result) attackerRow {
	row := attackerRow{Result: r}
	for _, p := range r.Points {
		row.Points = append(row.Points, attackerPoint{p, p.Found / float64(p.Budget)})
	}
	return row
}

func figuresOf[T any](o greedy.Outcome, of func(greedy.Estimate) T) figures[T] {
	f := figures[T]{
		of(o.Residual), of(o.InformativeMissed), of(o.IdentifiersMissed), of(o.DocumentsWithLeak), of(o.PatientsWithLeak),
		of(o.FalsePositives), of(o.NonsensitiveKept), of(o.PublishedRatio), of(o.Loss),
		attackFigures[T]{of(o.Attack.Classifier), map[string]T{}},
	}
	for b, e := range o.Attack.Ranked {
		f.Attack.Ranked[strconv.Itoa(b)] = of(e)
	}
	return f
}

func valueOf(e greedy.Estimate) float64       { return e.Value }
func intervalOf(e greedy.Estimate) [2]float64 { return [2]float64{e.Low, e.High} }

func rowOf(m greedy.Measured, budgets []int) Row {
	o := m.Outcome
	row := Row{
		Mode: m.Mode, Learner: m.Learner, LC: o.LC, Rounds: mean(m.Rounds), RoundsPerFold: m.Rounds,
		figures: figuresOf(o, valueOf), Interval: figuresOf(o, intervalOf),
		AtMost:   bounds{o.Residual.AtMost, o.InformativeMissed.AtMost, o.IdentifiersMissed.AtMost, o.DocumentsWithLeak.AtMost, o.PatientsWithLeak.AtMost},
		Attacker: m.Attacker, Removed: m.Removed, Bounds: m.Bounds, UA: map[string]float64{}, UAStar: map[string]float64{},
	}
	if slices.ContainsFunc(m.At, func(lc float64) bool { return lc > o.LC }) {
		row.RedactsAs = m.At
	}
	for _, c := range o.ByLabel {
		row.ByLabel = append(row.ByLabel, labelRow{c.Label, c.Sensitive, c.Spans, c.Missed.Value, intervalOf(c.Missed), c.Missed.AtMost, c.SpansMissed.Value})
	}
	row.ByKind = o.ByKind
	for _, b := range budgets {
		row.UA[strconv.Itoa(b)] = o.LC * m.Attacker.Uniform(b)
		row.UAStar[strconv.Itoa(b)] = o.LC * m.Attacker.Prioritized(b)
	}
	return row
}

// Report returns the results so far.
func (x *Experiment) Report() Report {
	c := lab.CorpusOf(x.published)
	r := Report{
		Command: x.Command, Version: x.Version, published: c, budgets: x.trial.Budgets,
		Tokens: c.Tokens, Sensitive: c.Sensitive, Names: c.Names, Documents: c.Documents, Patients: c.Patients, ByLabel: c.ByLabel,
		Folds: x.parts(), Seed: x.Seed, VC: x.VC, Share: x.Share, Without: strings.Join(x.Without, ","), LossByLabel: x.Losses, CostByKind: x.Costs,
		Context: x.near, Warnings: x.warnings(), Results: x.results(), studies: x.studies,
	}
	if x.Test != nil {
		trainedOn := lab.CorpusOf(x.Docs)
		r.TrainedOn = &trainedOn
	}
	return r
}

// parts is the number of folds in which documents are published.
func (x *Experiment) parts() int {
	if x.Test != nil {
		return 1
	}
	_, folds := greedy.PublishFolds(x.Docs, x.Folds, x.Seed)
	return folds
}

func mean(counts []int) float64 {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return float64(sum) / float64(len(counts))
}

// partialWords are the heading of the output of an interrupted run.
const partialWords = "PARTIAL: the run was interrupted and results are missing"

// Write prints the report as text.
func (r Report) Write(w io.Writer) {
	fmt.Fprintf(w, "%d documents, %d tokens, %d of them sensitive in %d spans; %s\n", r.Documents, r.Tokens, r.Sensitive, r.Names, words.Count(r.Folds, "fold", "folds"))
	if costs := lab.CostWords(r.LossByLabel, r.CostByKind); costs != "" {
		fmt.Fprintln(w, costs)
	}
	r.Context.write(w)
	if r.Partial {
		fmt.Fprintln(w, partialWords)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintln(w, "warning:", warning)
	}
	if len(r.Results) > 0 {
		r.writeResults(w)
	}
	r.Frontier.write(w)
	r.writeMore(w)
}

func (c *contextJSON) write(w io.Writer) {
	if c == nil {
		return
	}
	what := "counted as they are"
	if c.Redact {
		what = "sensitive, with the label " + string(greedy.ContextLabel)
	}
	fmt.Fprintf(w, "%d contextual identifiers: %s\n", c.Words, what)
}

func (r Report) writeResults(w io.Writer) {
	fmt.Fprintln(w)
	t := lab.Table(w)
	fmt.Fprint(t, "mode\tlearner\tL/C\trounds\tmissed\t95 %\tupper bound\tinformative\tspans\tdocuments\tkept\tpublished\tloss\tTP_A\tFP_A\t")
	for _, b := range r.budgets {
		fmt.Fprintf(t, "B=%d\t", b)
	}
	fmt.Fprintln(t)
	for _, row := range r.Results {
		row.write(t, r.budgets)
	}
	t.Flush() // an error shows in a later write to w
	fmt.Fprintln(w, "\nmissed: PHI tokens that are published, with the upper bound for as many further documents; informative: neither common words nor punctuation;")
	fmt.Fprintln(w, "spans, documents: with a missed token; kept: share of the non-PHI tokens; TP_A, FP_A: tokens that the papers' attacker marks; B: PHI found by an attacker who inspects the B tokens ranked first")
	if len(r.CostByKind) > 0 {
		r.writeOverRedacted(w)
	}
	r.writeAttackers(w)
	r.writeRemoved(w)
	r.writeBounds(w)
}

func (r Row) write(w io.Writer, budgets []int) {
	fmt.Fprintf(w, "%s\t%s\t%g\t%.2f\t%.0f\t%.0f-%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.2f %%\t%.2f %%\t%.0f\t%.0f\t%d\t", r.Mode, r.Learner, r.LC, r.Rounds,
		r.Residual, r.Interval.Residual[0], r.Interval.Residual[1], r.AtMost.Residual, r.InformativeLeft, r.NamesLeft, r.DocumentsWithLeak,
		100*r.NonsensitiveKept, 100*r.PublishedRatio, r.Loss, r.Attack.Classifier, r.Attacker.FP)
	for _, b := range budgets {
		fmt.Fprintf(w, "%.0f\t", r.Attack.Ranked[strconv.Itoa(b)])
	}
	fmt.Fprintln(w)
}

// writeOverRedacted prints over-redacted words by kind.
func (r Report) writeOverRedacted(w io.Writer) {
	var rows []lab.OverRedacted
	for _, row := range r.Results {
		rows = append(rows, lab.OverRedacted{Of: []string{string(row.Mode), row.Learner, csvNumber(row.LC)}, Lost: row.ByKind})
	}
	lab.WriteOverRedacted(w, []string{"mode", "learner", "L/C"}, rows)
}

// writeAttackers prints what the attackers of --attackers find.
func (r Report) writeAttackers(w io.Writer) {
	var rows []lab.Attacked
	for _, row := range r.Results {
		of := lab.Attacked{Of: []string{string(row.Mode), row.Learner, csvNumber(row.LC)}}
		for _, a := range row.Attackers {
			a.Result.Points = nil
			for _, p := range a.Points {
				a.Result.Points = append(a.Result.Points, p.Point)
			}
			of.By = append(of.By, a.Result)
		}
		rows = append(rows, of)
	}
	lab.WriteAttackers(w, []string{"mode", "learner", "L/C"}, rows)
}

func (f *frontierJSON) write(w io.Writer) {
	if f == nil {
		return
	}
	fmt.Fprintf(w, "\nmissed PHI tokens by share of non-PHI tokens kept, and how many more than %s\n\n", f.Against)
	t := lab.Table(w)
	fmt.Fprint(t, "learner\tkept\tmissed\tinformative\tspans\tdocuments\tmore\tstandard error\tratio\t\n")
	for _, line := range f.Learners {
		for _, p := range line.Points {
			fmt.Fprintf(t, "%s\t%g %%\t%d\t%d\t%d\t%d\t%+.0f\t%s\t%s\t\n", line.Learner, percent(p.Kept), p.Left, p.Informative, p.Spans, p.Documents,
				p.More, orDash("%.1f", p.StandardError), orDash("%.2f", p.Ratio))
		}
	}
	t.Flush() // an error shows in a later write to w
}

// percent is 99.9 for .999.
func percent(share float64) float64 { return math.Round(share*1e6) / 1e4 }

func orDash(format string, v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf(format, *v)
}

// writeMore prints the studies of the run.
func (r Report) writeMore(w io.Writer) {
	r.Ablation.write(w)
	if r.Curve != nil {
		fmt.Fprint(w, "\nmissed PHI tokens by training documents and share of non-PHI tokens kept\n\n")
		lab.WriteRows(w, r.curveTable())
	}
	if r.Coverage != nil {
		fmt.Fprint(w, "\nhow often figures from one half of the documents cover the other half\n\n")
		lab.WriteRows(w, r.coverageTable())
	}
	r.writeAlarms(w)
}

// curveTable and coverageTable begin with the header row.
func (r Report) curveTable() [][]string {
	rows := [][]string{{"learner", "documents"}}
	for _, p := range r.Curve[0].Points {
		rows[0] = append(rows[0], fmt.Sprintf("%g %%", percent(p.Kept)))
	}
	for _, c := range r.Curve {
		row := []string{c.Learner, fmt.Sprintf("%.0f", c.Documents)}
		for _, p := range c.Points {
			row = append(row, fmt.Sprint(p.Left))
		}
		rows = append(rows, row)
	}
	return rows
}

func (r Report) coverageTable() [][]string {
	rows := [][]string{{"mode", "learner", "L/C", "draws", "covered", "upper bound held", "expected", "missed", "width", "before prior-shift correction: covered", "upper bound held", "missed"}}
	for _, c := range r.Coverage {
		rows = append(rows, []string{string(c.Mode), c.Learner, csvNumber(c.LC), fmt.Sprint(c.Draws), fmt.Sprint(c.Covered), fmt.Sprint(c.AtMost),
			fmt.Sprintf("%.1f", c.Expected), fmt.Sprintf("%.1f", c.Missed), fmt.Sprintf("%.1f", c.Width),
			fmt.Sprint(c.Measured.Covered), fmt.Sprint(c.Measured.AtMost), fmt.Sprintf("%.1f", c.Measured.Missed)})
	}
	return rows
}

// alarmTable begins with the header row.
func (r Report) alarmTable() [][]string {
	rows := [][]string{{"mode", "learner", "trained on", "L/C", "draws", "drift warning", "program warns", "missed", "expected", "covered", "upper bound held", "by old audit", "covered", "upper bound held"}}
	for _, a := range r.Alarms {
		rows = append(rows, []string{string(a.Mode), a.Learner, string(a.TrainedOn), csvNumber(a.LC), fmt.Sprint(a.Draws), fmt.Sprint(a.Drift), fmt.Sprint(a.Warned), fmt.Sprintf("%.1f", a.Left),
			fmt.Sprintf("%.1f", a.Expected), fmt.Sprint(a.Predicted.Covered), fmt.Sprint(a.Predicted.AtMost),
			fmt.Sprintf("%.1f", a.Found), fmt.Sprint(a.Audited.Covered), fmt.Sprint(a.Audited.AtMost)})
	}
	return rows
}

func alarmAbout() string {
	return fmt.Sprintf("Trained on half of the documents: a random half, the half that a project's queue selects, or a random half of another file. Drift warning: the texts alone differ. Program warns: there is a drift warning, or the project records that notes were not chosen at random. An old audit reads %d random documents and the %d most doubtful documents. Certificates have taken its place: hide bench certify measures both.", oldAudit.Random, oldAudit.Selected)
}

func (r Report) writeAlarms(w io.Writer) {
	if r.Alarms == nil {
		return
	}
	fmt.Fprint(w, "\nhow often drift was found and the program warns, and how often forecast and old audit cover the truth\n\n")
	lab.WriteRows(w, r.alarmTable())
	fmt.Fprintln(w, "\n"+alarmAbout())
}

// writeRemoved prints how much --context remove redacted.
func (r Report) writeRemoved(w io.Writer) {
	for _, row := range r.Results {
		if row.Removed > 0 {
			fmt.Fprintf(w, "%s, %s, L/C %g: %s redacted as contextual identifiers of what is redacted\n", row.Mode, row.Learner, row.LC, words.Count(row.Removed, "further word", "further words"))
		}
	}
}

// writeBounds prints the theoretical bounds of each result.
func (r Report) writeBounds(w io.Writer) {
	if !slices.ContainsFunc(r.Results, func(row Row) bool { return row.Mode == greedy.Paper }) {
		return
	}
	fmt.Fprintf(w, "\n%s; %s\n", lab.DimensionWords(r.VC), lab.BoundsAbout)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range r.boundRows() {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush()
}

// boundRows has a line for each theorem of each result.
func (r Report) boundRows() [][]string {
	var out [][]string
	for _, row := range r.Results {
		for _, b := range row.Bounds {
			out = append(out, append([]string{fmt.Sprintf("%s, %s, %g", row.Mode, row.Learner, row.LC)}, lab.BoundCells(b)...))
		}
	}
	return out
}
