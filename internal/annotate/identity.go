// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"errors"
	"fmt"
)

// Whose says whose identifier an [Identity] is.
type Whose string

// The people of a note.
const (
	OfPatient   Whose = "patient"
	OfRelative  Whose = "relative"  // next of kin, guarantor, insured person, contact
	OfClinician Whose = "clinician" // physician, nurse, author
	OfPlace     Whose = "place"     // hospital, ward, employer, insurer
)

// Identity is one identifier that structured data beside a note gives: a name, a number, a
// date, a part of an address. Its label is of the set i2b2-2014, see [I2B2].
type Identity struct {
	Of    Whose  `json:"of"`
	Label Label  `json:"label"`
	Value string `json:"value"`          // names as "Given Middle Family", dates as 1961-05-14, 1961-05 or 1961, the rest as it is in the file
	From  string `json:"from,omitempty"` // where it was: "PID-5", "Patient.name", "column mrn"
}

// CheckIdentity reports whether i has a known person, a valid label and a value. Its errors
// repeat nothing of i.
func CheckIdentity(i Identity) error {
	switch i.Of {
	case OfPatient, OfRelative, OfClinician, OfPlace:
	default:
		return errors.New("it does not say whose it is: patient, relative, clinician or place")
	}
	if i.Value == "" {
		return errors.New("it has no value")
	}
	return CheckLabel(i.Label)
}

// String names an identity without its value, so that a log line reveals nothing.
func (i Identity) String() string {
	return fmt.Sprintf("%s of a %s, %d bytes", i.Label, i.Of, len(i.Value))
}

// GoString is String: %#v must not show the value either.
func (i Identity) GoString() string { return i.String() }
