// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"hide/internal/chart"
	"hide/internal/lab"
	"hide/internal/publish/incognito"
	"hide/internal/publish/mondrian"
	tables "hide/internal/publish/table"
)

// precision is the dissertation's Figure 5.1 on other data: the precision of count queries
// on a hundred ages, by anonymization. On unchanged ages every answer is exact.
type precision struct {
	Ages    int        `json:"ages"`
	Queries int        `json:"queries"`
	Full    float64    `json:"full"` // ages suppressed: each query returns all records
	Points  []answered `json:"statistical"`
	Median  []answered `json:"statistical_median"` // with cuts after the median, as in the dissertation's algorithm
	// Whole is the same for the ages of the whole table, with all quasi-identifiers
	// generalized.
	Whole *precision `json:"whole,omitempty"`
}

type answered struct {
	K         int     `json:"k"`
	Precision float64 `json:"precision"`
}

// Sizes of the dissertation's study.
const (
	studyAges    = 100
	studyQueries = 10000
)

// studyKs are the values of k in the figure.
var studyKs = []int{2, 5, 10, 15, 20, 25, 30, 40, 50}

// benchQueries queries ages at even row intervals of the table, then all ages.
func benchQueries(ctx context.Context, t *tables.Table) (*precision, error) {
	age := *t.Column("age")
	rows := min(studyAges, t.Rows)
	codes := make([]int32, rows)
	for i := range codes {
		codes[i] = age.Codes[i*t.Rows/rows]
	}
	age.Codes = codes
	b, err := askAges(ctx, &tables.Table{Rows: rows, Columns: []*tables.Column{&age}})
	if err == nil {
		b.Whole, err = askAges(ctx, t)
	}
	return b, err
}

// askAges queries the ages of a table by k and cut.
func askAges(ctx context.Context, t *tables.Table) (*precision, error) {
	b := &precision{Ages: t.Rows, Queries: studyQueries}
	for _, k := range studyKs {
		if k > t.Rows {
			break
		}
		for cut, points := range map[mondrian.Cut]*[]answered{mondrian.NCP: &b.Points, mondrian.LeFevre: &b.Median} {
			classes, err := mondrian.Partition(ctx, t, mondrian.Options{K: k, Cut: cut})
			if err != nil {
				return nil, err
			}
			asked, err := t.QueryPrecision(ctx, classes, nil, studyQueries, 1)
			if err != nil {
				return nil, err
			}
			for _, p := range asked {
				if p.Attribute == "age" {
					b.Full = p.Without
					*points = append(*points, answered{k, p.Released})
				}
			}
		}
	}
	return b, nil
}

func (b *precision) write(w io.Writer) {
	fmt.Fprintf(w, "\nprecision of %d queries on %d ages: 100 %% as they are, %.1f %% when they are left out, and when generalized (and by cuts after the median):\n", b.Queries, b.Ages, 100*b.Full)
	t := lab.Table(w)
	for i, p := range b.Points {
		fmt.Fprintf(t, "k = %d\t%.1f %%\t%.1f %%\t\n", p.K, 100*p.Precision, 100*b.Median[i].Precision)
	}
	t.Flush() // an error shows in a later write to w
	if b.Whole != nil {
		b.Whole.write(w)
	}
}

// Draw draws Figure 5.1, and the same for the whole table.
func (b *precision) Draw(w io.Writer) error {
	panels := []chart.Panel{b.panel(fmt.Sprintf("%d ages (Figure 5.1)", b.Ages))}
	if b.Whole != nil {
		panels = append(panels, b.Whole.panel(fmt.Sprintf("Ages of %d rows, all quasi-identifiers generalized", b.Whole.Ages)))
	}
	return chart.WriteLines(w, "What de-identification leaves of count queries on ages", panels)
}

func (b *precision) panel(title string) chart.Panel {
	panel := chart.Panel{Title: title, XLabel: "k", YLabel: "precision, %", X: chart.AxisSteps, Y: chart.AxisWholeShares}
	partial, full := chart.Line{Name: "partial"}, chart.Line{Name: "full"}
	statistical, median := chart.Line{Name: "statistical"}, chart.Line{Name: "statistical, cut at the median"}
	for i, p := range b.Points {
		panel.Steps = append(panel.Steps, strconv.Itoa(p.K))
		x := float64(i)
		partial.Points = append(partial.Points, chart.Point{X: x, Y: 1})
		statistical.Points = append(statistical.Points, chart.Point{X: x, Y: p.Precision})
		median.Points = append(median.Points, chart.Point{X: x, Y: b.Median[i].Precision})
		full.Points = append(full.Points, chart.Point{X: x, Y: b.Full})
	}
	panel.Lines = []chart.Line{partial, statistical, median, full}
	return panel
}

// incognitoSearch is one search of a lattice.
type incognitoSearch struct {
	Attributes []string `json:"attributes"`
	K          int      `json:"k"`
	Nodes      int      `json:"nodes"`
	Evaluated  int      `json:"evaluated"`
	Holding    int      `json:"holding"`
	Minimal    int      `json:"minimal"`
	Vectors    []string `json:"minimal_nodes"` // one digit per attribute: its level, 0 for unchanged values
	Best       []int    `json:"best"`
	NCP        float64  `json:"ncp"`
	Wall       float64  `json:"wall_seconds"`
	CPU        float64  `json:"cpu_seconds"`
}

// adultNine are the attributes with ARX hierarchies.
var adultNine = strings.Fields("sex age race marital-status education native-country workclass occupation salary-class")

// incognitoK is the k of the lattice search.
const incognitoK = 5

// benchFullDomain searches the lattice of some attributes.
func benchFullDomain(ctx context.Context, v TablesOptions, names []string, k int) (*incognitoSearch, error) {
	c := adultConfig()
	for _, name := range names {
		file := name
		h, err := v.Hierarchy(name)
		if err != nil {
			return nil, err
		}
		c.Hierarchies[file] = h
		c.Attributes = append(c.Attributes, tables.AttributeConfig{Name: name, Role: tables.Quasi, Hierarchy: file})
	}
	t, err := readWhole(v.Adult, c)
	if err != nil {
		return nil, err
	}
	runtime.GC()
	began := readClocks()
	r, err := incognito.Search(ctx, t, incognito.Options{K: k})
	if err != nil {
		return nil, err
	}
	b := &incognitoSearch{Attributes: names, K: k, Nodes: r.Nodes, Evaluated: r.Evaluated, Holding: r.Holding, Minimal: len(r.Minimal), Best: r.Best, NCP: 100 * r.NCP}
	b.CPU, b.Wall = readClocks().since(began)
	b.Vectors = vectors(t, names, r.Minimal)
	return b, nil
}

// vectors writes nodes with one digit per name, in the order of names and not in that of
// the file.
func vectors(t *tables.Table, names []string, nodes [][]int) []string {
	at := map[string]int{}
	for i, c := range t.With(tables.Quasi) {
		at[c.Name] = i
	}
	var out []string
	for _, levels := range nodes {
		digits := ""
		for _, name := range names {
			digits += strconv.Itoa(levels[at[name]])
		}
		out = append(out, digits)
	}
	slices.Sort(out)
	return out
}

// benchLattices searches the lattice of the attributes of --lattice with each k.
func benchLattices(ctx context.Context, v TablesOptions, ks []int) ([]incognitoSearch, error) {
	var all []incognitoSearch
	if v.Lattice == nil {
		return nil, nil
	}
	for _, k := range ks {
		b, err := benchFullDomain(ctx, v, v.Lattice, k)
		if err != nil {
			return nil, err
		}
		all = append(all, *b)
	}
	return all, nil
}

// writeLattices prints minimal nodes; nine attributes have too many to print.
func writeLattices(w io.Writer, all []incognitoSearch) {
	for _, b := range all {
		b.write(w)
		fmt.Fprintf(w, "minimal nodes of %s: %s\n", strings.Join(b.Attributes, ", "), strings.Join(b.Vectors, " "))
	}
}

func (b *incognitoSearch) write(w io.Writer) {
	fmt.Fprintf(w, "\nfull-domain, %d attributes, k = %d: %d nodes, %d counted, %d hold, %d minimal; the best loses %.2f %%; %.1f s, %.1f s of processor\n",
		len(b.Attributes), b.K, b.Nodes, b.Evaluated, b.Holding, b.Minimal, b.NCP, b.Wall, b.CPU)
}
