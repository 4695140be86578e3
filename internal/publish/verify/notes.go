// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// lineLimit bounds one line of notes.jsonl.
const lineLimit = 256 << 20

// note is one line of notes.jsonl, its fields in the order of the file.
type note struct {
	ID         string      `json:"id"`
	Text       string      `json:"text"`
	Redactions []redaction `json:"redactions"`
}

// redaction is the place of a placeholder in code points.
type redaction struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Label string `json:"label"`
}

// checkNotes goes through notes.jsonl and the text files side by side.
func (c *checker) checkNotes() error {
	f, err := c.fsys.Open(notesName)
	if err != nil {
		c.report.add(notesName, "cannot be opened")
		return nil
	}
	defer f.Close() // only read
	in := bufio.NewReaderSize(f, 1<<16)
	for n := 1; ; n++ {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			c.report.add(notesName, "line %d: %v", n, err)
			break
		}
		c.checkLine(n, line)
	}
	c.checkLoose()
	return nil
}

// readLine reads one line with its line feed; a last line without one is an
// error.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case errors.Is(err, bufio.ErrBufferFull) && len(line) <= lineLimit:
			continue
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil, io.EOF
		case errors.Is(err, io.EOF):
			return nil, errors.New("it has no end")
		}
		return nil, errors.New("it cannot be read whole")
	}
}

func (c *checker) checkLine(n int, line []byte) {
	var d note
	if err := strict(line, &d); err != nil {
		c.report.add(notesName, "line %d: %v", n, err)
		return
	}
	if !bytes.Equal(line, rewritten(d)) {
		c.report.add(notesName, "line %d is not written as it should be", n)
	}
	c.report.Documents++
	if d.ID != c.id(n) {
		c.report.add(notesName, "line %d has not the id %s", n, c.id(n))
		return
	}
	if err := c.checkRedactions(d); err != nil {
		c.report.add(notesName, "line %d: %v", n, err)
	}
	c.places[d.ID] = placesOf(d.Redactions)
	name := path.Join(notesFolder, d.ID+".txt")
	if text, err := c.read(name, int64(len(d.Text))); err != nil || string(text) != d.Text {
		c.report.add(name, "is not the text of line %d of %s", n, notesName)
	}
}

// rewritten is the one right way to write a line.
func rewritten(d note) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(d) != nil {
		return nil
	}
	return b.Bytes()
}

// id is the id of line n: the number with at least six digits and as many as
// the last one needs.
func (c *checker) id(n int) string {
	width := max(6, len(strconv.Itoa(c.manifest.Counts.Documents)))
	return fmt.Sprintf("%0*d", width, n)
}

// checkRedactions checks that the redactions are in order, do not overlap, and
// that each place holds exactly its placeholder. It counts them and the tokens
// between them.
func (c *checker) checkRedactions(d note) error {
	rest, at := d.Text, 0 // what is behind the last redaction, and where that starts
	for i, r := range d.Redactions {
		if r.Start < at {
			return fmt.Errorf("redaction %d is not after the one before", i+1)
		}
		if !slices.Contains(c.manifest.Labels, r.Label) {
			return fmt.Errorf("redaction %d has an unknown label", i+1)
		}
		between, behind, ok := cut(rest, r.Start-at)
		want := strings.Replace(c.manifest.Placeholder, "LABEL", r.Label, 1)
		if !ok || !strings.HasPrefix(behind, want) || r.End-r.Start != utf8.RuneCountInString(want) {
			return fmt.Errorf("the place of redaction %d does not hold its placeholder", i+1)
		}
		c.report.Tokens += countTokens(between)
		c.report.Redactions[r.Label]++
		rest, at = behind[len(want):], r.End
	}
	c.report.Tokens += countTokens(rest)
	return nil
}

// cut splits text behind its first n code points.
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
		fmt.Fprintf(&b, "%d-%d %s\n", r.Start, r.End, r.Label)
	}
	return b.String()
}

// checkLoose reports text files without a line.
func (c *checker) checkLoose() {
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		folder, base := path.Split(name)
		if folder != notesFolder+"/" {
			if name != manifestName && name != sumsName && name != notesName {
				c.report.add(name, "does not belong to a release")
			}
			continue
		}
		id, text := strings.CutSuffix(base, ".txt")
		if _, known := c.places[id]; !known || !text {
			c.report.add(name, "has no line in %s", notesName)
		}
	}
}
