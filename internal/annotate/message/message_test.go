// SPDX-License-Identifier: Apache-2.0

package message

import (
	"bytes"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A broken sender may write a name where a type or the name of a field belongs. Reports and
// redacted messages do not repeat it.
func TestTypesAndNamesOfFieldsAreNotContent(t *testing.T) {
	const cda = `<ClinicalDocument xmlns="urn:hl7-org:v3">`
	hl7 := func(s string) iter.Seq2[*Item, error] { return HL7(strings.NewReader(s)) }
	fhir := func(s string) iter.Seq2[*Item, error] { return FHIR(strings.NewReader(s), nil) }
	clinical := func(s string) iter.Seq2[*Item, error] { return CDA(strings.NewReader(s)) }
	for input, items := range map[string]iter.Seq2[*Item, error]{
		"embedded":  hl7("MSH|^~\\&|||||||ORU^R01|1|P|2.5\rOBX|1|ED|N||^Quint^Ann^Base64^AAAA\r"),
		"body":      clinical(cda + `<component><nonXMLBody><text mediaType="quint/ann" representation="B64">AAAA</text></nonXMLBody></component></ClinicalDocument>`),
		"file":      fhir(`{"resourceType":"DocumentReference","content":[{"attachment":{"contentType":"quint/ann","data":"AAAA"}}]}`),
		"element":   clinical(cda + `<Quint.Ann/><component><structuredBody><component><section><text>a <Quint/> b</text></section></component></structuredBody></component></ClinicalDocument>`),
		"attribute": clinical(cda + `<component Quint="Ann"/></ClinicalDocument>`),
		"field":     fhir(`{"resourceType":"Observation","Ann Quint":"x","valueString":"a","QUINT":1}`),
	} {
		for item, err := range items {
			if err != nil {
				t.Fatal(input, err)
			}
			var out bytes.Buffer
			lost, err := item.WriteRedacted(&out, make([][]Mark, len(item.Notes)), labelled)
			if err != nil {
				t.Fatal(input, err)
			}
			said := strings.Join(slices.Collect(maps.Keys(lost.Dropped)), " ") + out.String()
			for _, s := range item.Skips {
				said += " " + s.What + " " + s.Path
			}
			if strings.Contains(strings.ToLower(said), "quint") || len(lost.Dropped) == 0 {
				t.Errorf("%s: %s", input, said)
			}
		}
	}
}

func TestFramesAreNoMessages(t *testing.T) {
	for input, items := range map[string]iter.Seq2[*Item, error]{
		"batch":  HL7(strings.NewReader("FHS|^~\\&\rBHS|^~\\&\rMSH|^~\\&|||||||ORU|1|P|2.5\rBTS|1\rFTS|1\r")),
		"bundle": FHIR(strings.NewReader(`{"resourceType":"Bundle","type":"batch","entry":[{"resource":{"resourceType":"Basic"}}],"total":1}`), nil),
	} {
		messages := 0
		for item, err := range items {
			if err != nil {
				t.Fatal(input, err)
			}
			if !item.Frame {
				messages++
			}
		}
		if messages != 1 {
			t.Errorf("%s: %d messages, want 1", input, messages)
		}
	}
}

// TestItemsAreAsLargeAsTheStream adds up the sizes of items, which bound the memory of a
// stream of them.
func TestItemsAreAsLargeAsTheStream(t *testing.T) {
	pdf := strings.Repeat("A", 5000) // no text, but held while the message waits
	hl7 := "BHS|^~\\&\rMSH|^~\\&|||||||ORU|1|P|2.5\rOBX|1|ED|N||^application^pdf^Base64^" + pdf + "\rBTS|1\r"
	cda := `<ClinicalDocument xmlns="urn:hl7-org:v3"><title>` + pdf + `</title></ClinicalDocument>`
	fhir := `{"resourceType":"Basic","id":"` + pdf + `"}` + "\n" + `{"resourceType":"Basic"}` + "\n"
	for input, items := range map[string]iter.Seq2[*Item, error]{
		hl7: HL7(strings.NewReader(hl7)), cda: CDA(strings.NewReader(cda)), fhir: FHIR(strings.NewReader(fhir), nil),
	} {
		sum, lines := 0, strings.Count(input, "}\n")
		for item, err := range items {
			if err != nil {
				t.Fatal(err)
			}
			sum += item.Bytes
		}
		if sum != len(input)-lines {
			t.Errorf("%.20s: items of %d bytes, the stream has %d", input, sum, len(input))
		}
	}
}
