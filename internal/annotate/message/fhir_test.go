// SPDX-License-Identifier: Apache-2.0

package message

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// fhirItems reads a stream that must be readable.
func fhirItems(t testing.TB, stream string) []*Item {
	t.Helper()
	var items []*Item
	for item, err := range FHIR(strings.NewReader(stream), nil) {
		if err != nil {
			t.Fatalf("%v\n%s", err, stream)
		}
		items = append(items, item)
	}
	return items
}

// notesOf are the notes of all items.
func notesOf(items []*Item) (notes []Note) {
	for _, item := range items {
		notes = append(notes, item.Notes...)
	}
	return notes
}

// redactedStream writes all items, with the marks that mark finds in each text.
func redactedStream(t testing.TB, items []*Item, p Policy, mark func(text string) []Mark) (string, Lost) {
	t.Helper()
	var out bytes.Buffer
	all := Lost{Dropped: map[string]int{}}
	for _, item := range items {
		var marks [][]Mark
		for _, n := range item.Notes {
			marks = append(marks, mark(n.Text))
		}
		lost, err := item.WriteRedacted(&out, marks, p)
		if err != nil {
			t.Fatal(err)
		}
		all.Identities += lost.Identities
		for name, n := range lost.Dropped {
			all.Dropped[name] += n
		}
	}
	return out.String(), all
}

func noMarks(string) []Mark { return nil }

// markAll marks every occurrence of a pattern.
func markAll(pattern, with string) func(string) []Mark {
	return func(text string) (marks []Mark) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringIndex(text, -1) {
			marks = append(marks, Mark{annotate.ByteOff(m[0]), annotate.ByteOff(m[1]), with})
		}
		return marks
	}
}

func base64Of(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func TestTextsOfResources(t *testing.T) {
	for _, c := range []struct{ resource, want string }{
		{`{"resourceType":"DocumentReference","content":[{"attachment":{"contentType":"text/plain","data":"` + base64Of(" a\r\nb ") + `"}}]}`, " a\r\nb "},
		{`{"resourceType":"DocumentReference","content":[{"attachment":{"contentType":"text/plain; charset=iso-8859-1","data":"` + base64Of("\xe9") + `"}}]}`, "é"},
		{`{"resourceType":"DocumentReference","content":[{"attachment":{"contentType":"text/html","data":"` + base64Of("<html><head><title>x</title></head><body><p>a&nbsp;b</p>c<img/></body></html>") + `"}}]}`, "a\u00a0b\nc"},
		{`{"resourceType":"Binary","contentType":"text/plain","data":"YQ=="}`, "a"},
		{`{"resourceType":"Binary","content":"YQ==","contentType":"text/plain"}`, "a"},
		{`{"resourceType":"DiagnosticReport","conclusion":"fine","text":{"status":"generated","div":"<div>x</div>"}}`, "fine"},
		{`{"resourceType":"Observation","valueString":"a","note":[{"text":"b"},{"text":" c\n"}],"component":[{"valueString":"d"}]}`, "a\nb\n c\n\nd"},
		{`{"resourceType":"Observation","subject":{},"comment":"b","text":{"status":"additional","div":"<div><ul><li>a</li><li>b</li></ul></div>"}}`, "b\n- a\n- b"},
		{`{"resourceType":"Composition","title":"T","section":[{"title":"S","text":{"status":"generated","div":"<div xmlns='http://www.w3.org/1999/xhtml'>a<br/>b<pre> c\n  d</pre><table><tr><td>e</td><td>f</td></tr></table></div>"},"section":[{"title":"U","text":{"div":"<div><ol><li>g</li><li><b>h</b></li></ol></div>"}}]}]}`,
			"T\n\nS\na\nb\n c\n  d\ne | f\n\nU\n1. g\n2. h"},
		{`{"resourceType":"QuestionnaireResponse","item":[{"text":"Pain?","answer":[{"valueString":"yes"}],"item":[{"text":"Where?"}]}]}`, "Pain?\nyes\n\nWhere?"},
		{`{"resourceType":"Communication","payload":[{"contentString":"a"}]}`, "a"},
		{`{"resourceType":"MedicationRequest","dosageInstruction":[{"text":"one a day"}]}`, "one a day"},
		{`{"resourceType":"Condition","code":{"text":"Asthma"},"text":{"status":"generated","div":"<div>Ada</div>"}}`, ""},
	} {
		var got string
		for _, n := range notesOf(fhirItems(t, c.resource)) {
			got += n.Text
		}
		if got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.resource, got, c.want)
		}
	}
}

func TestEveryFileOfADocumentIsANoteOrASkip(t *testing.T) {
	items := fhirItems(t, `{"resourceType":"DocumentReference","id":"7","description":"x","content":[
		{"attachment":{"contentType":"text/plain","data":"YQ==","url":"http://x"}},{"attachment":{"contentType":"text/plain","data":"Yg=="}},
		{"attachment":{"contentType":"application/pdf","data":"Yg==","title":"Ada"}},{"attachment":{"url":"Binary/1","hash":"Ada"}},
		{"attachment":{"contentType":"text/plain","data":"/w=="}},{"attachment":{"contentType":"text/html","data":"`+base64Of("<p>")+`"}}]}`)
	notes := notesOf(items)
	if len(notes) != 2 || notes[0].ID != "DocumentReference/7" || notes[1].ID != "DocumentReference/7#2" || notes[1].Text != "b" {
		t.Errorf("notes %v", notes)
	}
	want := []Skip{{"application/pdf", "content.attachment"}, {"text at another address", "content.attachment"}, {"text/plain", "content.attachment"}, {"text/html that is not well-formed", "content.attachment"}}
	if !slices.Equal(items[0].Skips, want) {
		t.Errorf("skips %v", items[0].Skips)
	}
	out, _ := redactedStream(t, items, brackets, markAll("b", "[X]"))
	if !strings.Contains(out, base64Of("[X]")) || !strings.Contains(out, `"YQ=="`) || strings.Contains(out, "Ada") || strings.Contains(out, "Yg==") || strings.Contains(out, "http://x") {
		t.Error(out)
	}
}

const fhirPerson = `{"resourceType":"Patient","id":"p1","identifier":[{"type":{"coding":[{"code":"SS"}]},"value":"111-00-1234"},{"system":"urn:x","value":"M7","assigner":{"display":"Good Clinic"}}],
"name":[{"use":"official","family":"Byron","given":["Ada","May"],"prefix":["Ms"]}],"telecom":[{"system":"phone","value":"555 1212"},{"value":"ada@example.org"}],
"address":[{"text":"all","line":["7 Elm Rd","Flat 2"],"city":"Ulm","state":"BW","postalCode":"89073","country":"DE","district":"Alb"}],
"gender":"female","birthDate":"1961-05-14","photo":[{"data":"QWRh"}],"contact":[{"name":{"text":"Ralph Ward"},"telecom":[{"system":"fax","value":"9"}]}]}
{"resourceType":"Practitioner","id":"d1","name":[{"text":"Dr Seven"}],"identifier":[{"value":"N1"}]}
{"resourceType":"Organization","id":"o1","name":"Good Clinic"}
`

func TestIdentitiesComeFromTheResourcesThatAreReferredTo(t *testing.T) {
	document := `{"resourceType":"DocumentReference","id":"1","subject":{"reference":"http://server/fhir/Patient/p1/_history/3"},"author":[{"reference":"Practitioner/d1"},{"reference":"#c","display":"C. Contained"}],
"custodian":{"reference":"Organization/o1"},"contained":[{"resourceType":"RelatedPerson","id":"c","name":[{"text":"Con Tained"}]}],"date":"2024-01-31T10:00:00Z",
"content":[{"attachment":{"contentType":"text/plain","data":"YQ=="}}],"identifier":[{"value":"X9"}]}`
	var people People
	if err := people.Collect(strings.NewReader(fhirPerson + document)); err != nil {
		t.Fatal(err)
	}
	want := strings.Split(`patient SSN 111-00-1234 Patient.identifier
patient MEDICALRECORD M7 Patient.identifier
place HOSPITAL Good Clinic Patient.assigner.display
patient PATIENT Ada May Byron Patient.name
patient PHONE 555 1212 Patient.telecom
patient EMAIL ada@example.org Patient.telecom
patient STREET 7 Elm Rd Patient.address
patient STREET Flat 2 Patient.address
patient CITY Ulm Patient.address
patient STATE BW Patient.address
patient ZIP 89073 Patient.address
patient COUNTRY DE Patient.address
patient LOCATION-OTHER Alb Patient.address
patient DATE 1961-05-14 Patient.birthDate
relative PATIENT Ralph Ward Patient.contact.name
relative FAX 9 Patient.contact.telecom
clinician DOCTOR Dr Seven Practitioner.name
clinician IDNUM N1 Practitioner.identifier
relative PATIENT Con Tained RelatedPerson.name
clinician DOCTOR C. Contained DocumentReference.author.display
patient DATE 2024-01-31 DocumentReference.date
patient IDNUM X9 DocumentReference.identifier`, "\n")
	for name, stream := range map[string]struct {
		text   string
		people *People
	}{"collected before": {document, &people}, "earlier in the stream": {fhirPerson + document, nil}} {
		for item, err := range FHIR(strings.NewReader(stream.text), stream.people) {
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range item.Notes {
				var got []string
				for _, i := range n.Identities {
					got = append(got, fmt.Sprintf("%s %s %s %s", i.Of, i.Label, i.Value, i.From))
				}
				if !slices.Equal(got, want) || n.Patient != "M7" {
					t.Errorf("%s: patient %q\n%s", name, n.Patient, strings.Join(got, "\n"))
				}
			}
		}
	}
}

func TestBinariesBelongToThePatientsOfTheirDocuments(t *testing.T) {
	stream := `{"resourceType":"DocumentReference","subject":{"reference":"Patient/p1"},"content":[{"attachment":{"url":"http://server/Binary/b1"}}]}
{"resourceType":"Binary","id":"b1","contentType":"text/plain","data":"YQ=="}
` + strings.ReplaceAll(fhirPerson, ",\n", ",")
	var people People
	if err := people.Collect(strings.NewReader(stream)); err != nil {
		t.Fatal(err)
	}
	for item, err := range FHIR(strings.NewReader(stream), &people) {
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range item.Notes {
			if n.Patient != "M7" || len(n.Identities) != 16 {
				t.Errorf("patient %q, %v", n.Patient, n.Identities)
			}
		}
	}
}

func TestRedactedResourcesHavePlaceholders(t *testing.T) {
	out, lost := redactedStream(t, fhirItems(t, fhirPerson), brackets, noMarks)
	for _, want := range []string{
		`"name":[{"use":"official","text":"[PATIENT]"}]`, `"value":"[SSN]"`, `"value":"[MEDICALRECORD]"`, `"line":["[STREET]","[STREET]"]`,
		`"_birthDate":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]}`,
		`"gender":"female"`, `"telecom":[{"system":"phone","value":"[PHONE]"}`, `{"resourceType":"Organization","id":"`, `"name":"[HOSPITAL]"`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if lost.Identities != 19 || lost.Dropped["photo"] != 1 || lost.Dropped["identifier.system"] != 1 {
		t.Errorf("lost %v", lost)
	}
	shift := Policy{Replace: func(i annotate.Identity) (string, bool) { return "1970-01-02", i.Label == "DATE" }}
	if out, _ := redactedStream(t, fhirItems(t, fhirPerson), shift, noMarks); !strings.Contains(out, `"birthDate":"1970-01-02"`) || !strings.Contains(out, `"family":"Byron"`) {
		t.Error(out)
	}
}

// TestIdsBecomeTheSamePseudonymsEverywhere: references still lead to their resources.
func TestIdsBecomeTheSamePseudonymsEverywhere(t *testing.T) {
	stream := `{"resourceType":"Bundle","type":"batch","entry":[{"fullUrl":"http://server/Patient/p1","resource":{"resourceType":"Patient","id":"p1"}},
{"fullUrl":"urn:uuid:5","resource":{"resourceType":"Observation","id":"o","subject":{"reference":"Patient/p1"},"hasMember":[{"reference":"urn:uuid:5"}]}}]}`
	out, _ := redactedStream(t, fhirItems(t, stream), brackets, noMarks)
	var b struct {
		Entry []struct {
			FullURL  string
			Resource struct {
				ID        string
				Subject   struct{ Reference string }
				HasMember []struct{ Reference string }
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &b); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	patient, observation := b.Entry[0], b.Entry[1]
	if patient.Resource.ID == "p1" || patient.FullURL != "http://redacted.invalid/Patient/"+patient.Resource.ID || observation.Resource.Subject.Reference != "Patient/"+patient.Resource.ID || observation.FullURL != observation.Resource.HasMember[0].Reference {
		t.Error(out)
	}
	keep := brackets
	keep.Keep = map[string]bool{"id": true}
	if out, _ := redactedStream(t, fhirItems(t, stream), keep, noMarks); !strings.Contains(out, `"reference":"Patient/p1"`) || !strings.Contains(out, `"id":"p1"`) {
		t.Error(out)
	}
}

// randomFHIR makes a value of any shape with known and unknown names, in which each string
// is a canary.
func randomFHIR(draw *rand.Rand, names []string, depth int) any {
	switch n := draw.IntN(8); {
	case depth == 0 || n == 0:
		return []any{"Canary Bird", "Canary Bird", 7, true, nil, 1.50, "<div>Canary Bird</div>", base64Of("Canary Bird")}[draw.IntN(8)]
	case n == 1:
		var list []any
		for range draw.IntN(3) {
			list = append(list, randomFHIR(draw, names, depth-1))
		}
		return list
	}
	object := map[string]any{}
	for range 1 + draw.IntN(5) {
		object[names[draw.IntN(len(names))]] = randomFHIR(draw, names, depth-1)
	}
	if draw.IntN(6) == 0 {
		object["contentType"] = []string{"text/plain", "text/html", "application/pdf"}[draw.IntN(3)]
	}
	return object
}

func TestNothingOfRandomResourcesRidesAlong(t *testing.T) {
	names := []string{"extension", "contained", "meta", "text", "div", "status", "display", "value", "data", "url", "reference", "coding", "code", "system", "given", "family", "line", "city", "_birthDate", "other", "id", "resourceType"}
	for name := range fhirPlains {
		if name != "subtype" { // it is a twin of subType
			names = append(names, name)
		}
	}
	for name := range fhirOther {
		names = append(names, name[strings.LastIndex(name, ".")+1:])
	}
	slices.Sort(names)
	names = slices.Compact(names)
	draw := rand.New(rand.NewPCG(1, 4))
	kinds := []string{"Patient", "Practitioner", "Organization", "Composition", "Observation", "DocumentReference", "Binary", "Bundle", "QuestionnaireResponse", "Basic"}
	texts := 0
	for range 400 {
		resource := map[string]any{}
		for range 8 {
			resource[names[draw.IntN(len(names))]] = randomFHIR(draw, names, 3)
		}
		resource["resourceType"] = kinds[draw.IntN(len(kinds))]
		raw, err := json.Marshal(resource)
		if err != nil {
			t.Fatal(err)
		}
		items := fhirItems(t, string(raw))
		texts += len(notesOf(items))
		out, _ := redactedStream(t, items, brackets, markAll("Canary Bird|"+base64Of("Canary Bird"), "[X]"))
		if !json.Valid([]byte(out)) || strings.Contains(out, "Canary") || strings.Contains(out, base64Of("Canary Bird")) {
			t.Fatalf("%s\nis redacted to\n%s", raw, out)
		}
		plain, _ := redactedStream(t, items, brackets, noMarks)
		if was, is := notesOf(items), notesOf(fhirItems(t, plain)); len(was) != len(is) || len(was) > 0 && was[0].Text != is[0].Text {
			t.Fatalf("%s\nhas notes %v\n%s\n has %v", raw, was, plain, is)
		}
	}
	if texts < 100 {
		t.Errorf("only %d texts", texts)
	}
}

// TestStreamsOfAllShapesAreTheSameResources writes random resources as lines, as one Bundle
// in several layouts, and as a Bundle whose type comes last.
func TestStreamsOfAllShapesAreTheSameResources(t *testing.T) {
	draw := rand.New(rand.NewPCG(2, 2))
	for range 60 {
		var resources, entries []string
		for i := range 1 + draw.IntN(4) {
			r := fmt.Sprintf(`{"resourceType":"Observation","id":"%d","valueString":"a {\"[,]} \\ %d"}`, i, i)
			resources = append(resources, r)
			entries = append(entries, `{"resource":`+r+`}`)
		}
		bundle := `{"resourceType":"Bundle","type":"batch","entry":[` + strings.Join(entries, ",") + `],"total":2}`
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, []byte(bundle), "", " "); err != nil {
			t.Fatal(err)
		}
		for name, stream := range map[string]string{
			"lines": strings.Join(resources, "\n") + "\n\n", "bundle": bundle, "pretty": pretty.String(), "bundles": bundle + "\n" + bundle,
			"type last": `{"entry":[` + strings.Join(entries, ",") + `],"resourceType":"Bundle"}`,
			"Windows":   "\ufeff" + strings.Join(resources, "\r\n"),
		} {
			items := fhirItems(t, stream)
			notes := notesOf(items)
			copies := len(notes) / len(resources)
			for i, n := range notes {
				if n.ID != fmt.Sprintf("Observation/%d", i%len(resources)) || !strings.HasSuffix(n.Text, fmt.Sprint(i%len(resources))) {
					t.Fatalf("%s: note %d is %v", name, i, n)
				}
			}
			if copies == 0 || len(notes)%len(resources) != 0 || copies == 2 != (name == "bundles") {
				t.Fatalf("%s: %d notes of %d resources\n%s", name, len(notes), len(resources), stream)
			}
			for range 2 { // a Bundle can be written twice
				out, _ := redactedStream(t, items, brackets, markAll("a", "b"))
				again := notesOf(fhirItems(t, out))
				if len(again) != len(notes) || again[0].Text != "b"+notes[0].Text[1:] {
					t.Fatalf("%s: written back\n%s", name, out)
				}
			}
		}
	}
}

func TestBadStreamsAreRefused(t *testing.T) {
	good := `{"resourceType":"Observation","id":"good","valueString":"x"}`
	deep := strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300)
	for _, c := range []struct {
		name, stream, code, reason string
		goodAfter                  bool // a later resource is still read
	}{
		{"twice", `{"resourceType":"Observation","id":"Ada","ID":"Ada"}` + "\n" + good, "json", "same name", true},
		{"surrogate", `{"resourceType":"Observation","id":"Ada\ud800"}` + "\n" + good, "json", "surrogate", true},
		{"depth", deep + "\n" + good, "json", "deeper than 256", true},
		{"not UTF-8", `{"resourceType":"Observation","id":"Ada` + "\xff\"}\n" + good, "encoding", "UTF-8", true},
		{"not UTF-8 after a backslash", `{"resourceType":"Observation","id":"Ada\` + "\xff\"}\n" + good, "encoding", "UTF-8", true},
		{"not UTF-8 outside strings", `{"resourceType":"Observation","id":` + "\xff}\n" + good, "encoding", "UTF-8", true},
		{"no type", `{"id":"Ada"}` + "\n" + good, "json", "resourceType", true},
		{"list", `["Ada"]`, "json", "no resource", false},
		{"list before", `["Ada"]` + "\n" + good, "json", "no resource", true},
		{"comma", `{"resourceType":"Observation",}` + "\n" + good, "json", "comma before", true},
		{"number", `{"resourceType":"Observation","a":01}` + "\n" + good, "json", "value is missing or wrong", true},
		{"escape", `{"resourceType":"Observation","a":"\x"}` + "\n" + good, "json", "escape", true},
		{"control", "{\"resourceType\":\"Observation\",\"a\":\"\x01\"}\n" + good, "json", "control", true},
		{"cut line", good + "\n" + `{"resourceType":"Observation","id":"Ada` + "\n" + good, "truncated", "line ends", true},
		{"cut file", good + "\n" + `{"resourceType":"Observation","id":"Ada`, "truncated", "file ends", false},
		{"cut bundle", `{"resourceType":"Bundle","entry":[{"resource":` + good + `}`, "truncated", "file ends", false},
		{"bad entry", `{"resourceType":"Bundle","entry":[{"resource":{"id":01}},{"resource":` + good + `}]}`, "json", "value is missing or wrong", true},
		{"entry of text", `{"resourceType":"Bundle","entry":["Ada",{"resource":` + good + `}]}`, "json", "not an object", true},
		{"entries twice", `{"resourceType":"Bundle","entry":[{"resource":` + good + `}],"entry":[]}`, "json", "same name", false},
		{"entries without comma", `{"resourceType":"Bundle","entry":[{} {}]}`, "json", "comma", false},
		{"colon", `{"resourceType" "Ada"}` + "\n" + good, "json", "colon", true},
		{"large", `{"resourceType":"Binary","contentType":"text/plain","data":"` + strings.Repeat("A", maxFile) + "\"}\n" + good, "document-too-large", "10 MB", true},
		{"pretty", "{\n\"resourceType\" 1", "json", "colon", false},
		{"text", "Ada", "json", "no resource", false},
	} {
		var got *Error
		last := ""
		for item, err := range FHIR(strings.NewReader(c.stream), nil) {
			if err != nil && (!errors.As(err, &got) || strings.Contains(err.Error(), "Ada") || got.Hint == "" || got.Record == "") {
				t.Errorf("%s: %v", c.name, err)
			}
			if item != nil && got != nil && len(item.Notes) > 0 {
				last = item.Notes[0].ID
			}
		}
		if got == nil || got.Code != c.code || !strings.Contains(got.Reason, c.reason) || (last == "Observation/good") != c.goodAfter {
			t.Errorf("%s: %v, after it %q", c.name, got, last)
		}
		if c.code == "encoding" && c.stream[got.Offset] != '\xff' {
			t.Errorf("%s: byte %d", c.name, got.Offset)
		}
	}
}

// TestStringsAreJSONStrings compares with package json: what it reads without U+FFFD is
// read, and equal.
func TestStringsAreJSONStrings(t *testing.T) {
	parts := []string{`\ud83d`, `\ude00`, `\uD83D`, `\u0041`, `\\`, `\"`, `\n`, `\/`, "a", "é", `\u`, `\ufffd`, `\uFFFD`, "\ufffd", `\`, "😀"}
	draw := rand.New(rand.NewPCG(8, 8))
	read := 0
	for range 3000 {
		s := `"`
		for range draw.IntN(5) {
			s += parts[draw.IntN(len(parts))]
		}
		s += `"`
		var want string
		err := json.Unmarshal([]byte(s), &want)
		lone := strings.Count(want, "\ufffd") - strings.Count(s, "\ufffd") - strings.Count(strings.ReplaceAll(strings.ToLower(s), `\\`, ""), `\ufffd`)
		got, bad := parseJSON(s, 0)
		if (bad == nil) != (err == nil && lone == 0) || bad == nil && got.str() != want {
			t.Fatalf("%s: package json %q, %v; read %v", s, want, err, bad)
		}
		if bad == nil {
			read++
		}
	}
	if read < 300 {
		t.Errorf("only %d strings were read", read)
	}
}

// TestValuesAreWrittenAsTheyWere: a resource whose elements are all kept is the same JSON,
// numbers and the order of fields included.
func TestValuesAreWrittenAsTheyWere(t *testing.T) {
	resource := `{"resourceType":"Observation","status":"final","valueQuantity":{"value":1.50,"unit":"mg/dL","system":"http://unitsofmeasure.org","code":"mg/dL"},"code":{"coding":[{"system":"http://loinc.org","code":"718-7","display":"Hb"}],"text":"Hb"},"component":[{"valueInteger":-1e2,"valueBoolean":false}],"interpretation":[]}`
	out, lost := redactedStream(t, fhirItems(t, resource), brackets, noMarks)
	if want := strings.Replace(resource, `,"interpretation":[]`, "", 1) + "\n"; out != want || len(lost.Dropped) != 0 {
		t.Errorf("lost %v\n got %s\nwant %s", lost, out, want)
	}
	keep := brackets
	keep.Keep = map[string]bool{"extension": true, "meta": true, "code.text": true}
	kept := `{"resourceType":"Observation","meta":{"a":[1]},"code":{"coding":[{"system":"http://loinc.org","code":"1-8"}],"text":"any"},"component":[{"extension":[{"url":"x"}],"valueInteger":1}]}`
	if out, _ := redactedStream(t, fhirItems(t, kept), keep, noMarks); out != kept+"\n" {
		t.Errorf("got %s", out)
	}
}

func TestNewResourcesAreReadBackAsTheyWere(t *testing.T) {
	draw := rand.New(rand.NewPCG(6, 6))
	var out bytes.Buffer
	w := NewFHIRWriter(&out)
	var want []Note
	for range 200 {
		n := randomNote(draw)
		n.Text += "\x00\u2028"
		if err := w.Write(n); err != nil {
			t.Fatal(err)
		}
		want = append(want, n)
	}
	got := notesOf(fhirItems(t, out.String()))
	if len(got) != len(want) {
		t.Fatalf("%d notes of %d", len(got), len(want))
	}
	for i, n := range want {
		g := got[i]
		if g.Text != n.Text || g.ID != n.ID || g.Patient != n.Patient || !reflect.DeepEqual(bare(g.Identities), bare(n.Identities)) {
			t.Fatalf(" got %q %q %q %#v\nwant %q %q %q %#v", g.ID, g.Patient, g.Text, bare(g.Identities), n.ID, n.Patient, n.Text, bare(n.Identities))
		}
	}
	for _, n := range []Note{{Text: " "}, {Text: "a\xff"}, {Text: "a", Identities: []annotate.Identity{{Of: "patient", Label: "DATE", Value: " "}}}} {
		if err := w.Write(n); err == nil {
			t.Errorf("%q is written", n.Text)
		}
	}
}

func FuzzFHIR(f *testing.F) {
	f.Add(fhirPerson)
	f.Add(`{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Composition","section":[{"title":"a","text":{"div":"<div>a<b> c</b></div>"}}]}}],"total":1}`)
	f.Add("{\"resourceType\":\"Binary\",\"contentType\":\"text/plain\",\"data\":\"YQ==\"}\n{\"resourceType\":\"Observation\",\"note\":[{\"text\":\"a\"}]}")
	f.Fuzz(func(t *testing.T, stream string) {
		var items []*Item
		for item, err := range FHIR(strings.NewReader(stream), nil) {
			if err != nil {
				return
			}
			items = append(items, item)
		}
		out, _ := redactedStream(t, items, brackets, noMarks)
		was, is := notesOf(items), notesOf(fhirItems(t, out))
		if len(was) != len(is) {
			t.Fatalf("%d notes, %d after redaction to %s", len(was), len(is), out)
		}
		for i := range was {
			if was[i].Text != is[i].Text {
				t.Fatalf("redacted to %s\n got %q\nwant %q", out, is[i].Text, was[i].Text)
			}
		}
	})
}
