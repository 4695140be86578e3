// SPDX-License-Identifier: Apache-2.0

package retrieve_test

import (
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy/attack/retrieve"
)

// TestLinkedRecordsAreOnePatientToTheAttacker names the patients of notes with linked keys.
func TestLinkedRecordsAreOnePatientToTheAttacker(t *testing.T) {
	head := annotate.Document{Patient: "a"}.Record()
	a := retrieve.PatientOf(annotate.Document{Name: "1", Patient: "a", Linked: head})
	for _, d := range []annotate.Document{{Name: "2", Patient: "b", Linked: head}, {Name: "3", Linked: head}, {Name: "4", Patient: "a"}} {
		if of := retrieve.PatientOf(d); of != a {
			t.Errorf("note %s is of another patient", d.Name)
		}
	}
	for _, d := range []annotate.Document{{Name: "5", Patient: "b"}, {Name: "6"}, {Name: "a"}} {
		if of := retrieve.PatientOf(d); of == a || of == "" {
			t.Errorf("note %s is of the same patient", d.Name)
		}
	}
}
