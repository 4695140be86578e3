// SPDX-License-Identifier: Apache-2.0

// Package linkfile links the records of CSV files: of one file, or of two.
//
//	linked, err := linkfile.Link(ctx, []linkfile.File{{Name: "people.csv", Open: open}}, linkfile.Options{})
//	linked.Write(os.Stdout)                // columns, rules, clusters, estimated errors
//	err = linked.WriteRows(ctx, file)      // the rows with the number of their cluster
//
// Without a configuration the columns are recognised by their names and contents. Errors name
// file, record, byte, column or rule, and quote no value.
package linkfile

import (
	"context"
	"strings"

	"hide/internal/publish/link"
	"hide/internal/publish/link/compare"
	"hide/internal/publish/link/score"
)

// Options say how files are linked.
type Options struct {
	Config   *Config // nil to recognise the columns
	Truth    string  // the column that says whose record it is; "" for none; it is never compared
	Workers  int
	Progress func(done, total int) // of comparing pairs; may be nil
}

// Linked are the records of files with their clusters.
type Linked struct {
	Report
	files   []File
	headers [][]string
	counts  []int // records of each file
	result  *link.Result
}

// Link links the records of one file, or of two files with each other. Two records of one of
// two files are not compared.
func Link(ctx context.Context, files []File, o Options) (*Linked, error) {
	p, err := newPlan(ctx, files, o)
	if err != nil {
		return nil, err
	}
	fields, _ := p.config.fields()
	config, err := p.config.engine(fields)
	if err != nil {
		return nil, err
	}
	in, err := p.readRecords(ctx, fields)
	if err != nil {
		return nil, err
	}
	result, err := link.Run(ctx, in.records, config, link.Options{Workers: o.Workers, Progress: o.Progress, Seed: 1})
	if err != nil {
		return nil, err
	}
	l := &Linked{files: files, headers: p.headers, counts: in.counts, result: result}
	for _, f := range files {
		l.Files = append(l.Files, f.Name)
	}
	l.Columns = p.config.Columns
	l.report(result, config.Link)
	l.warn(fields, result.Model)
	l.score(in, o.Truth != "")
	return l, nil
}

// input is the records of the files.
type input struct {
	records *link.Records
	counts  []int // by file
	truth   []int // the person of each record, -1 for unknown; nil without a truth
}

// readRecords reads the fields of all records, and the truth.
func (p *plan) readRecords(ctx context.Context, fields []link.Field) (*input, error) {
	in := &input{records: link.NewRecords(fields)}
	people := map[string]int{}
	cells := make([][]string, len(fields))
	for k, f := range p.files {
		if k > 0 {
			in.records.NextFile()
		}
		n := 0
		err := f.read(ctx, func([]string) error { return nil }, func(_ int, row []string) error {
			n++
			if n > maxRecords {
				return wrong("link parts of the file", "the file has more than %d records", maxRecords)
			}
			p.cells(k, row, cells)
			in.records.Add(cells...)
			if p.truth[k] >= 0 {
				in.truth = append(in.truth, personOf(row[p.truth[k]], people))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		in.counts = append(in.counts, n)
	}
	if in.truth != nil && len(people) == 0 {
		return nil, p.files[0].named(wrong("name another column, or leave --truth out", "the truth column has no values"))
	}
	return in, nil
}

// maxRecords bounds a file: numbers of records have 31 bits.
const maxRecords = 1 << 30

// personOf numbers the values of a truth.
func personOf(value string, people map[string]int) int {
	if value = strings.TrimSpace(value); value == "" {
		return -1
	}
	n, known := people[value]
	if !known {
		n = len(people)
		people[strings.Clone(value)] = n // a part of a row would keep all of it
	}
	return n
}

// cells are the values of a row by field. The engine cleans values; dates and sexes are read
// here, as their column writes them, and full names are split.
func (p *plan) cells(file int, row []string, cells [][]string) {
	for i := range cells {
		cells[i] = cells[i][:0]
	}
	for _, c := range p.inputs[file] {
		v := row[c.at]
		if c.column.Reading != (compare.Reading{}) {
			v = c.column.Clean(v)
		}
		if c.column.Kind == compare.FullName {
			var given string
			v, given = compare.SplitFullName(c.column.Clean(v))
			cells[c.given] = append(cells[c.given], given)
		}
		cells[c.field] = append(cells[c.field], v)
	}
}

// score counts linked pairs and compares them with the truth. Of two files only pairs of one
// record from each count.
func (l *Linked) score(in *input, withTruth bool) {
	truth := in.truth
	if !withTruth {
		truth = make([]int, l.Records)
	}
	pairs := score.Clusters(truth, l.result.Clusters)
	if len(in.counts) > 1 {
		pairs = score.Across(truth, l.result.Clusters, in.counts[0])
	}
	l.Pairs = pairs.Linked
	if !withTruth {
		return
	}
	l.Accuracy = &Accuracy{pairs.Precision(), pairs.Recall(), pairs.F1()}
	l.Errors = &ErrorReport{True: pairs.True, False: pairs.False(), Missed: pairs.Missed()}
	l.Errors.Calibration = score.Calibrate(func(yield func(float64, bool) bool) {
		for _, p := range l.result.Pairs {
			if !yield(p.Probability, truth[p.A] >= 0 && truth[p.A] == truth[p.B]) {
				return
			}
		}
	})
}
