// SPDX-License-Identifier: Apache-2.0

package hospital

import (
	"slices"
	"time"

	"hide/internal/annotate"
)

// identities are what the messages of a hospital say beside a note, by the fields of HL7:
// the patient, the next of kin, her doctor, the author and the attending clinician. Other
// people, other dates and the patient's work are in the text only.
func (s *scribe) identities() []annotate.Identity {
	p := s.patient
	all := []annotate.Identity{
		{Of: annotate.OfPatient, Label: "PATIENT", Value: p.full(), From: "PID-5"},
		{Of: annotate.OfPatient, Label: "MEDICALRECORD", Value: p.mrn, From: "PID-3"},
		{Of: annotate.OfPatient, Label: "DATE", Value: p.born.Format(time.DateOnly), From: "PID-7"},
		{Of: annotate.OfPatient, Label: "STREET", Value: p.street, From: "PID-11"},
		{Of: annotate.OfPatient, Label: "CITY", Value: p.city, From: "PID-11"},
		{Of: annotate.OfPatient, Label: "STATE", Value: p.state, From: "PID-11"},
		{Of: annotate.OfPatient, Label: "ZIP", Value: p.zip, From: "PID-11"},
		{Of: annotate.OfPatient, Label: "PHONE", Value: p.phone, From: "PID-13"},
		{Of: annotate.OfPatient, Label: "ACCOUNT", Value: p.chartNo, From: "PID-18"},
		{Of: annotate.OfPatient, Label: "HEALTHPLAN", Value: p.planNumber, From: "IN1-2"},
	}
	all = slices.DeleteFunc(all, func(i annotate.Identity) bool { return p.missing[fieldOf[i.Label]] })
	for _, kin := range p.kin {
		all = append(all, annotate.Identity{Of: annotate.OfRelative, Label: "PATIENT", Value: kin.full(), From: "NK1-2"})
	}
	return append(all,
		annotate.Identity{Of: annotate.OfClinician, Label: "DOCTOR", Value: p.doctor.full(), From: "PD1-4"},
		annotate.Identity{Of: annotate.OfClinician, Label: "DOCTOR", Value: s.attending.full(), From: "PV1-7"},
		annotate.Identity{Of: annotate.OfClinician, Label: "DOCTOR", Value: s.author.full(), From: "TXA-9"},
		annotate.Identity{Of: annotate.OfClinician, Label: "DATE", Value: s.day.Format(time.DateOnly), From: "TXA-4"},
	)
}

// full is a name with its middle initial, as structured data has it.
func (p person) full() string { return p.first + " " + p.middle + " " + p.last }
