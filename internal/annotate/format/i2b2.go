// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"

	"hide/internal/annotate"
)

// i2b2Kind is the format of the de-identification task of 2014 and of OpenDeID.
func i2b2Kind() kind {
	return kind{
		Format: Format{
			Name: "i2b2-2014", Title: "i2b2 2014 XML", Files: "one note per .xml file, named patient-record.xml", Endings: []string{".xml"}, Ending: ".zip",
			Holds:  Holds{Name: true, Text: true, Spans: true, Patient: true},
			Remark: "The patient is the first number of a file name such as 110-01.xml.",
		},
		claims: func(p *probe) bool { return p.root() == "deIdi2b2" },
		read:   (*reader).i2b2,
		write:  fileEach(".xml", writeI2B2),
		lost: func(d annotate.Annotated) string {
			return sentences(
				when(!fileNamed(d, ".xml"), lostID),
				when(patientOf(d.Name) != d.Patient, "the patient is what the id says"),
				when(!xmlHolds(d.Text), lostText))
		},
	}
}

var patientRecord = regexp.MustCompile(`^(?:.*/)?([0-9]+)-[0-9]+$`)

// patientOf is the patient in a name such as 110-01; "" for other names.
func patientOf(name string) string {
	if m := patientRecord.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return ""
}

// i2b2 reads one note. A parser has made LF of each CR LF, as the positions expect.
func (r *reader) i2b2(in input) error {
	r.used("i2b2-2014", "")
	w := place{file: in.show, offset: -1}
	d, p := r.i2b2Document(in)
	if p != nil {
		return r.refuse(p.at(w))
	}
	return r.deliver(d, w)
}

func (r *reader) i2b2Document(in input) (d annotate.Annotated, p *Problem) {
	file, err := in.open()
	if err != nil {
		return d, unreadable(err, place{file: in.show, offset: -1})
	}
	defer file.Close()
	x, bom, err := newXMLReader(file)
	if err != nil {
		return d, unreadable(err, place{file: in.show, offset: -1})
	}
	r.marked(bom)
	d.Name = stem(in.name, ".xml")
	d.Patient = patientOf(d.Name)
	n := i2b2Note{x: x}
	if err := n.read(); err != nil {
		return d, unreadable(err, place{file: in.show, offset: -1})
	}
	if !n.hasText {
		return d, &Problem{Code: "xml", Reason: "there is no element TEXT", Hint: "each file has deIdi2b2 with TEXT and TAGS"}
	}
	d.Text = n.text.String()
	if p := checkText(d.Text); p != nil {
		return d, p.inText()
	}
	r.remarks.add(n.unplaced, "tag", "without positions, ignored")
	d.Spans, p = r.spansIn(d.Text, n.spans, codePoints, utf16Units)
	return d, p
}

// stem is a name without its ending, in upper or lower case.
func stem(name, ending string) string {
	if len(name) > len(ending) && strings.EqualFold(name[len(name)-len(ending):], ending) {
		return name[:len(name)-len(ending)]
	}
	return name
}

// i2b2Note is a note while it is read.
type i2b2Note struct {
	x        *xmlReader
	text     strings.Builder
	hasText  bool
	spans    []given
	unplaced int
	path     []string
}

func (n *i2b2Note) read() error {
	for {
		token, err := n.x.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			n.path = append(n.path, t.Name.Local)
			err = n.start(t)
		case xml.EndElement:
			n.path = n.path[:len(n.path)-1]
		case xml.CharData:
			if len(n.path) == 2 && n.path[1] == "TEXT" {
				n.text.Write(t)
			}
		}
		if err == nil && n.text.Len() > MaxDocument {
			err = tooLarge()
		}
		if err != nil {
			return err
		}
	}
}

func (n *i2b2Note) start(t xml.StartElement) error {
	switch {
	case len(n.path) == 2 && n.path[1] == "TEXT":
		if n.hasText {
			return n.x.problem("xml", "a second element TEXT", "put each note into a file of its own")
		}
		n.hasText = true
	case len(n.path) == 3 && n.path[1] == "TEXT":
		return n.x.problem("xml", "an element inside TEXT", "the text is in CDATA or escaped; for tags inside the text choose another format")
	case len(n.path) == 3 && n.path[1] == "TAGS":
		return n.tag(t)
	}
	return nil
}

func (n *i2b2Note) tag(t xml.StartElement) error {
	from, to := attribute(t, "start"), attribute(t, "end")
	if from == "" && to == "" {
		n.unplaced++
		return nil
	}
	if len(n.spans) == MaxSpans {
		return tooManySpans()
	}
	g := given{label: annotate.Label(attribute(t, "TYPE")), place: place{record: fmt.Sprintf("tag %d", len(n.spans)+1), offset: n.x.at}}
	if g.label == "" {
		g.label = annotate.Label(t.Name.Local)
	}
	var fine, fineToo bool
	g.start, fine = position([]byte(from))
	g.end, fineToo = position([]byte(to))
	if !fine || !fineToo {
		return spanRange("a position that is not a whole number", annotate.RuneOff(n.text.Len())).at(g.place)
	}
	for _, a := range t.Attr {
		if a.Name.Local == "text" {
			g.surface = &a.Value
		}
	}
	n.spans = append(n.spans, g)
	return nil
}

// i2b2Categories maps the labels of 2014 to their elements. Other labels are in OTHER.
var i2b2Categories = func() map[annotate.Label]string {
	labels := map[annotate.Label]string{}
	for category, types := range map[string]string{
		"NAME":       "PATIENT DOCTOR USERNAME",
		"PROFESSION": "PROFESSION",
		"LOCATION":   "ROOM DEPARTMENT HOSPITAL ORGANIZATION STREET CITY STATE COUNTRY ZIP LOCATION-OTHER",
		"AGE":        "AGE",
		"DATE":       "DATE",
		"CONTACT":    "PHONE FAX EMAIL URL IPADDR",
		"ID":         "SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM",
	} {
		for label := range strings.FieldsSeq(types) {
			labels[annotate.Label(label)] = category
		}
	}
	return labels
}()

func writeI2B2(out *bufio.Writer, d annotate.Annotated) error {
	text := forXML(d.Text)
	out.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<deIdi2b2>\n<TEXT><![CDATA[")
	cdataEscaper.WriteString(out, text)
	out.WriteString("]]></TEXT>\n<TAGS>\n")
	offsets := annotate.NewOffsets(d.Text)
	for i, s := range d.Spans {
		category, known := i2b2Categories[s.Label]
		if !known {
			category = "OTHER"
		}
		start, end := offsets.Range(s)
		_, err := fmt.Fprintf(out, "<%s id=\"P%d\" start=\"%d\" end=\"%d\" text=\"%s\" TYPE=\"%s\" comment=\"\" />\n",
			category, i, start, end, attributeEscaper.Replace(forXML(s.Surface(d.Text))), s.Label)
		if err != nil {
			return err
		}
	}
	_, err := out.WriteString("</TAGS>\n</deIdi2b2>\n")
	return err
}
