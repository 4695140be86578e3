// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mappingSchema is the mapping this package understands.
const mappingSchema = "hide mapping 1"

// mappingHead is the first line of a mapping.
type mappingHead struct {
	Schema    string `json:"schema"`
	Manifest  string `json:"manifest_sha256"`
	Documents int    `json:"documents"`
}

// mappingRow is one further line: where a released document comes from. Places
// are in code points.
type mappingRow struct {
	ID         string `json:"id"`
	Document   uint64 `json:"document"`
	Name       string `json:"name"`
	Redactions []struct {
		Start int    `json:"start"` // in the original
		End   int    `json:"end"`
		At    int    `json:"at"` // in the release
		AtEnd int    `json:"at_end"`
		Label string `json:"label"`
	} `json:"redactions"`
}

// Against verifies a release and compares it with its originals: JSONL with "id"
// and "text", where "id" is the name that the mapping gives. Every document of
// the release must be among them; others are passed over. Reports quote neither
// names nor text.
func Against(fsys fs.FS, mapping, originals io.Reader) (Report, error) {
	c, err := check(fsys)
	if err != nil {
		return Report{}, err
	}
	rows, err := c.readMapping(mapping)
	if err != nil {
		return Report{}, fmt.Errorf("read the mapping: %w", err)
	}
	if err := c.compareAll(rows, originals); err != nil {
		return Report{}, fmt.Errorf("read the originals: %w", err)
	}
	c.report.conclude()
	return c.report, nil
}

func (c *checker) readMapping(r io.Reader) (map[string]mappingRow, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	line, err := readLine(in)
	var head mappingHead
	if err != nil || strict(line, &head) != nil || head.Schema != mappingSchema {
		return nil, fmt.Errorf("it does not start as one")
	}
	if head.Manifest != c.report.SHA256 {
		return nil, errors.New("it belongs to another release")
	}
	rows, ids := map[string]mappingRow{}, map[string]bool{}
	for n := 2; ; n++ {
		var row mappingRow
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = strict(line, &row)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if _, twice := rows[row.Name]; twice || ids[row.ID] {
			return nil, fmt.Errorf("line %d: a document is there twice", n)
		}
		rows[row.Name], ids[row.ID] = row, true
		c.checkMapped(n, row)
	}
	if len(rows) != c.report.Documents || head.Documents != c.report.Documents {
		c.report.add("mapping", "has %d documents, the release %d", len(rows), c.report.Documents)
	}
	return rows, nil
}

// checkMapped compares a row's places in the release with notes.jsonl.
func (c *checker) checkMapped(n int, row mappingRow) {
	var b strings.Builder
	for _, r := range row.Redactions {
		fmt.Fprintf(&b, "%d-%d %s\n", r.At, r.AtEnd, r.Label)
	}
	if places, found := c.places[row.ID]; !found || places != b.String() {
		c.report.add("mapping", "line %d tells other redactions than the release", n)
	}
}

// compareAll streams the originals past the mapping.
func (c *checker) compareAll(rows map[string]mappingRow, originals io.Reader) error {
	in := bufio.NewReaderSize(originals, 1<<16)
	for n := 1; ; n++ {
		var original struct{ ID, Text string }
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || json.Unmarshal(line, &original) != nil {
			return fmt.Errorf("line %d is not as expected", n)
		}
		row, wanted := rows[original.ID]
		if !wanted {
			continue
		}
		delete(rows, original.ID)
		c.report.Compared++
		if err := c.compare(row, original.Text); err != nil {
			c.report.add(path.Join(notesFolder, row.ID+".txt"), "%v", err)
		}
	}
	missing := slices.Collect(maps.Values(rows))
	slices.SortFunc(missing, func(a, b mappingRow) int { return strings.Compare(a.ID, b.ID) })
	for _, row := range missing {
		c.report.add("originals", "the original of document %s is not there", row.ID)
	}
	return nil
}

// compare walks through an original and its release side by side: between
// redactions they must be the same, at a redaction the original's words must be
// gone.
func (c *checker) compare(row mappingRow, original string) error {
	text, err := c.read(path.Join(notesFolder, row.ID+".txt"), lineLimit)
	if err != nil {
		return err
	}
	was, is := original, string(text) // what is behind the last redaction
	from, to := 0, 0                  // code points gone through in each
	var gone, kept []string
	for i, r := range row.Redactions {
		same, wasBehind, ok := cut(was, r.Start-from)
		stays, isBehind, there := cut(is, r.At-to)
		if !ok || !there || r.Start < from || r.At < to || r.End <= r.Start || r.AtEnd <= r.At {
			return fmt.Errorf("redaction %d lies outside", i+1)
		}
		if same != stays {
			return fmt.Errorf("text before redaction %d differs from the original", i+1)
		}
		covered, wasRest, ok := cut(wasBehind, r.End-r.Start)
		placeholder, isRest, there := cut(isBehind, r.AtEnd-r.At)
		if !ok || !there {
			return fmt.Errorf("redaction %d lies outside", i+1)
		}
		if strings.HasPrefix(isBehind, covered) && !strings.HasPrefix(placeholder, covered) {
			return fmt.Errorf("text of redaction %d survives at its place", i+1)
		}
		gone, kept = append(gone, covered), append(kept, stays)
		was, is, from, to = wasRest, isRest, r.End, r.AtEnd
	}
	if was != is {
		return errors.New("text behind the last redaction differs from the original")
	}
	c.report.Elsewhere += elsewhere(gone, append(kept, is))
	return nil
}

// elsewhere counts the covered texts that still stand somewhere as whole words.
func elsewhere(gone, kept []string) int {
	n := 0
	for _, covered := range gone {
		for _, piece := range kept {
			if standsIn(piece, covered) {
				n++
				break
			}
		}
	}
	return n
}

func standsIn(text, words string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], words)
		if i < 0 || words == "" {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:from+i])
		after, _ := utf8.DecodeRuneInString(text[from+i+len(words):])
		if !wordy(before) && !wordy(after) {
			return true
		}
		from += i + 1
	}
}

func wordy(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}
