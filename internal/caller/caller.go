// SPDX-License-Identifier: Apache-2.0

// Package caller gives a command the files that its arguments name. Usually they are files
// of the process itself ([Here]). A command that runs in a server gets them from the process
// where it was typed ([In]): that one opens them with its own rights, in its own folder, and
// passes them on ([Answers]).
package caller

import (
	"io"
	"os"

	"hide/internal/annotate/database"
	"hide/internal/annotate/format"
	"hide/internal/outfile"
)

// Files are the files that the arguments of a command name. Errors are those of packages os
// and outfile.
type Files interface {
	// Open opens a file to read it.
	Open(name string) (*os.File, error)
	// Notes lists files of notes, also in folders, as [format.FromPaths] does.
	Notes(paths []string) (files []format.File, done func() error, err error)
	// Query is a file whose notes are the rows of a query, as [database.Query] makes.
	Query(address, query string) (format.File, error)

	// CheckNew, CheckWritable, Write and Create are those of package outfile.
	CheckNew(name string) error
	CheckWritable(name string) error
	Write(name string, fill func(io.Writer) error) (int64, error)
	Create(name string, fill func(io.Writer) error) error
}

// ReadFile returns the content of a file.
func ReadFile(files Files, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	return io.ReadAll(f)
}

// Here are the files of this process.
type Here struct{}

// Open opens a file to read it.
func (Here) Open(name string) (*os.File, error) { return os.Open(name) }

// Notes lists files of notes.
func (Here) Notes(paths []string) ([]format.File, func() error, error) {
	return format.FromPaths(paths)
}

// Query is a query as a file.
func (Here) Query(address, query string) (format.File, error) {
	return database.Query(address, query)
}

// CheckNew refuses a path that exists or cannot be written.
func (Here) CheckNew(name string) error { return outfile.CheckNew(name) }

// CheckWritable refuses a path that cannot be written.
func (Here) CheckWritable(name string) error { return outfile.CheckWritable(name) }

// Write writes a file that appears whole or not at all.
func (Here) Write(name string, fill func(io.Writer) error) (int64, error) {
	return outfile.Write(name, fill)
}

// Create writes a new file.
func (Here) Create(name string, fill func(io.Writer) error) error {
	return outfile.Create(name, fill)
}
