// SPDX-License-Identifier: Apache-2.0

package format

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"hide/internal/annotate"
)

// physionetKind is the records of PhysioNet's deid, with the spans in a file beside them.
func physionetKind() kind {
	return kind{
		Format: Format{
			Name: "physionet", Title: "PhysioNet deid records", Files: "records between START_OF_RECORD=patient||||record|||| and ||||END_OF_RECORD, with a file x-phi.phrase or x.phi beside x.text", Endings: []string{".text", ".txt", ".phrase", ".phi"}, Ending: ".zip",
			Holds: Holds{Name: true, Text: true, Spans: true, Patient: true},
		},
		claims: func(p *probe) bool { return p.begins(physionetStart) && !p.named(".sgml", ".sgm") },
		read:   (*reader).physionet,
		write:  writePhysionet,
		lost: func(d annotate.Annotated) string {
			_, record, exact := recordNumbers(d)
			return sentences(
				when(!exact && record != "0", "the id and the patient are replaced by numbers"),
				when(!exact && record == "0", "the id and the patient may be replaced by other numbers"),
				when(strings.Contains(d.Text, physionetEnd), "the text has the mark of the end of a record, which is changed"))
		},
	}
}

// Marks of records.
const (
	physionetStart = "START_OF_RECORD="
	physionetEnd   = "||||END_OF_RECORD"
)

var recordStart = regexp.MustCompile(`^START_OF_RECORD=([^|]{1,100})\|\|\|\|([^|]{1,100})\|\|\|\|(.*)$`)

// recordReader reads the records of one file.
type recordReader struct {
	*reader
	in      input
	phrases phrases
	count   int

	open          bool
	crlf          bool
	stray         bool // text outside a record has been refused
	patient, name string
	place         place
	text          strings.Builder
	bad           *Problem
}

func (r *reader) physionet(in input) error {
	r.used("physionet", "")
	w := place{file: in.show, offset: -1}
	rr := &recordReader{reader: r, in: in}
	if in.beside != nil {
		var p *Problem
		if rr.phrases, p = r.readPhrases(*in.beside); p != nil {
			return r.refuse(p.at(place{file: in.beside.show, offset: -1}))
		}
	}
	file, err := in.open()
	if err != nil {
		return r.refuse(unreadable(err, w))
	}
	defer file.Close()
	l, bom, err := newLines(file, MaxDocument+1024)
	if err != nil {
		return r.refuse(unreadable(err, w))
	}
	r.marked(bom)
	for {
		line, ended, err := l.read()
		if err == io.EOF {
			return rr.finish(l.next)
		}
		w := place{in.show, "line " + strconv.Itoa(l.number), l.start}
		refused, isProblem := err.(*Problem)
		if l.broken || err != nil && !isProblem {
			return r.refuse(unreadable(err, w))
		}
		if err := rr.line(line, ended, w, refused); err != nil {
			return err
		}
	}
}

// line reads one line of the file. refused is why it could not be read.
func (r *recordReader) line(line []byte, ended bool, w place, refused *Problem) error {
	switch start := recordStart.FindSubmatch(bytes.TrimSuffix(line, []byte("\r"))); {
	case refused != nil && r.open:
		r.spoil(refused)
	case refused != nil:
		return r.outside(w)
	case start != nil && !r.open:
		r.begin(start, bytes.HasSuffix(line, []byte("\r")), w)
	case !r.open && len(bytes.TrimSpace(line)) > 0:
		return r.outside(w)
	case !r.open:
	case bytes.HasSuffix(bytes.TrimRight(line, "\r"), []byte(physionetEnd)):
		return r.end(bytes.TrimSuffix(bytes.TrimRight(line, "\r"), []byte(physionetEnd)))
	default:
		r.write(line)
		if ended {
			r.write([]byte("\n"))
		}
	}
	return nil
}

func (r *recordReader) outside(w place) error {
	if r.stray {
		return nil
	}
	r.stray = true
	return r.refuse((&Problem{Code: "record", Reason: "text outside a record", Hint: "records are between START_OF_RECORD=patient||||record|||| and ||||END_OF_RECORD"}).at(w))
}

func (r *recordReader) begin(start [][]byte, crlf bool, w place) {
	r.open, r.stray, r.crlf, r.place, r.bad = true, false, crlf, w, nil
	r.count++
	r.patient, r.name = string(start[1]), string(start[1])+"-"+string(start[2])
	r.place.record = fmt.Sprintf("record %d", r.count)
	r.text.Reset()
	if len(start[3]) > 0 {
		r.write(append(start[3], '\n'))
	}
}

func (r *recordReader) write(b []byte) {
	if r.text.Len()+len(b) > MaxDocument+2 {
		r.spoil(tooLarge())
	}
	if r.bad == nil {
		r.text.Write(b)
	}
}

func (r *recordReader) spoil(p *Problem) {
	if r.bad == nil {
		r.bad = p
	}
}

// end ends the record. The line break before the mark is not part of the text.
func (r *recordReader) end(rest []byte) error {
	r.open = false
	text := r.text.String() + string(rest)
	if len(rest) == 0 {
		text = strings.TrimSuffix(text, "\n")
		if r.crlf {
			text = strings.TrimSuffix(text, "\r")
		}
	}
	if r.bad == nil {
		if p := checkText(text); p != nil {
			r.bad = p.inText()
		}
	}
	if r.bad != nil {
		return r.refuse(r.bad.at(r.place))
	}
	d := annotate.Annotated{Document: annotate.Document{Name: r.name, Text: text, Patient: r.patient}}
	spans, p := r.spansOf(text)
	if p != nil {
		return r.refuse(p.at(r.place))
	}
	d.Spans = spans
	return r.deliver(d, r.place)
}

func (r *recordReader) finish(end int64) error {
	if r.open {
		return r.refuse(endsEarly(end).at(r.place))
	}
	left := 0
	for _, all := range r.phrases {
		left += len(all)
	}
	r.remarks.add(left, "span", "of a record that is not in the file, left out")
	return r.noneIn(r.in, r.count)
}

// shifted counts the line break before the text as its first character.
var shifted = unit{
	words: "with positions that count the line break before the text; they were converted",
	points: func(_ string, counts []annotate.RuneOff) map[annotate.RuneOff]annotate.RuneOff {
		points := map[annotate.RuneOff]annotate.RuneOff{}
		for _, c := range counts {
			points[c] = c - 1
		}
		return points
	},
}

func (r *recordReader) spansOf(text string) ([]annotate.Span, *Problem) {
	all := r.phrases[r.name]
	delete(r.phrases, r.name)
	if len(all) > 0 && all[0].surface == nil && aligned(text, all, -1) > aligned(text, all, 0) {
		return r.spansIn(text, all, shifted, codePoints)
	}
	return r.spansIn(text, all, codePoints, shifted)
}

// aligned counts the spans that start and end where tokens do, when all are moved.
func aligned(text string, all []given, by annotate.RuneOff) (n int) {
	offsets := annotate.NewOffsets(text)
	starts, ends := map[annotate.ByteOff]bool{}, map[annotate.ByteOff]bool{}
	for _, t := range annotate.Tokenize(text) {
		starts[t.Start], ends[t.End] = true, true
	}
	for _, g := range all {
		s, err := offsets.Span(g.start+by, g.end+by, g.label)
		if err == nil && starts[s.Start] && ends[s.End] {
			n++
		}
	}
	return n
}

// recordNumbers are the patient and record of a document whose id and patient come back from
// a file: 7-12 of patient 7.
func recordNumbers(d annotate.Annotated) (patient, record string, exact bool) {
	record, found := strings.CutPrefix(d.Name, d.Patient+"-")
	exact = found && isNumber(d.Patient) && isNumber(record) && record != "0"
	return d.Patient, record, exact
}

func isNumber(s string) bool {
	return len(s) > 0 && len(s) <= 100 && strings.Trim(s, "0123456789") == ""
}

// maxPhrases is how many bytes of phrases go with one file of records.
const maxPhrases = 1 << 20

// writePhysionet writes files of records, each with its file of phrases. They are cut where
// the phrases, which are held until their file is written, become many.
func writePhysionet(w io.Writer, docs documents) error {
	archive := zip.NewWriter(w)
	var out *bufio.Writer
	var phrases bytes.Buffer
	files, n := 0, 0
	flush := func() error {
		if out == nil {
			return nil
		}
		if err := out.Flush(); err != nil {
			return err
		}
		out = nil
		err := writeEntry(archive, fmt.Sprintf("id-%04d-phi.phrase", files), phrases.String())
		phrases.Reset()
		return err
	}
	err := each(docs, func(d annotate.Annotated) error {
		n++
		if out == nil {
			files++
			entry, err := archive.Create(fmt.Sprintf("id-%04d.text", files))
			if err != nil {
				return err
			}
			out = bufio.NewWriter(entry)
		}
		writeRecord(out, &phrases, n, d)
		if phrases.Len() < maxPhrases {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return err
	}
	return archive.Close()
}

// writeRecord writes the n-th document. Errors stay in out.
func writeRecord(out *bufio.Writer, phrases *bytes.Buffer, n int, d annotate.Annotated) {
	patient, record, exact := recordNumbers(d)
	if !exact {
		patient, record = strconv.Itoa(n), "0"
	}
	text := strings.ReplaceAll(d.Text, physionetEnd, "|||/END_OF_RECORD")
	fmt.Fprintf(out, "%s%s||||%s||||\n%s\n%s\n", physionetStart, patient, record, text, physionetEnd)
	offsets := annotate.NewOffsets(d.Text)
	for _, s := range d.Spans {
		start, end := offsets.Range(s)
		fmt.Fprintf(phrases, "%s %s %d %d %s %s\n", patient, record, start, end, s.Label, oneLine(s.Surface(text)))
	}
}
