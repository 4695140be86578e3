// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// bulkNames are the one file of a release of merged shards, by format.
var bulkNames = map[string]string{"jsonl": notesName, "hl7": "messages.hl7", "ccda": "documents.xml", "fhir": "resources.fhir"}

// bulkClaims are the claims of a release of merged shards, in the order of the file.
type bulkClaims struct {
	Format      string     `json:"format"`
	Placeholder string     `json:"placeholder"`
	Labels      []string   `json:"labels"`
	Bundle      string     `json:"bundle_sha256"`
	Counts      bulkCounts `json:"counts"`
	Shards      []bulkPart `json:"shards"`
}

type bulkCounts struct {
	Notes      int            `json:"notes"`
	Refused    int            `json:"refused"`
	Redactions map[string]int `json:"redactions"`
}

type bulkPart struct {
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
	Notes   int    `json:"notes"`
	Refused int    `json:"refused"`
}

// bulkChecker is the state of the verification. It holds one line at a time.
type bulkChecker struct {
	*release
	report *Bulk
	claims bulkClaims
	lines  *textChecker // checks the places in a line, and counts the redactions
	name   string       // of the file
}

func checkBulk(r *release) (*Bulk, error) {
	c := &bulkChecker{release: r, report: &Bulk{Report: *r.Report}}
	r.Report = &c.report.Report
	if err := r.claims(&c.claims); err != nil {
		return c.report, err
	}
	c.report.Format, c.name = c.claims.Format, bulkNames[c.claims.Format]
	if c.name == "" {
		return c.report, fmt.Errorf("%w: this program does not know notes in the format %q", ErrNotRelease, c.claims.Format)
	}
	if before, after, ok := strings.Cut(c.claims.Placeholder, "LABEL"); !ok || before == "" || after == "" {
		c.Add(manifestName, "has no form of placeholder")
	}
	c.lines = &textChecker{release: r, report: &Text{Redactions: map[string]int{}}}
	c.lines.claims.Placeholder, c.lines.claims.Labels = c.claims.Placeholder, c.claims.Labels
	for _, name := range slices.Sorted(maps.Keys(r.found)) {
		if name != manifestName && name != sumsName && name != c.name {
			c.Add(name, "does not belong to a release of merged shards")
		}
	}
	c.checkParts()
	c.checkCounts()
	return c.report, nil
}

// checkParts reads the file shard by shard.
func (c *bulkChecker) checkParts() {
	f, err := c.fsys.Open(c.name)
	if err != nil {
		c.Add(c.name, "cannot be opened")
		return
	}
	defer f.Close() // only read
	for i, p := range c.claims.Shards {
		sum := sha256.New()
		part := io.TeeReader(io.LimitReader(f, p.Bytes), sum)
		notes := p.Notes
		if c.claims.Format == "jsonl" {
			notes = c.readLines(i, part)
		}
		_, err := io.Copy(io.Discard, part)
		switch {
		case p.Bytes < 0 || p.Notes < 0 || p.Refused < 0:
			c.Add(manifestName, "claims a number below zero for shard %d", i)
		case err != nil || hex.EncodeToString(sum.Sum(nil)) != p.SHA256:
			c.Add(c.name, "the part of shard %d does not have the SHA-256 that is claimed", i)
		case notes != p.Notes:
			c.Add(c.name, "the part of shard %d has %d notes, %d are claimed", i, notes, p.Notes)
		}
		c.report.Notes += notes
		c.report.Refused += p.Refused
	}
	if n, _ := io.Copy(io.Discard, f); n > 0 {
		c.Add(c.name, "has %d bytes after the last shard", n)
	}
}

// readLines checks the lines of a shard and counts them.
func (c *bulkChecker) readLines(shard int, part io.Reader) (notes int) {
	err := eachLine(part, false, func(n int, line []byte) error {
		notes++
		var d note
		if err := strict(line, &d); err != nil {
			c.Add(c.name, "line %d of shard %d: %v", n, shard, err)
			return nil
		}
		if !bytes.Equal(line, rewritten(d)) {
			c.Add(c.name, "line %d of shard %d is not written as it should be", n, shard)
		}
		if err := c.lines.checkRedactions(d); err != nil {
			c.Add(c.name, "line %d of shard %d: %v", n, shard, err)
		}
		return nil
	})
	if err != nil {
		c.Add(c.name, "shard %d: %v", shard, err)
	}
	return notes
}

// checkCounts compares the claimed counts with the sums.
func (c *bulkChecker) checkCounts() {
	claimed, r := c.claims.Counts, c.report
	r.Shards, r.Redactions = len(c.claims.Shards), claimed.Redactions
	if claimed.Notes != r.Notes {
		c.Add(manifestName, "claims %d notes, there are %d", claimed.Notes, r.Notes)
	}
	if claimed.Refused != r.Refused {
		c.Add(manifestName, "claims %d records left out, those of the shards are %d", claimed.Refused, r.Refused)
	}
	if c.claims.Format != "jsonl" {
		return
	}
	r.Redactions = c.lines.report.Redactions
	if !maps.Equal(claimed.Redactions, r.Redactions) {
		c.Add(manifestName, "claims wrong numbers of redactions")
	}
}

// Bulk is the report on redacted notes or messages in one file.
type Bulk struct {
	Report
	Format     string         `json:"format"`
	Shards     int            `json:"shards"`
	Notes      int            `json:"notes"`      // recomputed of lines of JSON, the sum of the shards of messages
	Refused    int            `json:"refused"`    // records of the input that could not be read; the sum of the shards
	Redactions map[string]int `json:"redactions"` // placeholders by label; recomputed of lines of JSON, claimed of messages
}

func (r *Bulk) write(w io.Writer) {
	fmt.Fprintf(w, "%d notes of %d shards, %d bytes\n", r.Notes, r.Shards, r.Bytes)
	for _, label := range slices.Sorted(maps.Keys(r.Redactions)) {
		fmt.Fprintf(w, "  %-16s %d redactions\n", label, r.Redactions[label])
	}
	if r.Refused > 0 {
		fmt.Fprintf(w, "  %d records of the input could not be read and are not in it\n", r.Refused)
	}
	if r.Format != "jsonl" {
		fmt.Fprintf(w, "  counts of messages cannot be recomputed: those of the release are shown\n")
	}
	fmt.Fprintln(w, r.Statement)
}
