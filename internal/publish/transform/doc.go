// SPDX-License-Identifier: Apache-2.0

// Package transform plans what replaces each identifier in the notes of a patient.
//
//	planner, err := transform.New(transform.Options{Policy: resolved, Maker: maker})
//	plan, err := planner.Plan(patient)
//	released := transform.Apply(note.Text, plan.Notes[0])
//
// A [Planner] reads the notes of one patient together. It finds out which names are one
// person, in which order the dates are written, and whether the patient is older than 89.
// Then the policy decides about each identifier, unless a person has made a [Choice].
//
// A [Decision] with a [Problem] is not decided: a person must look at it before the release.
// Its replacement is a placeholder, which shows no more than the label.
//
// # People
//
// The names of PATIENT and DOCTOR are clustered by [personname.Cluster]. People have numbers
// from 1 in the order of the notes, for each of the two labels. The patient has number 1 if
// the identities give the patient's name and the notes hold it. Numbers do not depend on
// choices, so moving a name to another person changes no other number.
//
// # Dates
//
// A numeric date such as 03/04/2019 is read in the order of the other dates of its note, of
// the patient, or of [Options.Order]. The date of the note, or else the latest full date in
// it, tells the century of two-digit years; then other notes do, and [Options.Reference]. All
// dates of a patient move by the same number of days, the date of birth too, so the age at
// each note stays exact. Dates from 2090 on and before 1902 are not dates of notes: programs write
// them for an open end or an unknown day. They are no reference, and where dates move they become
// placeholders.
//
// # Over 89
//
// A policy that caps ages also hides dates that reveal an age over 89: the date of birth of a
// patient who is older, and each date at least 90 years before the last note. Their year goes
// too.
//
// # Caveats
//
// The package replaces marked identifiers only. It looks for unmarked repeats of their words
// without regard to accents, and of their numbers in any punctuation, and asks about them, see
// [SameWordsUnmarked], and for the year of birth of a patient over 89,
// see [BirthYearUnmarked]. It sees no other identifier that nobody marked, such as a phrase
// about a great age.
//
// The package does no I/O and reads no clock: equal inputs give equal plans.
package transform
