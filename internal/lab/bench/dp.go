// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"text/tabwriter"

	"hide/internal/greedy"
	"hide/internal/lab"
	"hide/internal/option"
	"hide/internal/publish/cube"
	"hide/internal/publish/dp"
	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
)

// DPResult is the result of [DP].
type DPResult struct {
	Rows      int              `json:"rows"`
	Cells     int              `json:"cells"`
	Runs      int              `json:"runs"`
	Questions []string         `json:"questions"`
	Means     []float64        `json:"mean_true_counts"` // of all queries but the last
	Results   []methodErrors   `json:"results"`
	Sequences []sequenceErrors `json:"sequences"`
	Figures   []figure         `json:"figures,omitempty"` // of --figures
}

// adultCube is the cube of UCI Adult, from its code book.
const adultCube = `{"lineage":"adult","source":"UCI code book","one_row_each":true,
"columns":["age","workclass","fnlwgt","education","education-num","marital","occupation","relationship","race","sex","gain","loss","hours","country","income"],
"dimensions":[{"name":"age","min":17,"max":90,"width":1},{"name":"sex","values":["Female","Male"]},{"name":"income","values":["<=50K",">50K"]},
{"name":"education-num","min":1,"max":16,"width":1},
{"name":"marital","values":["Divorced","Married-AF-spouse","Married-civ-spouse","Married-spouse-absent","Never-married","Separated","Widowed"]},
{"name":"race","values":["Amer-Indian-Eskimo","Asian-Pac-Islander","Black","Other","White"]}]}`

// The slices that are queried, by dimensions, and by name for the marginals.
var (
	adultSlices    = [][]int{{0, 2}, {2, 3}, {1, 4}}
	adultMarginals = [][]string{{"age", "income"}, {"education-num", "income"}, {"sex", "marital"}}
	adultQuestions = []string{"age, income", "education, income", "sex, marital", "300 random boxes", "sum over all cells"}
)

// DPOptions configure [DP].
type DPOptions struct {
	Adult     string // UCI's Adult table; "" measures sequences only
	Sequences string // sequences, one a line, symbols separated by blanks; "" for none
	File      string // the name of Sequences, for the result
	Epsilons  []ledger.Micro
	Gain      cube.Gain
	Runs      int
	Generated int
	Figures   bool // also make figures 5.3 to 5.16 of the dissertation
}

// DPTable declares the options of [DP].
var DPTable = option.Table[DPOptions]{
	option.Value(option.About{Name: "epsilon", Default: "0.1,0.5,1", Value: "VALUES", Help: "Values of epsilon.", In: option.Command},
		func(o *DPOptions) *[]ledger.Micro { return &o.Epsilons }, readEpsilons, func(all []ledger.Micro, _ option.Place) string {
			words := make([]string, len(all))
			for i, m := range all {
				words[i] = m.String()
			}
			return strings.Join(words, ",")
		}),
	option.One(option.About{Name: "gain", Default: string(cube.Likelihood), Value: "GAIN", Help: "The gain of DPCube.", In: option.Command},
		[]option.Choice{{Value: string(cube.Likelihood)}, {Value: string(cube.SSE)}, {Value: string(cube.Printed), Help: "as the dissertation prints it"}}, func(o *DPOptions) *cube.Gain { return &o.Gain }),
	option.Whole(option.About{Name: "generated", Default: "10000", Value: "N", Help: "Measure on N generated sequences.", In: option.Command},
		option.From(4, 10_000_000), func(o *DPOptions) *int { return &o.Generated }),
	option.Whole(option.About{Name: "runs", Default: "20", Value: "N", Help: "Take the mean of N runs.", In: option.Command},
		option.AtLeast(2), func(o *DPOptions) *int { return &o.Runs }),
}

func readEpsilons(text string, _ option.Place) (all []ledger.Micro, err error) {
	for part := range strings.SplitSeq(text, ",") {
		m, err := ledger.ParseEpsilon(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// DP measures the error that differential privacy adds on the Adult table and on
// sequences, by method.
func DP(ctx context.Context, v DPOptions, progress lab.Progress) (*DPResult, error) {
	var adult *cube.Counts // nil when no table was given
	var err error
	if v.Adult != "" {
		if adult, err = readAdultCube(v.Adult); err != nil {
			return nil, err
		}
	}
	b := &DPResult{Runs: v.Runs, Questions: adultQuestions, Results: []methodErrors{}}
	if adult != nil {
		if err := b.measureCubes(ctx, v, adult, progress); err != nil {
			return nil, err
		}
	}
	made := stickySequences(v.Generated)
	if b.Sequences, err = measureTrees(ctx, v, made); err != nil || !v.Figures {
		return b, err
	}
	return b, b.makeFigures(ctx, v, adult, made)
}

func (b *DPResult) measureCubes(ctx context.Context, v DPOptions, counts *cube.Counts, progress lab.Progress) error {
	epsilons := v.Epsilons
	w := cube.NewWorkload(counts, adultSlices, 300, 3)
	b.Rows, b.Cells, b.Means = counts.Rows(), int(counts.Domain.Cells()), w.Means()
	bar := progress.Start("publishing Adult")
	defer bar.End()
	for i, eps := range epsilons {
		rows, err := benchCubes(ctx, counts, w, eps, v.Gain, v.Runs, func(done int) { bar.Step(i*v.Runs+done, len(epsilons)*v.Runs, "") })
		if err != nil {
			return err
		}
		b.Results = append(b.Results, rows...)
	}
	return nil
}

// measureTrees measures prefix trees on generated sequences and on the given ones.
func measureTrees(ctx context.Context, v DPOptions, made [][]int) ([]sequenceErrors, error) {
	generated, err := benchSequences(ctx, "generated", made, len(stickyStart), stickyLength, true, v.Epsilons, v.Runs)
	if err != nil || v.Sequences == "" {
		return []sequenceErrors{generated}, err
	}
	seqs, alphabet, err := parseSymbols(v.Sequences)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.File, err)
	}
	own, err := benchSequences(ctx, v.File, seqs, alphabet, stickyLength, false, v.Epsilons, v.Runs)
	return []sequenceErrors{generated, own}, err
}

// readAdultCube reads the rows without missing values.
func readAdultCube(text string) (*cube.Counts, error) {
	c, err := dp.ParseCube([]byte(adultCube))
	if err != nil {
		return nil, err
	}
	complete := wholeLines(text)
	if complete == "" {
		return nil, errors.New("the Adult table has no complete rows")
	}
	return c.Count(dp.CSV(complete))
}

// measured has the errors of one run by method, in the order of names.
type measured struct {
	names  []string
	errors [][]float64
}

func (m *measured) add(name string, errors []float64) {
	m.names, m.errors = append(m.names, name), append(m.errors, errors)
}

// benchCubes publishes many times. Two runs at a time is as much as one processor
// each can do.
func benchCubes(ctx context.Context, c *cube.Counts, w *cube.Workload, e ledger.Micro, g cube.Gain, runs int, progress func(int)) ([]methodErrors, error) {
	all := make([]measured, runs)
	var mu sync.Mutex // guards done and progress
	done := 0
	err := greedy.Parallel(ctx, 2, runs, func(ctx context.Context, i int) (err error) {
		all[i], err = benchRun(ctx, c, w, e, g)
		mu.Lock()
		defer mu.Unlock()
		done++
		progress(done)
		return err
	})
	if err != nil {
		return nil, err
	}
	var out []methodErrors
	for k, name := range all[0].names {
		of := make([][]float64, runs)
		for i := range all {
			of[i] = all[i].errors[k]
		}
		out = append(out, newMethodErrors(e, name, of))
	}
	return out, nil
}

func benchRun(ctx context.Context, c *cube.Counts, w *cube.Workload, e ledger.Micro, g cube.Gain) (measured, error) {
	var m measured
	plain, clamped, err := cube.CellBaseline(ctx, c, e, noise.Secure{})
	if err != nil {
		return m, err
	}
	m.add("identity, rounded down and cut off at 0", w.Errors(clamped))
	m.add("identity", w.Errors(plain))
	for _, p := range []cube.Params{{Method: cube.Uniform, Epsilon: e}, {Method: cube.DPCube, Epsilon: e, Gain: g}} {
		r, err := cube.Publish(ctx, c, p, noise.Secure{})
		if err != nil {
			return m, err
		}
		if err := m.addDense(string(p.Method), w, r); err != nil {
			return m, err
		}
		if p.Method == cube.DPCube {
			if err := m.addDense("dpcube, non-negative view", w, r.NonNegative()); err != nil {
				return m, err
			}
		}
	}
	r, err := cube.Publish(ctx, c, cube.Params{Method: cube.Marginals, Epsilon: e, Marginals: adultMarginals}, noise.Secure{})
	if err != nil {
		return m, err
	}
	slices, err := w.SliceErrors(r)
	m.add("these three marginals only", slices)
	return m, err
}

func (m *measured) addDense(name string, w *cube.Workload, r *cube.Release) error {
	dense, err := r.Dense()
	if err != nil {
		return err
	}
	m.add(name, w.Errors(dense))
	return nil
}

// Write prints the result as text.
func (b *DPResult) Write(w io.Writer) {
	if len(b.Results) > 0 {
		b.writeCubes(w)
	}
	for _, s := range b.Sequences {
		s.write(w)
	}
	for _, f := range b.Figures { // their tables are on the page
		fmt.Fprintf(w, "%s: %s\n", f.File, f.Title)
	}
}

func (b *DPResult) writeCubes(w io.Writer) {
	fmt.Fprintf(w, "%d rows, %d cells, mean of %d runs and its 95 %% interval\n\n", b.Rows, b.Cells, b.Runs)
	writeErrorTable(w, b.Questions, b.Means, 0, b.Results, 1)
}

// methodErrors is one method at one epsilon: mean errors over the runs by query, and half
// the width of their 95 % intervals.
type methodErrors struct {
	Epsilon ledger.Micro `json:"micro_epsilon"`
	Method  string       `json:"method"`
	Errors  []float64    `json:"errors"`
	Within  []float64    `json:"within"`
}

// newMethodErrors averages the errors of all runs, each by query.
func newMethodErrors(e ledger.Micro, method string, runs [][]float64) methodErrors {
	b := methodErrors{Epsilon: e, Method: method}
	for q := range runs[0] {
		x := make([]float64, len(runs))
		for i := range runs {
			x[i] = runs[i][q]
		}
		mean, within := meanWithin(x)
		b.Errors, b.Within = append(b.Errors, mean), append(b.Within, within)
	}
	return b
}

// meanWithin is a mean and half its 95 % interval, by the normal approximation.
func meanWithin(x []float64) (mean, within float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	squares := 0.0
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	n := float64(len(x))
	return mean, 1.96 * math.Sqrt(squares/(n-1)/n)
}

// writeErrorTable writes a table with a column per query: means and errors with the given
// number of decimals.
func writeErrorTable(w io.Writer, questions []string, means []float64, meanDecimals int, rows []methodErrors, decimals int) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "epsilon\tmethod\t%s\n", strings.Join(questions, "\t"))
	fmt.Fprint(t, "\tmean true count")
	for _, x := range means {
		fmt.Fprintf(t, "\t%.*f", meanDecimals, x)
	}
	fmt.Fprintln(t)
	for _, r := range rows {
		fmt.Fprintf(t, "%v\t%s", r.Epsilon, r.Method)
		for i, x := range r.Errors {
			fmt.Fprintf(t, "\t%.*f ± %.*f", decimals, x, decimals, r.Within[i])
		}
		fmt.Fprintln(t)
	}
	t.Flush() // an error shows in a later write to w
}
