// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"

	"hide/internal/chart"
	"hide/internal/lab"
	"hide/internal/lab/linkage"
	"hide/internal/option"
	"hide/internal/outfile"
	"hide/internal/publish/link"
	"hide/internal/publish/link/score"
	"hide/internal/words"
)

// LinkageOptions configure [Linkage].
type LinkageOptions struct {
	People     []int
	Seed       uint64
	Identifier bool
	SVG, Out   string
}

// LinkageTable declares the options of [Linkage].
var LinkageTable = option.Table[LinkageOptions]{
	option.Wholes(option.About{Name: "people", Default: "10000", Value: "NUMBERS", Help: "Numbers of invented people. A person has 1.8 records on average.", In: option.Command},
		option.From(1, 5_000_000), func(o *LinkageOptions) *[]int { return &o.People }),
	option.Seed(option.About{Name: "seed", Default: "1", Value: "N", Help: "N decides the people and their errors.", In: option.Command}, func(o *LinkageOptions) *uint64 { return &o.Seed }),
	option.Switch(option.About{Name: "identifier", Help: "Give records a number like that of social security, with the same errors.", In: option.Command},
		func(o *LinkageOptions) *bool { return &o.Identifier }),
	option.Text(option.About{Name: "svg", Value: "FILE", Help: "FILE to draw the calibration of probabilities into.", In: option.Command}, func(o *LinkageOptions) *string { return &o.SVG }),
	option.Text(option.About{Name: "csv", Value: "FILE", Help: "FILE to write the records of the first number of people to, with the truth in the column " + linkage.TruthColumn + ".", In: option.Command}, func(o *LinkageOptions) *string { return &o.Out }),
}

// mostForRules is the largest number of people for the deterministic rules: BestBaseline tries
// all their combinations.
const mostForRules = 20_000

// LinkageResult is how well and how fast records of invented people are linked.
type LinkageResult struct {
	Seed       uint64        `json:"seed"`
	Rates      linkage.Rates `json:"rates"`
	Identifier bool          `json:"identifier"`
	Processors int           `json:"processors"`
	Sizes      []linkedSize  `json:"sizes"`
}

// linkedSize is the result for one number of people.
type linkedSize struct {
	People     int               `json:"people"`
	Records    int               `json:"records"`
	Compared   int               `json:"compared"` // pairs of records
	Seconds    float64           `json:"seconds"`
	CPU        float64           `json:"cpu_seconds"` // over all processors
	Peak       float64           `json:"peak_mib"`    // of the process, the records included
	Engine     accuracy          `json:"engine"`
	Rules      *deterministic    `json:"deterministic,omitempty"`
	Once       *int64            `json:"false_links_of_people_with_one_record,omitempty"` // among as many people
	Calibrated []score.Bin       `json:"calibration"`
	Error      float64           `json:"calibration_error"`
	Thresholds []thresholdErrors `json:"thresholds"`
}

// accuracy are pairs of records against the truth.
type accuracy struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	False     int64   `json:"false_links"`
	Missed    int64   `json:"missed"`
}

func accuracyOf(p score.Pairs) accuracy {
	return accuracy{p.Precision(), p.Recall(), p.F1(), p.False(), p.Missed()}
}

func (a accuracy) errors() int64 { return a.False + a.Missed }

// deterministic is the best of all combinations of rules.
type deterministic struct {
	accuracy
	Names float64  `json:"names"` // least similarity of names
	Rules []string `json:"rules"`
}

// thresholdErrors compares estimated with true errors, of pairs before clustering.
type thresholdErrors struct {
	Threshold       float64 `json:"threshold"`
	Links           int     `json:"links"`
	EstimatedFalse  float64 `json:"estimated_false_links"`
	False           int     `json:"false_links"`
	EstimatedMissed float64 `json:"estimated_missed"`
	Missed          int64   `json:"missed"`
}

// Linkage links the records of invented people.
func Linkage(ctx context.Context, o LinkageOptions, progress lab.Progress) (*LinkageResult, error) {
	b := &LinkageResult{Seed: o.Seed, Rates: linkage.Stated, Identifier: o.Identifier, Processors: runtime.GOMAXPROCS(0)}
	people := func(n int) linkage.Options {
		return linkage.Options{People: n, Seed: o.Seed, Rates: linkage.Stated, Identifier: o.Identifier}
	}
	write := func(w io.Writer) error { _, err := linkage.WriteCSV(w, people(o.People[0])); return err }
	if _, err := outfile.Write(o.Out, write); err != nil {
		return b, err
	}
	for _, n := range o.People {
		size, err := linkPeople(ctx, people(n), progress)
		if err != nil {
			return b, err
		}
		b.Sizes = append(b.Sizes, size)
	}
	_, err := outfile.Write(o.SVG, b.draw)
	return b, err
}

func linkPeople(ctx context.Context, o linkage.Options, progress lab.Progress) (linkedSize, error) {
	size := linkedSize{People: o.People}
	resetPeak()
	records, truth := generated(o)
	size.Records = records.Len()
	bar := progress.Start(fmt.Sprintf("comparing records of %d people", o.People))
	defer bar.End()
	began := readClocks()
	r, err := link.Run(ctx, records, link.Default(records.Fields()), link.Options{
		Workers: runtime.GOMAXPROCS(0), Seed: 1, Progress: func(done, all int) { bar.Step(done, all, "") },
	})
	if err != nil {
		return size, err
	}
	size.CPU, size.Seconds = readClocks().since(began)
	size.Peak, size.Compared = PeakMiB(), r.Compared
	pairs := score.Clusters(truth, r.Clusters)
	size.Engine = accuracyOf(pairs)
	size.Calibrated = score.Calibrate(func(yield func(float64, bool) bool) {
		for _, p := range r.Pairs {
			if !yield(p.Probability, truth[p.A] == truth[p.B]) {
				return
			}
		}
	})
	size.Error = score.CalibrationError(size.Calibrated)
	size.Thresholds = errorsByThreshold(r, truth, pairs.True)
	if o.People > mostForRules {
		return size, nil
	}
	size.Rules = byRules(o)
	size.Once, err = linksOfSingles(ctx, o)
	return size, err
}

// generated are the records of invented people, and the person of each.
func generated(o linkage.Options) (*link.Records, []int) {
	var fields []link.Field
	for _, f := range o.Fields() {
		fields = append(fields, link.Field{Name: f.Name, Kind: f.Kind})
	}
	records := link.NewRecords(fields)
	var truth []int
	cells := make([][]string, len(fields))
	for r := range linkage.People(o) {
		for i := range cells {
			cells[i] = r.Values[i : i+1]
		}
		records.Add(cells...)
		truth = append(truth, r.Person)
	}
	return records, truth
}

func byRules(o linkage.Options) *deterministic {
	var all []linkage.Record
	for r := range linkage.People(o) {
		all = append(all, r)
	}
	best := linkage.BestBaseline(all)
	return &deterministic{accuracyOf(best.Score), best.Names, best.Rules}
}

// linksOfSingles counts linked pairs where nobody has two records: all are false.
func linksOfSingles(ctx context.Context, o linkage.Options) (*int64, error) {
	o.Once = true
	records, truth := generated(o)
	r, err := link.Run(ctx, records, link.Default(records.Fields()), link.Options{Workers: runtime.GOMAXPROCS(0), Seed: 1})
	if err != nil {
		return nil, err
	}
	n := score.Clusters(truth, r.Clusters).Linked
	return &n, nil
}

// errorsByThreshold counts, for each threshold with an estimate, the pairs that are wrong.
func errorsByThreshold(r *link.Result, truth []int, all int64) []thresholdErrors {
	var out []thresholdErrors
	for _, e := range r.Errors.Thresholds {
		t := thresholdErrors{Threshold: e.Threshold, Links: e.Links, EstimatedFalse: e.FalseLinks, EstimatedMissed: e.Missed, Missed: all}
		for _, p := range r.Pairs {
			switch {
			case p.Probability < e.Threshold:
			case truth[p.A] == truth[p.B]:
				t.Missed--
			default:
				t.False++
			}
		}
		out = append(out, t)
	}
	return out
}

// draw draws the share of true pairs by their probability.
func (b *LinkageResult) draw(w io.Writer) error {
	panel := chart.Panel{Title: "Pairs of records, by probability", XLabel: "probability, %", YLabel: "true, %", X: chart.AxisWholeShares, Y: chart.AxisWholeShares}
	ideal := chart.Line{Name: "as predicted", Dashed: true, Points: []chart.Point{{X: 0, Y: 0}, {X: 1, Y: 1}}}
	for _, s := range b.Sizes {
		line := chart.Line{Name: strconv.Itoa(s.Records) + " records"}
		for _, bin := range s.Calibrated {
			line.Points = append(line.Points, chart.Point{X: bin.Predicted, Y: bin.True})
		}
		panel.Lines = append(panel.Lines, line)
	}
	panel.Lines = append(panel.Lines, ideal)
	return chart.WriteLines(w, "Calibration of match probabilities", []chart.Panel{panel})
}

// Write prints the result as text.
func (b *LinkageResult) Write(w io.Writer) {
	fmt.Fprintf(w, "errors: typing %g, missing %g, names swapped %g; from one record to the next: surname %g, moved %g; %d processors\n\n",
		b.Rates.Typo, b.Rates.Missing, b.Rates.Swapped, b.Rates.Surname, b.Rates.Moved, b.Processors)
	rows := [][]string{{"people", "records", "pairs compared", "seconds", "of processor", "MiB", "linked by", "precision", "recall", "F1", "false links", "missed"}}
	for _, s := range b.Sizes {
		growth := []string{strconv.Itoa(s.People), strconv.Itoa(s.Records), strconv.Itoa(s.Compared), fmt.Sprintf("%.1f", s.Seconds), fmt.Sprintf("%.1f", s.CPU), fmt.Sprintf("%.0f", s.Peak)}
		rows = append(rows, append(growth, s.Engine.row("hide")...))
		if s.Rules != nil {
			rows = append(rows, append([]string{"", "", "", "", "", ""}, s.Rules.row("rules")...))
		}
	}
	lab.WriteRows(w, rows)
	for _, s := range b.Sizes {
		s.writeErrors(w)
	}
}

// writeErrors prints calibration, and estimated beside true errors.
func (s linkedSize) writeErrors(w io.Writer) {
	if s.Rules != nil {
		fmt.Fprintf(w, "\n%d people: hide makes %.2f of the errors of the best rules (names similar by %.2f, and %d rules)\n",
			s.People, float64(s.Engine.errors())/float64(max(s.Rules.errors(), 1)), s.Rules.Names, len(s.Rules.Rules))
		fmt.Fprintf(w, "as many people with one record each: %s, all false\n", words.Count(int(*s.Once), "pair linked", "pairs linked"))
	}
	fmt.Fprintf(w, "\n%d people, calibration error %.4f\n", s.People, s.Error)
	bins := [][]string{{"probability", "predicted", "true", "pairs"}}
	for _, c := range s.Calibrated {
		bins = append(bins, []string{fmt.Sprintf("%.1f to %.1f", c.Low, c.High), fmt.Sprintf("%.3f", c.Predicted), fmt.Sprintf("%.3f", c.True), strconv.Itoa(c.Count)})
	}
	lab.WriteRows(w, bins)
	errs := [][]string{{"threshold", "links", "false, estimated", "false", "missed, estimated", "missed"}}
	for _, t := range s.Thresholds {
		errs = append(errs, []string{fmt.Sprintf("%g", t.Threshold), strconv.Itoa(t.Links), fmt.Sprintf("%.0f", t.EstimatedFalse), strconv.Itoa(t.False), fmt.Sprintf("%.0f", t.EstimatedMissed), strconv.FormatInt(t.Missed, 10)})
	}
	fmt.Fprintln(w)
	lab.WriteRows(w, errs)
}

func (a accuracy) row(name string) []string {
	return []string{name, fmt.Sprintf("%.4f", a.Precision), fmt.Sprintf("%.4f", a.Recall), fmt.Sprintf("%.4f", a.F1), strconv.FormatInt(a.False, 10), strconv.FormatInt(a.Missed, 10)}
}
