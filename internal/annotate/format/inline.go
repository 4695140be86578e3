// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"hide/internal/annotate"
)

// dialect is a format with inline tags: where its notes are, and which tags mark spans.
type dialect struct {
	format          string
	record, content string   // elements of a note and of its text; "" if a file is one note
	fields          []string // other elements of a note
	any             bool     // every tag that is closed somewhere in the file marks a span by its name
}

var (
	i2b2Records = dialect{format: "i2b2-2006", record: "RECORD", content: "TEXT"}
	hideReports = dialect{format: "hide-xml", record: "report", content: "content", fields: []string{"title", "pid", "rid"}, any: true}
	inlineTags  = dialect{format: "inline", any: true}
)

// inlineReader reads the notes of a file one by one.
type inlineReader struct {
	*reader
	dialect
	in    input
	known map[string]bool // names of tags that mark spans
	count int             // of notes

	bom    bool
	end    int64       // of the file
	note   *inlineNote // nil outside a note
	inText bool
	field  string // the element that is open in a note, outside its text
}

// inlineNote is a note while it is read.
type inlineNote struct {
	place  place
	id     string
	fields map[string]string
	text   strings.Builder
	read   bool // its text has begun
	open   []openTag
	spans  []annotate.Span
	bad    *Problem
}

type openTag struct {
	name  string
	label annotate.Label
	start annotate.ByteOff
	at    int64
}

// read reads a file twice: once for the names of the tags, once for the notes.
func (d dialect) read(r *reader, in input) error {
	r.used(d.format, "")
	i := &inlineReader{reader: r, dialect: d, in: in, known: map[string]bool{"PHI": true}}
	var p *Problem
	if d.any {
		p, _ = i.scan(i.survey)
	}
	var err error
	if p == nil {
		p, err = i.scan(i.part)
	}
	if p == nil && err == nil {
		p, err = i.finish()
	}
	if p != nil {
		return r.refuse(p.at(place{file: in.show, offset: -1}))
	}
	if err != nil {
		return err
	}
	return r.noneIn(in, i.count)
}

// scan calls see for every part of the file. It returns why the file cannot be read on, or
// the error of see.
func (i *inlineReader) scan(see func(markup) error) (*Problem, error) {
	w := place{file: i.in.show, offset: -1}
	file, err := i.in.open()
	if err != nil {
		return unreadable(err, w), nil
	}
	defer file.Close()
	buffered := bufio.NewReaderSize(file, markupRead)
	bom, err := skipBOM(buffered)
	if err != nil {
		return unreadable(err, w), nil
	}
	i.bom = bom
	s := markupScanner{in: buffered, at: bomSize(bom), xml: i.record != ""}
	if !s.xml {
		i.begin(markup{at: -1})
		i.inText, i.note.read = true, true
	}
	for {
		m, err := s.next()
		if err == io.EOF {
			i.end = s.at
			return nil, nil
		}
		if err != nil {
			return unreadable(err, w), nil
		}
		if err := see(m); err != nil {
			return nil, err
		}
	}
}

// maxInlineLabels bounds the different tags of a file.
const maxInlineLabels = 10_000

// survey collects the names of tags that are closed somewhere.
func (i *inlineReader) survey(m markup) error {
	if m.end && len(i.known) < maxInlineLabels {
		i.known[m.name] = true
	}
	return nil
}

func (i *inlineReader) part(m markup) error {
	switch {
	case i.inText:
		return i.inside(m)
	case m.name == "":
		i.outside(m)
	case m.name == i.record && !m.end:
		err := i.deliverNote()
		i.begin(m)
		return err
	case m.name == i.record:
		return i.deliverNote()
	case i.note == nil:
	case m.name == i.content && !m.end:
		i.inText, i.note.read = !m.empty, true
	case m.end:
		i.field = ""
	case slices.Contains(i.fields, m.name) && !m.empty:
		i.field = m.name
	}
	return nil
}

// outside keeps the text of the fields of a note.
func (i *inlineReader) outside(m markup) {
	if i.note == nil || i.field == "" {
		return
	}
	raw := m.raw
	if !m.exact {
		raw = strings.Trim(raw, " \t\r\n")
	}
	value := i.decode(m, raw)
	if len(i.note.fields[i.field])+len(value) <= 2*maxName {
		i.note.fields[i.field] += value
	}
}

func (i *inlineReader) begin(m markup) {
	i.count++
	i.field, i.inText = "", false
	i.note = &inlineNote{place: place{i.in.show, fmt.Sprintf("note %d", i.count), m.at}, id: m.value("ID"), fields: map[string]string{}}
	if m.at < 0 {
		i.note.place.record = ""
	}
}

// inside reads a part of a note's text.
func (i *inlineReader) inside(m markup) error {
	n := i.note
	opened := slices.ContainsFunc(n.open, func(o openTag) bool { return o.name == m.name })
	switch {
	case m.name == "":
		i.write(m)
	case m.end && m.name == i.content && !opened:
		i.inText = false
		i.closeAll()
	case m.end && m.name == i.record && !opened:
		i.odd("tag", "of the text is not closed, and ends with its note", m.at)
		i.inText = false
		i.closeAll()
		return i.deliverNote()
	case !i.known[m.name]:
		i.odd("tag", "is not closed anywhere in the file, or not known; kept as text", m.at)
		i.write(m)
	case m.empty:
		i.odd("tag", "without text, left out", m.at)
	case m.end:
		i.endTag(m, opened)
	default:
		i.startTag(m)
	}
	return nil
}

// write adds text to the note.
func (i *inlineReader) write(m markup) {
	text := m.raw
	if !m.exact {
		text = i.decode(m, text)
	}
	if i.note.text.Len()+len(text) > MaxDocument {
		i.spoil(tooLarge())
		return
	}
	i.note.text.WriteString(text)
}

func (i *inlineReader) decode(m markup, raw string) string {
	if m.exact {
		return raw
	}
	text, odd := decodeEntities(raw)
	for range odd {
		i.odd("&", "without an entity, kept as text", m.at)
	}
	if raw == "<" {
		i.odd("<", "that begins no tag, kept as text", m.at)
	}
	return text
}

func (i *inlineReader) spoil(p *Problem) {
	if i.note.bad == nil {
		i.note.bad = p
	}
}

// odd counts something that well-formed markup does not have, and remembers the first place.
func (i *inlineReader) odd(thing, text string, at int64) {
	i.remarkAt(thing, text, place{file: i.in.show, offset: at})
}

func (i *inlineReader) startTag(m markup) {
	label := annotate.Label(m.name)
	if given := m.value("TYPE"); m.name == "PHI" && given != "" {
		label = annotate.Label(given)
	}
	if err := annotate.CheckLabel(label); err != nil {
		i.spoil(&Problem{Code: "label", Offset: m.at, located: true, Reason: err.Error(), Hint: "rename the label in the file"})
		return
	}
	if len(i.note.open) == maxXMLDepth {
		i.spoil(&Problem{Code: "xml", Offset: m.at, located: true, Reason: fmt.Sprintf("nesting deeper than %d tags", maxXMLDepth), Hint: "do not trust this file"})
		return
	}
	i.note.open = append(i.note.open, openTag{m.name, label, annotate.ByteOff(i.note.text.Len()), m.at})
}

// endTag closes the innermost open tag of the name, and those inside it.
func (i *inlineReader) endTag(m markup, opened bool) {
	n := i.note
	if len(n.open) == 0 {
		i.odd("tag", "closes nothing, left out", m.at)
		return
	}
	if !opened {
		i.odd("tag", "closes a tag of another name", m.at)
		i.closeLast()
		return
	}
	for last := ""; last != m.name; {
		last = n.open[len(n.open)-1].name
		if last != m.name {
			i.odd("tag", "is not closed, and ends with the one around it", n.open[len(n.open)-1].at)
		}
		i.closeLast()
	}
}

func (i *inlineReader) closeLast() {
	n := i.note
	o := n.open[len(n.open)-1]
	n.open = n.open[:len(n.open)-1]
	i.span(o, annotate.ByteOff(n.text.Len()))
}

// closeAll ends the text. A tag that is still open ends before the next span, or with the
// text.
func (i *inlineReader) closeAll() {
	n := i.note
	for len(n.open) > 0 {
		o := n.open[len(n.open)-1]
		n.open = n.open[:len(n.open)-1]
		i.odd("tag", "is not closed, and ends before the next or with the text", o.at)
		end := annotate.ByteOff(n.text.Len())
		for _, s := range n.spans {
			if s.Start >= o.start {
				end = min(end, s.Start)
			}
		}
		i.span(o, end)
	}
}

func (i *inlineReader) span(o openTag, end annotate.ByteOff) {
	switch {
	case o.start == end:
		i.odd("tag", "without text, left out", o.at)
	case len(i.note.spans) == MaxSpans:
		i.spoil(tooManySpans())
	default:
		i.note.spans = append(i.note.spans, annotate.Span{Start: o.start, End: end, Label: o.label})
	}
}

// deliverNote ends the note that is open.
func (i *inlineReader) deliverNote() error {
	n := i.note
	i.note, i.inText = nil, false
	if n == nil {
		return nil
	}
	if n.bad == nil && !n.read {
		n.bad = &Problem{Code: "xml", Reason: "the note has no text", Hint: fmt.Sprintf("each %s has an element %s", i.record, i.content)}
	}
	if n.bad != nil {
		return i.refuse(n.bad.at(n.place))
	}
	d := annotate.Annotated{Document: annotate.Document{Name: i.nameOf(n), Text: n.text.String(), Patient: n.fields["pid"]}}
	if p := checkText(d.Text); p != nil {
		return i.refuse(p.inText().at(n.place))
	}
	if rid := n.fields["rid"]; rid != "" && rid != d.Name {
		d.Attributes = map[string]string{"rid": rid}
	}
	list := newSpanList(d.Text)
	list.spans = n.spans
	spans, dropped, p := list.finish()
	if p != nil {
		return i.refuse(p.at(n.place))
	}
	i.remarks.add(dropped, "span", droppedSpans)
	d.Spans = spans
	return i.deliver(d, n.place)
}

// nameOf is the id of a note: its own, its title, or the file's name.
func (i *inlineReader) nameOf(n *inlineNote) string {
	for _, name := range []string{n.id, n.fields["title"], n.fields["rid"]} {
		if name != "" {
			return name
		}
	}
	if i.record == "" {
		return stem(i.in.name, ".sgml")
	}
	i.remarks.add(1, "document", "without an id, named after its place in the file")
	return fmt.Sprintf("%s-%d", strings.TrimSuffix(i.in.name, path.Ext(i.in.name)), i.count)
}

// finish ends the file. A record that is still open was cut off.
func (i *inlineReader) finish() (*Problem, error) {
	i.marked(i.bom)
	switch {
	case i.note == nil:
		return nil, nil
	case i.record != "":
		i.note = nil
		return endsEarly(i.end), nil
	}
	i.closeAll()
	return nil, i.deliverNote()
}
