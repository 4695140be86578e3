// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"

	"hide/internal/annotate"
	"hide/internal/hint"
	"hide/internal/outfile"
	"hide/internal/publish/release"
	"hide/internal/strictjson"
	"hide/internal/words"
)

// Schema is the version of the manifests that this package writes and reads.
const Schema = "hide shard 1"

// Manifest says what a shard is and which files it has. It names files of the input and their
// SHA-256, so it stays where the input is: no release contains it.
type Manifest struct {
	Schema   string   `json:"schema"`
	Settings Settings `json:"settings"`
	Input    Input    `json:"input"`
	Shard    int      `json:"shard"` // from 0
	Of       int      `json:"of"`
	Read     Part     `json:"read"`
	Output   File     `json:"output"`
	Errors   *File    `json:"errors"` // of records that were left out; null if none may be
	Counts   Counts   `json:"counts"`
	// Seconds is the time that the shard took. Nothing else of a manifest depends on the time.
	Seconds float64 `json:"seconds"`
}

// Settings decide the output, together with the input. All shards of a release have the same.
type Settings struct {
	Version     string           `json:"version"` // of the program
	Bundle      string           `json:"bundle_sha256"`
	Placeholder string           `json:"placeholder"` // of the bundle: a format, with LABEL for the label
	Labels      []annotate.Label `json:"labels"`      // of the bundle
	Format      string           `json:"format"`
	Encoding    string           `json:"encoding,omitempty"`
	Keep        []string         `json:"keep,omitempty"`
	People      string           `json:"people_sha256,omitempty"`
	Key         string           `json:"key_fingerprint,omitempty"` // see [Fingerprint]
	Skip        bool             `json:"skip_bad"`
}

// Input is the identity of the whole input of all shards. Empty files do not count.
type Input struct {
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // of the list of names and sizes, see [Identify]
}

// Part is what one shard reads.
type Part struct {
	Ranges []Range `json:"ranges"`
	Bytes  int64   `json:"bytes"`
	SHA256 string  `json:"sha256"` // of the bytes of all ranges, one after the other
}

// Range is a range of bytes of a file.
type Range struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"` // of the whole file
	From  int64  `json:"from"`
	To    int64  `json:"to"` // exclusive
}

// File is a file of the input, or one that a shard wrote.
type File = release.File

// Counts sum up a shard.
type Counts struct {
	Notes      int                    `json:"notes"`
	Refused    int                    `json:"refused"`
	Redactions map[annotate.Label]int `json:"redactions"` // placeholders in texts, by label
}

// misfit says what shards of different wholes differ in, "" for shards that fit together.
func (m *Manifest) misfit(other *Manifest) string {
	a, b := m.Settings, other.Settings
	for _, d := range []struct {
		what    string
		differs bool
	}{
		{"another bundle", a.Bundle != b.Bundle},
		{"another input", m.Input != other.Input},
		{"another number of shards", m.Of != other.Of},
		{"another version of hide", a.Version != b.Version},
		{"another key", a.Key != b.Key},
		{"a run with another --format", a.Format != b.Format},
		{"a run with another --encoding", a.Encoding != b.Encoding},
		{"a run with another --people", a.People != b.People},
		{"a run with another --keep", !slices.Equal(a.Keep, b.Keep)},
		{"a run with another choice of --skip-bad", a.Skip != b.Skip},
		{"other settings", !reflect.DeepEqual(a, b)},
	} {
		if d.differs {
			return d.what
		}
	}
	return ""
}

// Name is the name of the shard, with leading zeros: files that are sorted by name are in the
// order of the shards.
func Name(shard, of int) string {
	width := len(fmt.Sprint(of))
	return fmt.Sprintf("shard-%0*d-of-%d", width, shard, of)
}

// extensions of the output by format.
var extensions = map[string]string{"jsonl": ".jsonl", "text": ".jsonl", "hl7": ".hl7", "ccda": ".xml", "fhir": ".fhir"}

// OutputName is the name of the output of a shard, below its folder.
func (m *Manifest) OutputName() string { return Name(m.Shard, m.Of) + extensions[m.Settings.Format] }

func (m *Manifest) errorsName() string { return Name(m.Shard, m.Of) + ".errors" }

// Name is the name of the manifest, below its folder.
func (m *Manifest) Name() string { return Name(m.Shard, m.Of) + manifestExtension }

const manifestExtension = ".json"

// Write writes the manifest as text.
func (m *Manifest) Write(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(m)
}

// mostManifest is the largest manifest in bytes: of a million files.
const mostManifest = 1 << 28

// ReadManifest reads the manifest of a file.
func ReadManifest(name string) (*Manifest, error) {
	text, err := readSome(name)
	if err != nil {
		return nil, fmt.Errorf("read manifest %s: %w", name, outfile.Cause(err))
	}
	m, err := ParseManifest(text)
	if err != nil {
		return nil, hint.Add(fmt.Errorf("%s is not the manifest of a shard: %w", name, err), "redact the shard again with --again")
	}
	return m, nil
}

func readSome(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	text, err := io.ReadAll(io.LimitReader(f, mostManifest+1))
	if err == nil && len(text) > mostManifest {
		err = fmt.Errorf("more than %d bytes", mostManifest)
	}
	return text, err
}

// ParseManifest reads a manifest. It refuses whatever [Manifest.Write] cannot have written.
func ParseManifest(text []byte) (*Manifest, error) {
	m := &Manifest{}
	if err := strictjson.Decode(text, m); err != nil {
		return nil, err
	}
	return m, m.check()
}

var sha256Form = regexp.MustCompile(`^[0-9a-f]{64}$`)

// check refuses what no shard can be.
func (m *Manifest) check() error {
	switch {
	case m.Schema != Schema:
		return fmt.Errorf("its schema is not %q", Schema)
	case m.Of < 1 || m.Of > MostShards || m.Shard < 0 || m.Shard >= m.Of:
		return errors.New("its number is not below the number of shards")
	case extensions[m.Settings.Format] == "":
		return errors.New("its format is unknown")
	case m.Output.Path != m.OutputName() || m.Output.Bytes < 0:
		return errors.New("its output is not the one of the shard")
	case (m.Errors != nil) != m.Settings.Skip || m.Errors != nil && (m.Errors.Path != m.errorsName() || m.Errors.Bytes < 0):
		return errors.New("its file of errors is not the one of the shard")
	case m.Counts.Notes < 0 || m.Counts.Refused < 0 || m.Counts.Refused > 0 && !m.Settings.Skip:
		return errors.New("its counts are impossible")
	case m.Seconds < 0:
		return errors.New("its time is below zero")
	}
	return errors.Join(m.checkHashes(), m.checkRead())
}

func (m *Manifest) checkHashes() error {
	sums := map[string]string{"bundle": m.Settings.Bundle, "input": m.Input.SHA256, "shard of the input": m.Read.SHA256, "output": m.Output.SHA256}
	if m.Settings.People != "" {
		sums["people"] = m.Settings.People
	}
	if m.Errors != nil {
		sums["errors"] = m.Errors.SHA256
	}
	for _, what := range []string{"bundle", "input", "shard of the input", "output", "people", "errors"} {
		if sum, there := sums[what]; there && !sha256Form.MatchString(sum) {
			return fmt.Errorf("its SHA-256 of the %s is not one", what)
		}
	}
	return nil
}

// checkRead checks that each range continues the one before.
func (m *Manifest) checkRead() error {
	sum := int64(0)
	for i, r := range m.Read.Ranges {
		if r.File == "" || r.From < 0 || r.From >= r.To || r.To > r.Bytes {
			return fmt.Errorf("range %d of its input is not a range of a file", i+1)
		}
		if i > 0 && !r.follows(m.Read.Ranges[i-1]) {
			return fmt.Errorf("range %d of its input does not continue the one before", i+1)
		}
		sum += r.To - r.From
	}
	if sum != m.Read.Bytes {
		return errors.New("its ranges do not have the bytes that it claims")
	}
	return nil
}

// follows reports whether nothing lies between two ranges.
func (r Range) follows(before Range) bool {
	if r.File == before.File {
		return r.Bytes == before.Bytes && r.From == before.To
	}
	return r.File > before.File && before.To == before.Bytes && r.From == 0
}

// Summarize says in a line for people what the shard is.
func (m *Manifest) Summarize(w io.Writer, dir string) {
	placeholders := 0
	for _, n := range m.Counts.Redactions {
		placeholders += n
	}
	fmt.Fprintf(w, "%s: shard %d of %d, %s with %s", filepath.Join(dir, m.Output.Path), m.Shard, m.Of,
		words.Count(m.Counts.Notes, "note", "notes"), words.Count(placeholders, "placeholder", "placeholders"))
	if m.Counts.Refused > 0 {
		fmt.Fprintf(w, "; left out because they cannot be read: %d, see %s", m.Counts.Refused, m.errorsName())
	}
	fmt.Fprintln(w)
}
