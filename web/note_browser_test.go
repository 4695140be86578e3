// SPDX-License-Identifier: Apache-2.0

package web

import (
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
)

const letter = "DISCHARGE SUMMARY\r\n\r\n" +
	"Patient:\tAnna-Maria Weiss 👩🏽‍⚕️   MRN 00-4471-92\r\n" +
	"Admitted 03/04/2021, discharged 9 March 2021.\r\n\r\n" +
	"Mrs. Weiss is a 91 year old retired teacher from Ulm who was brought in by her daughter Rose after a fall at home. " +
	"She was seen by Dr. Frank Okafor in the Parkinson's clinic and by Dr. Okafor again two days later. " +
	"Blood pressure <120/80 & stable>; no “rebound”.\r\n\r\n" +
	"Her husband can be reached on (0731) 555-0199; the pharmacy is on Rose Street 12. " +
	"Name in the referring letter: יעל כהן.\r\n\r\n" +
	"Weiss should come back on 17 March. Dictated by F. Okafor, St. Elsewhere Hospital.\r\n"

func letterNotes(t *testing.T) *fakeNotes {
	f := newFakeNotes(letter, "Seen by Dr. Okafor.\n", "Third note.\n")
	f.propose(t, 1, "Anna-Maria Weiss", "PATIENT", 0.97)
	f.propose(t, 1, "00-4471-92", "MEDICALRECORD", 0.93)
	f.propose(t, 1, "03/04/2021", "DATE", 0.99)
	f.propose(t, 1, "Ulm", "CITY", 0.71)
	f.propose(t, 1, "Parkinson", "DOCTOR", 0.58)
	f.propose(t, 1, "St. Elsewhere Hospital", "HOSPITAL", 0.88)
	return f
}

func (f *fakeNotes) tagged(t *testing.T, doc annotate.DocumentID, surface string, label annotate.Label) {
	t.Helper()
	n := f.docs[doc]
	edit := annotate.Edit{Verb: annotate.VerbTag, Spans: []annotate.Span{spanOf(t, n.document.Text, surface, label)}}
	if err := n.layer.Apply(n.document.Text, edit, "u-broker", time.Now()); err != nil {
		t.Fatal(err)
	}
}

func TestLook(t *testing.T) {
	f := letterNotes(t)
	v := visitAs(t, f, account.Broker)
	v.Open(v.base + "/p/p1/notes/1")
	v.Shots("note")
}
