// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mappingSchema is that of the re-identification map of a release of text.
const mappingSchema = "hide mapping 1"

// mappingHead is its first line.
type mappingHead struct {
	Schema    string `json:"schema"`
	Manifest  string `json:"manifest_sha256"`
	Documents int    `json:"documents"`
}

// mappingRow is one further line: the original of a released note. Places are in code
// points.
type mappingRow struct {
	ID         string        `json:"id"`
	Document   uint64        `json:"document"`
	Name       string        `json:"name"`
	Patient    int           `json:"patient"`
	Redactions []mappedPlace `json:"redactions"`
	Kept       []keptPlace   `json:"kept"`
}

// mappedPlace is a replaced stretch, also one that the release does not list.
type mappedPlace struct {
	Start  int    `json:"start"` // in the original
	End    int    `json:"end"`
	At     int    `json:"at"` // in the release
	AtEnd  int    `json:"at_end"`
	Label  string `json:"label"`
	Action string `json:"action"`
}

// keptPlace is an identifier of the original that stays by decision.
type keptPlace struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Label string `json:"label"`
}

// replacedPlace is a place with its words in the original and in the release.
type replacedPlace struct {
	mappedPlace
	was, is string
}

// textAgainst verifies a release of text and compares it with its originals: JSONL with
// "id" and "text", where "id" is the name that the map gives. Every note of the
// release must be among them. Reports quote neither names nor text.
func textAgainst(r *release, mapping, originals io.Reader) (Result, error) {
	c, err := checkText(r)
	if err != nil {
		return c.report, err
	}
	rows, err := c.readMapping(mapping)
	if err != nil {
		return c.report, fmt.Errorf("read the re-identification map: %w", err)
	}
	c.checkPatients(rows)
	if err := c.compareAll(rows, originals); err != nil {
		return c.report, fmt.Errorf("read the originals: %w", err)
	}
	c.checkCollisions()
	return c.report, nil
}

// checkPatients compares the number of patients that a release by a policy claims with the number
// in its re-identification map. A note without a number has a patient of its own.
func (c *textChecker) checkPatients(rows map[string]mappingRow) {
	if c.policy == nil || c.Linkage == nil {
		return
	}
	alone, known := 0, map[int]bool{}
	for _, row := range rows {
		if row.Patient == 0 {
			alone++
		} else {
			known[row.Patient] = true
		}
	}
	if n := alone + len(known); n != c.Linkage.Patients {
		c.Add("mapping", "has %d patients; the release counts %d in what it says of linkage", n, c.Linkage.Patients)
	}
}

func (c *textChecker) readMapping(r io.Reader) (map[string]mappingRow, error) {
	var head mappingHead
	rows, ids := map[string]mappingRow{}, map[string]bool{}
	err := eachLine(r, false, func(n int, line []byte) error {
		if n == 1 {
			return c.checkHead(line, &head)
		}
		var row mappingRow
		if err := strict(line, &row); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if _, twice := rows[row.Name]; twice || ids[row.ID] {
			return fmt.Errorf("line %d: duplicate note", n)
		}
		rows[row.Name], ids[row.ID] = row, true
		c.checkMapped(n, row)
		return nil
	})
	if err == nil && head.Schema == "" {
		err = ErrMapping
	}
	if err != nil {
		return nil, err
	}
	if len(rows) != c.report.Documents || head.Documents != c.report.Documents {
		c.Add("mapping", "has %d notes, but the release has %d", len(rows), c.report.Documents)
	}
	return rows, nil
}

func (c *textChecker) checkHead(line []byte, head *mappingHead) error {
	if strict(line, head) != nil || head.Schema != mappingSchema {
		return ErrMapping
	}
	if head.Manifest != c.report.SHA256 {
		return fmt.Errorf("%w: it belongs to another release", ErrMapping)
	}
	return nil
}

// checkMapped compares a row's visible places in the release with notes.jsonl.
func (c *textChecker) checkMapped(n int, row mappingRow) {
	var list []redaction
	for i, r := range row.Redactions {
		if !hidden(r.Action) {
			list = append(list, redaction{r.At, r.AtEnd, r.Label, r.Action})
			continue
		}
		c.report.Hidden = counted(c.report.Hidden, r.Label)
		switch {
		case c.policy == nil || !slices.Contains(c.claims.Labels, r.Label):
			c.Add("mapping", "line %d: place %d has an action or a label that the release does not claim", n, i+1)
		case forbidden(c.policy.Basis, c.as(r.Label), r.Action, "") != "":
			c.Add("mapping", "line %d: place %d: %s", n, i+1, forbidden(c.policy.Basis, c.as(r.Label), r.Action, ""))
		}
	}
	for _, k := range row.Kept {
		c.report.Kept = counted(c.report.Kept, k.Label)
	}
	if places, found := c.places[row.ID]; !found || places != placesOf(list) {
		c.Add("mapping", "line %d has other redactions than the release", n)
	}
}

// counted adds one to a count, in a map that is made when it is needed.
func counted(counts map[string]int, of string) map[string]int {
	if counts == nil {
		counts = map[string]int{}
	}
	counts[of]++
	return counts
}

// compareAll reads the originals along with the map.
func (c *textChecker) compareAll(rows map[string]mappingRow, originals io.Reader) error {
	err := eachLine(originals, false, func(n int, line []byte) error {
		var original struct {
			ID, Text   string
			Identities []identity
		}
		if json.Unmarshal(line, &original) != nil || twins(line) != nil {
			return fmt.Errorf("line %d is not as expected", n)
		}
		row, wanted := rows[original.ID]
		if !wanted {
			return nil
		}
		delete(rows, original.ID)
		c.report.Compared++
		if err := c.compare(row, original.Text, original.Identities); err != nil {
			c.Add(path.Join(notesFolder, row.ID+".txt"), "%v", err)
		}
		return nil
	})
	missing := slices.Collect(maps.Values(rows))
	slices.SortFunc(missing, func(a, b mappingRow) int { return strings.Compare(a.ID, b.ID) })
	for _, row := range missing {
		c.Add("originals", "the original of note %s is missing", row.ID)
	}
	return err
}

// compare reads an original and its release in parallel: between redactions they must be
// equal, and at a redaction the original words must be gone.
func (c *textChecker) compare(row mappingRow, original string, identities []identity) error {
	text, err := c.read(path.Join(notesFolder, row.ID+".txt"), lineLimit)
	if err != nil {
		return err
	}
	was, is := original, string(text) // the text after the last redaction
	from, to := 0, 0                  // code points read in each
	var places []replacedPlace
	var kept []string
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
		shown, isRest, there := cut(isBehind, r.AtEnd-r.At)
		if !ok || !there {
			return fmt.Errorf("redaction %d lies outside", i+1)
		}
		if strings.HasPrefix(isBehind, covered) && !strings.HasPrefix(shown, covered) || r.Action == surrogate && shown == covered {
			return fmt.Errorf("the text of redaction %d is still in its place", i+1)
		}
		places, kept = append(places, replacedPlace{r, covered, shown}), append(kept, stays)
		was, is, from, to = wasRest, isRest, r.End, r.AtEnd
	}
	if was != is {
		return errors.New("text after the last redaction differs from the original")
	}
	kept = append(kept, is)
	c.countElsewhere(places, kept)
	if err := c.checkByPolicy(row, original, places); err != nil {
		return err
	}
	return c.checkKnown(identities, kept)
}

// countElsewhere counts the redacted texts that still stand somewhere as whole words.
func (c *textChecker) countElsewhere(places []replacedPlace, kept []string) {
	for _, p := range places {
		if !p.unchanged() && slices.ContainsFunc(kept, func(piece string) bool { return standsIn(piece, p.was) }) {
			c.report.Elsewhere++
			c.report.ElsewhereBy = counted(c.report.ElsewhereBy, p.Label)
		}
	}
}

// unchanged reports whether generalizing left the words as they were, such as a year.
func (p replacedPlace) unchanged() bool {
	return p.Action == generalize && strings.Contains(p.is, p.was)
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
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == '_')
}
