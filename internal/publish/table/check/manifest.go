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
)

// Schema is the release that this package understands.
const Schema = "hide table release 1"

// ErrNoRelease is returned when there is no release of a table to verify.
var ErrNoRelease = errors.New("this is not a release of a table")

const (
	manifestName  = "manifest.json"
	sumsName      = "SHA256SUMS"
	tableName     = "table.csv"
	manifestLimit = 64 << 20
)

type manifest struct {
	Schema     string      `json:"schema"`
	Tool       string      `json:"tool"`
	Created    string      `json:"created"`
	Statement  string      `json:"statement"`
	Warnings   []string    `json:"warnings"`
	Parameters parameters  `json:"parameters"`
	Attributes []attribute `json:"attributes"`
	Counts     counts      `json:"counts"`
	Files      []listed    `json:"files"`
}

type parameters struct {
	K           int     `json:"k"`
	Map         bool    `json:"map"`
	Method      string  `json:"method"`
	Cut         string  `json:"cut"`
	Relaxed     bool    `json:"relaxed"`
	Suppression float64 `json:"suppression"`
	Levels      []int   `json:"levels"`
}

type attribute struct {
	Name      string   `json:"name"`
	Role      string   `json:"role"`
	Kind      string   `json:"kind"`
	Released  bool     `json:"released"`
	Order     []string `json:"order"`
	L         float64  `json:"l"`
	Diversity string   `json:"diversity"`
	C         float64  `json:"c"`
	T         float64  `json:"t"`
	Distance  string   `json:"distance"`
	Hierarchy string   `json:"hierarchy"`
}

type counts struct {
	Rows       int `json:"rows"`
	Suppressed int `json:"suppressed"`
	Classes    int `json:"classes"`
	Smallest   int `json:"smallest"`
}

type listed struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func (c *checker) readManifest() error {
	f, err := c.fsys.Open(manifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: there is no %s", ErrNoRelease, manifestName)
	}
	if err != nil {
		return err
	}
	defer f.Close() // only read
	text, err := io.ReadAll(io.LimitReader(f, manifestLimit+1))
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c.manifest); err != nil || len(text) > manifestLimit {
		return fmt.Errorf("%w: %s is not as expected at byte %d", ErrNoRelease, manifestName, dec.InputOffset())
	}
	if c.manifest.Schema != Schema {
		return fmt.Errorf("%w: this program understands %q only", ErrNoRelease, Schema)
	}
	sum := sha256.Sum256(text)
	m := c.manifest
	c.report = Report{
		Schema: m.Schema, Tool: m.Tool, Created: m.Created, SHA256: hex.EncodeToString(sum[:]), K: m.Parameters.K, Map: m.Parameters.Map,
		Statement: m.Statement, Conditions: []Condition{}, Problems: []Problem{},
	}
	return nil
}

// checkFiles holds the files that are there against the manifest and the sums.
func (c *checker) checkFiles() error {
	found := map[string]listed{}
	err := fs.WalkDir(c.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if !d.Type().IsRegular() {
			c.report.add(name, "is not a plain file")
			return nil
		}
		found[name], err = c.hash(name)
		return err
	})
	if err != nil {
		return err
	}
	claimed := map[string]bool{manifestName: true, sumsName: true}
	for i, l := range c.manifest.Files {
		if claimed[l.Path] {
			c.report.add(manifestName, "file %d of its list is there twice", i+1)
		}
		claimed[l.Path] = true
		if got, there := found[l.Path]; !there {
			c.report.add(manifestName, "file %d of its list is not there", i+1)
		} else if got != l {
			c.report.add(l.Path, "has another size or SHA-256 than is claimed")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if !claimed[name] {
			c.report.add(name, "is not claimed by %s", manifestName)
		}
	}
	return c.checkSums(found)
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

// checkSums compares SHA256SUMS byte for byte: there is one right way to write it.
func (c *checker) checkSums(found map[string]listed) error {
	var want strings.Builder
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if name != sumsName {
			fmt.Fprintf(&want, "%s  %s\n", found[name].SHA256, name)
		}
	}
	got, err := fs.ReadFile(c.fsys, sumsName)
	if errors.Is(err, fs.ErrNotExist) {
		c.report.add(sumsName, "is not there")
		return nil
	}
	if err == nil && string(got) != want.String() {
		c.report.add(sumsName, "does not list the files as they are")
	}
	return err
}
