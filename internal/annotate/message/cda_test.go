// SPDX-License-Identifier: Apache-2.0

package message

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// readOne reads a document that must be readable.
func readOne(t testing.TB, document string) *Item {
	t.Helper()
	var items []*Item
	for item, err := range CDA(strings.NewReader(document)) {
		if err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		items = append(items, item)
	}
	if len(items) != 1 {
		t.Fatalf("%d items", len(items))
	}
	return items[0]
}

func textOf(item *Item) string {
	if len(item.Notes) == 0 {
		return ""
	}
	return item.Notes[0].Text
}

// brackets replaces every identifier by its label.
var brackets = Policy{Replace: func(i annotate.Identity) (string, bool) { return "[" + string(i.Label) + "]", true }}

// redactedItem writes an item with the same marks for all its notes.
func redactedItem(t testing.TB, item *Item, p Policy, marks ...Mark) (string, Lost) {
	t.Helper()
	var out bytes.Buffer
	of := make([][]Mark, len(item.Notes))
	for i := range of {
		of[i] = marks
	}
	lost, err := item.WriteRedacted(&out, of, p)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), lost
}

// cdaOf is a document with a header and a narrative.
func cdaOf(header, body string) string {
	return `<?xml version="1.0" encoding="ISO-8859-1"?><ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:sdtc="urn:hl7-org:sdtc">` +
		header + `<component><structuredBody>` + body + `</structuredBody></component></ClinicalDocument>`
}

func section(title, text string) string {
	return "<component>\n <section>\n  <title>" + title + "</title>\n  <text>" + text + "</text>\n </section>\n</component>\n"
}

func TestNarrativeIsReadAsAPersonSeesIt(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{section("PLAN", " Rest. "), "PLAN\nRest."},
		{section("", "Only text"), "Only text"},
		{section("A", "x") + section("B", "y"), "A\nx\n\nB\ny"},
		{section("A", "\n  <paragraph>one\n   two</paragraph>\n  <paragraph>three</paragraph>\n"), "A\none two\nthree"},
		{section("A", "one<br/>two<br/><br/>three<br/><br/><br/>four"), "A\none\ntwo\n\nthree\n\nfour"},
		{section("A", "Dr.<content>Jo</content>hn <sup>2</sup> <linkHtml href='x'>y</linkHtml>"), "A\nDr.John 2 y"},
		{section("A", "<list><caption>Drugs</caption><item>a</item>\n<item>b<list><item>c</item></list></item></list>z"), "A\nDrugs\n- a\n- b\n  - c\nz"},
		{section("A", `<list listType="ordered"><item>a</item><item/><item><content>b</content></item></list>`), "A\n1. a\n3. b"},
		{section("A", "<table><caption>Labs</caption><thead><tr><th>Name</th> <th>Value</th></tr></thead><tbody>\n<tr>\n<td>Hb</td>\n<td>12 <br/>g</td></tr><tr><td/><td>x</td><td/></tr><tr><td/></tr></tbody></table>end"),
			"A\nLabs\nName | Value\nHb | 12 g\n | x\nend"},
		{section("A", "<table><tbody><tr><td><list><item>a</item><item>b</item></list></td><td><paragraph>c</paragraph><paragraph>d</paragraph></td></tr></tbody></table>"), "A\n- a - b | c d"},
		{section("A", `<content styleCode="xVerbatim">  a<br/><br/><br/> b`+"\n\tc &#13; </content>"), "A\n  a\n\n\n b\n\tc \r "},
		{section("A", "x<renderMultiMedia referencedObject='m'><caption>Figure 1</caption></renderMultiMedia>y"), "A\nx Figure 1 y"},
		{section("A", "a<!-- c -->b<![CDATA[ <c> ]]>&amp;\u00a0d"), "A\nab <c> &\u00a0d"},
		{`<component><section><title>A</title><text>x</text><component><section><title>B</title><text>y</text></section></component></section></component>`, "A\nx\n\nB\ny"},
		{section(" ", " <paragraph/> "), ""},
	} {
		if got := textOf(readOne(t, cdaOf("", c.body))); got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.body, got, c.want)
		}
	}
	if got := textOf(readOne(t, cdaOf("<title>Note of <!-- x -->Ada</title>", section("A", "x")))); got != "Note of Ada\n\nA\nx" {
		t.Errorf("with a title of the document: %q", got)
	}
}

const cdaHeader = `<typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/><templateId root="2.16.840.1.113883.10.20.22.1.9" extension="2014-06-09"/>
<id root="1.2.3" extension="DOC7"/><code code="11506-3" codeSystem="2.16.840.1.113883.6.1" displayName="Progress note"/><effectiveTime value="20240131120000+0100"/>
<recordTarget><patientRole><id root="1.2.4" extension="MRN-1"/><id root="2.16.840.1.113883.4.1" extension="111-00-1234"/>
<addr use="HP"><streetAddressLine>7 Elm Rd</streetAddressLine><city>Ulm</city><state>BW</state><postalCode>89073</postalCode><country>DE</country></addr>
<telecom value="tel:(781)555-1212" use="HP"/><telecom value="mailto:ada@example.org"/>
<patient><name use="L"><prefix>Ms</prefix><given>Ada</given><given>May</given><family>Byron</family></name><administrativeGenderCode code="F" codeSystem="2.16.840.1.113883.5.1"/><birthTime value="19610514"/>
<raceCode code="1"/><guardian><telecom value="(781)555-9999"/><guardianPerson><name><given>Ralph</given><family>Ward</family></name></guardianPerson></guardian></patient>
<providerOrganization><name>Good Clinic</name></providerOrganization></patientRole></recordTarget>
<author><time value="2024013112"/><assignedAuthor><id root="2.16.840.1.113883.4.6" extension="99"/><assignedPerson><name>Dr Henry Seven</name></assignedPerson></assignedAuthor></author>
<participant typeCode="IND"><associatedEntity classCode="NOK"><associatedPerson><name><family>Ruth</family></name></associatedPerson><scopingOrganization><name>Acme</name></scopingOrganization></associatedEntity></participant>
<participant typeCode="IND"><associatedEntity classCode="PROV"><associatedPerson><name>Pat Peer</name></associatedPerson></associatedEntity></participant>
<componentOf><encompassingEncounter><id extension="E5"/><effectiveTime><low value="202401"/></effectiveTime></encompassingEncounter></componentOf>`

func TestIdentitiesComeFromTheHeader(t *testing.T) {
	n := readOne(t, cdaOf(cdaHeader, section("A", "x"))).Notes[0]
	var got []string
	for _, i := range n.Identities {
		got = append(got, fmt.Sprintf("%s %s %s %s", i.Of, i.Label, i.Value, i.From))
	}
	want := strings.Split(`patient DATE 2024-01-31 effectiveTime
patient MEDICALRECORD MRN-1 recordTarget.id
patient SSN 111-00-1234 recordTarget.id
patient STREET 7 Elm Rd recordTarget.addr
patient CITY Ulm recordTarget.addr
patient STATE BW recordTarget.addr
patient ZIP 89073 recordTarget.addr
patient COUNTRY DE recordTarget.addr
patient PHONE (781)555-1212 recordTarget.telecom
patient EMAIL ada@example.org recordTarget.telecom
patient PATIENT Ada May Byron recordTarget.name
patient DATE 1961-05-14 recordTarget.birthTime
relative PHONE (781)555-9999 guardian.telecom
relative PATIENT Ralph Ward guardian.name
place HOSPITAL Good Clinic providerOrganization.name
clinician IDNUM 99 author.id
clinician DOCTOR Dr Henry Seven author.name
relative PATIENT Ruth participant.name
place ORGANIZATION Acme participant.name
clinician DOCTOR Pat Peer participant.name
patient IDNUM E5 componentOf.id
patient DATE 2024-01 componentOf.low`, "\n")
	if !slices.Equal(got, want) {
		t.Errorf("got %s", strings.Join(got, "\n"))
	}
	if n.ID != "DOC7" || n.Patient != "MRN-1" || n.Attributes["type"] != "Progress note" || n.Attributes["date"] != "2024-01-31" {
		t.Errorf("id %q, patient %q, attributes %v", n.ID, n.Patient, n.Attributes)
	}
}

func TestRedactedHeaderHasPlaceholdersThatTheSchemaAllows(t *testing.T) {
	out, lost := redactedItem(t, readOne(t, cdaOf(cdaHeader, section("A", "x"))), brackets)
	for _, want := range []string{
		`<id nullFlavor="MSK"/>`, `<effectiveTime nullFlavor="MSK"/>`, `<city>[CITY]</city>`, `<name use="L">[PATIENT]</name>`,
		`<telecom use="HP" nullFlavor="MSK"/>`, `<birthTime nullFlavor="MSK"/>`, `<name>[HOSPITAL]</name>`, `<name>[DOCTOR]</name>`,
		`<templateId root="2.16.840.1.113883.10.20.22.1.9" extension="2014-06-09"/>`, `<administrativeGenderCode code="F" codeSystem="2.16.840.1.113883.5.1"/>`,
		`<low nullFlavor="MSK"/>`, `displayName="Progress note"`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if lost.Identities != 24 || lost.Dropped["raceCode"] != 1 || len(lost.Dropped) != 1 {
		t.Errorf("lost %+v", lost)
	}
	shift := Policy{Replace: func(i annotate.Identity) (string, bool) { return "1970-02-03", i.Label == "DATE" }}
	out, lost = redactedItem(t, readOne(t, cdaOf(cdaHeader, section("A", "x"))), shift)
	if !strings.Contains(out, `<birthTime value="19700203"/>`) || !strings.Contains(out, "<given>May</given>") || !strings.Contains(out, `extension="MRN-1"`) || lost.Identities != 4 {
		t.Errorf("dates alone, %d replaced:\n%s", lost.Identities, out)
	}
}

// TestNothingRidesAlong puts a canary into every place where something can hide.
func TestNothingRidesAlong(t *testing.T) {
	header := `<?Canary x?><!-- Canary --><realmCode code="Canary person name of many words"/><code code="Canary" codeSystem="1.2.3" displayName="Canary"><originalText>Canary</originalText></code>
<id root="Canary" extension="Canary" assigningAuthorityName="Canary" displayable="Canary"/><setId extension="Canary"/>
<recordTarget sdtc:x="Canary" Canary="x"><patientRole classCode="Canary, Ada Byron"> Canary <id extension="Canary"/><addr>Canary<city xml:lang="Canary, Ada">Canary</city><useablePeriod value="Canary"/></addr>
<telecom value="Canary"/><patient><name>Canary<given qualifier="x">Canary</given><validTime value="Canary"/></name><sdtc:raceCode code="Canary"/><Canary>Canary</Canary>
<x:any xmlns:x="urn:Canary">Canary</x:any><any xmlns="urn:Canary">Canary</any></patient></patientRole></recordTarget>
<relatedDocument typeCode="RPLC"><parentDocument><id extension="Canary"/><text>Canary</text></parentDocument></relatedDocument>`
	body := `<component><section ID="Canary"><id extension="Canary"/><title ID="Canary">T</title><text ID="Canary">a<content ID="Canary" styleCode="Bold">b</content>
<linkHtml href="Canary">c</linkHtml><renderMultiMedia referencedObject="Canary"/><footnoteRef IDREF="Canary"/></text><entry><observation><value mediaType="image/png">Canary</value></observation></entry>
<author><assignedAuthor><id extension="Canary"/></assignedAuthor></author></section></component>`
	item := readOne(t, cdaOf(header, body))
	if !slices.Equal(item.Skips, []Skip{{"image/png", "entry"}}) {
		t.Errorf("skips %v", item.Skips)
	}
	out, lost := redactedItem(t, item, brackets)
	if strings.Contains(out, "Canary") {
		t.Error(out)
	}
	for _, name := range []string{"entry", "sdtc:raceCode", "@ID", "comment", "processing instruction", "@href", "originalText", "other:any", "x:any", "text", "@displayName", "text outside the narrative"} {
		if lost.Dropped[name] == 0 && name != "other:any" && name != "x:any" {
			t.Errorf("%s is not counted in %v", name, lost.Dropped)
		}
	}
	keep := brackets
	keep.Keep = map[string]bool{"entry": true, "sdtc:raceCode": true, "@ID": true}
	kept, _ := redactedItem(t, item, keep)
	for _, want := range []string{`<value mediaType="image/png">Canary</value>`, `<sdtc:raceCode code="Canary"/>`, `<content ID="Canary" styleCode="Bold">`, ` xmlns:sdtc="urn:hl7-org:sdtc"`} {
		if !strings.Contains(kept, want) {
			t.Errorf("no %s in\n%s", want, kept)
		}
	}
	readOne(t, kept)
}

func TestBodiesThatAreNotXML(t *testing.T) {
	body := func(text string) string {
		return strings.NewReplacer("<structuredBody>", "<nonXMLBody>", "</structuredBody>", "</nonXMLBody>").Replace(cdaOf("", text))
	}
	plain := readOne(t, body(`<text mediaType="text/plain" representation="B64"> QWRhIDwm
		IEJ5cm9u </text>`))
	if textOf(plain) != "Ada <& Byron" {
		t.Errorf("got %q", textOf(plain))
	}
	out, _ := redactedItem(t, plain, brackets, Mark{0, 3, "[PATIENT]"})
	if got := textOf(readOne(t, out)); got != "[PATIENT] <& Byron" {
		t.Errorf("redacted to %q", got)
	}
	for text, skip := range map[string]Skip{
		`<text mediaType="application/pdf" representation="B64">QWRh</text>`:                              {"application/pdf", "nonXMLBody"},
		`<text mediaType="Ada" representation="TXT">Ada</text>`:                                           {"a file of unknown type", "nonXMLBody"},
		`<text mediaType="text/plain" representation="B64">QWR!</text>`:                                   {"text/plain", "nonXMLBody"},
		`<text mediaType="text/plain" representation="B64">/w==</text>`:                                   {"text/plain", "nonXMLBody"},
		`<text mediaType="text/plain"><reference value="file:Ada"/></text>`:                               {"text at another address", "nonXMLBody"},
		`<text mediaType="application/pdf"><!-- no representation -->QWRh<reference value="Ada"/></text>`: {"text at another address", "nonXMLBody"},
	} {
		item := readOne(t, body(text))
		if len(item.Notes) != 0 || !slices.Equal(item.Skips, []Skip{skip}) {
			t.Errorf("%s: %d notes, skips %v", text, len(item.Notes), item.Skips)
		}
		out, lost := redactedItem(t, item, brackets)
		if strings.Contains(out, "Ada") || strings.Contains(out, "QWR") || lost.Dropped["nonXMLBody"] != 1 {
			t.Errorf("%v: %s", lost, out)
		}
		if again := readOne(t, out); len(again.Skips) != 0 {
			t.Errorf("the redacted document still has %v", again.Skips)
		}
		keep := brackets
		keep.Keep = map[string]bool{"nonXMLBody": true}
		if out, _ := redactedItem(t, item, keep); !strings.Contains(out, "Ada") && !strings.Contains(out, "QWR") && !strings.Contains(out, "/w==") {
			t.Errorf("not kept: %s", out)
		}
	}
}

func TestBadDocumentsAreRefused(t *testing.T) {
	good := cdaOf("", section("A", "Ada"))
	for _, c := range []struct{ name, document, code, reason string }{
		{"empty", "", "truncated", "no element"},
		{"cut", good[:len(good)-20], "truncated", "too early"},
		{"other XML", "<a/>", "xml", "ClinicalDocument"},
		{"other namespace", `<ClinicalDocument xmlns="urn:x"/>`, "xml", "ClinicalDocument"},
		{"DOCTYPE", `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>` + good, "xml", "DOCTYPE not allowed"},
		{"entity", cdaOf("", section("A", "&Ada;")), "xml", "not well-formed"},
		{"depth", cdaOf("", section("A", strings.Repeat("<content>", 300)+strings.Repeat("</content>", 300))), "xml", "nesting deeper than 256"},
		{"depth of an entry", cdaOf("", "<section><entry>"+strings.Repeat("<a>", 1000)), "xml", "nesting deeper than 256"},
		{"not UTF-8", cdaOf("", section("A", "Ada \xff")), "encoding", "not valid UTF-8"},
		{"mismatch", cdaOf("", "<section></text>"), "xml", "not well-formed"},
		{"twice", cdaOf(`<id root="1" root="2"/>`, ""), "xml", "same attribute twice"},
		{"two documents", good + good, "xml", "second document"},
		{"text after", good + "Ada", "xml", "outside"},
		{"NUL", cdaOf("", section("A", "\x00")), "xml", "not well-formed"},
		{"text", cdaOf("", section("A", strings.Repeat("a", MaxText+1))), "document-too-large", "10 MB"},
	} {
		var got *Error
		for item, err := range CDA(strings.NewReader(c.document)) {
			if item != nil || !errors.As(err, &got) {
				t.Fatalf("%s: item %v, error %v", c.name, item, err)
			}
		}
		if got == nil || got.Code != c.code || !strings.Contains(got.Reason, c.reason) || got.Hint == "" || !got.Fatal || got.Record == "" {
			t.Errorf("%s: got %#v", c.name, got)
		}
		if strings.Contains(got.Error(), "Ada") {
			t.Errorf("%s: the error quotes the document: %v", c.name, got)
		}
		if c.code == "encoding" && c.document[got.Offset] != '\xff' {
			t.Errorf("%s: byte %d", c.name, got.Offset)
		}
	}
	if got := textOf(readOne(t, "\ufeff"+good)); got != "A\nAda" {
		t.Errorf("with a byte order mark: %q", got)
	}
}

func TestDocumentsOfTooManyElementsAreRefused(t *testing.T) {
	p := newCDAParser(strings.NewReader(cdaOf(strings.Repeat("<a/>", 10), "")))
	p.elements = maxElements - 10
	if _, err := p.parse(); err == nil || err.Code != "document-too-large" {
		t.Errorf("got %v", err)
	}
}

// randomNarrative makes a valid narrative of short words.
func randomNarrative(draw *rand.Rand, depth int) string {
	var b strings.Builder
	for range 1 + draw.IntN(4) {
		inner := func() string {
			if depth == 0 {
				return []string{"Ada", " Byron ", "a\n  b", "x &amp; y", "", " "}[draw.IntN(6)]
			}
			return randomNarrative(draw, depth-1)
		}
		switch draw.IntN(9) {
		case 0:
			b.WriteString("<paragraph>" + inner() + "</paragraph>")
		case 1:
			b.WriteString("<content styleCode='Bold'>" + inner() + "</content>")
		case 2:
			b.WriteString("<list><item>" + inner() + "</item>\n<item>" + inner() + "</item></list>")
		case 3:
			b.WriteString("<table><tbody><tr><td>" + inner() + "</td> <td>" + inner() + "</td></tr></tbody></table>")
		case 4:
			b.WriteString("<br/>")
		case 5:
			b.WriteString("<content styleCode='xVerbatim'>" + inner() + "</content>")
		case 6:
			b.WriteString("<unknown><caption>" + inner() + "</caption></unknown>")
		default:
			b.WriteString(inner())
		}
	}
	return b.String()
}

// TestRedactionOfTheTextIsARedactionOfTheDocument: reading the redacted document gives the
// text with the same words replaced.
func TestRedactionOfTheTextIsARedactionOfTheDocument(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 9))
	marked := 0
	for range 500 {
		document := cdaOf("<title>Ada</title>", section("S", randomNarrative(draw, 2))+section("", randomNarrative(draw, 2)))
		item := readOne(t, document)
		text := textOf(item)
		for _, word := range []string{"", "Ada", "Byron"} {
			var marks []Mark
			for at := 0; word != "" && strings.Contains(text[at:], word); at += len(word) {
				at += strings.Index(text[at:], word)
				marks = append(marks, Mark{annotate.ByteOff(at), annotate.ByteOff(at + len(word)), "[<&>]"})
			}
			marked += len(marks)
			out, _ := redactedItem(t, item, brackets, marks...)
			want := text
			if word != "" {
				want = strings.ReplaceAll(text, word, "[<&>]")
			}
			if got := textOf(readOne(t, out)); got != want {
				t.Fatalf("%s\nredacted %s\n got %q\nwant %q", document, out, got, want)
			}
		}
	}
	if marked < 500 {
		t.Errorf("only %d words were marked", marked)
	}
}

// bare are the identities without where they came from, in one order.
func bare(all []annotate.Identity) []annotate.Identity {
	all = slices.Clone(all)
	for i := range all {
		all[i].From = ""
	}
	slices.SortFunc(all, func(a, b annotate.Identity) int {
		return strings.Compare(fmt.Sprint(string(a.Of), " ", string(a.Label), " ", a.Value), fmt.Sprint(string(b.Of), " ", string(b.Label), " ", b.Value))
	})
	return slices.Compact(all)
}

// randomNote is a note with random text and identities of every label.
func randomNote(draw *rand.Rand) Note {
	letters := []string{"a", "B", " ", "  ", "\n", "\t", "\r\n", "<", "&", "]]>", "é", "😀", "\u00a0", "|", "~", "^", `\`, `"`, "'", ".", "Ada"}
	word := func(n int) (s string) {
		for range 1 + draw.IntN(n) {
			s += letters[draw.IntN(len(letters))]
		}
		return s
	}
	n := Note{ID: fmt.Sprint("note ", draw.IntN(100)), Patient: fmt.Sprint("P", draw.IntN(100)), Text: word(30) + "x" + word(5)}
	n.Identities = append(n.Identities, annotate.Identity{Of: annotate.OfPatient, Label: "MEDICALRECORD", Value: n.Patient})
	people := []annotate.Whose{annotate.OfPatient, annotate.OfRelative, annotate.OfClinician, annotate.OfPlace}
	values := []string{"Ada May Byron", "Ada", "1961-05-14", "1961-05", "1961", "soon", "+1 (781) 555", "ada@example.org", "x y", "a  b", " a", "a:b", "tel:1", "http://a/b?c=d&e", "<&\">"}
	for _, label := range annotate.I2B2() {
		if draw.IntN(2) == 0 {
			n.Identities = append(n.Identities, annotate.Identity{Of: people[draw.IntN(4)], Label: label.Label, Value: values[draw.IntN(len(values))]})
		}
	}
	return n
}

func TestANewDocumentIsReadBackAsItWas(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 5))
	for range 700 {
		n := randomNote(draw)
		var out bytes.Buffer
		if err := WriteCDA(&out, n); err != nil {
			t.Fatal(err)
		}
		got := readOne(t, out.String()).Notes[0]
		if got.Text != n.Text || got.ID != n.ID || got.Patient != n.Patient || !slices.Equal(bare(got.Identities), bare(n.Identities)) {
			t.Fatalf("%s\n got %q %q %q %v\nwant %q %q %q %v", out.String(), got.ID, got.Patient, got.Text, bare(got.Identities), n.ID, n.Patient, n.Text, bare(n.Identities))
		}
	}
}

func TestNotesThatADocumentCannotHold(t *testing.T) {
	for _, n := range []Note{{Text: " \n"}, {Text: "a\x00"}, {Text: "a\xff"}, {Text: "a\x1b[0m"}, {Text: "a", Identities: []annotate.Identity{{Of: "patient", Label: "DATE", Value: "\x01"}}}} {
		if err := WriteCDA(&bytes.Buffer{}, n); err == nil {
			t.Errorf("%q is written", n.Text)
		}
	}
}

func FuzzCDA(f *testing.F) {
	f.Add(cdaOf(cdaHeader, section("A", "x <content styleCode='xVerbatim'> y<br/></content><table><tr><td>a</td><td/></tr></table>")))
	f.Add(strings.ReplaceAll(cdaOf(cdaHeader, `<text mediaType="text/plain" representation="B64">QWRh</text>`), "structuredBody", "nonXMLBody"))
	f.Add(cdaOf("<x:a xmlns:x='u'><x:a xmlns:x='v'/></x:a>", section("<?p?>", "<list><item>a<table/></item></list><entry>b</entry>")))
	f.Fuzz(func(t *testing.T, document string) {
		for item, err := range CDA(strings.NewReader(document)) {
			if err != nil {
				return
			}
			out, _ := redactedItem(t, item, brackets)
			if got := textOf(readOne(t, out)); got != textOf(item) {
				t.Errorf("redacted %s\n got %q\nwant %q", out, got, textOf(item))
			}
			keep := brackets
			keep.Keep = map[string]bool{"entry": true, "nonXMLBody": true, "originalText": true}
			out, _ = redactedItem(t, item, keep)
			readOne(t, out)
		}
	})
}
