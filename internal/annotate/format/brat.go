// SPDX-License-Identifier: Apache-2.0

package format

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/filename"
)

// bratKind is pairs of a text and its annotations. Detection pairs the files before it
// asks for claims, see [reader.plan].
func bratKind() kind {
	return kind{
		Format: Format{
			Name: "brat", Title: "brat standoff", Files: "x.txt with x.ann beside it", Endings: []string{".txt", ".ann"}, Ending: ".zip",
			Holds: Holds{Name: true, Text: true, Spans: true},
		},
		read:  func(r *reader, in input) error { return r.brat(job{input: in}) },
		write: WriteBratZip,
		lost: func(d annotate.Annotated) string {
			name := strings.TrimSuffix(d.Name, ".txt")
			return sentences(
				when(name != d.Name || filename.NewSet().Path(name, ".txt", ".ann") != name, lostID),
				when(strings.HasPrefix(d.Text, "\ufeff"), "the byte order mark at the start of the text may be removed"))
		},
	}
}

// brat reads x.txt together with x.ann. Without x.ann the document has no spans.
func (r *reader) brat(j job) error {
	r.used("brat", "")
	w := place{file: j.input.show, offset: -1}
	text, bom, p := whole(j.input)
	if p != nil {
		return r.refuse(p.at(w))
	}
	name := strings.TrimSuffix(j.input.name, ".txt")
	d := annotate.Annotated{Document: annotate.Document{Name: name, Text: text}}
	if j.ann == nil {
		r.marked(bom)
		r.remarks.add(1, "text", "without an .ann file, read as a document without spans")
		return r.deliver(d, w)
	}
	marks, p := r.readAnn(*j.ann)
	if p == nil {
		d.Text, d.Spans, p = r.place(text, bom, marks)
	}
	if p != nil {
		return r.refuse(p.at(place{file: j.ann.show, offset: -1}))
	}
	return r.deliver(d, w)
}

// annMark is one T line.
type annMark struct {
	id         string
	offset     int64 // of its line in the .ann file
	start, end annotate.RuneOff
	label      annotate.Label
	surface    string
}

// maxAnnLine is the longest line of an .ann file: a span may cover a whole text.
const maxAnnLine = MaxDocument + 1024

// readAnn reads the T lines of an .ann file and counts the others.
func (r *reader) readAnn(in input) ([]annMark, *Problem) {
	file, err := in.open()
	if err != nil {
		return nil, unreadable(err, place{file: in.show, offset: -1})
	}
	defer file.Close()
	l, bom, err := newLines(file, maxAnnLine)
	if err != nil {
		return nil, unreadable(err, place{file: in.show, offset: -1})
	}
	r.marked(bom)
	a := annReader{seen: map[string]bool{}}
	for {
		line, _, err := l.read()
		if err == io.EOF {
			return a.marks, nil
		}
		w := place{in.show, "line " + strconv.Itoa(l.number), l.start}
		if err != nil {
			return nil, unreadable(err, w)
		}
		if p := r.annLine(&a, strings.TrimSuffix(string(line), "\r"), l.start); p != nil {
			return nil, p.at(w)
		}
	}
}

type annReader struct {
	marks []annMark
	seen  map[string]bool
	size  int // bytes of surfaces held
}

func (r *reader) annLine(a *annReader, line string, offset int64) *Problem {
	if strings.TrimSpace(line) == "" {
		return nil
	}
	if p := checkText(line); p != nil {
		return p.inFile(offset)
	}
	if line[0] != 'T' {
		return r.otherLine(line)
	}
	m, p := parseMark(line)
	if p != nil {
		return p
	}
	m.offset = offset
	if a.seen[m.id] {
		return &Problem{Record: m.id, Code: "duplicate-annotation", Reason: "another annotation has this id", Hint: "give every T line its own number"}
	}
	a.seen[m.id] = true
	if a.size += len(m.surface); a.size > 4*MaxDocument || len(a.marks) == MaxSpans {
		return tooManySpans()
	}
	a.marks = append(a.marks, m)
	return nil
}

// otherLine counts the kinds of line that hide does not use.
func (r *reader) otherLine(line string) *Problem {
	kinds := map[byte]string{
		'A': "attribute", 'M': "attribute", 'R': "relation", '*': "equivalence",
		'E': "event", 'N': "normalisation", '#': "note",
	}
	kind, known := kinds[line[0]]
	if !known {
		return badAnnLine()
	}
	r.remarks.add(1, "brat "+kind, "ignored")
	return nil
}

func badAnnLine() *Problem {
	return &Problem{Code: "ann-line", Reason: "not a line of brat standoff", Hint: `text-bound lines are "T1<tab>LABEL start end<tab>text"`}
}

// textBound is "T1<tab>LABEL 0 5<tab>text"; the positions may be several pairs.
var textBound = regexp.MustCompile(`^(T[0-9]{1,12})\t([^ \t]{1,200}) (-?[0-9]+ -?[0-9]+(?:;-?[0-9]+ -?[0-9]+)*)\t(.*)$`)

func parseMark(line string) (annMark, *Problem) {
	parts := textBound.FindStringSubmatch(line)
	if parts == nil {
		return annMark{}, badAnnLine()
	}
	m := annMark{id: parts[1], label: annotate.Label(parts[2]), surface: parts[4]}
	if strings.Contains(parts[3], ";") {
		return m, &Problem{
			Record: m.id, Code: "discontinuous-span",
			Reason: fmt.Sprintf("the annotation has %d parts", strings.Count(parts[3], ";")+1),
			Hint:   "split it into one annotation for each part",
		}
	}
	from, to, _ := strings.Cut(parts[3], " ")
	start, fine := position([]byte(from))
	end, fineToo := position([]byte(to))
	if !fine || !fineToo {
		return m, &Problem{Record: m.id, Code: "span-range", Reason: "span out of range: a position is larger than any text"}
	}
	m.start, m.end = start, end
	return m, nil
}

// reading is one interpretation of the positions in an .ann file.
type reading struct {
	text   string
	folded bool // CR LF counts as one character
	marked bool // the byte order mark counts as a character, and is kept
}

// readings are tried in order, the plain one first. brat itself counts CR LF as one
// character and does not remove a byte order mark.
func readings(text string, bom bool) []reading {
	all := []reading{{text: text}}
	folds := strings.Contains(text, "\r\n")
	if folds {
		all = append(all, reading{text: text, folded: true})
	}
	if bom {
		all = append(all, reading{text: "\ufeff" + text, marked: true})
	}
	if bom && folds {
		all = append(all, reading{text: "\ufeff" + text, folded: true, marked: true})
	}
	return all
}

// place makes spans of the marks with the first reading in which all of them fit, and
// returns the text of that reading.
func (r *reader) place(text string, bom bool, marks []annMark) (string, []annotate.Span, *Problem) {
	var first *Problem
	for _, c := range readings(text, bom) {
		list, p := fit(c, marks)
		if p == nil {
			r.remarkReading(c, bom)
			spans, dropped, p := list.finish()
			r.remarks.add(dropped, "span", droppedSpans)
			return c.text, spans, p
		}
		if first == nil {
			first = p
		}
	}
	return text, nil, first
}

func (r *reader) remarkReading(c reading, bom bool) {
	if c.folded {
		r.remarks.add(1, "text", "with positions that count CR LF as one character; they were converted")
	}
	if c.marked {
		r.remarks.add(1, "text", "with positions that count the byte order mark, which is kept as a character")
		return
	}
	r.marked(bom)
}

// fit checks every mark against the text.
func fit(c reading, marks []annMark) (*spanList, *Problem) {
	list := newSpanList(c.text)
	var positions []annotate.RuneOff
	if c.folded {
		positions = foldedPositions(c.text)
	}
	for _, m := range marks {
		w := place{record: m.id, offset: m.offset}
		start, end := m.start, m.end
		if positions != nil {
			if start < 0 || int(end) >= len(positions) || start >= end {
				return nil, spanRange(fmt.Sprintf("%d to %d", start, end), list.offsets.Runes()).at(w)
			}
			start, end = positions[start], positions[end]
		}
		s, p := list.add(start, end, m.label)
		if p == nil && oneLine(s.Surface(c.text)) != oneLine(m.surface) {
			p = surfaceDiffers(m.surface, s)
		}
		if p != nil {
			return nil, p.at(w)
		}
	}
	return list, nil
}

// oneLine writes text with line breaks as brat does.
func oneLine(s string) string {
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(s)
}

// foldedPositions maps each position of the text with CR LF counted once to the position in
// the text itself.
func foldedPositions(text string) []annotate.RuneOff {
	positions := make([]annotate.RuneOff, 0, len(text)+1)
	var at annotate.RuneOff
	previous := rune(0)
	for _, r := range text {
		if !(previous == '\r' && r == '\n') {
			positions = append(positions, at)
		}
		previous = r
		at++
	}
	return append(positions, at)
}

// WriteBratZip writes an archive with x.txt and x.ann for each document, and an
// annotation.conf with the labels. The texts are written byte for byte. A document's name
// becomes its file name, see package filename.
func WriteBratZip(w io.Writer, docs iter.Seq2[annotate.Annotated, error]) error {
	archive := zip.NewWriter(w)
	names, labels := filename.NewSet(), map[annotate.Label]bool{}
	n := 0
	for d, err := range docs {
		n++
		if err == nil {
			err = writeBrat(archive, names.Path(strings.TrimSuffix(d.Name, ".txt"), ".txt", ".ann"), d)
		}
		if err != nil {
			return fmt.Errorf("document %d: %w", n, err)
		}
		for _, s := range d.Spans {
			labels[s.Label] = true
		}
	}
	if err := writeEntry(archive, "annotation.conf", bratConfiguration(labels)); err != nil {
		return err
	}
	return archive.Close()
}

func writeBrat(archive *zip.Writer, name string, d annotate.Annotated) error {
	if err := annotate.CheckSpans(d.Text, slices.Clone(d.Spans)); err != nil {
		return err
	}
	if err := writeEntry(archive, name+".txt", d.Text); err != nil {
		return err
	}
	entry, err := archive.Create(name + ".ann")
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(entry)
	offsets := annotate.NewOffsets(d.Text)
	for i, s := range d.Spans {
		start, end := offsets.Range(s)
		fmt.Fprintf(buffered, "T%d\t%s %d %d\t%s\n", i+1, s.Label, start, end, oneLine(s.Surface(d.Text)))
	}
	return buffered.Flush()
}

func writeEntry(archive *zip.Writer, name, content string) error {
	entry, err := archive.Create(name)
	if err != nil {
		return err
	}
	_, err = io.WriteString(entry, content)
	return err
}

func bratConfiguration(labels map[annotate.Label]bool) string {
	var b strings.Builder
	b.WriteString("[entities]\n")
	for _, l := range slices.Sorted(maps.Keys(labels)) {
		b.WriteString(string(l) + "\n")
	}
	b.WriteString("[relations]\n[events]\n[attributes]\n")
	return b.String()
}
