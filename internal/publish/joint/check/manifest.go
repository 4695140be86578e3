// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bytes"
	"crypto/sha256"
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

// Schema is the release that this package understands.
const Schema = "hide joint release 1"

// ErrNoRelease is returned when there is no such release at all.
var ErrNoRelease = errors.New("this is not a release of texts with a table")

const (
	manifestName  = "manifest.json"
	sumsName      = "SHA256SUMS"
	rowsName      = "rows.jsonl"
	tableName     = "data.csv"
	manifestLimit = 16 << 20
	lineLimit     = 256 << 20
)

// manifest is manifest.json, its fields in the order of the file.
type manifest struct {
	Schema     string          `json:"schema"`
	Tool       string          `json:"tool"`
	Created    string          `json:"created"`
	Statement  string          `json:"statement"`
	Warnings   []string        `json:"warnings"`
	K          int             `json:"k"`
	Parameters json.RawMessage `json:"parameters"`
	Columns    []column        `json:"columns"`
	Counts     counts          `json:"counts"`
	Files      []listed        `json:"files"`
}

type column struct {
	Name   string   `json:"name"`
	Role   string   `json:"role"`
	Kind   string   `json:"kind,omitempty"`
	Around []string `json:"around,omitempty"`
}

type counts struct {
	Persons    int `json:"persons"`
	Rows       int `json:"rows"`
	Kept       int `json:"kept"`
	Recoded    int `json:"recoded"`
	Suppressed int `json:"suppressed"`
}

type listed struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// readManifest reads what is claimed, strictly.
func (c *checker) readManifest() error {
	text, err := fs.ReadFile(c.fsys, manifestName)
	if err != nil || len(text) > manifestLimit {
		return fmt.Errorf("%w: %s is missing or too large", ErrNoRelease, manifestName)
	}
	if err := strict(text, &c.manifest); err != nil || c.manifest.Schema != Schema {
		return fmt.Errorf("%w: %s is not one of %q", ErrNoRelease, manifestName, Schema)
	}
	m := c.manifest
	if again, err := json.MarshalIndent(m, "", "  "); err != nil || string(again)+"\n" != string(text) {
		c.report.add(manifestName, "is not written as it should be")
	}
	if _, err := time.Parse(time.RFC3339, m.Created); err != nil {
		c.report.add(manifestName, "has no time of creation")
	}
	if m.K < 2 {
		c.report.add(manifestName, "claims a k of %d: a class of one hides nobody", m.K)
	}
	c.report.Tool, c.report.Created, c.report.K, c.report.Statement = m.Tool, m.Created, m.K, m.Statement
	for i, col := range m.Columns {
		switch col.Role {
		case "quasi", "insensitive":
			if len(c.texts) > 0 {
				c.report.add(manifestName, "column %d stands after a text", i+1)
			}
			c.values = append(c.values, col)
		case "text":
			c.texts = append(c.texts, col)
		default:
			c.report.add(manifestName, "column %d has a role that is not released", i+1)
		}
	}
	return nil
}

// strict decodes one JSON value with known fields and nothing after it.
func strict(text []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("not as expected at byte %d", dec.InputOffset())
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("more than one value at byte %d", dec.InputOffset())
	}
	return nil
}

// checkFiles hashes every file and compares with the manifest and SHA256SUMS.
func (c *checker) checkFiles() error {
	found := map[string]listed{}
	err := fs.WalkDir(c.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case !d.Type().IsRegular():
			c.report.add(name, "is not a plain file")
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		one, err := c.hash(name)
		found[name] = one
		return err
	})
	if err != nil {
		return fmt.Errorf("list the release: %w", err)
	}
	c.report.Files, c.report.SHA256 = len(found), found[manifestName].SHA256
	c.compareSums(found)
	c.compareList(found)
	return nil
}

func (c *checker) hash(name string) (listed, error) {
	f, err := c.fsys.Open(name)
	if err != nil {
		return listed{}, err
	}
	defer f.Close() // only read
	h := sha256.New()
	n, err := io.Copy(h, f)
	return listed{name, n, hex.EncodeToString(h.Sum(nil))}, err
}

func (c *checker) compareSums(found map[string]listed) {
	var want strings.Builder
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if name != sumsName {
			fmt.Fprintf(&want, "%s  %s\n", found[name].SHA256, name)
		}
	}
	if got, err := fs.ReadFile(c.fsys, sumsName); err != nil || string(got) != want.String() {
		c.report.add(sumsName, "does not list the files that are there")
	}
}

func (c *checker) compareList(found map[string]listed) {
	claimed := map[string]bool{}
	for i, l := range c.manifest.Files {
		if l != found[l.Path] {
			c.report.add(manifestName, "file %d of its list is not there, or another", i+1)
		}
		claimed[l.Path] = true
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if !claimed[name] && name != manifestName && name != sumsName {
			c.report.add(name, "is not claimed by %s", manifestName)
		}
	}
	for _, name := range []string{rowsName, tableName} {
		if !claimed[name] {
			c.report.add(manifestName, "does not claim %s", name)
		}
	}
}
