// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/hospital"
)

// lawPieces are what random texts are made of: what readers trip over.
var lawPieces = []string{
	"Rose", " ", " ", "\n", "\r\n", "\r", "\t", "\f", "]]>", "<![CDATA[", "&", "&amp;", "&#13;", "<", ">", "<NAME>", "</NAME>", "<content>", "</content>", "</TEXT>", "</RECORD>", "\"", "'", "\\", "\\n",
	"😀", "e\u0301", "שלום", "\u2028", "\u00a0", "\u0085", "\ufeff", "\uffff", "\ufffd", "{", "}", "[", "]", ",", ";", "=cmd", "|", "||||END_OF_RECORD", "\n||||END_OF_RECORD\n", "START_OF_RECORD=1||||2||||",
	"-DOCSTART-", "O", "B-NAME", "_", "%", "#", "12/5/2014", "Dr. May", "<!--", "-->", "<?x?>", "<PHI TYPE=\"DATE\">", "</PHI>", "\u200d",
}

// lawIdentities are what people may be called.
var lawIdentities = []annotate.Identity{
	{Of: annotate.OfPatient, Label: "PATIENT", Value: "Anna-Maria del Río"},
	{Of: annotate.OfPatient, Label: "PATIENT", Value: "Rose ^&~|\\ <b>"},
	{Of: annotate.OfPatient, Label: "DATE", Value: "1961-05-14"},
	{Of: annotate.OfPatient, Label: "MEDICALRECORD", Value: "00-71 2"},
	{Of: annotate.OfPatient, Label: "STREET", Value: "5 High St."},
	{Of: annotate.OfPatient, Label: "PHONE", Value: "(555) 010-99"},
	{Of: annotate.OfRelative, Label: "PATIENT", Value: "Bob"},
	{Of: annotate.OfClinician, Label: "DOCTOR", Value: "Weiss"},
	{Of: annotate.OfClinician, Label: "IDNUM", Value: "77"},
	{Of: annotate.OfPlace, Label: "HOSPITAL", Value: "St. Mary's"},
	{Of: annotate.OfPlace, Label: "OTHER", Value: "x"},
}

// readBy are formats whose files another one reads.
var readBy = map[string]string{"bioes": "conll", "jsonl-work": "jsonl"}

// lawDocument is a random document with everything that a document can have.
func lawDocument(draw *rand.Rand, n int) annotate.Annotated {
	var b strings.Builder
	for range draw.IntN(20) {
		b.WriteString(lawPieces[draw.IntN(len(lawPieces))])
	}
	if strings.TrimSpace(b.String()) == "" {
		b.WriteString("x")
	}
	d := annotate.Annotated{Document: annotate.Document{Name: fmt.Sprintf("n%d", n), Text: b.String()}}
	switch draw.IntN(6) {
	case 0:
		d.Patient, d.Name = "7", fmt.Sprintf("7-%d", n)
	case 1:
		d.Patient, d.Name = "p <é> \"7\"", fmt.Sprintf(" a/é & <%d>: \"%d\" ", n, n)
	case 2:
		d.Identities = []annotate.Identity{{Of: annotate.OfPatient, Label: "PATIENT", Value: "Rosé \"<May>\"", From: "PID-5"}, {Of: annotate.OfPlace, Label: "CITY", Value: "Ulm"}}
	case 3:
		d.Attributes = map[string]string{"a b": "x\ny", "é": "", "text": "t", "id": "7", "label": "x"}
	}
	for _, i := range lawIdentities {
		if draw.IntN(8) == 0 {
			d.Identities = append(d.Identities, i)
		}
	}
	points := []int{}
	for i := range d.Text {
		points = append(points, i)
	}
	points = append(points, len(d.Text))
	labels := []annotate.Label{"PATIENT", "DATE", "NAME", "x.Y-z_1", "content", "LOCATION-OTHER"}
	for at := draw.IntN(4); at+1 < len(points); {
		end := min(at+1+draw.IntN(5), len(points)-1)
		d.Spans = append(d.Spans, annotate.Span{Start: annotate.ByteOff(points[at]), End: annotate.ByteOff(points[end]), Label: labels[draw.IntN(len(labels))]})
		at = end + draw.IntN(5)
	}
	return d
}

// differences names the parts of a document that did not come back.
func differences(d, back annotate.Annotated) []string {
	var parts []string
	for part, differs := range map[string]bool{
		"id":         d.Name != back.Name,
		"text":       d.Text != back.Text,
		"span":       !slices.Equal(characters(d), characters(back)),
		"patient":    d.Patient != back.Patient,
		"attributes": !maps.Equal(d.Attributes, back.Attributes),
		"identities": !slices.Equal(people(d), people(back)),
	} {
		if differs {
			parts = append(parts, part)
		}
	}
	return parts
}

// TestWritingAndReadingKeepsEverythingOrNamesTheLoss is the law of all formats. It also
// refuses a loss that is named and does not happen.
func TestWritingAndReadingKeepsEverythingOrNamesTheLoss(t *testing.T) {
	draw := rand.New(rand.NewPCG(25, 1))
	var docs []annotate.Annotated
	for n := range 60 {
		docs = append(docs, lawDocument(draw, n))
	}
	docs = slices.AppendSeq(docs, hospital.Generate(hospital.Options{Patients: 5, Seed: 3}))
	for _, k := range kinds() {
		if k.write == nil {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			lossy := 0
			for _, d := range docs {
				lost := k.losesOf(d)
				if len(lost) > 0 {
					lossy++
				}
				checkLaw(t, k, d, lost, k.Name, "") // as chosen, and as detected
				if t.Failed() {
					return // one example is enough
				}
			}
			t.Logf("%d of %d notes lose something", lossy, len(docs))
		})
	}
}

// people are the identities, whatever their order and the field that they came from.
func people(d annotate.Annotated) []string {
	var all []string
	for _, i := range d.Identities {
		all = append(all, fmt.Sprintf("%s %s %q", i.Of, i.Label, i.Value))
	}
	slices.Sort(all)
	return all
}

// characters are the spans in code points, which stay when a character is replaced.
func characters(d annotate.Annotated) []string {
	var all []string
	offsets := annotate.NewOffsets(d.Text)
	for _, s := range d.Spans {
		start, end := offsets.Range(s)
		all = append(all, fmt.Sprintf("%d %d %s", start, end, s.Label))
	}
	return all
}

func checkLaw(t *testing.T, k kind, d annotate.Annotated, lost []string, formats ...string) {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, k.Name, sequence([]annotate.Annotated{d})); err != nil {
		t.Fatalf("%+q: %v", d.Text, err)
	}
	for _, format := range formats {
		if strings.Contains(strings.Join(lost, " "), "may be detected as") && format == "" {
			continue
		}
		back, report, err := readAll(Options{Format: format}, file("x"+k.Ending, out.String()))
		if err != nil || len(back) != 1 {
			t.Fatalf("%q: text %+q, spans %v: %d documents, %v\n%s", format, d.Text, d.Spans, len(back), err, out.String())
		}
		if format == "" && report.Format != cmp.Or(readBy[k.Name], k.Name) {
			t.Errorf("the file is detected as %s", report.Format)
		}
		all := strings.Join(lost, "; ")
		parts := differences(d, back[0])
		for _, part := range parts {
			if !strings.Contains(all, part) {
				t.Errorf("the %s differs, and the losses are %q\n%+q %q %v %v\n%+q %q %v %v\n%.600q", part, lost, d.Text, d.Name, d.Spans, d.Attributes, back[0].Text, back[0].Name, back[0].Spans, back[0].Attributes, out.String())
			}
		}
		if len(lost) > 0 && len(parts) == 0 && !strings.Contains(all, " may ") {
			t.Errorf("nothing is lost of %+q %q %q %v, but the losses are %q", d.Text, d.Name, d.Patient, d.Spans, lost)
		}
	}
}
