// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"hide/internal/annotate"
)

// maxColumnsLine is the longest line of a CoNLL file.
const maxColumnsLine = 1 << 20

// conllKind is columns of tokens and tags.
func conllKind() kind {
	endings := []string{".conll", ".iob", ".iob2", ".bio", ".bioes", ".bilou", ".conll03", ".conll2003"}
	return kind{
		Format: Format{
			Name: "conll", Title: "CoNLL", Files: "one token per line, its tag in the last column (IOB1, IOB2, BIOES or BILOU), -DOCSTART- between notes", Endings: endings, Ending: ".conll",
			Holds:  placedHolds,
			Remark: "Written files have columns with positions, so that hide reads them back exactly; of other files tokens are joined by a space and sentences by a line break.",
		},
		claims: func(p *probe) bool {
			return p.named(endings...) || looksLikeColumns(p.head)
		},
		read:  (*reader).conll,
		write: oneFile("", func(out *bufio.Writer, _ int, d annotate.Annotated) error { return writePlaced(out, d, iob2Tag) }, ""),
		lost:  lostInTokens,
	}
}

// conll reads one token a line, its tag in the last column, an empty line between sentences
// and -DOCSTART- between documents. It reads the file twice: once to detect the tag scheme,
// once for the documents.
func (r *reader) conll(in input) error {
	s, p := r.survey(in)
	if p != nil {
		r.used("conll", "")
		return r.refuse(p.at(place{file: in.show, offset: -1}))
	}
	r.used("conll", "CoNLL, "+s.name()+" detected")
	if !s.placed {
		r.remarks.add(1, "", "CoNLL tokens were joined by a space, sentences by a line break")
	}
	c := &conllReader{reader: r, in: in, scheme: s}
	err := r.columns(in, func(columns []string, w place) error {
		switch starts := c.starts(columns); {
		case starts && s.placed:
			err := c.flush()
			c.placedDocument(columns, w)
			return err
		case starts:
			return c.flush()
		case s.placed:
			c.placedToken(columns, w)
		default:
			c.token(columns, w)
		}
		return nil
	}, func(p *Problem, w place) error {
		c.spoil(p, w)
		return nil
	})
	if err != nil {
		return err
	}
	if err := c.flush(); err != nil {
		return err
	}
	return r.noneIn(in, c.documents)
}

// survey reads the tags of the whole file.
func (r *reader) survey(in input) (*scheme, *Problem) {
	s := &scheme{}
	var first *Problem
	err := r.columns(in, func(columns []string, _ place) error {
		if len(columns) > 0 && columns[0] == docStart {
			s.docstart = true
			s.placed = s.placed || len(columns) == 5 && strings.HasPrefix(columns[1], placedStart)
		}
		s.see(columns)
		return nil
	}, func(p *Problem, w place) error {
		if first == nil && p.Code == "read" {
			first = p.at(w)
		}
		return nil
	})
	if err != nil {
		return s, unreadable(err, place{file: in.show, offset: -1})
	}
	if first != nil {
		return s, first
	}
	return s, s.check()
}

const docStart = "-DOCSTART-"

// columns calls see for every line, without columns for an empty one, and bad for a line
// that cannot be read.
func (r *reader) columns(in input, see func([]string, place) error, bad func(*Problem, place) error) error {
	file, err := in.open()
	if err != nil {
		return unreadable(err, place{file: in.show, offset: -1})
	}
	defer file.Close()
	l, _, err := newLines(file, maxColumnsLine)
	if err != nil {
		return unreadable(err, place{file: in.show, offset: -1})
	}
	for {
		line, _, err := l.read()
		if err == io.EOF {
			return nil
		}
		w := place{in.show, "line " + strconv.Itoa(l.number), l.start}
		if err != nil {
			p := unreadable(err, w)
			if p.Code != "document-too-large" {
				return p
			}
			p.Code, p.Reason = "line-too-long", fmt.Sprintf("the line is longer than %d MiB", maxColumnsLine>>20)
			err = bad(p, w)
		} else if p := checkText(string(line)); p != nil {
			err = bad(p.inFile(l.start), w)
		} else {
			err = see(splitColumns(strings.TrimSuffix(string(line), "\r")), w)
		}
		if err != nil {
			return err
		}
	}
}

// splitColumns cuts at tabs if the line has any, and at runs of spaces otherwise. A line of
// white space has no columns.
func splitColumns(line string) []string {
	if strings.Trim(line, " \t") == "" {
		return nil
	}
	if strings.Contains(line, "\t") {
		return strings.Split(strings.TrimRight(line, " \t"), "\t")
	}
	return strings.FieldsFunc(line, func(r rune) bool { return r == ' ' })
}

// conllReader collects the document being read.
type conllReader struct {
	*reader
	in        input
	scheme    *scheme
	documents int

	text    strings.Builder
	runes   int
	open    chunks
	atLine  bool // the current line of the text is still empty
	any     bool // some line of the document was read
	first   place
	problem *Problem

	name, patient string // of a document with positions
}

// starts reports whether the line starts a new document.
func (c *conllReader) starts(columns []string) bool {
	return len(columns) > 0 && columns[0] == docStart
}

// spoil stores the first problem of the document.
func (c *conllReader) spoil(p *Problem, w place) {
	c.begin(w)
	if c.problem == nil {
		c.problem = p.at(w)
	}
}

func (c *conllReader) begin(w place) {
	if !c.any {
		c.any, c.first, c.atLine = true, w, true
	}
}

// token adds a line of the file to the document.
func (c *conllReader) token(columns []string, w place) {
	if len(columns) == 0 {
		c.sentence(w)
		return
	}
	c.begin(w)
	if len(columns) < 2 {
		c.spoil(&Problem{Code: "columns", Reason: "a line with one column", Hint: "each line needs a token and, in the last column, its tag"}, w)
		return
	}
	token := columns[0]
	if strings.TrimSpace(token) != token || token == "" {
		c.spoil(&Problem{Code: "columns", Reason: "a token that is or ends in white space"}, w)
		return
	}
	if c.text.Len()+len(token) > MaxDocument {
		c.spoil(tooLarge(), w)
		return
	}
	if !c.atLine {
		c.write(" ")
	}
	c.atLine = false
	start := c.runes
	c.write(token)
	if p := c.open.add(c.scheme, columns[len(columns)-1], start, c.runes); p != nil {
		c.spoil(p, w)
	}
}

func (c *conllReader) write(s string) {
	c.text.WriteString(s)
	c.runes += len([]rune(s))
}

// sentence ends a sentence and its open span.
func (c *conllReader) sentence(w place) {
	if p := c.open.close(c.scheme); p != nil {
		c.spoil(p, w)
	}
	if c.any && !c.atLine {
		c.write("\n")
		c.atLine = true
	}
}

// flush delivers the document read so far.
func (c *conllReader) flush() error {
	if !c.scheme.placed {
		c.sentence(c.first)
	} else if p := c.open.close(c.scheme); p != nil {
		c.spoil(p, c.first)
	}
	d := *c
	*c = conllReader{reader: c.reader, in: c.in, scheme: c.scheme, documents: c.documents}
	if !d.any {
		return nil
	}
	c.documents++
	if d.problem != nil {
		return c.refuse(d.problem)
	}
	text := d.text.String()
	list := newSpanList(text)
	for _, k := range d.open.done {
		if _, p := list.add(annotate.RuneOff(k.start), annotate.RuneOff(k.end), k.label); p != nil {
			return c.refuse(p.at(d.first))
		}
	}
	return c.deliver(annotate.Annotated{Document: annotate.Document{Name: d.documentName(c.documents), Text: text, Patient: d.patient}, Spans: list.spans}, d.first)
}

// documentName is the document's own name, or the file's, with a number when the file has
// several documents.
func (c *conllReader) documentName(n int) string {
	if c.scheme.placed {
		return c.name
	}
	if !c.scheme.docstart {
		return c.in.name
	}
	return fmt.Sprintf("%s-%04d", strings.TrimSuffix(c.in.name, path.Ext(c.in.name)), n)
}

// scheme is what the tags of a CoNLL file show about their scheme.
//
//	IOB1   I continues or begins, B only splits neighbours of one label
//	IOB2   every span begins with B
//	BIOES  and ends with E, or is a single S
//	BILOU  and ends with L, or is a single U
type scheme struct {
	docstart bool
	placed   bool // lines have positions, see [placedStart]
	prefixes [256]bool
	insideAt bool   // an I begins a span somewhere
	beginAt  bool   // a B begins a span where IOB1 would write I
	bad      bool   // an unknown tag occurs
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

// see records the tag of a line; no columns end a sentence.
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

// bracketed reports whether the ends of spans are tagged.
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

// chunks turns tags into spans one by one.
type chunks struct {
	done    []chunk
	inside  bool // the last of done may continue
	mustEnd bool // and must, under BIOES and BILOU
}

// add reads the tag of the token at start to end.
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
