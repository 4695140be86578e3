// SPDX-License-Identifier: Apache-2.0

// Package spool keeps files that somebody sends until they are read: in one file on disk,
// encrypted with a key that only this process knows.
//
//	kept, err := spool.New(nil)
//	err = kept.Take("notes.jsonl", body)
//	report, err := projects.Import(ctx, by, id, kept.Files, opts)
//	err = kept.Close()
//
// The file on disk is unlinked as soon as it is open where the system allows it: a crash
// leaves no note behind, and neither does the medium.
package spool

import (
	"errors"
	"fmt"
	"io"
	"os"

	"hide/internal/annotate/format"
)

// Files are what was sent, in order. They can be read until [Files.Close].
type Files struct {
	Files  []format.File
	folder string
	kept   *encryptedFile
	grow   func(bytes int64) error
}

// New is an empty spool. grow is asked for room on the disk before each write; nil asks
// nobody.
func New(grow func(bytes int64) error) (*Files, error) {
	s := &Files{grow: grow}
	var err error
	if s.folder, err = os.MkdirTemp("", "hide-import-"); err != nil {
		return nil, fmt.Errorf("make a folder for the upload: %w", err)
	}
	if s.kept, err = newEncryptedFile(s.folder); err != nil {
		return nil, errors.Join(fmt.Errorf("keep upload: %w", err), os.RemoveAll(s.folder))
	}
	_ = os.Remove(s.folder) // it is empty where an open file can lose its name
	return s, nil
}

// Take keeps one file. name is shown in reports, and is never used as a path.
func (s *Files) Take(name string, content io.Reader) error {
	start := s.kept.size
	if _, err := io.Copy(writer{s}, content); err != nil {
		return fmt.Errorf("keep upload: %w", err)
	}
	size := s.kept.size - start
	s.Files = append(s.Files, format.File{Name: name, Size: size, Open: func() (io.ReadCloser, error) {
		return section{io.NewSectionReader(s.kept, start, size)}, nil
	}})
	return nil
}

// Size is how many bytes the files have.
func (s *Files) Size() int64 { return s.kept.size }

// Close removes the files.
func (s *Files) Close() error {
	return errors.Join(s.kept.Close(), os.RemoveAll(s.folder))
}

// writer adds to the file on disk, if there is room.
type writer struct{ *Files }

func (w writer) Write(p []byte) (int, error) {
	if w.grow != nil {
		if err := w.grow(int64(len(p))); err != nil {
			return 0, err
		}
	}
	return w.kept.Write(p)
}

// section is a file that stays open as long as the spool is kept. It can be read at any
// offset, as zips need.
type section struct{ *io.SectionReader }

func (section) Close() error { return nil }
