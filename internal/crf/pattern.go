// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"strconv"
	"strings"
)

// chunk is a run of tokens without white space between them, such as
// "12/03/1984" or "ana.ruiz@example.org,". Its shape is the language-neutral
// form of the usual expressions for dates, numbers and addresses.
type chunk struct {
	shape    int32
	text     string
	at, left int8 // tokens before and after in the chunk, up to 7
	kind     string
}

// chunkShape bounds the length of a chunk's shape.
const chunkShape = 48

func (x *extractor) preparePatterns() {
	x.doc.chunks = x.chunk(x.doc.chunks[:0])
	x.doc.digits = x.digitRuns(x.doc.digits[:0])
}

func (x *extractor) chunk(to []chunk) []chunk {
	ids, gaps := x.doc.ids, x.doc.gaps
	for start := 0; start < len(ids); {
		end := start + 1
		for end < len(ids) && gaps[end] == glued {
			end++
		}
		c := chunk{text: x.chunkText(start, end)}
		c.shape, c.kind = x.stringID("\x01"+c.text), chunkKind(c.text)
		for t := start; t < end; t++ {
			c.at, c.left = int8(min(t-start, 7)), int8(min(end-1-t, 7))
			to = append(to, c)
		}
		start = end
	}
	return to
}

// chunkText joins the shapes, letters collapsed.
func (x *extractor) chunkText(start, end int) string {
	var b strings.Builder
	for t := start; t < end && b.Len() < chunkShape; t++ {
		b.WriteString(strings.ReplaceAll(x.infos[x.doc.ids[t]].shape, "+", ""))
	}
	return b.String()
}

// chunkKind names the patterns that every language writes alike.
func chunkKind(shape string) string {
	trimmed := strings.Trim(shape, ".,;:()[]<>\"'")
	switch {
	case strings.Contains(trimmed, "@") && strings.Contains(trimmed, "."):
		return "EMAIL"
	case strings.Contains(trimmed, "://"), strings.HasPrefix(trimmed, "x.x.x"):
		return "URL"
	case isDate(trimmed):
		return "DATE"
	case isAddress(trimmed):
		return "IP"
	}
	return ""
}

// isDate reports three numbers of a date's lengths with one separator.
func isDate(shape string) bool {
	for _, separator := range []string{"/", "-", "."} {
		parts := strings.Split(shape, separator)
		if len(parts) == 3 && allDigits(parts, 1, 4) && (len(parts[2]) != 3 && len(parts[1]) <= 2) {
			return true
		}
	}
	return false
}

func isAddress(shape string) bool {
	parts := strings.Split(shape, ".")
	return len(parts) == 4 && allDigits(parts, 1, 3)
}

func allDigits(parts []string, least, most int) bool {
	for _, p := range parts {
		if len(p) < least || len(p) > most || strings.Trim(p, "d") != "" {
			return false
		}
	}
	return true
}

// digitRuns counts, for each token of a run of numbers and of the marks that
// telephone and record numbers are written with, the digits of the whole run;
// 0 outside runs.
func (x *extractor) digitRuns(to []int32) []int32 {
	ids := x.doc.ids
	for start := 0; start < len(ids); {
		end, digits := start, 0
		for end < len(ids) && (end == start || x.doc.gaps[end] < newLine) && x.numeric(end) {
			digits += strings.Count(x.infos[ids[end]].shape, "d")
			end++
		}
		if end == start || digits == 0 {
			end, digits = max(end, start+1), 0
		}
		for range end - start {
			to = append(to, int32(digits))
		}
		start = end
	}
	return to
}

// numeric reports whether token t is all digits or a mark that joins them.
func (x *extractor) numeric(t int) bool {
	shape := x.infos[x.doc.ids[t]].shape
	return strings.Trim(shape, "d") == "" || len(shape) == 1 && strings.Contains("-/.()+", shape)
}

func (x *extractor) patterns(t int, to []int32) []int32 {
	c := &x.doc.chunks[t]
	if c.at > 0 || c.left > 0 {
		to = keep(to, x.keyed(bundleKey{chunkBundle, c.shape, int32(c.at), int32(c.left)}, func(a *attributes) {
			x.chunkAttributes(a, c)
		}))
	}
	digits := x.doc.digits[t]
	if digits == 0 {
		return to
	}
	own := &x.infos[x.doc.ids[t]]
	return keep(to, x.keyed(bundleKey{digitsBundle, digits, own.shapeID, 0}, func(a *attributes) {
		run := strconv.Itoa(int(min(digits, 20)))
		a.add("run=", run)
		a.add("run|s=", run, "|", own.shape)
	}))
}

func (x *extractor) chunkAttributes(a *attributes, c *chunk) {
	at, left := string('0'+byte(c.at)), string('0'+byte(c.left))
	a.add("c=", c.text)
	a.add("c@=", c.text, "|", at)
	a.add("c-=", at)
	a.add("c+=", left)
	if c.kind != "" {
		a.add("k=", c.kind)
	}
}
