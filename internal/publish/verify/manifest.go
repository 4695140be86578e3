// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// schema is the release this package understands.
const schema = "hide release 1"

// manifestLimit bounds manifest.json; a million documents need 150 MB.
const manifestLimit = 512 << 20

// manifest is manifest.json, its fields in the order of the file. What cannot
// be recomputed is kept as it stands.
type manifest struct {
	Schema      string          `json:"schema"`
	Tool        string          `json:"tool"`
	Created     string          `json:"created"`
	Name        string          `json:"name"`
	Project     string          `json:"project"`
	Statement   string          `json:"statement"`
	Warnings    []string        `json:"warnings"`
	Placeholder string          `json:"placeholder"`
	Labels      []string        `json:"labels"`
	Counts      counts          `json:"counts"`
	Parameters  json.RawMessage `json:"parameters"`
	Figures     json.RawMessage `json:"figures"`
	Provenance  json.RawMessage `json:"provenance"`
	Files       []listed        `json:"files"`
}

type counts struct {
	Documents  int            `json:"documents"`
	Tokens     int            `json:"tokens"`
	Redactions map[string]int `json:"redactions"`
}

type listed struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func (c *checker) readManifest() error {
	text, err := c.read(manifestName, manifestLimit)
	if err != nil {
		return fmt.Errorf("%s %w", manifestName, err)
	}
	if err := strict(text, &c.manifest); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrNoRelease, manifestName, err)
	}
	m := c.manifest
	if m.Schema != schema {
		return fmt.Errorf("%w: this program understands %q only", ErrNoRelease, schema)
	}
	again, err := json.MarshalIndent(m, "", "  ")
	if err != nil || string(again)+"\n" != string(text) {
		c.report.add(manifestName, "is not written as it should be")
	}
	c.report.SHA256 = c.files[manifestName].sum
	c.report.Name, c.report.Tool, c.report.Created, c.report.Statement = m.Name, m.Tool, m.Created, m.Statement
	if _, err := time.Parse(time.RFC3339, m.Created); err != nil {
		c.report.add(manifestName, "has no time of creation")
	}
	if before, after, ok := strings.Cut(m.Placeholder, "LABEL"); !ok || before == "" || after == "" {
		c.report.add(manifestName, "has no form of placeholder")
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
	if dec.More() {
		return fmt.Errorf("more than one value at byte %d", dec.InputOffset())
	}
	return nil
}

// checkFiles compares the list of files with what was found.
func (c *checker) checkFiles() error {
	names := map[string]bool{}
	for i, l := range c.manifest.Files {
		f := c.files[l.Path]
		switch {
		case !f.found:
			c.report.add(manifestName, "file %d of its list is not there", i+1)
		case names[l.Path] || i > 0 && c.manifest.Files[i-1].Path > l.Path:
			c.report.add(manifestName, "file %d of its list is not in order", i+1)
		case f.bytes != l.Bytes:
			c.report.add(l.Path, "has %d bytes, %d are claimed", f.bytes, l.Bytes)
		case f.sum != l.SHA256:
			c.report.add(l.Path, "has another SHA-256 than is claimed")
		}
		names[l.Path] = true
	}
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		if !names[name] && name != manifestName && name != sumsName {
			c.report.add(name, "is not claimed by %s", manifestName)
		}
	}
	return nil
}

// checkCounts compares the claimed counts with those that [checkNotes] made.
func (c *checker) checkCounts() error {
	claimed, r := c.manifest.Counts, &c.report
	if claimed.Documents != r.Documents {
		r.add(manifestName, "claims %d documents, there are %d", claimed.Documents, r.Documents)
	}
	if claimed.Tokens != r.Tokens {
		r.add(manifestName, "claims %d published tokens, there are %d", claimed.Tokens, r.Tokens)
	}
	if !maps.Equal(claimed.Redactions, r.Redactions) {
		r.add(manifestName, "claims other numbers of redactions than there are")
	}
	return nil
}
