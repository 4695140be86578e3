// SPDX-License-Identifier: Apache-2.0

// Package surrogate invents values that replace identifiers in released text: a reader cannot
// tell an identifier that was missed from one that was replaced.
//
//	maker, err := surrogate.New(surrogate.Options{Key: key, Locale: surrogate.En, Real: corpus})
//	patient := maker.Patient("4711", book)
//	patient.Person("PATIENT", "john a smith", real, 1) // Robert C Miller
//	patient.Value(surrogate.Phone, "(617) 555-2368", 2) // "(413) 555-0142"
//
// Everything follows from the key, the patient and the value: HMAC-SHA256 of the three seeds
// the choice. A choice that is the original, a real value of the corpus, or the surrogate of
// another value of the patient is passed over, and the next one is tried. A [Book] keeps what
// was assigned, because a corpus that has grown would change some choices.
//
// These relations and attributes stay:
//
//	person         gender, number of names, shared family names, short forms
//	place          the state of a city and of a ZIP code, the type of a street
//	institution    the type ("General Hospital"), the short forms of one institution
//	number         length, letters, digits and punctuation, prefixes
//	all            capitals, and equality: case, spaces and punctuation do not matter
//
// Numbers look valid and cannot be assigned to anyone; see [Kind] for the rule of each.
package surrogate
