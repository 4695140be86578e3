// SPDX-License-Identifier: Apache-2.0

package format

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"hide/internal/annotate"
)

// maxProblems is how many refused records a report keeps; it counts all.
const maxProblems = 1000

// reader is the state of one import.
type reader struct {
	ctx     context.Context
	opts    Options
	sink    Sink
	report  Report
	names   names
	formats []string
	details []string
	remarks tally
}

// input is one file to read, perhaps inside an archive.
type input struct {
	name string // what its document is called
	show string // what reports call it
	open func() (io.ReadCloser, error)
}

// Read reads the files and hands every document to sink. Without
// Options.SkipBad the first bad record stops it and is returned as a *Problem,
// with the report so far. An error of ctx or of the sink is returned as it is.
func Read(ctx context.Context, files []File, opts Options, sink Sink) (Report, error) {
	if opts.Format != "" && !slices.Contains(Formats(), opts.Format) {
		return Report{}, fmt.Errorf("unknown format %q; formats are %s", opts.Format, strings.Join(Formats(), ", "))
	}
	r := &reader{ctx: ctx, opts: opts, sink: sink, names: names{}, remarks: tally{}}
	inputs, done, err := r.expand(files)
	defer done()
	if err == nil {
		err = r.readAll(inputs)
	}
	r.finish()
	return r.report, err
}

// Formats are the names that Options.Format may have, besides "".
func Formats() []string { return []string{"text", "jsonl", "csv", "brat", "conll"} }

func (r *reader) finish() {
	if r.report.Problems == nil {
		r.report.Problems = []Problem{}
	}
	r.report.Notes = r.remarks.lines()
	r.report.Detail = strings.Join(r.details, "; ")
	switch len(r.formats) {
	case 0:
	case 1:
		r.report.Format = r.formats[0]
	default:
		r.report.Format = "mixed"
	}
}

// used records that a format was met, with a remark about how it was read.
func (r *reader) used(format, detail string) {
	if !slices.Contains(r.formats, format) {
		r.formats = append(r.formats, format)
	}
	if detail != "" && !slices.Contains(r.details, detail) {
		r.details = append(r.details, detail)
	}
}

// readAll reads every input by its format. The texts and annotations of brat
// are paired first.
func (r *reader) readAll(inputs []input) error {
	for _, j := range r.plan(inputs) {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := r.readOne(j); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) readOne(j job) error {
	if j.problem != nil {
		return r.refuse(j.problem)
	}
	switch j.format {
	case "text":
		return r.text(j.input)
	case "jsonl":
		return r.jsonl(j.input)
	case "csv":
		return r.csv(j.input)
	case "conll":
		return r.conll(j.input)
	default:
		return r.brat(j)
	}
}

// refuse lists p when bad records are to be skipped, and returns it otherwise.
func (r *reader) refuse(p *Problem) error {
	r.report.Refused++
	if len(r.report.Problems) < maxProblems {
		r.report.Problems = append(r.report.Problems, *p)
	}
	if r.opts.SkipBad {
		return nil
	}
	return p
}

// place is where a record stands.
type place struct {
	file, record string
	offset       int64
}

// at completes a problem with its place, unless it knows better.
func (p *Problem) at(w place) *Problem {
	if p.File == "" {
		p.File = w.file
	}
	if p.Record == "" {
		p.Record = w.record
	}
	if !p.located {
		p.Offset, p.located = w.offset, true
	}
	return p
}

// deliver checks a document as every format must, and hands it on.
func (r *reader) deliver(d annotate.Annotated, w place) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if p := checkDocument(d); p != nil {
		return r.refuse(p.at(w))
	}
	if !r.names.add(d.Name) {
		return r.refuse(duplicate().at(w))
	}
	r.remarks.add(cutMarks(d), "span", "starts or ends inside a combined character")
	err := r.sink(d)
	if p := (*Problem)(nil); errors.As(err, &p) {
		return r.refuse(p.at(w))
	}
	if err != nil {
		return err
	}
	r.report.Documents++
	r.report.Spans += len(d.Spans)
	r.report.Bytes += int64(len(d.Text))
	return nil
}

// unreadable is the problem of a file that cannot be opened or read to its end.
func unreadable(err error, w place) *Problem {
	if p := (*Problem)(nil); errors.As(err, &p) {
		return p.at(w)
	}
	p := &Problem{Code: "read", Reason: "cannot be read: " + err.Error()}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		p.Code, p.Reason, p.Hint = "truncated", "ends too early", "copy the file again; it seems to be cut off"
	}
	return p.at(w)
}
