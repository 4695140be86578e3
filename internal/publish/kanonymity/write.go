// SPDX-License-Identifier: Apache-2.0

package kanonymity

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"hide/internal/publish/privacy"
	"hide/internal/publish/release"
	"hide/internal/publish/risk"
	"hide/internal/publish/table"
	"hide/internal/publish/verify"
	"hide/internal/tabular"
)

// Write writes a release folder, which must not exist and appears whole or not at all:
// table.csv in random row order, report.json and report.txt, the hierarchies needed to
// verify it, manifest.json and SHA256SUMS. Package verify must accept it before it
// appears. The sum is that of manifest.json.
//
// The released report omits the information loss of other levels: those are exact figures
// of values that the table does not contain.
func (r *Result) Write(ctx context.Context, dir string, o Origin, report Report) (sum string, err error) {
	report.Lattice = nil
	sizes, _, err := r.sizes(ctx)
	if err != nil {
		return "", err
	}
	files := []release.Content{
		{Name: "table.csv", Table: func(w *tabular.Writer) error { return r.WriteTable(ctx, w) }},
		release.JSON("report.json", report),
		{Name: "report.txt", Write: func(w io.Writer) error { return r.writeText(w, report, o.Warnings) }},
	}
	for i, column := range r.Table.Columns {
		if r.attribute(i, column).Hierarchy != "" {
			files = append(files, release.Content{Name: hierarchyFile(i), Write: column.Hierarchy.Write})
		}
	}
	m := release.Manifest{
		Kind: release.Table, Version: o.Tool, Created: o.Created, Statement: Statement, Warnings: o.Warnings, Claims: r.claims(sizes),
	}
	return release.Write(ctx, dir, m, files, verified)
}

// verified refuses a release that package verify finds wrong.
func verified(fsys fs.FS) error {
	found, err := verify.Release(fsys)
	if r := found.Common(); err == nil && !r.OK {
		err = fmt.Errorf("the release does not match its manifest: %s", r.Problems[0])
	}
	return err
}

// WriteTable writes the released rows with a header, in random order: the order of rows or
// classes would reveal values.
func (r *Result) WriteTable(ctx context.Context, out *tabular.Writer) error {
	columns := r.columns()
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	if err := out.Write(names); err != nil {
		return err
	}
	order := r.shuffled()
	fields := make([]string, len(columns))
	for n, at := range order {
		if n%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for i, c := range columns {
			fields[i] = c.text(at)
		}
		if err := out.Write(fields); err != nil {
			return err
		}
	}
	return nil
}

// place is a row with its class.
type place struct{ row, class int32 }

// shuffled gives all released rows in an unpredictable order.
func (r *Result) shuffled() []place {
	order := make([]place, 0, r.rows())
	for i, class := range r.Classes {
		for _, row := range class {
			order = append(order, place{row, int32(i)})
		}
	}
	release.Random().Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// outColumn is one column of table.csv.
type outColumn struct {
	*table.Column
	cells [][]table.Cell // of a quasi-identifier; nil for others
	at    int            // its place in a class's cells
}

func (c outColumn) text(p place) string {
	if c.cells != nil {
		return c.cells[p.class][c.at].Text
	}
	return c.Domain[c.Codes[p.row]]
}

func (r *Result) columns() []outColumn {
	var all []outColumn
	at := 0
	for _, c := range r.Table.Columns {
		switch {
		case c.Role == table.Quasi:
			all = append(all, outColumn{c, r.Generalized.Cells, at})
			at++
		case released(c):
			all = append(all, outColumn{Column: c})
		}
	}
	return all
}

// writeText writes the guarantees of a release, their limits, and its figures.
func (r *Result) writeText(w io.Writer, rep Report, warnings []string) error {
	var b strings.Builder
	r.writePromise(&b, rep, warnings)
	rep.writeRisk(&b)
	if p := rep.Population; p != nil && p.Beyond > 0 {
		fmt.Fprintf(&b, "\n  The population has %d people. For %d of the rows it has no matching person: they may be in it\n  with another value. The people of a class are therefore counted as its rows or its people in\n  the population, whichever are more.\n", p.People, p.Beyond)
		if r.Parameters.Map {
			fmt.Fprintf(&b, "  k counts only people in the population.\n")
		}
	}
	rep.Estimated.write(&b)
	rep.Utility.write(&b, rep.After.Classes)
	_, err := io.WriteString(w, b.String())
	return err
}

// writePromise writes the guarantees of the release and their limits.
func (r *Result) writePromise(b *strings.Builder, rep Report, warnings []string) {
	fmt.Fprintf(b, "What this release promises\n\n")
	among := ""
	if r.Parameters.Map {
		among = " of the population"
	}
	fmt.Fprintf(b, "  Each of its %d rows has the same values as at least %d others%s in: %s.\n", rep.After.Rows, r.Parameters.K-1, among, strings.Join(r.names(table.Quasi), ", "))
	for _, condition := range r.Conditions {
		fmt.Fprintf(b, "  In each equivalence class %s has %s.\n", condition.Column.Name, condition.Model)
	}
	fmt.Fprintf(b, "\nWhat it does not promise\n\n  %s\n", strings.ReplaceAll(Statement, ". ", ".\n  "))
	for _, warning := range warnings {
		fmt.Fprintf(b, "  %s\n", strings.ReplaceAll(warning, ". ", ".\n  "))
	}
	if open := r.unprotected(); len(open) > 0 {
		fmt.Fprintf(b, "  All rows of a class may have the same value of: %s.\n", strings.Join(open, ", "))
	}
}

// writeRisk writes the figures before and after side by side.
func (rep Report) writeRisk(b *strings.Builder) {
	fmt.Fprintf(b, "\nRisk                                            before    after\n\n")
	line := func(name string, of func(risk.Figures) float64) {
		fmt.Fprintf(b, "  %-42s %7.2f %% %7.2f %%\n", name, 100*of(rep.Before), 100*of(rep.After))
	}
	line("unique records", func(f risk.Figures) float64 { return f.Unique })
	line("records with a re-identification risk above 20 %", func(f risk.Figures) float64 { return f.Prosecutor.AtRisk })
	line("highest re-identification risk", func(f risk.Figures) float64 { return f.Prosecutor.Highest })
	line("mean re-identification risk", func(f risk.Figures) float64 { return f.Prosecutor.Success })
	if rep.After.Journalist == nil {
		return
	}
	line("highest risk in the population", func(f risk.Figures) float64 { return f.Journalist.Highest })
	line("mean risk in the population", func(f risk.Figures) float64 { return *f.Marketer })
	line("records unique in the population", func(f risk.Figures) float64 { return *f.Alone })
}

// write writes the utility.
func (u Utility) write(b *strings.Builder, classes int) {
	fmt.Fprintf(b, "\nUtility\n\n  %-42s %7.2f %%\n", "information loss (NCP)", 100*u.NCP)
	for _, a := range u.Attributes {
		fmt.Fprintf(b, "    %-40s %7.2f %%\n", a.Name, 100*a.NCP)
	}
	fmt.Fprintf(b, "  %-42s %d\n  %-42s %.1f, at most %d\n", "equivalence classes", classes, "mean rows of a class", u.MeanClass, u.LargestClass)
	fmt.Fprintf(b, "  %-42s %d\n  %-42s %.0f\n", "suppressed rows", u.Suppressed, "discernibility", u.Discernibility)
	for _, p := range u.Precision {
		fmt.Fprintf(b, "  %-42s %7.2f %%, %.2f %% without the attribute\n", "precision of count queries on "+p.Attribute, 100*p.Released, 100*p.Without)
	}
}

// write writes the estimate of each model.
func (e *Estimated) write(b *strings.Builder) {
	if e == nil {
		return
	}
	fmt.Fprintf(b, "\nUnique records among %d people, estimated     before    after\n\n", e.Before.People)
	for _, line := range []struct {
		name string
		of   func(risk.Uniqueness) *float64
	}{
		{"Zayatz", func(u risk.Uniqueness) *float64 { return u.Zayatz }},
		{"Pitman", func(u risk.Uniqueness) *float64 { return u.Pitman }},
		{"shifted negative binomial", func(u risk.Uniqueness) *float64 { return u.SNB }},
	} {
		fmt.Fprintf(b, "  %-42s %9s %9s\n", line.name, shareWords(line.of(e.Before)), shareWords(line.of(e.After)))
	}
	fmt.Fprintf(b, "  Recommended for this sampling fraction: %s. All models assume a random sample.\n", e.Before.Advised)
}

func shareWords(share *float64) string {
	if share == nil {
		return "no fit"
	}
	return fmt.Sprintf("%.2f %%", 100**share)
}

func (r *Result) names(role table.Role) []string {
	var names []string
	for _, c := range r.Table.With(role) {
		names = append(names, c.Name)
	}
	return names
}

// unprotected names sensitive attributes without a requirement.
func (r *Result) unprotected() []string {
	var names []string
	for i, c := range r.Table.Columns {
		if a := r.attribute(i, c); c.Role == table.Sensitive && a.L == 0 && a.T == 0 {
			names = append(names, c.Name)
		}
	}
	return names
}

// Statement is what each release says about itself.
const Statement = "Weak privacy, for recipients under agreement. Each row has the same quasi-identifiers as at least k-1 others, " +
	"and its sensitive values are as diverse as is claimed: that bounds what somebody finds who knows the quasi-identifiers and nothing more. " +
	"It does not hold against an attacker who knows more, against a second release of the same patients, or for attributes that were not declared. " +
	"It is not differential privacy, and a release of it beside others voids what those promise about the same patients."

// Claims are what a release claims.
type Claims struct {
	Parameters Parameters  `json:"parameters"`
	Attributes []Attribute `json:"attributes"`
	Counts     Counts      `json:"counts"`
}

// Parameters are how the classes were found.
type Parameters struct {
	K           int     `json:"k"`
	Map         bool    `json:"k_map,omitempty"` // k counts people of a population of which the rows are a sample
	Method      string  `json:"method"`
	Cut         string  `json:"cut,omitempty"`
	Relaxed     bool    `json:"relaxed,omitempty"`
	Suppression float64 `json:"suppression_percent,omitempty"` // of the rows, at most
	Levels      []int   `json:"levels,omitempty"`              // of full-domain generalization, by quasi-identifier
}

// Attribute is a column of the original.
type Attribute struct {
	Name      string     `json:"name"`
	Role      table.Role `json:"role"`
	Kind      table.Kind `json:"kind"`
	Released  bool       `json:"released"`
	Order     []string   `json:"order,omitempty"` // of a sensitive ordinal
	L         float64    `json:"l,omitempty"`
	Diversity string     `json:"diversity,omitempty"`
	C         float64    `json:"c,omitempty"`
	T         float64    `json:"t,omitempty"`
	Distance  string     `json:"distance,omitempty"`
	Hierarchy string     `json:"hierarchy,omitempty"` // file of a sensitive attribute whose distance needs it
}

// Counts can be recomputed from table.csv, except Suppressed.
type Counts struct {
	Rows       int `json:"rows"`
	Suppressed int `json:"suppressed"`
	Classes    int `json:"equivalence_classes"`
	Smallest   int `json:"smallest_class"`
}

// Origin says who wrote a release, when, and warnings, such as of other releases of the
// same people.
type Origin struct {
	Tool     string
	Created  time.Time
	Warnings []string
}

func (r *Result) claims(sizes []int) Claims {
	c := Claims{
		Parameters: r.Parameters,
		Counts:     Counts{Rows: r.rows(), Suppressed: len(r.Suppressed), Classes: len(sizes), Smallest: slices.Min(append(sizes, r.Table.Rows))},
	}
	for i, column := range r.Table.Columns {
		c.Attributes = append(c.Attributes, r.attribute(i, column))
	}
	return c
}

func (r *Result) attribute(i int, c *table.Column) Attribute {
	a := Attribute{Name: c.Name, Role: c.Role, Kind: c.Kind, Released: released(c)}
	for _, condition := range r.Conditions {
		if condition.Column != c {
			continue
		}
		switch m := condition.Model.(type) {
		case privacy.Distinct:
			a.L, a.Diversity = float64(m.L), "distinct"
		case privacy.Entropy:
			a.L, a.Diversity = m.L, "entropy"
		case privacy.Recursive:
			a.L, a.Diversity, a.C = float64(m.L), "recursive", m.C
		case privacy.Closeness:
			a.T, a.Distance = m.T, string(m.Distance)
			if m.Distance == privacy.Hierarchical {
				a.Hierarchy = hierarchyFile(i)
			}
			if c.Kind == table.Ordinal {
				a.Order = c.Domain
			}
		}
	}
	return a
}

func hierarchyFile(i int) string { return fmt.Sprintf("%d.hierarchy", i+1) }

// released says whether a column is released.
func released(c *table.Column) bool { return c.Role != table.Direct && c.Role != table.Text }
