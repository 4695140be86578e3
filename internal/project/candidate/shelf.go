// SPDX-License-Identifier: Apache-2.0

// Package candidate keeps releases that are made but not published, encrypted in a
// project's space, and reads them.
//
// What reviewers see of a candidate comes through this package. It knows the store and the
// files of a release, and nothing else: no note, no span, no re-identification map. A test
// of the house keeps its imports so.
//
//	shelf := candidate.Shelf{View: ..., Update: ...}
//	err := shelf.Put(ctx, 3, os.DirFS(dir), files) // freeze the files of a release
//	text, err := shelf.Text(3, files)              // its notes, by place
package candidate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"hide/internal/publish/release"
	"hide/internal/store"
)

// The buckets of a project's space that this package writes. No other package reads them.
const (
	bucketFiles = "candidate-files" // candidate, file, part -> bytes
	bucketLines = "candidate-lines" // candidate, part -> where the notes of its text begin
)

// partBytes is the size of a stored part, and portionBytes bounds one transaction.
const (
	partBytes    = 64 << 10
	portionBytes = 8 << 20
	linesPart    = 4096 // places of notes in one value
)

// The files of a release that hold its notes, one JSON object a line: that of a release of
// text, and that of one of notes with their fields.
const (
	NotesFile = "notes.jsonl"
	RowsFile  = "rows.jsonl"
)

func hasNotes(file string) bool { return file == NotesFile || file == RowsFile }

// Shelf is where a project's candidates are. View and Update run a transaction of the
// project's space.
type Shelf struct {
	View   func(func(*store.Tx) error) error
	Update func(func(*store.Tx) error) error
}

// Put stores the files of a candidate, in several transactions. Until its record is stored
// elsewhere nothing refers to them; [Shelf.Drop] removes what a failed Put left.
func (s Shelf) Put(ctx context.Context, number int, from fs.FS, files []release.File) error {
	w := &writer{shelf: s, number: uint64(number)}
	for i, f := range files {
		if err := w.file(ctx, from, uint64(i), f); err != nil {
			return fmt.Errorf("freeze %s: %w", f.Path, err)
		}
	}
	return w.flush()
}

// writer collects parts to store them in portions.
type writer struct {
	shelf  Shelf
	number uint64
	parts  []part
	bytes  int
}

type part struct {
	bucket     string
	key, value []byte
}

func (w *writer) add(bucket string, value []byte, key ...uint64) error {
	w.parts = append(w.parts, part{bucket, keyOf(append([]uint64{w.number}, key...)...), value})
	if w.bytes += len(value); w.bytes < portionBytes {
		return nil
	}
	return w.flush()
}

func (w *writer) flush() error {
	parts := w.parts
	w.parts, w.bytes = nil, 0
	return w.shelf.Update(func(tx *store.Tx) error {
		for _, p := range parts {
			if err := tx.Put(p.bucket, p.key, p.value); err != nil {
				return err
			}
		}
		return nil
	})
}

func keyOf(numbers ...uint64) []byte {
	var key []byte
	for _, n := range numbers {
		key = append(key, store.Key(n)...)
	}
	return key
}

// file stores a file, and where the lines of the notes begin.
func (w *writer) file(ctx context.Context, from fs.FS, at uint64, f release.File) error {
	in, err := from.Open(f.Path)
	if err != nil {
		return err
	}
	defer in.Close() // only read
	var lines []int64
	var done int64
	for n := uint64(0); done < f.Bytes; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := make([]byte, min(partBytes, f.Bytes-done))
		if _, err := io.ReadFull(in, b); err != nil {
			return err
		}
		if hasNotes(f.Path) {
			lines = append(lines, starts(b, done)...)
		}
		if err := w.add(bucketFiles, b, at, n); err != nil {
			return err
		}
		done += int64(len(b))
	}
	if hasNotes(f.Path) {
		return w.lines(lines, done)
	}
	return nil
}

// starts are the places after each line feed of b, which begins at from.
func starts(b []byte, from int64) (places []int64) {
	for i, c := range b {
		if c == '\n' {
			places = append(places, from+int64(i)+1)
		}
	}
	return places
}

// lines stores where each note begins, and where the last one ends.
func (w *writer) lines(after []int64, size int64) error {
	all := append([]int64{0}, after...)
	if all[len(all)-1] != size {
		all = append(all, size)
	}
	for i, some := range slices.Collect(slices.Chunk(all, linesPart)) {
		var b []byte
		for _, place := range some {
			b = binary.BigEndian.AppendUint64(b, uint64(place))
		}
		if err := w.add(bucketLines, b, uint64(i)); err != nil {
			return err
		}
	}
	return nil
}

// Drop deletes a candidate's files in a transaction.
func Drop(tx *store.Tx, number int) (err error) {
	for _, bucket := range []string{bucketFiles, bucketLines, bucketPassages, bucketHidden} {
		err = errors.Join(err, tx.DeletePrefix(bucket, store.Key(uint64(number))))
	}
	return err
}

// Open reads a file of a candidate, by its name.
func (s Shelf) Open(ctx context.Context, number int, files []release.File, name string) (*io.SectionReader, error) {
	i := slices.IndexFunc(files, func(f release.File) bool { return f.Path == name })
	if i < 0 {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return s.open(ctx, number, i, files[i].Bytes), nil
}

func (s Shelf) open(ctx context.Context, number, file int, size int64) *io.SectionReader {
	return io.NewSectionReader(&reader{ctx: ctx, shelf: s, number: uint64(number), file: uint64(file)}, 0, size)
}

// reader reads the parts of a file.
type reader struct {
	ctx          context.Context
	shelf        Shelf
	number, file uint64
	at           int64 // part that was read last, from 1
	part         []byte
}

// ReadAt is only called by one goroutine at a time.
func (r *reader) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		if err := r.ctx.Err(); err != nil {
			return n, err
		}
		at := off + int64(n)
		if err := r.load(at / partBytes); err != nil {
			return n, err
		}
		from := at % partBytes
		if from >= int64(len(r.part)) {
			return n, io.EOF
		}
		n += copy(p[n:], r.part[from:])
	}
	return n, nil
}

func (r *reader) load(part int64) error {
	if r.at == part+1 {
		return nil
	}
	return r.shelf.View(func(tx *store.Tx) error {
		b, err := tx.Get(bucketFiles, keyOf(r.number, r.file, uint64(part)))
		r.at, r.part = part+1, b
		return err
	})
}
