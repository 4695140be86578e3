// SPDX-License-Identifier: Apache-2.0

package format

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

const (
	hl7Head    = "MSH|^~\\&|EHR|Ward|||20260102||ORU^R01|"
	hl7Patient = "|P|2.5\rPID|1||4711^^^H^MR||Silva^Rose||19610514|F\r"
)

func hl7Message(id, text string) string {
	return hl7Head + id + hl7Patient + "OBX|1|TX|N^Note||" + text + "||||||F\r"
}

func TestMessagesAreNamedByTheirIDs(t *testing.T) {
	docs, report := mustRead(t, Options{},
		file("ward/a.hl7", hl7Message("7", "Rose walks.")+hl7Message("8", "Rose sits.")),
		file("ward/b.hl7", hl7Message("7", "Rose stands.")),
		file("ward/c.hl7", hl7Message("7", "Rose sleeps.")+hl7Message("8", "Rose wakes.")))
	var names []string
	for _, d := range docs {
		names = append(names, d.Name)
		if d.Patient != "4711" || !slices.ContainsFunc(d.Identities, func(i annotate.Identity) bool { return i.Value == "Rose Silva" }) {
			t.Errorf("%s is about %q, with %d identities", d.Name, d.Patient, len(d.Identities))
		}
	}
	if want := []string{"7", "8", "ward/b", "ward/c", "ward/c-2"}; !slices.Equal(names, want) {
		t.Errorf("the names are %q, want %q", names, want)
	}
	if !strings.Contains(strings.Join(report.Notes, "\n"), "3 notes: named after the file") {
		t.Errorf("the report says %q", report.Notes)
	}
}

func TestResourcesKnowThePeopleOfOtherFiles(t *testing.T) {
	note := `{"resourceType":"DiagnosticReport","id":"7","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/1"},"conclusion":"Seen."}`
	patient := `{"resourceType":"Patient","id":"1","name":[{"family":"Silva","given":["Rose"]}]}`
	docs, report := mustRead(t, Options{}, file("a.ndjson", note+"\n"), file("b.json", patient))
	if len(docs) != 1 || !slices.ContainsFunc(docs[0].Identities, func(i annotate.Identity) bool { return i.Value == "Rose Silva" }) {
		t.Errorf("%d notes; the note does not know the patient", len(docs))
	}
	if !strings.Contains(strings.Join(report.Notes, "\n"), "only the people in it are used") {
		t.Errorf("the report says %q", report.Notes)
	}
}

func TestBadMessages(t *testing.T) {
	runBad(t, []badCase{
		{"no text", []File{file("a.hl7", hl7Head+"7"+hl7Patient)}, Options{}, "empty-file", "", -1},
		{"no message", []File{file("a.hl7", "")}, Options{}, "empty-file", "", -1},
		{"no MSH", []File{file("a.hl7", "PID|1||"+secret+"\r"+hl7Message("7", "x"))}, Options{}, "hl7", "message 1", 0},
		{"second message bad", []File{file("a.hl7", hl7Message("7", "x")+"MSH\rPID|1||"+secret+"\r")}, Options{}, "hl7", "message 2", int64(len(hl7Message("7", "x")))},
		{"C-CDA with DOCTYPE", []File{file("a.xml", `<!DOCTYPE ClinicalDocument [<!ENTITY a "`+secret+`">]><ClinicalDocument>&a;</ClinicalDocument>`)}, Options{}, "xml", "document", anyOffset},
		{"C-CDA that is cut", []File{file("a.xml", `<ClinicalDocument xmlns="urn:hl7-org:v3"><title>`+secret)}, Options{}, anyCode, "document", anyOffset},
		{"FHIR that is cut", []File{file("a.json", `{"resourceType":"Observation","valueString":"`+secret)}, Options{}, anyCode, "", anyOffset},
	})
}

// anyCode stands for a class that the reader of the messages chooses.
const anyCode = ""
