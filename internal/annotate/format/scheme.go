// SPDX-License-Identifier: Apache-2.0

package format

import (
	"hide/internal/annotate"
)

// scheme is what the tags of a CoNLL file tell about how they mark spans.
//
//	IOB1   I continues or begins, B only splits neighbours of one label
//	IOB2   every span begins with B
//	BIOES  and ends with E, or is a single S
//	BILOU  and ends with L, or is a single U
type scheme struct {
	docstart bool
	prefixes [256]bool
	insideAt bool   // an I begins a span somewhere
	beginAt  bool   // a B begins a span where IOB1 would write I
	bad      bool   // a tag is none of the known
	tags     int    // tags seen, O included
	previous string // label of the token before, "" for none
}

// isTag reports whether s is O or a prefix, a dash and a label.
func isTag(s string) bool {
	if s == "O" {
		return true
	}
	if len(s) < 3 || s[1] != '-' {
		return false
	}
	switch s[0] {
	case 'B', 'I', 'E', 'S', 'L', 'U':
		return annotate.CheckLabel(annotate.Label(s[2:])) == nil
	}
	return false
}

// cutTag splits a tag into prefix and label; O has neither.
func cutTag(tag string) (prefix byte, label string) {
	if len(tag) < 3 {
		return 'O', ""
	}
	return tag[0], tag[2:]
}

// see takes note of a line; no columns end a sentence.
func (s *scheme) see(columns []string) {
	if len(columns) < 2 || columns[0] == docStart {
		s.previous = ""
		return
	}
	tag := columns[len(columns)-1]
	s.tags++
	if !isTag(tag) {
		s.bad = true
		return
	}
	prefix, label := cutTag(tag)
	s.prefixes[prefix] = true
	fresh := label != s.previous
	s.insideAt = s.insideAt || prefix == 'I' && fresh
	s.beginAt = s.beginAt || prefix == 'B' && fresh
	s.previous = label
}

// bracketed reports whether spans have marked ends.
func (s *scheme) bracketed() bool {
	p := s.prefixes
	return p['E'] || p['S'] || p['L'] || p['U']
}

func (s *scheme) check() *Problem {
	p := s.prefixes
	if (p['E'] || p['S']) && (p['L'] || p['U']) {
		return &Problem{Code: "tag-scheme", Reason: "the tags mix BIOES and BILOU", Hint: "split the file", Offset: -1}
	}
	if s.tags > 0 && s.bad && !p['O'] && !p['B'] && !p['I'] {
		return &Problem{Code: "tag-scheme", Reason: "the last column does not contain IOB tags", Hint: "tags are O, or B-LABEL, I-LABEL, E-, S-, L-, U-", Offset: -1}
	}
	return nil
}

func (s *scheme) name() string {
	p := s.prefixes
	switch {
	case p['E'] || p['S']:
		return "BIOES"
	case p['L'] || p['U']:
		return "BILOU"
	case s.insideAt && s.beginAt:
		return "mixed IOB1 and IOB2"
	case s.insideAt:
		return "IOB1"
	case p['B']:
		return "IOB2"
	}
	return "no spans"
}

// chunk is a span of the document being read, in code points.
type chunk struct {
	start, end int
	label      annotate.Label
}

// chunks turns tags into spans as they come.
type chunks struct {
	done    []chunk
	inside  bool // the last of done may go on
	mustEnd bool // and must, under BIOES and BILOU
}

// add takes the tag of the token at start to end.
func (c *chunks) add(s *scheme, tag string, start, end int) *Problem {
	if !isTag(tag) {
		return &Problem{Code: "tag", Reason: "the last column is not a tag", Hint: "tags are O, or B-LABEL, I-LABEL, E-, S-, L-, U-"}
	}
	prefix, label := cutTag(tag)
	goesOn := c.inside && c.done[len(c.done)-1].label == annotate.Label(label)
	if s.bracketed() {
		if p := c.sequence(prefix, goesOn); p != nil {
			return p
		}
	}
	switch prefix {
	case 'O':
		c.inside = false
	case 'B', 'S', 'U':
		return c.begin(start, end, label, prefix == 'B')
	default:
		if !goesOn {
			return c.begin(start, end, label, true)
		}
		c.done[len(c.done)-1].end = end
		c.inside = prefix == 'I'
	}
	c.mustEnd = c.inside && s.bracketed()
	return nil
}

func (c *chunks) begin(start, end int, label string, inside bool) *Problem {
	if len(c.done) == MaxSpans {
		return tooManySpans()
	}
	c.done = append(c.done, chunk{start, end, annotate.Label(label)})
	c.inside, c.mustEnd = inside, inside
	return nil
}

// sequence checks a tag against the one before, under BIOES and BILOU.
func (c *chunks) sequence(prefix byte, goesOn bool) *Problem {
	middle := prefix == 'I' || prefix == 'E' || prefix == 'L'
	if middle != c.mustEnd || middle && !goesOn {
		return brokenSequence()
	}
	return nil
}

func brokenSequence() *Problem {
	return &Problem{Code: "tag-sequence", Reason: "a span without its begin or end", Hint: "under BIOES and BILOU each longer span has both"}
}

// close ends a sentence.
func (c *chunks) close(s *scheme) *Problem {
	broken := c.mustEnd && s.bracketed()
	c.inside, c.mustEnd = false, false
	if broken {
		return brokenSequence()
	}
	return nil
}
