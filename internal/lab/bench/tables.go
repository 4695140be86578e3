// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"hide/internal/lab"
	"hide/internal/option"
	"hide/internal/publish/hierarchy"
	"hide/internal/publish/mondrian"
	tables "hide/internal/publish/table"
)

// TablesResult is the result of [Tables]. Losses are in per cent; times are the shortest
// of several runs on one processor.
type TablesResult struct {
	File         string                     `json:"file"`
	Rows         int                        `json:"rows"`
	Attributes   []string                   `json:"attributes"`
	Metric       string                     `json:"metric"`
	Cut          mondrian.Cut               `json:"cut"`
	NCP          map[int]float64            `json:"ncp"`          // by k
	Seconds      map[int]float64            `json:"seconds"`      // by k, processor time
	Wall         map[int]float64            `json:"wall_seconds"` // by k
	Classes      map[int]int                `json:"classes"`
	Others       map[string]map[int]float64 `json:"other_cuts_ncp"` // by cut and k
	Sets         map[int]float64            `json:"ncp_sets"`       // by k; the NCP of a set of categories u is |u|/|A|, as in rx-anon
	Growth       []growth                   `json:"growth,omitempty"`
	Precision    *precision                 `json:"precision"`
	Incognito    *incognitoSearch           `json:"incognito,omitempty"`
	Lattices     []incognitoSearch          `json:"lattices,omitempty"`
	Architecture string                     `json:"architecture"`
}

// growth is the result for one number of generated rows.
type growth struct {
	Rows    int     `json:"rows"`
	K       int     `json:"k"`
	Wall    float64 `json:"wall_seconds"`
	CPU     float64 `json:"cpu_seconds"`
	Classes int     `json:"classes"`
	Peak    float64 `json:"peak_mib"` // VmHWM so far; 0 where the system does not report it
}

// TablesOptions configure [Tables].
type TablesOptions struct {
	File    string // its name, for the result
	Adult   string // the text of UCI's Adult table: 15 columns, no header
	K       []int
	Cut     mondrian.Cut
	Rows    []int
	Runs    int
	Lattice []string

	// Hierarchy reads the hierarchy of an attribute; nil skips full-domain generalization.
	Hierarchy func(attribute string) (*hierarchy.Hierarchy, error)
}

// TablesTable declares the options of [Tables].
var TablesTable = option.Table[TablesOptions]{
	option.Wholes(option.About{Name: "k", Default: "2,5,10,25,50,100", Value: "NUMBERS", Help: "Each equivalence class has at least k rows, for each of these k.", In: option.Command},
		option.AtLeast(1), func(o *TablesOptions) *[]int { return &o.K }),
	option.One(option.About{Name: "cut", Default: string(mondrian.NCP), Value: "CUT", Help: "The cut that is timed.", In: option.Command},
		cutChoices(), func(o *TablesOptions) *mondrian.Cut { return &o.Cut }),
	option.Wholes(option.About{Name: "rows", Value: "NUMBERS", Help: "Also partition tables of these numbers of generated rows, made of the rows of the file.", In: option.Command},
		option.AtLeast(1), func(o *TablesOptions) *[]int { return &o.Rows }),
	option.Whole(option.About{Name: "runs", Default: "5", Value: "N", Help: "Take the shortest time of N runs.", In: option.Command},
		option.AtLeast(1), func(o *TablesOptions) *int { return &o.Runs }),
	option.Some(option.About{Name: "lattice", Value: "NAMES", Help: "With --hierarchies, also print all minimal nodes of the lattice of these attributes for each k.", In: option.Command},
		nil, func(o *TablesOptions) *[]string { return &o.Lattice }),
}

func cutChoices() []option.Choice {
	out := make([]option.Choice, len(mondrian.Cuts))
	for i, cut := range mondrian.Cuts {
		out[i].Value = string(cut)
	}
	return out
}

// Tables measures the information loss and the speed of Mondrian and Incognito on the
// Adult table.
func Tables(ctx context.Context, v TablesOptions) (*TablesResult, error) {
	ks := slices.Sorted(slices.Values(v.K))
	b := &TablesResult{
		File: v.File, Metric: "mean of (hi-lo)/(Max-Min), categories by their order of appearance; rows without missing values", Cut: v.Cut,
		NCP: map[int]float64{}, Seconds: map[int]float64{}, Wall: map[int]float64{}, Classes: map[int]int{}, Sets: map[int]float64{},
		Others: map[string]map[int]float64{}, Architecture: runtime.GOARCH,
	}
	t, err := readAdult(v.Adult, tables.Ordinal)
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
	for _, n := range slices.Sorted(slices.Values(v.Rows)) {
		growth, err := benchGrow(ctx, t, n, b.Cut)
		if err != nil {
			return b, err
		}
		b.Growth = append(b.Growth, growth)
	}
	if v.Hierarchy != nil {
		if b.Incognito, err = benchFullDomain(ctx, v, adultNine, incognitoK); err != nil {
			return b, err
		}
		b.Lattices, err = benchLattices(ctx, v, ks)
	}
	return b, err
}

// losses partitions with all cuts, and times one of them.
func (b *TablesResult) losses(ctx context.Context, t *tables.Table, v TablesOptions, ks []int) error {
	sets, err := readAdult(v.Adult, tables.Nominal)
	if err != nil {
		return err
	}
	for _, k := range ks {
		o := mondrian.Options{K: k, Cut: b.Cut}
		classes, err := b.time(ctx, t, o, v.Runs)
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

// time keeps the shortest times of several runs.
func (b *TablesResult) time(ctx context.Context, t *tables.Table, o mondrian.Options, runs int) (classes tables.Classes, err error) {
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

// Write prints the result as text.
func (b *TablesResult) Write(w io.Writer) {
	fmt.Fprintf(w, "%s: %d rows, %d quasi-identifiers, strict Mondrian, cut %s\n%s\n\n", b.File, b.Rows, len(b.Attributes), b.Cut, b.Metric)
	t := lab.Table(w)
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
	t.Flush() // an error shows in a later write to w
	b.Precision.write(w)
	if b.Incognito != nil {
		b.Incognito.write(w)
	}
	writeLattices(w, b.Lattices)
}

// adultColumns are the columns of UCI's file, named as in the matching hierarchies.
var adultColumns = strings.Fields("age workclass fnlwgt education education-num marital-status occupation relationship race sex capital-gain capital-loss hours-per-week native-country salary-class")

// adultQuasi are the eight attributes usual in comparisons of partitioning algorithms.
var adultQuasi = strings.Fields("age workclass education-num marital-status occupation race sex native-country")

// readAdult reads the rows without missing values, with categories of this kind.
func readAdult(text string, kind tables.Kind) (*tables.Table, error) {
	c := adultConfig()
	for _, attribute := range adultQuasi {
		a := tables.AttributeConfig{Name: attribute, Role: tables.Quasi, Kind: kind}
		if attribute == "age" || attribute == "education-num" {
			a.Kind = tables.Number
		}
		c.Attributes = append(c.Attributes, a)
	}
	return readWhole(text, c)
}

func adultConfig() tables.Config {
	return tables.Config{Separator: ",", Columns: adultColumns, Others: tables.Direct, Hierarchies: map[string]*hierarchy.Hierarchy{}}
}

// readWhole reads a table without rows that miss a value.
func readWhole(text string, c tables.Config) (*tables.Table, error) {
	return tables.ReadCSV(strings.NewReader(wholeLines(text)), c)
}

// wholeLines are the lines of a table without missing values.
func wholeLines(text string) string {
	var whole strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" && !strings.Contains(line, "?") {
			whole.WriteString(line)
		}
	}
	return whole.String()
}

// growthK is the k of the growth measurement.
const growthK = 10

func benchGrow(ctx context.Context, t *tables.Table, rows int, cut mondrian.Cut) (growth, error) {
	grown := growTable(t, rows)
	runtime.GC()
	began := readClocks()
	classes, err := mondrian.Partition(ctx, grown, mondrian.Options{K: growthK, Cut: cut})
	if err != nil {
		return growth{}, err
	}
	g := growth{Rows: rows, K: growthK, Classes: len(classes), Peak: PeakMiB()}
	g.CPU, g.Wall = readClocks().since(began)
	return g, nil
}

// growTable makes rows from a table: each copies a random row, and each value is replaced
// by that of another row with probability 0.1.
func growTable(t *tables.Table, rows int) *tables.Table {
	rng := rand.New(rand.NewPCG(1, uint64(rows)))
	grown, columns := &tables.Table{Rows: rows}, t.With(tables.Quasi)
	for _, c := range columns {
		column := *c
		column.Codes = make([]int32, rows)
		grown.Columns = append(grown.Columns, &column)
	}
	for row := range rows {
		from := rng.IntN(t.Rows)
		for i, c := range columns {
			at := from
			if rng.IntN(10) == 0 {
				at = rng.IntN(t.Rows)
			}
			grown.Columns[i].Codes[row] = c.Codes[at]
		}
	}
	return grown
}
