// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
)

// schema is the envelope this package understands.
const schema = "hide release 2"

var (
	// ErrNotRelease is returned if there is no release to verify.
	ErrNotRelease = errors.New("this is not a release of hide")
	// ErrOlder is returned, with a report on SHA256SUMS alone, for a release in the
	// format of an earlier version.
	ErrOlder = errors.New("an earlier version of hide wrote this release in an older format: publish it again to verify it")
	// ErrMapping is returned if a re-identification map does not belong to the release.
	ErrMapping = errors.New("the re-identification map does not belong to this release")
)

// olderSchemas are those of releases before the envelope.
var olderSchemas = []string{"hide release 1", "hide table release 1", "hide joint release 1", "hide strong release 1"}

// Files of every release, and limits.
const (
	manifestName  = "manifest.json"
	sumsName      = "SHA256SUMS"
	manifestLimit = 512 << 20 // a million notes need 150 MB
	lineLimit     = 256 << 20
	csvLimit      = 4 << 30
)

// manifest is manifest.json, its fields in the order of the file.
type manifest struct {
	Schema    string          `json:"schema"`
	Kind      string          `json:"kind"`
	Tool      string          `json:"tool"`
	Version   string          `json:"version"`
	Created   string          `json:"created"`
	Name      string          `json:"name,omitempty"`
	Project   string          `json:"project,omitempty"`
	Statement string          `json:"statement"`
	Warnings  []string        `json:"warnings"`
	Review    *Review         `json:"review,omitempty"`
	Linkage   *Linkage        `json:"linkage,omitempty"`
	Claims    json.RawMessage `json:"claims"`
	Formulas  *formulas       `json:"formula_safe,omitempty"`
	Files     []file          `json:"files"`
}

// file is a file of the release, as it is listed or as it is found.
type file struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// release is the state of a verification that all kinds share.
type release struct {
	*Report
	fsys     fs.FS
	found    map[string]file
	folders  []string
	manifest manifest
}

// Release checks a release on its own. Problems are in the report; an error means that
// something could not be read, or that this is not a release.
func Release(fsys fs.FS) (Result, error) {
	r, err := openRelease(fsys)
	if err != nil {
		return r.Report, err
	}
	switch r.manifest.Kind {
	case "text":
		c, err := checkText(r)
		return c.report, err
	case "table":
		return checkTable(r)
	case "joint":
		c, err := checkJoint(r)
		return c.report, err
	case "cube", "sequences", "query":
		return checkCounts(r)
	case "bulk":
		return checkBulk(r)
	}
	return r.Report, fmt.Errorf("%w: this program does not know a release of kind %q", ErrNotRelease, r.manifest.Kind)
}

// Against checks a release of kind text or joint and compares it with its originals.
// Originals that are not part of a release of text are ignored. It checks ctx before each
// row of a joint release.
func Against(ctx context.Context, fsys fs.FS, mapping, originals io.Reader) (Result, error) {
	r, err := openRelease(fsys)
	if err != nil {
		return r.Report, err
	}
	switch r.manifest.Kind {
	case "text":
		return textAgainst(r, mapping, originals)
	case "joint":
		return jointAgainst(ctx, r, mapping, originals)
	}
	return r.Report, fmt.Errorf("only releases of notes are compared with originals, and this is a release of kind %q", r.manifest.Kind)
}

// openRelease checks what all kinds share.
func openRelease(fsys fs.FS) (*release, error) {
	r := &release{Report: &Report{OK: true, Problems: []Problem{}}, fsys: fsys, found: map[string]file{}}
	if err := r.walk(); err != nil {
		return r, fmt.Errorf("list the release: %w", err)
	}
	own, there := r.found[manifestName]
	if !there {
		return r, fmt.Errorf("%w: there is no %s", ErrNotRelease, manifestName)
	}
	r.SHA256 = own.SHA256
	r.checkSums()
	if err := r.readManifest(); err != nil {
		return r, err
	}
	r.checkFiles()
	r.checkReview()
	r.checkFormulas()
	return r, nil
}

// walk hashes every file and reports everything that is not a plain file.
func (r *release) walk() error {
	return fs.WalkDir(r.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case name == notesFolder && d.IsDir():
			r.folders = append(r.folders, name)
			return nil
		case !d.Type().IsRegular():
			r.Add(name, "is not a plain file")
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		return r.hash(name)
	})
}

func (r *release) hash(name string) error {
	f, err := r.fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		r.Add(name, "cannot be read whole")
		n = -1
	}
	r.found[name] = file{name, n, hex.EncodeToString(h.Sum(nil))}
	r.Files++
	r.Bytes += max(n, 0)
	return nil
}

// checkSums compares SHA256SUMS with the files, byte for byte: there is only one valid
// way to write it.
func (r *release) checkSums() {
	var want strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.found)) {
		if name != sumsName {
			fmt.Fprintf(&want, "%s  %s\n", r.found[name].SHA256, name)
		}
	}
	got, err := r.read(sumsName, int64(want.Len())+1<<20)
	if err != nil {
		r.Add(sumsName, "%v", err)
		return
	}
	if string(got) != want.String() {
		r.nameSums(string(got))
	}
}

// nameSums lists the wrong lines of SHA256SUMS.
func (r *release) nameSums(got string) {
	before, listed := r.Found, map[string]bool{}
	for line := range strings.Lines(got) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		is, there := r.found[name]
		switch {
		case !ok || !there || name == sumsName:
			r.Add(sumsName, "lists a file that is not there")
			continue
		case is.SHA256 != sum:
			r.Add(name, "is not the file that %s lists", sumsName)
		}
		listed[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(r.found)) {
		if !listed[name] && name != sumsName {
			r.Add(name, "is not listed in %s", sumsName)
		}
	}
	if r.Found == before {
		r.Add(sumsName, "is not in order")
	}
}

// readManifest reads the envelope.
func (r *release) readManifest() error {
	text, err := r.read(manifestName, manifestLimit)
	if err != nil {
		return fmt.Errorf("%s %w", manifestName, err)
	}
	var named struct{ Schema string }
	_ = json.Unmarshal(text, &named) // readManifest reports the error below
	if slices.Contains(olderSchemas, named.Schema) {
		return ErrOlder
	}
	m := &r.manifest
	if err := strict(text, m); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrNotRelease, manifestName, err)
	}
	if m.Schema != schema {
		return fmt.Errorf("%w: this program understands %q only", ErrNotRelease, schema)
	}
	again, err := json.MarshalIndent(m, "", "  ")
	if err != nil || string(again)+"\n" != string(text) {
		r.Add(manifestName, "is not written as it should be")
	}
	if _, err := time.Parse(time.RFC3339, m.Created); err != nil {
		r.Add(manifestName, "has no time of creation")
	}
	r.Schema, r.Kind, r.Name, r.Tool, r.Created, r.Statement, r.project = m.Schema, m.Kind, m.Name, m.Tool+" "+m.Version, m.Created, m.Statement, m.Project
	return nil
}

// checkFiles compares the list of files with the files.
func (r *release) checkFiles() {
	if r.Kind != "text" {
		for _, name := range r.folders {
			r.Add(name, "is not a plain file")
		}
	}
	listed := map[string]bool{}
	for i, l := range r.manifest.Files {
		is, there := r.found[l.Path]
		switch {
		case !there:
			r.Add(manifestName, "file %d of its list is not there", i+1)
		case listed[l.Path] || i > 0 && r.manifest.Files[i-1].Path > l.Path:
			r.Add(manifestName, "file %d of its list is not in order", i+1)
		case is.Bytes != l.Bytes:
			r.Add(l.Path, "has %d bytes, %d are claimed", is.Bytes, l.Bytes)
		case is.SHA256 != l.SHA256:
			r.Add(l.Path, "does not have the SHA-256 that is claimed")
		}
		listed[l.Path] = true
	}
	for _, name := range slices.Sorted(maps.Keys(r.found)) {
		if !listed[name] && name != manifestName && name != sumsName {
			r.Add(name, "is not claimed by %s", manifestName)
		}
	}
}

// claims decodes the claims of the manifest into a struct with all known fields.
func (r *release) claims(into any) error {
	if err := strict(r.manifest.Claims, into); err != nil {
		return fmt.Errorf("%w: the claims in %s: %w", ErrNotRelease, manifestName, err)
	}
	is, err1 := json.Marshal(r.manifest.Claims)
	again, err2 := json.Marshal(into)
	// Parts that are copied unread can have twins. Those of redacted text cannot be told
	// from two labels that differ in case, which a project may have.
	copied := r.manifest.Kind != "text" && r.manifest.Kind != "bulk" && twins(is) != nil
	if err1 != nil || err2 != nil || !bytes.Equal(is, again) || copied {
		r.Add(manifestName, "its claims are not written as they should be")
	}
	return nil
}

// strict decodes one JSON value with known fields and nothing after it.
func strict(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("not as expected at byte %d", dec.InputOffset())
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("more than one value at byte %d", dec.InputOffset())
	}
	return nil
}

// read reads a file whole.
func (r *release) read(name string, limit int64) ([]byte, error) {
	f, err := r.fsys.Open(name)
	if err != nil {
		return nil, errors.New("cannot be opened")
	}
	defer f.Close() // only read
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(f, limit+1)); err != nil {
		return nil, errors.New("cannot be read whole")
	}
	if int64(b.Len()) > limit {
		return nil, fmt.Errorf("is longer than %d bytes", limit)
	}
	return b.Bytes(), nil
}

// readCSV reads a file of counts, with at least one row and the same number of columns in
// each.
func (r *release) readCSV(name string) ([][]string, error) {
	text, err := r.read(name, csvLimit)
	if err != nil {
		return nil, fmt.Errorf("%s %w", name, err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, fmt.Errorf("%s is not a table", name)
	}
	for _, row := range rows {
		r.restore(row)
	}
	return rows, nil
}

// eachLine calls do for each line with its number from 1, including the line feed. A last
// line without one is an error, unless lenient.
func eachLine(r io.Reader, lenient bool, do func(n int, line []byte) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	for n := 1; ; n++ {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) && (len(line) == 0 || lenient) {
			if len(line) > 0 {
				err = do(n, line)
			}
			return ignoreEOF(err)
		}
		if errors.Is(err, io.EOF) {
			err = errors.New("it has no end")
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := do(n, line); err != nil {
			return err
		}
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// readLine reads up to the next line feed, or to [io.EOF].
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > lineLimit {
			return line, errors.New("it is too long")
		}
	}
}
