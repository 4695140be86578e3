// SPDX-License-Identifier: Apache-2.0

package format

import (
	"slices"
	"testing"

	"hide/internal/annotate"
)

func TestColumnsThatIdentifyBecomeIdentities(t *testing.T) {
	docs, _ := mustRead(t, Options{}, file("a.csv", "id,text,First Name,last_name,MRN,dob,Attending,sex,age\n1,x,Rose,Silva,4711,05/14/1961,Dr. May,F,64\n2,y,,,,,,,\n"))
	want := []annotate.Identity{
		{Of: annotate.OfPatient, Label: "PATIENT", Value: "Rose", From: "column First Name"},
		{Of: annotate.OfPatient, Label: "PATIENT", Value: "Silva", From: "column last_name"},
		{Of: annotate.OfPatient, Label: "MEDICALRECORD", Value: "4711", From: "column MRN"},
		{Of: annotate.OfPatient, Label: "DATE", Value: "1961-05-14", From: "column dob"},
		{Of: annotate.OfClinician, Label: "DOCTOR", Value: "Dr. May", From: "column Attending"},
	}
	if !slices.Equal(docs[0].Identities, want) || docs[0].Attributes["MRN"] != "4711" {
		t.Errorf("the identities are %d, the attributes %v", len(docs[0].Identities), docs[0].Attributes)
	}
	if len(docs[1].Identities) > 0 {
		t.Error("empty fields identify somebody")
	}
	docs, _ = mustRead(t, Options{Columns: Columns{Attributes: []string{"sex"}}}, file("a.csv", "id,text,mrn,sex\n1,x,4711,F\n"))
	if len(docs[0].Identities) > 0 {
		t.Error("a column that was not chosen identifies somebody")
	}
}

func TestDatesOfColumns(t *testing.T) {
	for value, want := range map[string][]string{
		"1961-05-14": {"1961-05-14"}, "1961-05-14T00:00:00Z": {"1961-05-14"}, "5/14/1961": {"1961-05-14"}, "14/5/1961": {"1961-05-14"},
		"4/5/1961": {"1961-04-05", "1961-05-04"}, "4.5.1961": {"1961-05-04"}, "5/5/1961": {"1961-05-05"}, "May 1961": {"May 1961"}, "99/99/1961": {"99/99/1961"},
	} {
		if got := isoDates(value); !slices.Equal(got, want) {
			t.Errorf("%s gives %v, want %v", value, got, want)
		}
	}
}
