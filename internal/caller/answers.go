// SPDX-License-Identifier: Apache-2.0

package caller

import (
	"bufio"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"hide/internal/annotate/format"
	"hide/internal/control"
	"hide/internal/outfile"
)

// desk answers the questions of one command.
type desk struct {
	ctx      context.Context
	args     []string // of the command
	pending  map[int]*outfile.Pending
	listings map[int]held
	count    int // of numbers given
}

// held is an open list of files.
type held struct {
	files []format.File
	done  func() error
}

// Answers answer the questions of a command that runs in a server with the files of this
// process. After the command, end removes the files that it left unfinished. Queries end
// with ctx.
//
// Only files and queries that the arguments of the command name are touched: this process may
// be root's, and the server is not.
func Answers(ctx context.Context, args []string) (answers map[string]control.Answer, end func() error) {
	d := &desk{ctx: ctx, args: args, pending: map[int]*outfile.Pending{}, listings: map[int]held{}}
	return map[string]control.Answer{
		askOpen:     on(d.named(d.open)),
		askList:     on(d.list),
		askListed:   on(d.listed),
		askForget:   on(d.forget),
		askChecked:  on(d.checked),
		askQuery:    on(d.query),
		askNew:      on(d.named(func(name string) (*os.File, any, error) { return nil, nil, outfile.CheckNew(name) })),
		askWritable: on(d.named(func(name string) (*os.File, any, error) { return nil, nil, outfile.CheckWritable(name) })),
		askWrite:    on(d.named(func(name string) (*os.File, any, error) { return d.begin(outfile.Begin(name)) })),
		askCreate:   on(d.named(func(name string) (*os.File, any, error) { return d.begin(outfile.BeginNew(name)) })),
		askEnd:      on(d.ended),
	}, d.end
}

// named is an answer for files that the command names.
func (d *desk) named(answer func(name string) (*os.File, any, error)) func(string) (*os.File, any, error) {
	return func(name string) (*os.File, any, error) {
		if err := d.typed(name); err != nil {
			return nil, nil, err
		}
		return answer(name)
	}
}

// typed refuses texts that are neither arguments nor values of arguments like --out=FILE.
func (d *desk) typed(texts ...string) error {
	for _, text := range texts {
		is := func(arg string) bool {
			_, value, _ := strings.Cut(arg, "=")
			return text == arg || text == value
		}
		if text != "" && !slices.ContainsFunc(d.args, is) {
			return fmt.Errorf("the server asked for %q, which the command does not name: nothing was opened", text)
		}
	}
	return nil
}

// on reads the input of a question.
func on[T any](answer func(T) (*os.File, any, error)) control.Answer {
	return func(input json.RawMessage) (*os.File, any, error) {
		var v T
		if err := json.Unmarshal(input, &v); err != nil {
			return nil, nil, err
		}
		return answer(v)
	}
}

func (d *desk) number() int {
	d.count++
	return d.count
}

func (d *desk) open(name string) (*os.File, any, error) {
	f, err := os.Open(name)
	return f, nil, err
}

func (d *desk) begin(p *outfile.Pending, err error) (*os.File, any, error) {
	if err != nil {
		return nil, nil, err
	}
	n := d.number()
	d.pending[n] = p
	return p.File, n, nil
}

func (d *desk) ended(e ended) (*os.File, any, error) {
	p := d.pending[e.Number]
	delete(d.pending, e.Number)
	switch {
	case p == nil:
		return nil, nil, errors.New("no such file is being written")
	case e.Whole:
		if err := p.Keep(); err != nil {
			return nil, nil, errors.Join(err, p.Drop())
		}
		return nil, nil, nil
	}
	return nil, nil, p.Drop()
}

func (d *desk) list(paths []string) (*os.File, any, error) {
	if err := d.typed(paths...); err != nil {
		return nil, nil, err
	}
	files, done, err := format.FromPaths(paths)
	if err != nil {
		return nil, nil, err
	}
	l := listing{Number: d.number(), Files: make([]listed, len(files))}
	for i, f := range files {
		l.Files[i] = listed{f.Name, f.Size}
	}
	d.listings[l.Number] = held{files, done}
	return nil, l, nil
}

func (d *desk) listed(at place) (*os.File, any, error) {
	l := d.listings[at.Listing]
	if at.File < 0 || at.File >= len(l.files) {
		return nil, nil, errors.New("no such file was listed")
	}
	r, err := l.files[at.File].Open()
	if err != nil {
		return nil, nil, err
	}
	f, ok := r.(*os.File)
	if !ok {
		return nil, nil, errors.Join(errors.New("the file cannot be passed on"), r.Close())
	}
	return f, nil, nil
}

func (d *desk) forget(number int) (*os.File, any, error) {
	l, ok := d.listings[number]
	if !ok {
		return nil, nil, nil
	}
	delete(d.listings, number)
	return nil, nil, l.done()
}

func (d *desk) checked(q query) (*os.File, any, error) {
	if err := d.typed(q.Address, q.Query); err != nil {
		return nil, nil, err
	}
	_, err := Here{}.Query(q.Address, q.Query)
	return nil, nil, err
}

// query runs a query and writes its rows into a pipe.
func (d *desk) query(q query) (*os.File, any, error) {
	if err := d.typed(q.Address, q.Query); err != nil {
		return nil, nil, err
	}
	f, err := Here{}.Query(q.Address, q.Query)
	if err != nil {
		return nil, nil, err
	}
	rows, err := f.Query(d.ctx)
	if err != nil {
		return nil, nil, err
	}
	from, to, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, rows.Close())
	}
	go func() {
		defer to.Close()
		defer rows.Close()      // only read
		_ = writeRows(to, rows) // the reader has had enough
	}()
	return from, nil, nil
}

func writeRows(w io.Writer, rows format.Cursor) error {
	buffer := bufio.NewWriterSize(w, 1<<16)
	out := gob.NewEncoder(buffer)
	if err := out.Encode(row{Cells: rows.Columns()}); err != nil {
		return err
	}
	last := row{}
	for {
		cells, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			last.Error = err.Error()
			break
		}
		if err := out.Encode(row{Cells: cells}); err != nil {
			return err
		}
	}
	return errors.Join(out.Encode(last), buffer.Flush())
}

// end removes unfinished files and closes folders.
func (d *desk) end() error {
	var errs []error
	for _, p := range d.pending {
		errs = append(errs, p.Drop())
	}
	for _, l := range d.listings {
		errs = append(errs, l.done())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("tidy up after the command: %w", err)
	}
	return nil
}
