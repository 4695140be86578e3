// SPDX-License-Identifier: Apache-2.0

package message

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// report makes a message of segments, each on a line.
func report(segments ...string) string {
	return strings.Join(append([]string{`MSH|^~\&|LAB|Mercy|||20080131155500||ORU^R01|c77|P|2.5`}, segments...), "\r") + "\r"
}

func onlyNote(t *testing.T, stream string) (*Item, Note) {
	t.Helper()
	items := readHL7(t, stream)
	if len(items) != 1 || len(items[0].Notes) != 1 {
		t.Fatalf("%d items, not one with a note", len(items))
	}
	return items[0], items[0].Notes[0]
}

func TestHL7Escapes(t *testing.T) {
	for _, c := range []struct{ raw, text, redacted string }{ // redacted: with the first letter of the text marked
		{`plain`, "plain", `_lain`},
		{`a\F\b`, "a|b", `_\F\b`},
		{`a\S\b`, "a^b", `_\S\b`},
		{`a\T\b`, "a&b", `_\T\b`},
		{`a\R\b`, "a~b", `_\R\b`},
		{`a\E\b`, `a\b`, `_\E\b`},
		{`a\X0D0A\b`, "a\r\nb", `_\X0D\\X0A\b`},
		{`a\XC3\\XA9\b`, "aéb", `_éb`},
		{`a\XE9\b`, "aéb", `_éb`},
		{`a\xE9\b`, `a\xE9\b`, `_\E\xE9\E\b`},
		{`a\XE\b`, `a\XE\b`, `_\E\XE\E\b`},
		{`a~b`, "a\nb", `_~b`},
		{`a\.br\b`, "a\nb", `_\.br\b`},
		{`a\.sp\b`, "a\nb", `_\.sp\b`},
		{`a\.sp3\b`, "a\n\n\nb", `_\.sp3\b`},
		{`a\.sp+2\b`, "a\n\nb", `_\.sp+2\b`},
		{`a\.sp9999999\b`, "a" + strings.Repeat("\n", 100) + "b", `_\.sp9999999\b`},
		{`a\.spx\b`, `a\.spx\b`, `_\E\.spx\E\b`},
		{`a\.ce\b`, "a\nb", `_\.ce\b`},
		{`a\.in+4\b`, "ab", `_\.in+4\b`},
		{`a\.fi\b\.nf\`, "ab", `_\.fi\b\.nf\`},
		{`a\.ti4\b`, "a    b", `_\.ti4\b`},
		{`a\.sk2\b`, "a  b", `_\.sk2\b`},
		{`a \H\b\N\ c`, "a b c", `_ \H\b\N\ c`},
		{`a^b&c#`, "a^b&c#", `_\S\b\T\c#`},
		{`C:\temp\new`, `C:\temp\new`, `_:\E\temp\E\new`},
		{`a\Zlocal\b\C2842\`, `a\Zlocal\b\C2842\`, `_\E\Zlocal\E\b\E\C2842\E\`},
		{`a\`, `a\`, `_\E\`},
		{`a\\b`, `a\\b`, `_\E\\E\b`},
		{`a\temp\T\b`, `a\temp&b`, `_\E\temp\T\b`},
		{`""`, `""`, `_"`},
	} {
		item, n := onlyNote(t, report("OBX|1|FT|1^Note||"+c.raw+"||"))
		if n.Text != c.text {
			t.Errorf("%s is %q, want %q", c.raw, n.Text, c.text)
			continue
		}
		same, _ := redactHL7(t, []*Item{item}, nil, labelled)
		if !strings.Contains(same, "||"+c.raw+"||\r") {
			t.Errorf("%s without marks becomes %q", c.raw, same)
		}
		got, _ := redactHL7(t, []*Item{item}, []Mark{{0, 1, "_"}}, labelled)
		if !strings.Contains(got, "||"+c.redacted+"||\r") {
			t.Errorf("%s becomes %q, want %q", c.raw, got, c.redacted)
		}
	}
}

func TestHL7TextOfAMessage(t *testing.T) {
	for name, c := range map[string]struct {
		segments []string
		text     string
	}{
		"lines":               {[]string{"OBX|1|TX|1^Note||one", "OBX|2|TX|1^Note||", "OBX|3|TX|1^Note||three"}, "one\n\nthree"},
		"no field 5":          {[]string{"OBX|1|TX|1^Note||one", "OBX|2|TX|1^Note", "OBX|3|TX|1^Note||three~four"}, "one\n\nthree\nfour"},
		"headings":            {[]string{"OBX|1|FT|1^History||one", "OBX|2|ST|2^^L^^Plan||two", "NTE|1||three", "OBX|3|TX|3||four"}, "History\none\n\nPlan\ntwo\nthree\n\n3\nfour"},
		"heading of order":    {[]string{"OBR|1|||7^CT Head", "OBX|1|TX|||one", "OBR|2|||8^CT Neck", "OBX|1|TX|||two"}, "CT Head\none\n\nCT Neck\ntwo"},
		"comment on number":   {[]string{"OBX|1|NM|5^Glucose||4.5", "NTE|1||repeated", "OBX|2|TX|6^Note||one"}, "Glucose\nrepeated\n\nNote\none"},
		"comment on patient":  {[]string{"PID|1||7", "NTE|1||speaks Welsh", "OBX|1|TX|6^Note||one"}, "speaks Welsh\n\nNote\none"},
		"numbers and codes":   {[]string{"OBX|1|NM|5^Glucose||4.5", "OBX|2|CE|5^Blood||A^A pos^L", "OBX|3|TX|6^Note||one"}, "one"},
		"files":               {[]string{"OBX|1|ED|5||^application^pdf^Base64^JVBERi0", "OBX|2|TX|6^Note||one", `OBX|3|FT|7^Letter||{\rtf1 x`, "OBX|4|FT|7^Letter||y}", "OBX|5|TX|6^Note||JVBERi0xLjQ"}, "one"},
		"separator in a code": {[]string{`OBX|1|TX|1^A\T\B||one`, "OBX|2|TX|2^C||two"}, "A&B\none\n\nC\ntwo"},
	} {
		if _, n := onlyNote(t, report(c.segments...)); n.Text != c.text {
			t.Errorf("%s: %q, want %q", name, n.Text, c.text)
		}
	}
}

func TestHL7NamesWhatItCannotRead(t *testing.T) {
	item := readHL7(t, report("OBX|1|ED|5||^application^pdf^Base64^JVBERi0", "OBX|2|RP|5||http://pacs/1", `OBX|3|TX|5||{\E\rtf1 Weiss`, "OBX|4|TX|5||Weiss}", "OBX|5|ED|5||", "OBX|6||5||Weiss", "ADD|Weiss"))[0]
	want := []Skip{{"application/pdf", "OBX-5 of segment 2"}, {"document at another address", "OBX-5 of segment 3"}, {"application/rtf", "OBX-5 of segment 4"},
		{"value without a type in OBX-2", "OBX-5 of segment 7"}, {"continuation of a segment", "ADD of segment 8"}}
	if !slices.Equal(item.Skips, want) || len(item.Notes) != 0 {
		t.Errorf("skips are %v, notes %d", item.Skips, len(item.Notes))
	}
	got, lost := redactHL7(t, []*Item{item}, nil, labelled)
	if strings.Contains(got, "Weiss") || strings.Contains(got, "JVBER") || strings.Contains(got, "pacs") || lost.Dropped["OBX-5"] != 5 || lost.Dropped["ADD"] != 1 {
		t.Errorf("the files are in %q, %v", got, lost)
	}
	if again := readHL7(t, got); len(again[0].Notes) != 0 {
		t.Errorf("an empty field becomes the text %q", noteTexts(again))
	}
	kept, _ := redactHL7(t, []*Item{item}, nil, Policy{Keep: map[string]bool{"OBX-5": true}})
	if !strings.Contains(kept, `OBX|3|TX|5||{\E\rtf1 Weiss`) || !strings.Contains(kept, "pacs") {
		t.Errorf("OBX-5 is not kept in %q", kept)
	}
}

func TestHL7DescribesItsNote(t *testing.T) {
	stream := strings.Join([]string{
		`MSH|^~\&|LAB|Mercy|||20080131155500||MDM^T02^MDM_T02|c\T\77|P|2.5`, "EVN|T02|20080130",
		"PID|1|9|4711^^^Mercy^MR~8||Miller^Ann", "OBR|1|||7^CT Head|||200801291530", "TXA|1|DS^Discharge summary|TX|200801281530", "OBX|1|TX|||one",
	}, "\n")
	_, n := onlyNote(t, stream)
	want := map[string]string{"type": "MDM^T02", "service": "CT Head", "document": "Discharge summary", "date": "2008-01-28"}
	if n.ID != "c&77" || n.Patient != "4711" || !maps.Equal(n.Attributes, want) {
		t.Errorf("id %q, patient %q, attributes %v", n.ID, n.Patient, n.Attributes)
	}
}

func TestHL7Identities(t *testing.T) {
	for _, tc := range []struct {
		segment string
		want    []string
	}{
		{`PID|1|||77|Miller&van&Miller&&Stone^Ann^Mary Jo^III^Dr~Ann Smith`, []string{
			"PID-4 patient MEDICALRECORD 77", "PID-5 patient PATIENT Ann Mary Jo Miller", "PID-5 patient PATIENT Stone", "PID-5 patient PATIENT Ann Smith"}},
		{`PID|1||77^^^A^MR^Mercy&1.2^2000~123-45-6789^^^^SS~""~|||Smith^Eve|19610514|F||race|12&Main St^Apt 4^Boston^MA^02115^USA^H^^Suffolk`, []string{
			"PID-3 patient MEDICALRECORD 77", "PID-3 place HOSPITAL Mercy", "PID-3 patient SSN 123-45-6789", "PID-6 relative PATIENT Eve Smith", "PID-7 patient DATE 1961-05-14",
			"PID-11 patient STREET 12 Main St", "PID-11 patient STREET Apt 4", "PID-11 patient CITY Boston", "PID-11 patient STATE MA", "PID-11 patient ZIP 02115", "PID-11 patient COUNTRY USA", "PID-11 patient LOCATION-OTHER Suffolk"}},
		{`PID|||||||1961||||||(617)555-0100^PRN^PH~^NET^Internet^ann\T\co@b.example~^WPN^FX^^1^617^5550101^22`, []string{
			"PID-7 patient DATE 1961", "PID-13 patient PHONE (617)555-0100", "PID-13 patient EMAIL ann&co@b.example", "PID-13 patient FAX 617 5550101"}},
		{`NK1|1|Miller^Bob|SPO|||||||Plumber`, []string{"NK1-2 relative PATIENT Bob Miller", "NK1-10 relative PROFESSION Plumber"}},
		{`PV1|1|I|4 East^136^B^Mercy&1.2||||77^Weiss^Karl^^^Dr~Karl Roth|Weiss`, []string{
			"PV1-3 place DEPARTMENT 4 East", "PV1-3 place ROOM 136", "PV1-3 place HOSPITAL Mercy", "PV1-7 clinician IDNUM 77", "PV1-7 clinician DOCTOR Karl Weiss", "PV1-7 clinician DOCTOR Karl Roth", "PV1-8 clinician DOCTOR Weiss"}},
		{`OBR|||||||200801|||||||||||||||||||||||||77&Roth&Karl^20080131^^Lab^12~Weiss&&^^^Lab`, []string{
			"OBR-7 patient DATE 2008-01", "OBR-32 clinician IDNUM 77", "OBR-32 clinician DOCTOR Karl Roth", "OBR-32 place DEPARTMENT Lab", "OBR-32 place ROOM 12", "OBR-32 clinician DOCTOR Weiss"}},
		{`IN1|1||B7|Blue Shield^L^^^^^^^^12||||G77||||20080101||||Miller^Bob`, []string{
			"IN1-3 place IDNUM B7", "IN1-4 place ORGANIZATION Blue Shield", "IN1-4 place IDNUM 12", "IN1-8 patient HEALTHPLAN G77", "IN1-12 patient DATE 2008-01-01", "IN1-16 relative PATIENT Bob Miller"}},
		{`SPM|1|S7&L^T8&L||BLD|||||||||||||20080131^20080201`, []string{
			"SPM-2 patient IDNUM S7", "SPM-2 patient IDNUM T8", "SPM-17 patient DATE 2008-01-31", "SPM-17 patient DATE 2008-02-01"}},
		{`TXA|1|||19619999||||||||D7^Epic`, []string{"TXA-12 patient IDNUM D7"}},
		{`OBX|1|TS|5||19610514`, []string{"OBX-5 patient DATE 1961-05-14"}},
		{`PID|||||x^^&&&&y`, nil},
	} {
		m := readMessage(t, report(tc.segment))
		m.segments = m.segments[1:]
		var got []string
		for _, i := range m.identities() {
			got = append(got, fmt.Sprintf("%s %s %s %s", i.From, i.Of, i.Label, i.Value))
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s has %q, want %q", tc.segment, got, tc.want)
		}
	}
}

func readMessage(t *testing.T, stream string) *hl7Message {
	t.Helper()
	m := &hl7Message{number: 1}
	lines := hl7Lines{r: strings.NewReader(stream)}
	for {
		l, err := lines.next(MaxMessage)
		if err != nil {
			return m
		}
		if err := m.add(l, MaxMessage); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHL7RefusesWithPlaceAndReason(t *testing.T) {
	good := report("PID|1||7", "OBX|1|TX|1||one")
	for name, c := range map[string]struct {
		stream, record, code string
		offset               int64
		after                int // messages that are read besides
	}{
		"no MSH":             {"PID|1||Weiss\rOBX|1|TX|1||Weiss\r" + good, "message 1, segment 1", "hl7", 0, 1},
		"prose":              {"Dear Dr Weiss\n\nthe patient", "message 1, segment 1", "hl7", 0, 0},
		"not a segment":      {"MSH|^~\\&|\rPID|1\rWeiss lives\rOBX|1|TX|||x\r" + good, "message 1, segment 3", "hl7", 16, 1},
		"other separator":    {"MSH|^~\\&|\rPID^1^Weiss\r" + good, "message 1, segment 2", "hl7", 10, 1},
		"same separators":    {good + "MSH|^^\\&|\rPID|1||Weiss\r" + good, "message 2, segment 1", "hl7", int64(len(good)), 2},
		"letters":            {"MSH|^~\\a|Weiss", "message 1, segment 1", "hl7", 0, 0},
		"field is a letter":  {"MSHX^~\\&XWeiss", "message 1, segment 1", "hl7", 0, 0},
		"digit":              {"MSH|1~\\&|Weiss", "message 1, segment 1", "hl7", 0, 0},
		"too few separators": {"MSH|^~\\|Weiss", "message 1, segment 1", "hl7", 0, 0},
		"too many":           {"MSH|^~\\&#+|Weiss", "message 1, segment 1", "hl7", 0, 0},
		"no separators":      {"MSH||Weiss", "message 1, segment 1", "hl7", 0, 0},
		"only MSH":           {"MSH", "message 1, segment 1", "hl7", 0, 0},
		"Latin-1":            {"MSH|^~\\&|\rPID|1||W\xE9iss\r" + good, "message 1, segment 2", "encoding", 18, 1},
		"Latin-1 in MSH":     {"MSH|^~\\&|W\xE9iss\r" + good, "message 1, segment 1", "encoding", 10, 1},
		"open frame":         {"\x0b" + good, "message 1, segment 3", "truncated", int64(len(good)) + 1, 0},
		"behind a frame":     {"\x0b" + good + "\x1c\rNTE|1||Weiss\r" + good, "message 2, segment 1", "hl7", int64(len(good)) + 3, 2},
		"open batch":         {"BHS|^~\\&|\r" + good, "after message 1", "truncated", int64(len(good)) + 10, 2},
		"bad batch header":   {"BHS|^^\\&|Weiss\r" + good, "batch header", "hl7", 0, 1},
		"only a trailer":     {"BTS|1\r" + good, "batch trailer", "hl7", 0, 1},
		"too much text":      {"MSH|^~\\&|\rOBX|1|TX|1||" + strings.Repeat("x", MaxText+1) + "\r" + good, "message 1, segment 2", "document-too-large", 10, 1},
		"too many segments":  {"MSH|^~\\&|\r" + strings.Repeat("ZZZ\r", maxSegments) + good, "", "document-too-large", int64(10 + 4*(maxSegments-1)), 1},
		"too many lines":     {"MSH|^~\\&|\rOBX|1|TX|1||" + strings.Repeat("~", maxPieces+1) + "\r" + good, "message 1, segment 2", "document-too-large", 10, 1},
		"repetitions":        {"MSH|^~\\&|\rPID|" + strings.Repeat("~", maxRepetitions+1) + "\r" + good, "message 1, segment 2", "document-too-large", 10, 1},
		"of an observation":  {"MSH|^~\\&|\rOBX|" + strings.Repeat("~", maxRepetitions+1) + "||||x\r" + good, "message 1, segment 2", "document-too-large", 10, 1},
		"long header":        {"MSH|^~\\&|" + strings.Repeat("x", maxHeader) + "\r" + good, "message 1, segment 1", "document-too-large", 0, 1},
	} {
		var bad []*Error
		read := 0
		for item, err := range HL7(strings.NewReader(c.stream)) {
			var e *Error
			if errors.As(err, &e) {
				bad = append(bad, e)
			} else if item != nil && err == nil {
				read++
			}
		}
		if len(bad) != 1 {
			t.Errorf("%s: %d errors: %v", name, len(bad), bad)
			continue
		}
		e := bad[0]
		if e.Code != c.code || e.Offset != c.offset || c.record != "" && e.Record != c.record || read != c.after || e.Hint == "" || e.Fatal {
			t.Errorf("%s: %s %v, %d others, want %d", name, e.Code, e, read, c.after)
		}
		if strings.Contains(e.Error(), "Weiss") {
			t.Errorf("%s: the error quotes the message", name)
		}
	}
}
