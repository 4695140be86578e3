// SPDX-License-Identifier: Apache-2.0

// Package release writes and reads the envelope that all kinds of release share: a folder
// of files with one manifest.
//
//	manifest.json  a [Manifest]: kind, program, statement, warnings, claims, files
//	SHA256SUMS     the SHA-256 of every other file, as sha256sum writes and checks it
//	...            the files of its kind, such as notes.jsonl or table.csv
//
// [Write] writes a folder from a list of files; [Create] is for a release whose files are
// not known in advance. Either way the folder appears whole or not at all, and only its
// owner can read the files. [Zip] packs it. [Open] reads a release whose manifest hash is
// on record. The package that makes the release decides its claims; package verify, which
// shares no code with this one, checks them.
package release

import (
	"bytes"
	"context"
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"hide/internal/tabular"
)

// Schema is the version of the envelope that this package writes and reads.
const Schema = "hide release 2"

// Attacked is what an attacker who goes for the patients links.
type Attacked struct {
	Words   []string        `json:"words"`             // sentences for people
	Figures json.RawMessage `json:"figures,omitempty"` // as the attacker's package writes them
}

// Tool is the program that writes releases.
const Tool = "hide"

// Kind is the content of a release, which decides its claims.
type Kind string

const (
	Text      Kind = "text"      // redacted notes
	Table     Kind = "table"     // a generalized table
	Joint     Kind = "joint"     // notes with a table
	Cube      Kind = "cube"      // differentially private counts
	Sequences Kind = "sequences" // differentially private counts of sequences
	Query     Kind = "query"     // the differentially private answer to a query
	Bulk      Kind = "bulk"      // redacted notes or messages of merged shards, in one file
)

// Manifest is manifest.json: everything that a release says about itself.
type Manifest struct {
	Schema    string    `json:"schema"`
	Kind      Kind      `json:"kind"`
	Tool      string    `json:"tool"`    // [Tool]
	Version   string    `json:"version"` // of the tool
	Created   time.Time `json:"created"`
	Name      string    `json:"name,omitempty"`    // in its project: "release-1"
	Project   string    `json:"project,omitempty"` // its id, not its name
	Statement string    `json:"statement"`         // the guarantees of the release, and their limits
	Warnings  []string  `json:"warnings"`          // further facts for the recipient
	Review    *Review   `json:"review,omitempty"`  // of a release of a project
	Linkage   *Linkage  `json:"linkage,omitempty"` // of a release of a project
	Claims    any       `json:"claims"`            // by kind
	Formulas  *Formulas `json:"formula_safe,omitempty"`
	Files     []File    `json:"files"` // all but the manifest and SHA256SUMS, by path
}

// Formulas says which cells of the tables have a prefix, so that no spreadsheet program
// runs them, see [tabular.Writer]. Releases of earlier versions, whose cells are as they
// were, do not have it.
type Formulas struct {
	Rule  string      `json:"rule"`  // [tabular.Rule]
	Files []TableFile `json:"files"` // every table, by path
}

// TableFile is a table of a release.
type TableFile struct {
	Path string `json:"path"`
	tabular.Prefixed
}

// File is a file of a release.
type File struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// encode writes the manifest of a release with these files and tables. Times are cut to
// seconds.
func (m Manifest) encode(files []File, tables []TableFile) ([]byte, error) {
	m.Schema, m.Tool, m.Created, m.Files = Schema, Tool, m.Created.UTC().Truncate(time.Second), files
	if len(tables) > 0 {
		m.Formulas = &Formulas{tabular.Rule, tables}
	}
	return m.text()
}

func (m Manifest) text() ([]byte, error) {
	if m.Warnings == nil {
		m.Warnings = []string{}
	}
	text, err := json.MarshalIndent(m, "", "  ")
	return append(text, '\n'), err
}

// Random is a generator seeded by the system's random source, for orders, numbers and
// synthetic records that must reveal nothing. No caller can choose its seed. Noise comes
// from package noise instead.
func Random() *rand.Rand {
	var seed [32]byte
	cryptorand.Read(seed[:]) // never fails: it ends the program instead
	return rand.New(rand.NewChaCha8(seed))
}

// MostRead is the largest file, in bytes, that a [Reader] reads.
const MostRead = 32 << 20

// ErrTooLarge is returned for a file of more than [MostRead] bytes.
var ErrTooLarge = fmt.Errorf("more than %d MB", MostRead>>20)

// Reader reads the files of a release whose manifest hash is known. It refuses a
// file that has changed since.
type Reader struct {
	Manifest Manifest // its claims are read by Claims
	fsys     fs.FS
	claims   json.RawMessage
}

// Open reads the manifest of a release. sum is its SHA-256.
func Open(fsys fs.FS, sum string) (*Reader, error) {
	r := &Reader{fsys: fsys}
	text, err := r.read(manifestFile, sum)
	if err != nil {
		return nil, err
	}
	r.Manifest.Claims = &r.claims
	if json.Unmarshal(text, &r.Manifest) != nil {
		return nil, Damaged(manifestFile)
	}
	if r.Manifest.Schema != Schema {
		r.claims = text // releases of the first form had their claims beside the other fields
	}
	return r, nil
}

// Claims decodes what the release claims.
func (r *Reader) Claims(into any) error {
	if json.Unmarshal(r.claims, into) != nil {
		return Damaged(manifestFile)
	}
	return nil
}

// File reads a listed file.
func (r *Reader) File(name string) ([]byte, error) {
	for _, f := range r.Manifest.Files {
		if f.Path == name {
			return r.read(name, f.SHA256)
		}
	}
	return nil, Damaged(manifestFile)
}

// Table reads a listed table of at least one record, whose cells are as they were before
// they were made safe.
func (r *Reader) Table(name string) ([][]string, error) {
	text, err := r.File(name)
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, Damaged(name)
	}
	for _, row := range rows {
		r.Restore(row)
	}
	return rows, nil
}

// Restore undoes in place what made the cells of a record safe.
func (r *Reader) Restore(record []string) {
	if r.Manifest.Formulas == nil {
		return
	}
	for i, cell := range record {
		record[i] = tabular.Restore(cell)
	}
}

func (r *Reader) read(name, sum string) ([]byte, error) {
	f, err := r.fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened", name)
	}
	defer f.Close() // only read
	text, err := io.ReadAll(io.LimitReader(f, MostRead+1))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read", name)
	}
	if len(text) > MostRead {
		return nil, fmt.Errorf("%s: %w", name, ErrTooLarge)
	}
	if is := sha256.Sum256(text); hex.EncodeToString(is[:]) != sum {
		return nil, Damaged(name)
	}
	return text, nil
}

// Damaged says that a file is not what was written.
func Damaged(name string) error { return fmt.Errorf("%s is damaged or was changed", name) }

// Names of the files that every release has.
const (
	manifestFile = "manifest.json"
	sumsFile     = "SHA256SUMS"
)

// Content is a file to be written, with one of the functions.
type Content struct {
	Name  string
	Write func(io.Writer) error
	Table func(*tabular.Writer) error // writes a table, to be opened in a spreadsheet program
}

// write writes the content.
func (c Content) write(f *Folder) error {
	if c.Table != nil {
		return f.addTable(c.Name, c.Table)
	}
	return f.Add(c.Name, c.Write)
}

// Bytes is a file with this content.
func Bytes(name string, content []byte) Content {
	return Content{Name: name, Write: func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}}
}

// JSON is a file that holds v, indented.
func JSON(name string, v any) Content {
	return Content{Name: name, Write: func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	}}
}

// Write writes a release folder, which must not exist yet and appears whole or not at
// all. check sees all files before the folder appears, and an error from it stops
// everything; it may be nil. The returned sum is that of manifest.json, which can later
// expose a forged release.
func Write(ctx context.Context, dir string, m Manifest, contents []Content, check func(fs.FS) error) (sum string, err error) {
	f, err := Create(dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Discard()) }()
	for _, c := range contents {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if err := c.write(f); err != nil {
			return "", err
		}
	}
	return f.Finish(ctx, m, check)
}

// Finish writes the manifest of all files and SHA256SUMS and moves the folder into
// its place. See [Write].
func (f *Folder) Finish(ctx context.Context, m Manifest, check func(fs.FS) error) (sum string, err error) {
	slices.SortFunc(f.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(f.tables, func(a, b TableFile) int { return strings.Compare(a.Path, b.Path) })
	text, err := m.encode(slices.Clip(f.files), f.tables)
	if err != nil {
		return "", err
	}
	if err := f.Add(manifestFile, Bytes("", text).Write); err != nil {
		return "", err
	}
	sum = f.files[len(f.files)-1].SHA256
	if err := f.Add(sumsFile, Bytes("", sumsOf(f.files)).Write); err != nil {
		return "", err
	}
	if check != nil {
		err := check(Until(ctx, f.root.FS()))
		if err := errors.Join(ctx.Err(), err); err != nil {
			return "", err
		}
	}
	return sum, f.commit(ctx)
}

// sumsOf lists the files as sha256sum does, so that anybody can check them.
func sumsOf(files []File) []byte {
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	var b bytes.Buffer
	for _, f := range files {
		fmt.Fprintf(&b, "%s  %s\n", f.SHA256, f.Path)
	}
	return b.Bytes()
}
