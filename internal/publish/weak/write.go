// SPDX-License-Identifier: Apache-2.0

package weak

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"hide/internal/publish/release"
	"hide/internal/publish/table"
	"hide/internal/publish/verify"
)

// Write writes a release folder, which must not exist and appears whole or not at
// all: table.csv with its rows in an order drawn from the system's random source,
// report.json and report.txt, hierarchies that are needed to verify, manifest.json
// and SHA256SUMS. Package verify has to find it right before it appears. The sum is
// that of manifest.json.
//
// The report that is released omits the information loss of other levels: those are
// exact figures of values that the table does not give.
func (r *Result) Write(ctx context.Context, dir string, o Origin, report Report) (sum string, err error) {
	report.Lattice = nil
	sizes, _, err := r.sizes(ctx)
	if err != nil {
		return "", err
	}
	files := []release.Content{
		{Name: "table.csv", Write: func(w io.Writer) error { return r.WriteCSV(ctx, w) }},
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
		err = fmt.Errorf("the release is not what it claims: %s", r.Problems[0])
	}
	return err
}

// WriteCSV writes the released rows with a header. Neither the order of rows nor
// that of classes is kept: both would tell values.
func (r *Result) WriteCSV(ctx context.Context, w io.Writer) error {
	columns := r.columns()
	out := csv.NewWriter(w)
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
		if err := write(out, w, fields); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// write writes a record. Package csv would write one empty field as an empty line,
// which readers pass over.
func write(out *csv.Writer, w io.Writer, fields []string) error {
	if len(fields) == 1 && fields[0] == "" {
		out.Flush()
		_, err := io.WriteString(w, "\"\"\n")
		return errors.Join(err, out.Error())
	}
	return out.Write(fields)
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
