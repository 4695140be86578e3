// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"hide/internal/greedy"
	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
	"hide/internal/publish/strong"
)

// benchDP is what hide bench dp says.
type benchDP struct {
	Rows      int            `json:"rows"`
	Cells     int            `json:"cells"`
	Runs      int            `json:"runs"`
	Questions []string       `json:"questions"`
	Means     []float64      `json:"mean_true_counts"` // of all questions but the last
	Results   []benchErrors  `json:"results"`
	Sequences []benchDPTable `json:"sequences"`
	Figures   []benchFigure  `json:"figures,omitempty"` // of --figures
}

// adultCube is the cube of UCI Adult, from its code book.
const adultCube = `{"lineage":"adult","source":"UCI code book","one_row_each":true,
"columns":["age","workclass","fnlwgt","education","education-num","marital","occupation","relationship","race","sex","gain","loss","hours","country","income"],
"dimensions":[{"name":"age","min":17,"max":90,"width":1},{"name":"sex","values":["Female","Male"]},{"name":"income","values":["<=50K",">50K"]},
{"name":"education-num","min":1,"max":16,"width":1},
{"name":"marital","values":["Divorced","Married-AF-spouse","Married-civ-spouse","Married-spouse-absent","Never-married","Separated","Widowed"]},
{"name":"race","values":["Amer-Indian-Eskimo","Asian-Pac-Islander","Black","Other","White"]}]}`

// The slices that are asked for, by dimensions, and by name for the marginals.
var (
	adultSlices    = [][]int{{0, 2}, {2, 3}, {1, 4}}
	adultMarginals = [][]string{{"age", "income"}, {"education-num", "income"}, {"sex", "marital"}}
	adultQuestions = []string{"age, income", "education, income", "sex, marital", "300 random boxes", "sum over all cells"}
)

// benchDPFlags are the flags as they were typed.
type benchDPFlags struct {
	in, epsilon, gain, sequences, figures string
	runs, generated                       int
}

func runBenchDP(ctx context.Context, e *env, args []string) error {
	var v benchDPFlags
	f := e.flags()
	f.StringVar(&v.in, "in", "", "`FILE` with UCI Adult, as UCI has it: no header; \"\" measures sequences only")
	f.StringVar(&v.epsilon, "epsilon", "0.1,0.5,1", "`VALUES` of epsilon")
	f.StringVar(&v.gain, "gain", "likelihood", "`GAIN` of DPCube: likelihood, sse, or printed")
	f.StringVar(&v.sequences, "sequences", "", "`FILE` with sequences, one a line, symbols with blanks between, to measure prefix trees on too")
	f.StringVar(&v.figures, "figures", "", "`FOLDER` to write figures 5.3 to 5.16 of the dissertation to, as SVG files and a page, which must not exist")
	f.IntVar(&v.generated, "generated", 10_000, "measure on `N` generated sequences")
	f.IntVar(&v.runs, "runs", 20, "mean of `N` runs")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if v.runs < 2 {
		return e.usage("--runs must be at least 2")
	}
	if v.generated < 4 || v.generated > 10_000_000 {
		return e.usage("--generated must be from 4 to 10,000,000")
	}
	if err := free(v.figures); err != nil {
		return err
	}
	epsilons, err := e.epsilons(v.epsilon)
	if err != nil {
		return err
	}
	var adult *cube.Counts // nil when no file was named
	if v.in != "" {
		if adult, err = readAdultCube(v.in); err != nil {
			return fmt.Errorf("%s: %w", v.in, err)
		}
	}
	made := stickySequences(v.generated)
	b, err := e.benchDP(ctx, v, adult, made, epsilons)
	if err != nil {
		return err
	}
	if v.figures != "" {
		if err := b.makeFigures(ctx, v, adult, made, epsilons); err != nil {
			return err
		}
	}
	return e.result(b, b.write)
}

func (e *env) epsilons(list string) (all []ledger.Micro, err error) {
	for _, s := range splitList(list) {
		m, err := e.epsilon("epsilon", s)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

func (e *env) benchDP(ctx context.Context, v benchDPFlags, adult *cube.Counts, made [][]int, epsilons []ledger.Micro) (benchDP, error) {
	b := benchDP{Runs: v.runs, Questions: adultQuestions, Results: []benchErrors{}}
	if adult != nil {
		if err := e.benchAdultCube(ctx, v, adult, epsilons, &b); err != nil {
			return b, fmt.Errorf("%s: %w", v.in, err)
		}
	}
	var err error
	b.Sequences, err = benchTrees(ctx, v, made, epsilons)
	return b, err
}

// benchAdultCube measures cubes.
func (e *env) benchAdultCube(ctx context.Context, v benchDPFlags, counts *cube.Counts, epsilons []ledger.Micro, b *benchDP) error {
	w := cube.NewWorkload(counts, adultSlices, 300, 3)
	b.Rows, b.Cells, b.Means = counts.Rows(), int(counts.Domain.Cells()), w.Means()
	bar := e.progress("publishing Adult")
	defer bar.end()
	for i, eps := range epsilons {
		rows, err := benchCubes(ctx, counts, w, eps, cube.Gain(v.gain), v.runs, func(done int) { bar.step(i*v.runs+done, len(epsilons)*v.runs, "") })
		if err != nil {
			return err
		}
		b.Results = append(b.Results, rows...)
	}
	return nil
}

// benchTrees measures prefix trees on the sequences made for it, and on those of a
// file.
func benchTrees(ctx context.Context, v benchDPFlags, made [][]int, epsilons []ledger.Micro) ([]benchDPTable, error) {
	generated, err := benchSequences(ctx, "generated", made, len(stickyStart), stickyLength, true, epsilons, v.runs)
	if err != nil || v.sequences == "" {
		return []benchDPTable{generated}, err
	}
	seqs, alphabet, err := readSymbols(v.sequences)
	if err != nil {
		return nil, err
	}
	own, err := benchSequences(ctx, v.sequences, seqs, alphabet, stickyLength, false, epsilons, v.runs)
	return []benchDPTable{generated, own}, err
}

// readAdultCube takes the complete rows.
func readAdultCube(name string) (*cube.Counts, error) {
	complete, err := wholeLines(name)
	if err != nil {
		return nil, err
	}
	c, err := strong.ParseCube([]byte(adultCube))
	if err != nil {
		return nil, err
	}
	if complete == "" {
		return nil, errors.New("there are no complete rows")
	}
	return c.Count(strong.CSV(complete))
}

// measured are the errors of one run, by method in the order of names.
type measured struct {
	names  []string
	errors [][]float64
}

func (m *measured) add(name string, errors []float64) {
	m.names, m.errors = append(m.names, name), append(m.errors, errors)
}

// benchCubes publishes many times. Two runs at a time is as much as one processor
// each can do.
func benchCubes(ctx context.Context, c *cube.Counts, w *cube.Workload, e ledger.Micro, g cube.Gain, runs int, progress func(int)) ([]benchErrors, error) {
	all := make([]measured, runs)
	var mu sync.Mutex // guards done, and serialises progress
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
	var out []benchErrors
	for k, name := range all[0].names {
		of := make([][]float64, runs)
		for i := range all {
			of[i] = all[i].errors[k]
		}
		out = append(out, newBenchErrors(e, name, of))
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

func (b benchDP) write(w io.Writer) {
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

func (b benchDP) writeCubes(w io.Writer) {
	fmt.Fprintf(w, "%d rows, %d cells, mean of %d runs and its 95 %% interval\n\n", b.Rows, b.Cells, b.Runs)
	writeErrorTable(w, b.Questions, b.Means, 0, b.Results, 1)
}
