// SPDX-License-Identifier: Apache-2.0

package format

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits on all archives of an import together.
const (
	maxEntries   = 100_000
	maxUnpacked  = 4 << 30  // bytes of all entries
	maxRatio     = 200      // expanded bytes for each packed byte, once ratioFrom bytes are expanded
	ratioFrom    = 1 << 20  // bytes
	maxDirectory = 16 << 20 // bytes of the directory of one archive
)

// expansion counts the entries of the archives so far and their bytes. Limits for each
// entry alone would let through an archive of very many small entries.
type expansion struct {
	entries          int
	packed, expanded uint64
}

// add counts an entry by the sizes in the directory. Package zip fails an entry that
// expands to more than its size there, so these sizes hold for the bytes that are read.
func (x *expansion) add(e *zip.File) *Problem {
	x.entries++
	packed, expanded := e.CompressedSize64, e.UncompressedSize64
	switch {
	case x.entries > maxEntries:
		return bomb(fmt.Sprintf("more than %d entries", maxEntries))
	case expanded > maxUnpacked || packed > maxUnpacked || x.expanded+expanded > maxUnpacked:
		return bomb(fmt.Sprintf("its entries expand to more than %d GiB", maxUnpacked>>30))
	}
	x.packed, x.expanded = x.packed+packed, x.expanded+expanded
	if x.expanded > ratioFrom && x.expanded/maxRatio > x.packed {
		return bomb(fmt.Sprintf("the entries up to this one expand to more than %d times their size", maxRatio))
	}
	return nil
}

// expand replaces archives by their entries. done closes what it opened.
func (r *reader) expand(files []File) (inputs []input, done func(), err error) {
	var shut []func()
	var total expansion
	done = func() {
		for _, f := range shut {
			f()
		}
	}
	for _, f := range files {
		if !strings.EqualFold(path.Ext(f.Name), ".zip") {
			inputs = append(inputs, input{name: f.Name, show: f.Name, open: f.Open, query: f.Query})
			continue
		}
		archive, release, p := openArchive(f, &total)
		shut = append(shut, release)
		if p != nil {
			err = r.refuse(p.at(place{file: f.Name, offset: -1}))
		} else {
			inputs, err = r.entries(f.Name, archive, inputs)
		}
		if err != nil {
			return inputs, done, err
		}
	}
	return inputs, done, nil
}

func openArchive(f File, total *expansion) (*zip.Reader, func(), *Problem) {
	at, size, shut, err := randomAccess(f)
	if err != nil {
		return nil, shut, unreadable(err, place{file: f.Name, offset: -1})
	}
	budget := &budgetReader{at, maxDirectory}
	archive, err := zip.NewReader(budget, size)
	if errors.Is(err, errDirectory) {
		return nil, shut, bomb(fmt.Sprintf("the list of its entries is larger than %d MiB", maxDirectory>>20))
	}
	if err != nil {
		return nil, shut, &Problem{Code: "zip", Reason: "the zip archive is incomplete", Hint: "copy the file again; it seems to be cut off"}
	}
	budget.left = -1
	counted := *total
	if p := checkArchive(archive, size, &counted); p != nil {
		return archive, shut, p
	}
	*total = counted // a refused archive expands to nothing
	return archive, shut, nil
}

// entries appends the entries to read of an archive.
func (r *reader) entries(name string, archive *zip.Reader, inputs []input) ([]input, error) {
	for _, e := range archive.File {
		in, p := entry(name, e)
		if p != nil {
			if err := r.refuse(p); err != nil {
				return inputs, err
			}
		} else if in.open != nil {
			inputs = append(inputs, in)
		}
	}
	return inputs, nil
}

// entry is one file of an archive; in.open is nil for a file that is skipped.
func entry(archive string, e *zip.File) (in input, p *Problem) {
	show := archive + "/" + e.Name
	if e.FileInfo().IsDir() || hidden(e.Name) {
		return in, nil
	}
	refuse := func(code, reason, hint string) (input, *Problem) {
		return in, &Problem{File: show, Code: code, Offset: -1, Reason: reason, Hint: hint}
	}
	switch {
	case e.Flags&1 != 0:
		return refuse("zip-encrypted", "the entry is encrypted", "make an archive without a password")
	case e.Method != zip.Store && e.Method != zip.Deflate:
		return refuse("zip", "the entry is packed in a way that cannot be read", "make an ordinary zip archive")
	case strings.EqualFold(path.Ext(e.Name), ".zip"):
		return refuse("zip-nested", "an archive inside an archive", "unpack it first")
	}
	return input{name: e.Name, show: show, open: func() (io.ReadCloser, error) { return openEntry(e) }}, nil
}

func openEntry(e *zip.File) (io.ReadCloser, error) {
	file, err := e.Open()
	if err != nil {
		return nil, damagedEntry(err)
	}
	return entryReader{file}, nil
}

// entryReader turns unpacking errors into problems.
type entryReader struct{ io.ReadCloser }

func (e entryReader) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = damagedEntry(err)
	}
	return n, err
}

func damagedEntry(error) error {
	return &Problem{Code: "zip", Offset: -1, Reason: "the entry is damaged", Hint: "make the archive again"}
}

// checkArchive refuses a whole archive, before anything of it is read, when it passes a
// limit or any entry shows that it is malicious.
func checkArchive(archive *zip.Reader, size int64, total *expansion) *Problem {
	for i, e := range archive.File {
		p := checkEntry(e)
		if p == nil {
			p = total.add(e)
		}
		if p != nil {
			p.Record = fmt.Sprintf("entry %d", i+1)
			return p
		}
	}
	return checkOverlap(archive, size)
}

func checkEntry(e *zip.File) *Problem {
	mode := e.Mode()
	switch {
	case unsafeName(e.Name):
		return &Problem{Code: "zip-path", Offset: -1, Reason: "the name of an entry leads outside the archive", Hint: "do not trust this archive"}
	case !mode.IsRegular() && !mode.IsDir():
		return &Problem{Code: "zip-path", Offset: -1, Reason: "the archive contains a link or a device", Hint: "pack only ordinary files"}
	}
	return nil
}

// unsafeName refuses every name that some system would not read as a path below the
// archive.
func unsafeName(name string) bool {
	name = strings.TrimSuffix(name, "/")
	return name == "" || path.IsAbs(name) || path.Clean(name) != name || name == ".." || strings.HasPrefix(name, "../") ||
		strings.ContainsAny(name, `\:`) || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl)
}

// checkOverlap refuses entries that share bytes of the archive, or that end after it: their
// packed sizes would hide how much they expand.
func checkOverlap(archive *zip.Reader, size int64) *Problem {
	type extent struct{ start, end int64 }
	var extents []extent
	for _, e := range archive.File {
		start, err := e.DataOffset()
		if err != nil {
			return &Problem{Code: "zip", Offset: -1, Reason: "the archive is damaged", Hint: "make it again"}
		}
		if e.CompressedSize64 > 0 {
			extents = append(extents, extent{start, start + int64(e.CompressedSize64)})
		}
	}
	slices.SortFunc(extents, func(a, b extent) int { return cmp.Compare(a.start, b.start) })
	if last := len(extents) - 1; last >= 0 && extents[last].end > size {
		return bomb("an entry is longer than the archive")
	}
	for i := 1; i < len(extents); i++ {
		if extents[i].start < extents[i-1].end {
			return bomb("its entries overlap")
		}
	}
	return nil
}

func bomb(reason string) *Problem {
	return &Problem{Code: "zip-bomb", Offset: -1, Reason: "the archive is refused: " + reason, Hint: "split it, or unpack it and check its content"}
}

// hidden reports whether a file is one that operating systems create.
func hidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || part == "__MACOSX" || strings.EqualFold(part, "Thumbs.db") || strings.EqualFold(part, "desktop.ini") {
			return true
		}
	}
	return false
}

var errDirectory = errors.New("list of entries too large")

// budgetReader reads at most left bytes; -1 means all.
type budgetReader struct {
	at   io.ReaderAt
	left int64
}

func (b *budgetReader) ReadAt(p []byte, off int64) (int, error) {
	if b.left < 0 {
		return b.at.ReadAt(p, off)
	}
	n, err := b.at.ReadAt(p, off)
	if b.left -= int64(n); b.left < 0 {
		b.left = 0
		return 0, errDirectory
	}
	return n, err
}

// randomAccess opens a file for random access. A stream is first copied to a temporary
// file, which has no name where the system allows it.
func randomAccess(f File) (io.ReaderAt, int64, func(), error) {
	file, err := f.Open()
	if err != nil {
		return nil, 0, func() {}, err
	}
	shut := func() { file.Close() }
	if seeker, found := file.(interface {
		io.ReaderAt
		io.Seeker
	}); found {
		size, err := seeker.Seek(0, io.SeekEnd)
		return seeker, size, shut, err
	}
	defer shut()
	spool, err := os.CreateTemp("", "hide-import-*")
	if err != nil {
		return nil, 0, func() {}, err
	}
	removed := os.Remove(spool.Name()) == nil
	drop := func() {
		spool.Close()
		if !removed {
			os.Remove(spool.Name())
		}
	}
	size, err := io.Copy(spool, io.LimitReader(file, maxUnpacked+1))
	if err == nil && size > maxUnpacked {
		err = bomb("it is larger than 4 GiB")
	}
	return spool, size, drop, err
}
