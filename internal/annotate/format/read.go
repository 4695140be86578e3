// SPDX-License-Identifier: Apache-2.0

package format

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/message"
	"hide/internal/tabular"
)

// maxProblems is the number of refused records that a report lists; it counts all.
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
	header  []string // of the first table
	remarks tally
	first   map[remark]place // where a remark of remarkAt was made first
	people  *message.People  // of the files of FHIR resources
	// converted maps a place in the UTF-8 text of a file to one in the file itself, by the
	// file's name in reports.
	converted map[string]func(offset int64) int64
}

// input is one file to read, perhaps inside an archive.
type input struct {
	name   string                        // name of its document
	show   string                        // name in reports
	open   func() (io.ReadCloser, error) // as UTF-8, once the plan is made
	raw    func() (io.ReadCloser, error) // the bytes of the file; nil if open gives them
	beside *input                        // the file with its spans; nil for none

	query func(context.Context) (Cursor, error) // in place of open; nil for a file
}

// bytes opens the file without converting its encoding.
func (in input) bytes() (io.ReadCloser, error) {
	if in.raw != nil {
		return in.raw()
	}
	return in.open()
}

// Read reads the files and passes every document to sink. Without Options.SkipBad it stops
// at the first bad record and returns it as a *Problem, with the report so far. An error of
// ctx or of the sink is returned unchanged.
func Read(ctx context.Context, files []File, opts Options, sink Sink) (Report, error) {
	r, err := read(ctx, files, opts, sink)
	return r.report, err
}

// read is Read that gives all that the reader has learnt.
func read(ctx context.Context, files []File, opts Options, sink Sink) (*reader, error) {
	r := &reader{ctx: ctx, opts: opts, sink: sink, names: names{}, remarks: tally{}, converted: map[string]func(int64) int64{}}
	if k, found := findKind(opts.Format); opts.Format != "" && (!found || k.read == nil) {
		return r, unknownFormat(opts.Format, isReadable)
	}
	if opts.Encoding != "" && !slices.Contains(Encodings(), opts.Encoding) {
		return r, unknownEncoding(opts.Encoding)
	}
	inputs, done, err := r.expand(files)
	defer done()
	if err == nil {
		err = r.readAll(inputs)
	}
	r.finish()
	return r, err
}

func (r *reader) finish() {
	if r.report.Problems == nil {
		r.report.Problems = []Problem{}
	}
	r.report.Notes = r.locatedRemarks().lines()
	r.report.Detail = strings.Join(r.details, "; ")
	switch len(r.formats) {
	case 0:
	case 1:
		r.report.Format = r.formats[0]
	default:
		r.report.Format = "mixed"
	}
}

// used records a format that was read, with a remark on how.
func (r *reader) used(format, detail string) {
	if !slices.Contains(r.formats, format) {
		r.formats = append(r.formats, format)
	}
	if detail != "" && !slices.Contains(r.details, detail) {
		r.details = append(r.details, detail)
	}
}

// readAll reads every input by its format. It first pairs brat texts with their
// annotations.
func (r *reader) readAll(inputs []input) error {
	jobs := r.plan(inputs)
	if err := r.collectPeople(jobs); err != nil {
		return err
	}
	for _, j := range jobs {
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
	if j.kind.Name == "brat" {
		return r.brat(j)
	}
	return j.kind.read(r, j.input)
}

// refuse lists p when bad records are to be skipped, and returns it otherwise.
func (r *reader) refuse(p *Problem) error {
	if source := r.converted[p.File]; source != nil && p.Offset >= 0 && !p.source {
		p.Offset = source(p.Offset)
	}
	r.report.Refused++
	if len(r.report.Problems) < maxProblems {
		r.report.Problems = append(r.report.Problems, *p)
	}
	if r.opts.SkipBad {
		return nil
	}
	return p
}

// place is the position of a record.
type place struct {
	file, record string
	offset       int64
}

// at fills in the position of a problem where it is missing.
func (p *Problem) at(w place) *Problem {
	p.File = cmp.Or(p.File, w.file)
	if p.Record == "" {
		p.Record = w.record
	}
	if !p.located {
		p.Offset, p.located = w.offset, true
	}
	return p
}

// deliver checks a document by the rules of every format, and passes it to the sink.
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

// deliverText is deliver for files that can hold pictures: one without text may be a scan,
// and is not an empty note.
func (r *reader) deliverText(d annotate.Annotated, w place) error {
	if strings.TrimSpace(d.Text) == "" {
		return r.refuse((&Problem{Code: "empty-document", Reason: "the document has no text", Hint: "recognise the text first (OCR) if it has pictures, or leave it out"}).at(w))
	}
	return r.deliver(d, w)
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

// FromPaths lists files, and the files below folders in order of their names. A file is
// named by its last element, one in a folder by its path from there. Below folders, links
// are not followed and hidden files are skipped. done closes the folders, after reading.
func FromPaths(paths []string) (files []File, done func() error, err error) {
	var roots []*os.Root
	done = func() error {
		var errs []error
		for _, root := range roots {
			errs = append(errs, root.Close())
		}
		return errors.Join(errs...)
	}
	for _, p := range paths {
		info, err := os.Stat(p)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s: %w: check the name", p, fs.ErrNotExist)
		}
		if err != nil {
			return nil, done, errors.Join(err, done())
		}
		if !info.IsDir() {
			files = append(files, single(p, info))
			continue
		}
		root, err := os.OpenRoot(p)
		if err != nil {
			return nil, done, errors.Join(err, done())
		}
		roots = append(roots, root)
		below, err := walk(root)
		if err != nil {
			return nil, done, errors.Join(fmt.Errorf("list %s: %w", p, err), done())
		}
		files = append(files, below...)
	}
	return files, done, nil
}

func single(p string, info fs.FileInfo) File {
	return File{Name: filepath.Base(p), Size: info.Size(), Open: func() (io.ReadCloser, error) { return os.Open(p) }}
}

func walk(root *os.Root) ([]File, error) {
	var files []File
	err := fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name != "." && hidden(entry.Name()) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		files = append(files, File{Name: name, Size: info.Size(), Open: func() (io.ReadCloser, error) { return root.Open(name) }})
		return nil
	})
	return files, err
}

// names stores the names of the documents so far, in 16 bytes each.
type names map[[16]byte]struct{}

// add reports whether the name is new.
func (n names) add(name string) bool {
	if n.has(name) {
		return false
	}
	n[nameKey(name)] = struct{}{}
	return true
}

func (n names) has(name string) bool {
	_, found := n[nameKey(name)]
	return found
}

func nameKey(name string) [16]byte {
	sum := sha256.Sum256([]byte(SameName(name)))
	return [16]byte(sum[:16])
}

// SameName is equal for two names that count as one: they differ only in case or in Unicode
// normal form, which many file systems do not distinguish.
func SameName(name string) string { return tabular.Fold(name) }

func duplicate() *Problem {
	return &Problem{
		Code:   "duplicate-id",
		Reason: "another document has this id",
		Hint:   "ids that differ only in case or in Unicode normal form count as the same",
	}
}

// tally counts remarks.
type tally map[remark]int

// remark is "3 spans ARE TAKEN ONCE": a counted thing and its predicate, each in the
// singular and plural. With an empty thing the remark is used as it is.
type remark struct{ thing, text string }

// remarkAt counts a remark about one thing, and keeps the first place.
func (r *reader) remarkAt(thing, text string, w place) {
	key := remark{thing, text}
	if r.remarks[key] == 0 {
		if r.first == nil {
			r.first = map[remark]place{}
		}
		r.first[key] = w
	}
	r.remarks.add(1, thing, text)
}

// locatedRemarks are the remarks, with their first places.
func (r *reader) locatedRemarks() tally {
	all := tally{}
	for key, n := range r.remarks {
		if w, found := r.first[key]; found {
			key.text += fmt.Sprintf("; first in %s at byte %d", strings.Map(visible, w.file), w.offset)
		}
		all[key] += n
	}
	return all
}

func (t tally) add(n int, thing, said string) {
	if n > 0 {
		t[remark{thing, said}] += n
	}
}

// lines are the remarks in a fixed order.
func (t tally) lines() []string {
	lines := make([]string, 0, len(t))
	for _, m := range slices.SortedFunc(maps.Keys(t), compareRemarks) {
		switch {
		case m.thing == "":
			lines = append(lines, m.text)
		case t[m] == 1:
			lines = append(lines, "1 "+m.thing+": "+m.text)
		default:
			lines = append(lines, fmt.Sprintf("%d %ss: %s", t[m], m.thing, m.text))
		}
	}
	return lines
}

func compareRemarks(a, b remark) int {
	return slices.Compare([]string{a.text, a.thing}, []string{b.text, b.thing})
}
