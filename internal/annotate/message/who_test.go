// SPDX-License-Identifier: Apache-2.0

package message

import (
	"bytes"
	"strings"
	"testing"
)

// A name that somebody typed where the name of a code belongs does not stay.
func TestNamesOfCodesDoNotTellWhoSomebodyIs(t *testing.T) {
	hl7 := "MSH|^~\\&|E|W|||20260102||ORU^R01|7|P|2.5\rPID|1||4711^^^H^MR||Quintus^Rose||19610514|F\rOBR|1|||11506-3^Letter to Mrs. QUINTUS^LN\rOBX|1|TX|11506-3^Letter to Mrs. Quintus^LN||She walks.||||||F\r"
	fhir := `{"resourceType":"DiagnosticReport","id":"7","status":"final","contained":[{"resourceType":"Patient","id":"p","name":[{"family":"Quintus"}]}],"subject":{"reference":"#p"},"code":{"coding":[{"system":"http://loinc.org","code":"11506-3","display":"Letter to Mrs. Quintus"}]},"conclusion":"She walks."}`
	for name, c := range map[string]struct {
		in   string
		code string
	}{"hl7": {hl7, "F"}, "fhir": {fhir, "11506-3"}} {
		read := HL7(strings.NewReader(c.in))
		if name == "fhir" {
			read = FHIR(strings.NewReader(c.in), nil)
		}
		for item, err := range read {
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if _, err := item.WriteRedacted(&out, make([][]Mark, len(item.Notes)), Policy{}); err != nil {
				t.Fatal(err)
			}
			if s := out.String(); strings.Contains(strings.ToLower(s), "quintus") || !strings.Contains(s, c.code) || !strings.Contains(s, "She walks.") && name == "hl7" {
				t.Errorf("%s is redacted to %s", name, s)
			}
		}
	}
}
