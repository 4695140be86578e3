// SPDX-License-Identifier: Apache-2.0

package caller

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"io"
	"os"

	"hide/internal/annotate/format"
	"hide/internal/control"
	"hide/internal/outfile"
)

// The questions of a command to the process where it was typed.
const (
	askOpen     = "open"     // name -> file
	askList     = "list"     // paths -> listing
	askListed   = "listed"   // place -> file
	askForget   = "forget"   // number of a listing
	askQuery    = "query"    // query -> file with its rows
	askChecked  = "checked"  // query: whether it could be asked
	askNew      = "new"      // name: CheckNew
	askWritable = "writable" // name: CheckWritable
	askWrite    = "write"    // name -> pending, file
	askCreate   = "create"   // name -> pending, file
	askEnd      = "end"      // ended
)

// listing is a list of files of notes.
type listing struct {
	Number int      `json:"number"`
	Files  []listed `json:"files"`
}

type listed struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// place is a file of a listing.
type place struct {
	Listing int `json:"listing"`
	File    int `json:"file"`
}

type query struct {
	Address string `json:"address"`
	Query   string `json:"query"`
}

// ended says whether the pending file of this number was written whole.
type ended struct {
	Number int  `json:"number"`
	Whole  bool `json:"whole"`
}

// row is one value in the answer to a query: the columns first, then the rows, and at last
// one without cells, which may say why there are no more. They are values of gob, since JSON
// changes text that is not UTF-8.
type row struct {
	Cells []string
	Error string
}

// In are the files of a command that runs in a server.
func In(call *control.Call) Files { return remote{call} }

type remote struct{ call *control.Call }

var errNoFile = errors.New("the command sent no file")

// file asks a question whose answer is a file.
func (r remote) file(kind string, input, result any) (*os.File, error) {
	f, err := r.call.Ask(kind, input, result)
	if err == nil && f == nil {
		err = errNoFile
	}
	return f, err
}

// tell asks a question without an answer.
func (r remote) tell(kind string, input any) error {
	_, err := r.call.Ask(kind, input, nil)
	return err
}

func (r remote) Open(name string) (*os.File, error) { return r.file(askOpen, name, nil) }

func (r remote) CheckNew(name string) error { return r.tell(askNew, name) }

func (r remote) CheckWritable(name string) error { return r.tell(askWritable, name) }

func (r remote) Write(name string, fill func(io.Writer) error) (int64, error) {
	if name == "" {
		return 0, nil
	}
	return r.write(askWrite, name, fill)
}

func (r remote) Create(name string, fill func(io.Writer) error) error {
	_, err := r.write(askCreate, name, fill)
	return err
}

func (r remote) write(kind, name string, fill func(io.Writer) error) (int64, error) {
	var number int
	f, err := r.file(kind, name, &number)
	if err != nil {
		return 0, err
	}
	size, err := outfile.FillAndSync(f, fill)
	return size, errors.Join(err, r.tell(askEnd, ended{number, err == nil}))
}

func (r remote) Notes(paths []string) ([]format.File, func() error, error) {
	nothing := func() error { return nil }
	var all listing
	if _, err := r.call.Ask(askList, paths, &all); err != nil {
		return nil, nothing, err
	}
	files := make([]format.File, len(all.Files))
	for i, f := range all.Files {
		files[i] = format.File{Name: f.Name, Size: f.Size, Open: func() (io.ReadCloser, error) {
			return r.file(askListed, place{all.Number, i}, nil)
		}}
	}
	return files, func() error { return r.tell(askForget, all.Number) }, nil
}

// Query runs the query where the command was typed: there are its password and its network.
func (r remote) Query(address, text string) (format.File, error) {
	q := query{address, text}
	if err := r.tell(askChecked, q); err != nil {
		return format.File{}, err
	}
	return format.File{Name: "query", Size: -1, Query: func(context.Context) (format.Cursor, error) {
		f, err := r.file(askQuery, q, nil)
		if err != nil {
			return nil, err
		}
		c := &cursor{file: f, rows: gob.NewDecoder(bufio.NewReaderSize(f, 1<<16))}
		if c.columns, err = c.Next(); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return c, nil
	}}, nil
}

// cursor reads the rows of a query.
type cursor struct {
	file    *os.File
	rows    *gob.Decoder
	columns []string
}

func (c *cursor) Columns() []string { return c.columns }

func (c *cursor) Close() error { return c.file.Close() }

func (c *cursor) Next() ([]string, error) {
	var r row
	if err := c.rows.Decode(&r); err == io.EOF {
		return nil, io.ErrUnexpectedEOF // the last row is missing
	} else if err != nil {
		return nil, err
	}
	switch {
	case r.Error != "":
		return nil, errors.New(r.Error)
	case r.Cells == nil:
		return nil, io.EOF
	}
	return r.Cells, nil
}
