// SPDX-License-Identifier: Apache-2.0

package message

import (
	"cmp"
	"io"
	"iter"
	"strings"

	"hide/internal/annotate"
)

// CDA reads a C-CDA document, one a stream, in UTF-8: a declaration of another encoding is
// ignored. The document is one item. Its title, the titles of its sections and their
// narrative are one note; coded entries are not read. Identities come from the header, and
// from the authors, informants and subjects of sections.
//
// A redacted document is valid against the schema of CDA if the document was. Names and
// parts of addresses become the text that [Policy.Replace] gives. Numbers, times and
// addresses of telecommunication have types that no placeholder fits: they become
// nullFlavor="MSK", times become another time if Replace gives one such as 1961-05-14.
// Entries, comments, processing instructions, extensions, embedded files, attributes that
// point somewhere, and codes of unpublished code systems are dropped. [Policy.Keep] can name
// elements ("entry", "sdtc:raceCode", "nonXMLBody"), attributes ("@ID") and what else
// [Lost.Dropped] names, except comments and processing instructions.
func CDA(r io.Reader) iter.Seq2[*Item, error] {
	return func(yield func(*Item, error) bool) {
		item, err := readCDA(r)
		if err != nil {
			yield(nil, err)
			return
		}
		yield(item, nil)
	}
}

func readCDA(r io.Reader) (*Item, error) {
	raw, err := readChunks(r)
	if err != nil {
		return nil, err
	}
	tree, bad := parseCDA(raw, false)
	if bad != nil {
		return nil, inDocument(bad)
	}
	d := &cdaDocument{raw: raw, tree: tree, text: narrator{kinds: cdaNarrative}}
	d.text.document(tree.root)
	text := d.text.text.String()
	if len(text) > MaxText {
		return nil, inDocument(&Error{Code: "document-too-large", Reason: "the text is larger than 10 MB", Hint: "split the document"})
	}
	item := &Item{Record: "document", Skips: d.text.skips, redact: d.redact}
	for _, piece := range raw {
		item.Bytes += len(piece)
	}
	for _, medium := range tree.media {
		item.Skips = append(item.Skips, Skip{What: medium, Path: "entry"})
	}
	if strings.TrimSpace(text) != "" {
		item.Notes = []Note{d.note(text)}
	}
	return item, nil
}

func inDocument(e *Error) *Error {
	e.Record, e.Fatal = "document", true
	return e
}

// cdaDocument is a document that has been read.
type cdaDocument struct {
	raw  chunks
	tree *cdaTree
	text narrator
}

func (d *cdaDocument) note(text string) Note {
	root := d.tree.root
	n := Note{ID: cdaNumber(root.child("id")), Text: text, Identities: cdaIdentities(root), Attributes: map[string]string{}}
	n.Patient = cmp.Or(patientNumber(n.Identities, "MEDICALRECORD"), patientNumber(n.Identities, "SSN"))
	if code := root.child("code"); code != nil {
		if kind := cmp.Or(code.attr("displayName"), code.attr("code")); kind != "" && publicSystem(code.attr("codeSystem")) {
			n.Attributes["type"] = kind
		}
	}
	if time := root.child("effectiveTime"); time != nil && isoDate(time.attr("value")) != "" {
		n.Attributes["date"] = isoDate(time.attr("value"))
	}
	return n
}

// patientNumber is the first number of the patient with a label.
func patientNumber(identities []annotate.Identity, label annotate.Label) string {
	for _, id := range identities {
		if id.Of == annotate.OfPatient && id.Label == label {
			return id.Value
		}
	}
	return ""
}

// cdaNumber is an id as text: its extension, or its root if that is the whole number.
func cdaNumber(id *xmlNode) string {
	if id == nil {
		return ""
	}
	return cmp.Or(id.attr("extension"), id.attr("root"))
}

// redact parses the document again if coded entries are kept, as they are not in memory.
func (d *cdaDocument) redact(w io.Writer, marks [][]Mark, p Policy) (Lost, error) {
	tree, text := d.tree, &d.text
	if p.Keep["entry"] {
		var bad *Error
		if tree, bad = parseCDA(d.raw, true); bad != nil {
			return Lost{}, inDocument(bad)
		}
		text = &narrator{kinds: cdaNarrative}
		text.document(tree.root)
	}
	var of []Mark
	if len(marks) > 0 {
		of = marks[0]
	}
	values, err := text.redacted(of)
	if err != nil {
		return Lost{}, err
	}
	out := newCDAWriter(w, tree, values, p)
	err = out.document()
	return out.lost, err
}
