// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"text/tabwriter"

	"hide/internal/publish/mondrian"
	tables "hide/internal/publish/table"
)

// benchTables is what hide bench tables says. Losses are in per cent; times are the
// shortest of some runs on one processor.
type benchTables struct {
	File         string                     `json:"file"`
	Rows         int                        `json:"rows"`
	Attributes   []string                   `json:"attributes"`
	Metric       string                     `json:"metric"`
	Cut          mondrian.Cut               `json:"cut"`
	NCP          map[int]float64            `json:"ncp"`          // by k
	Seconds      map[int]float64            `json:"seconds"`      // by k, of the processor
	Wall         map[int]float64            `json:"wall_seconds"` // by k
	Classes      map[int]int                `json:"classes"`
	Others       map[string]map[int]float64 `json:"other_cuts_ncp"` // by cut and k
	Sets         map[int]float64            `json:"ncp_sets"`       // by k; categories lose |u|/|A|, as rx-anon has it
	Growth       []benchGrowth              `json:"growth,omitempty"`
	Precision    *benchPrecision            `json:"precision"`
	Incognito    *benchIncognito            `json:"incognito,omitempty"`
	Lattices     []benchIncognito           `json:"lattices,omitempty"`
	Architecture string                     `json:"architecture"`
}

// benchGrowth is one number of generated rows.
type benchGrowth struct {
	Rows    int     `json:"rows"`
	K       int     `json:"k"`
	Wall    float64 `json:"wall_seconds"`
	CPU     float64 `json:"cpu_seconds"`
	Classes int     `json:"classes"`
	Peak    float64 `json:"peak_mib"` // VmHWM so far; 0 where the system does not tell
}

// benchTablesFlags are the flags as they were typed.
type benchTablesFlags struct {
	in, ks, cut, rows, svg string
	runs                   int
	hierarchies, lattice   string
}

func (v *benchTablesFlags) declare(f *flag.FlagSet) {
	f.StringVar(&v.in, "in", "", "the Adult `FILE` as the UCI repository has it: 15 columns, no header")
	f.StringVar(&v.ks, "k", "2,5,10,25,50,100", "`NUMBERS` of rows of a class at least")
	f.StringVar(&v.cut, "cut", string(mondrian.NCP), "`CUT` that is timed: ncp, nearest, lefevre or rxanon")
	f.StringVar(&v.rows, "rows", "", "also partition tables of so many `NUMBERS` of generated rows, made of those of FILE; the fewest first")
	f.IntVar(&v.runs, "runs", 5, "take the shortest time of `N` runs")
	f.StringVar(&v.svg, "svg", "", "`FILE` to draw the precision of count queries by k into")
	f.StringVar(&v.hierarchies, "hierarchies", "", "`FOLDER` with adult_hierarchy_*.csv as ARX has them: also time full-domain generalization")
	f.StringVar(&v.lattice, "lattice", "", "with --hierarchies, also print all minimal nodes of the lattice of these `NAMES` of attributes, commas between, for each k")
}

func runBenchTables(ctx context.Context, e *env, args []string) error {
	var v benchTablesFlags
	f := e.flags()
	v.declare(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if err := e.required(f, "in"); err != nil {
		return err
	}
	ks, err := e.counts("k", v.ks)
	if err != nil {
		return err
	}
	var rows []int
	if v.rows != "" {
		if rows, err = e.counts("rows", v.rows); err != nil {
			return err
		}
	}
	if v.lattice != "" && v.hierarchies == "" {
		return e.usage("--lattice needs --hierarchies")
	}
	if v.runs < 1 || !slices.Contains(mondrian.Cuts, mondrian.Cut(v.cut)) {
		return e.usage("--runs must be at least 1, and --cut one of %v", mondrian.Cuts)
	}
	b, err := e.benchAdult(ctx, v, ks, rows)
	if err != nil {
		return err
	}
	if v.svg != "" {
		if _, err := writeFile(v.svg, b.Precision.draw); err != nil {
			return err
		}
	}
	return e.result(b, b.write)
}

func (e *env) benchAdult(ctx context.Context, v benchTablesFlags, ks, rows []int) (benchTables, error) {
	b := benchTables{
		File: v.in, Metric: "mean of (hi-lo)/(Max-Min), categories by their order of appearance; rows without missing values", Cut: mondrian.Cut(v.cut),
		NCP: map[int]float64{}, Seconds: map[int]float64{}, Wall: map[int]float64{}, Classes: map[int]int{}, Sets: map[int]float64{},
		Others: map[string]map[int]float64{}, Architecture: runtime.GOARCH,
	}
	t, err := readAdult(v.in, tables.Ordinal)
	if err != nil {
		return b, err
	}
	b.Rows = t.Rows
	for _, c := range t.With(tables.Quasi) {
		b.Attributes = append(b.Attributes, c.Name)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if err := b.losses(ctx, t, v, ks); err != nil {
		return b, err
	}
	if b.Precision, err = benchQueries(ctx, t); err != nil {
		return b, err
	}
	for _, n := range rows {
		growth, err := benchGrow(ctx, t, n, b.Cut)
		if err != nil {
			return b, err
		}
		b.Growth = append(b.Growth, growth)
	}
	if v.hierarchies != "" {
		if b.Incognito, err = benchFullDomain(ctx, v, adultNine, incognitoK); err != nil {
			return b, err
		}
		b.Lattices, err = benchLattices(ctx, v, ks)
	}
	return b, err
}

// losses partitions by all cuts, and times one of them.
func (b *benchTables) losses(ctx context.Context, t *tables.Table, v benchTablesFlags, ks []int) error {
	sets, err := readAdult(v.in, tables.Nominal)
	if err != nil {
		return err
	}
	for _, k := range ks {
		o := mondrian.Options{K: k, Cut: b.Cut}
		classes, err := b.time(ctx, t, o, v.runs)
		if err != nil {
			return err
		}
		b.NCP[k], b.Classes[k] = 100*t.Generalize(classes).NCP(classes), len(classes)
		for _, cut := range mondrian.Cuts {
			if cut == b.Cut {
				continue
			}
			if b.Others[string(cut)] == nil {
				b.Others[string(cut)] = map[int]float64{}
			}
			if b.Others[string(cut)][k], err = ncpOf(ctx, t, mondrian.Options{K: k, Cut: cut}); err != nil {
				return err
			}
		}
		if b.Sets[k], err = ncpOf(ctx, sets, o); err != nil {
			return err
		}
	}
	return nil
}

// time keeps the shortest times of some runs.
func (b *benchTables) time(ctx context.Context, t *tables.Table, o mondrian.Options, runs int) (classes tables.Classes, err error) {
	for i := range runs {
		runtime.GC()
		began := readClocks()
		if classes, err = mondrian.Partition(ctx, t, o); err != nil {
			return nil, err
		}
		cpu, wall := readClocks().since(began)
		if i == 0 || cpu < b.Seconds[o.K] {
			b.Seconds[o.K] = cpu
		}
		if i == 0 || wall < b.Wall[o.K] {
			b.Wall[o.K] = wall
		}
	}
	return classes, nil
}

func ncpOf(ctx context.Context, t *tables.Table, o mondrian.Options) (float64, error) {
	classes, err := mondrian.Partition(ctx, t, o)
	return 100 * t.Generalize(classes).NCP(classes), err
}

func (b benchTables) write(w io.Writer) {
	fmt.Fprintf(w, "%s: %d rows, %d quasi-identifiers, strict Mondrian, cut %s\n%s\n\n", b.File, b.Rows, len(b.Attributes), b.Cut, b.Metric)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	others := slices.Sorted(maps.Keys(b.Others))
	fmt.Fprint(t, "k\tNCP %\tseconds of processor\twall\tclasses\tas sets %\t")
	for _, cut := range others {
		fmt.Fprint(t, "cut "+cut+" %\t")
	}
	fmt.Fprintln(t)
	for _, k := range slices.Sorted(maps.Keys(b.NCP)) {
		fmt.Fprintf(t, "%d\t%.2f\t%.3f\t%.3f\t%d\t%.2f\t", k, b.NCP[k], b.Seconds[k], b.Wall[k], b.Classes[k], b.Sets[k])
		for _, cut := range others {
			fmt.Fprint(t, strconv.FormatFloat(b.Others[cut][k], 'f', 2, 64)+"\t")
		}
		fmt.Fprintln(t)
	}
	if len(b.Growth) > 0 {
		fmt.Fprint(t, "\nrows\tk\tseconds\tof processor\tclasses\tMiB at most\t\n")
	}
	for _, g := range b.Growth {
		fmt.Fprintf(t, "%d\t%d\t%.1f\t%.1f\t%d\t%.0f\t\n", g.Rows, g.K, g.Wall, g.CPU, g.Classes, g.Peak)
	}
	t.Flush() // cannot fail but as w does
	b.Precision.write(w)
	if b.Incognito != nil {
		b.Incognito.write(w)
	}
	writeLattices(w, b.Lattices)
}
