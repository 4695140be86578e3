// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Files of a release of text.
const (
	notesName   = "notes.jsonl"
	notesFolder = "notes"
)

// textClaims are the claims of a release of text, in the order of the file. Claims that
// cannot be recomputed are copied.
type textClaims struct {
	Placeholder string          `json:"placeholder"`
	Labels      []string        `json:"labels"`
	Counts      textCounts      `json:"counts"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Figures     json.RawMessage `json:"figures,omitempty"`
	Provenance  json.RawMessage `json:"provenance"`
	Attack      *attackClaim    `json:"attack,omitempty"`
	Target      *targetClaim    `json:"target,omitempty"`

	Policy *policyClaim `json:"policy,omitempty"`
	Signed *Signed      `json:"signed,omitempty"`
	Agreed []string     `json:"agreed,omitempty"`
	Like   string       `json:"like,omitempty"`
}

type textCounts struct {
	Notes      int            `json:"notes"`
	Tokens     int            `json:"tokens"`
	Redactions map[string]int `json:"redactions"`
	Known      *knownCounts   `json:"known_identifiers,omitempty"`
}

// note is one line of notes.jsonl, its fields in the order of the file.
type note struct {
	ID         string      `json:"id"`
	Text       string      `json:"text"`
	Redactions []redaction `json:"redactions"`
}

// redaction is the place of a visible replacement in code points.
type redaction struct {
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Label  string `json:"label"`
	Action string `json:"action,omitempty"` // "" for a placeholder
}

// textChecker is the state of the verification of a release of text.
type textChecker struct {
	*release
	report *Text
	claims textClaims
	policy *policyFile       // nil without one
	places map[string]string // by note id: its redactions as one string
	last   int               // number of the note before, if numbers can have gaps

	// What only the originals show.

	originals  map[string]bool         // keys of replaced words, see valueKey
	surrogates []invented              // to be compared with the originals
	shifts     map[string]map[int]bool // by patient: days by which all dates read so far may have moved
}

func checkText(r *release) (*textChecker, error) {
	c := &textChecker{release: r, report: &Text{Report: *r.Report, Redactions: map[string]int{}}, places: map[string]string{}, originals: map[string]bool{}, shifts: map[string]map[int]bool{}}
	r.Report = &c.report.Report
	if err := r.claims(&c.claims); err != nil {
		return c, err
	}
	if before, after, ok := strings.Cut(c.claims.Placeholder, "LABEL"); !ok || before == "" || after == "" {
		c.Add(manifestName, "has no form of placeholder")
	}
	c.report.Attack = c.claims.Attack.says()
	c.report.Figures = figuresSay(c.claims.Figures)
	c.checkTarget()
	c.checkPolicy()
	c.checkNotes()
	c.checkCounts()
	c.checkLinkage(linkable{patients: c.report.Documents})
	return c, nil
}

// checkNotes reads notes.jsonl and the text files in parallel.
func (c *textChecker) checkNotes() {
	f, err := c.fsys.Open(notesName)
	if err != nil {
		c.Add(notesName, "cannot be opened")
		return
	}
	defer f.Close() // only read
	err = eachLine(f, false, func(n int, line []byte) error {
		c.checkLine(n, line)
		return nil
	})
	if err != nil {
		c.Add(notesName, "%v", err)
	}
	c.checkOthers()
}

func (c *textChecker) checkLine(n int, line []byte) {
	var d note
	if err := strict(line, &d); err != nil {
		c.Add(notesName, "line %d: %v", n, err)
		return
	}
	if !bytes.Equal(line, rewritten(d)) {
		c.Add(notesName, "line %d is not written as it should be", n)
	}
	c.report.Documents++
	if what := c.checkID(n, d.ID); what != "" {
		c.Add(notesName, "line %d %s", n, what)
		return
	}
	if err := c.checkRedactions(d); err != nil {
		c.Add(notesName, "line %d: %v", n, err)
	}
	c.places[d.ID] = placesOf(d.Redactions)
	name := path.Join(notesFolder, d.ID+".txt")
	if text, err := c.read(name, int64(len(d.Text))); err != nil || string(text) != d.Text {
		c.Add(name, "is not the text of line %d of %s", n, notesName)
	}
}

// rewritten is the one valid way to write a line.
func rewritten(d note) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(d) != nil {
		return nil
	}
	return b.Bytes()
}

// fewestDigits is how many digits an id has at least.
const fewestDigits = 6

// checkID checks the id of line n. It is the number of the line, with at least six digits and
// as many as the last one needs. A release that continues the numbers of an earlier one can
// have gaps: its ids are numbers of at least six digits, each larger than the one before.
func (c *textChecker) checkID(n int, id string) string {
	if c.claims.Like == "" {
		width := max(fewestDigits, len(strconv.Itoa(c.claims.Counts.Notes)))
		if want := fmt.Sprintf("%0*d", width, n); id != want {
			return "does not have the id " + want
		}
		return ""
	}
	number, err := strconv.Atoi(id)
	if err != nil || len(id) < fewestDigits || strings.Trim(id, "0123456789") != "" || number <= c.last {
		return "does not have a number of at least six digits that is larger than the one before"
	}
	c.last = number
	return ""
}

// checkRedactions checks that the redactions are in order, do not overlap, and
// that each place holds what its action writes. It counts them and the tokens
// between them.
func (c *textChecker) checkRedactions(d note) error {
	rest, at := d.Text, 0 // the text after the last redaction, and where it starts
	for i, r := range d.Redactions {
		if r.Start < at {
			return fmt.Errorf("redaction %d starts before the previous one ends", i+1)
		}
		if !slices.Contains(c.claims.Labels, r.Label) {
			return fmt.Errorf("redaction %d has an unknown label", i+1)
		}
		between, behind, ok := cut(rest, r.Start-at)
		if !ok || r.End <= r.Start {
			return fmt.Errorf("the place of redaction %d does not hold its placeholder", i+1)
		}
		shown, after, ok := cut(behind, r.End-r.Start)
		if !ok {
			return fmt.Errorf("the place of redaction %d does not hold its placeholder", i+1)
		}
		if what := c.misfit(r, shown); what != "" {
			return fmt.Errorf("the place of redaction %d %s", i+1, what)
		}
		c.report.Tokens += countTokens(between)
		c.report.Redactions[r.Label]++
		rest, at = after, r.End
	}
	c.report.Tokens += countTokens(rest)
	return nil
}

// cut splits text after its first n code points.
func cut(text string, n int) (before, after string, ok bool) {
	for i := range text {
		if n == 0 {
			return text[:i], text[i:], true
		}
		n--
	}
	return text, "", n == 0
}

// placesOf is a list of redactions as one comparable string.
func placesOf(list []redaction) string {
	var b strings.Builder
	for _, r := range list {
		fmt.Fprintf(&b, "%d-%d %s %s\n", r.Start, r.End, r.Label, r.Action)
	}
	return b.String()
}

// checkOthers reports files that do not belong to a release of text.
func (c *textChecker) checkOthers() {
	for _, name := range slices.Sorted(maps.Keys(c.found)) {
		folder, base := path.Split(name)
		if folder != notesFolder+"/" {
			if name != manifestName && name != sumsName && name != notesName && (name != policyName || c.claims.Policy == nil) {
				c.Add(name, "does not belong to a release of text")
			}
			continue
		}
		id, text := strings.CutSuffix(base, ".txt")
		if _, known := c.places[id]; !known || !text {
			c.Add(name, "has no line in %s", notesName)
		}
	}
}

// checkCounts compares the claimed counts with those of checkNotes.
func (c *textChecker) checkCounts() {
	claimed, r := c.claims.Counts, c.report
	if claimed.Notes != r.Documents {
		r.Add(manifestName, "claims %d notes, there are %d", claimed.Notes, r.Documents)
	}
	if claimed.Tokens != r.Tokens {
		r.Add(manifestName, "claims %d published tokens, there are %d", claimed.Tokens, r.Tokens)
	}
	if !maps.Equal(claimed.Redactions, r.Redactions) {
		r.Add(manifestName, "claims wrong numbers of redactions")
	}
	if k := claimed.Known; k != nil && k.impossible() {
		r.Add(manifestName, "claims impossible numbers of known identifiers")
	}
}

// countTokens counts as docs/formats.md defines tokens: a run of letters, marks,
// decimal digits and underscores, or one other visible character. White space
// and control characters are not tokens.
func countTokens(text string) int {
	n, inWord := 0, false
	for _, r := range text {
		word := r == '_' || r != unicode.ReplacementChar && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r))
		visible := !unicode.IsSpace(r) && !unicode.IsControl(r)
		if visible && !(word && inWord) {
			n++
		}
		inWord = word
	}
	return n
}
