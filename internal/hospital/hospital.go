// SPDX-License-Identifier: Apache-2.0

// Package hospital generates synthetic clinical notes: a seeded, streaming generator of
// patients, their notes and the gold spans of all identifiers in them. Demonstrations,
// tests and benchmarks use it, so that none of them needs real notes.
//
//	for doc := range hospital.Generate(hospital.Options{Patients: 100, Seed: 1}) {
//		fmt.Println(doc.Name, len(doc.Spans))
//	}
//
// For a given seed and institution, patient i and each of its notes are the same whatever
// the number of patients. They do not depend on which other patients have several keys. Memory
// does not grow with the number of patients.
//
// There are two institutions, "a" and "b". They share medical vocabulary and the stock of
// names, but no sentence, no section header, and no format of dates, telephone numbers,
// record numbers or signatures. For a tagger trained at one, the other is like a real
// second hospital. Each has ten kinds of note.
//
// The text comes from the grammars in the folder grammar: one shared, and one for each
// institution; [grammar.go] explains their notation. Spans are written while the grammar is
// expanded, so they are exact by construction.
//
// # What is labelled
//
// Labels are those of [annotate.I2B2], applied as in the i2b2-2014 task: every
// age is AGE, not only those over 89; names of relatives are PATIENT, names of
// all clinicians DOCTOR, titles and degrees stay outside; days of the week and
// partial dates are DATE, while bare years, clock times and relative dates such
// as "two days ago" are not. Doses, laboratory values, vital signs, sizes and
// eponyms are never labelled.
//
// # What is difficult on purpose
//
// Names that are words (May, Rose, Will, Grace, Long, Payne) beside the same words in their
// usual meaning; eponyms that are also surnames here (Foley, Bell, Murphy); names equal to
// towns, streets and drugs (Houston, Madison, Reglan, Allegra); initials, misspelt and
// lower-case names, headers in capitals, tables, relatives, numbers of every kind. Many
// sentences name people without saying who is a patient and who a clinician. A tagger
// trained with the default preset on 100 notes of a scores a token F1 of .96 on unseen
// patients of a and .27 on b:
//
//	hide generate --patients 90 --institution a --out a.jsonl
//	hide generate --patients 90 --institution b --out b.jsonl
//	head -100 a.jsonl > train.jsonl; tail -100 a.jsonl > test.jsonl
//	hide evaluate --train train.jsonl --test test.jsonl
package hospital

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"time"

	"hide/internal/annotate"
)

// Options configure the generator. The zero value of each field has a meaning.
type Options struct {
	Patients    int    // number of patients; with both institutions, in total
	Seed        uint64 // same seed, same hospital
	Institution string // "a", "b", or "" to alternate between both
	MinNotes    int    // fewest notes per patient; 0 means 2
	MaxNotes    int    // most notes per patient; 0 means 5, never below MinNotes
	Identities  bool   // give each note the identities that a hospital's messages have beside it

	// Split is the share of patients with at least two notes who have two or three keys, each
	// with consecutive notes. Later registrations have another record number, and many have
	// errors: see changes.
	Split float64
}

// Note is a note with the key of the person that it is about: the first key of the patient.
type Note struct {
	annotate.Annotated
	Person string
}

// noteTypes are the kinds of note, in no particular order.
func noteTypes() []string {
	return []string{
		"admission", "progress", "discharge", "radiology", "pathology",
		"nursing", "consult", "emergency", "operative", "telephone",
	}
}

// Shortest and longest note in bytes. A note outside this range is generated again.
const (
	shortest = 800
	longest  = 4000
	rewrites = 50 // attempts before any length is accepted
)

// Check reports whether the options are valid.
func (o Options) Check() error {
	switch o.Institution {
	case "", "a", "b":
	default:
		return fmt.Errorf("institution %q is neither a nor b", o.Institution)
	}
	if o.Patients < 0 || o.MinNotes < 0 || o.MaxNotes < 0 {
		return fmt.Errorf("numbers of patients and notes must not be negative")
	}
	if !(o.Split >= 0 && o.Split <= 1) {
		return fmt.Errorf("the share of patients with several keys must be from 0 to 1")
	}
	return nil
}

// Generate yields the notes patient by patient. Each document is named
// institution-patient-note, as in "a-000017-03". It has the patient's structured fields as
// attributes, and on request, as identities, what the messages of a hospital say of people
// in the note. It panics for options that do not pass Check.
func Generate(o Options) iter.Seq[annotate.Annotated] {
	notes := Notes(o)
	return func(yield func(annotate.Annotated) bool) {
		notes(func(n Note) bool { return yield(n.Annotated) })
	}
}

// Notes is [Generate] with the person that each note is about. The name and the
// key of a note do not tell the person if a patient has several keys.
func Notes(o Options) iter.Seq[Note] {
	if err := o.Check(); err != nil {
		panic("hospital: " + err.Error())
	}
	return func(yield func(Note) bool) {
		sites := open(o)
		for i := range o.Patients {
			site := sites[i%len(sites)]
			if !site.notes(i/len(sites)+1, o, yield) {
				return
			}
		}
	}
}

func open(o Options) []*institution {
	if o.Institution != "" {
		return []*institution{newInstitution(o.Institution, o.Seed)}
	}
	return []*institution{newInstitution("a", o.Seed), newInstitution("b", o.Seed)}
}

// notes yields all notes of patient number, and reports whether to continue.
func (in *institution) notes(number int, o Options, yield func(Note) bool) bool {
	least := max(o.MinNotes, 0)
	least = cmp.Or(least, 2)
	most := o.MaxNotes
	most = cmp.Or(most, 5)
	most = max(most, least)
	rng := in.random(number, -1)
	day := in.firstVisit(rng)
	count := least + rng.IntN(most-least+1)
	records := in.registrations(number, count, o.Split)
	for n := range count {
		note := in.note(records[n*len(records)/count], number, n+1, day, o.Identities)
		if !yield(Note{note, records[0].key}) {
			return false
		}
		day = day.AddDate(0, 0, 1+rng.IntN(90))
	}
	return true
}

// note generates note n of patient number, for the record that it is filed in.
func (in *institution) note(r registration, number, n int, day time.Time, identities bool) annotate.Annotated {
	rng := in.random(number, n)
	kinds := noteTypes()
	kind := kinds[rng.IntN(len(kinds))]
	var s *scribe
	for range rewrites {
		s = &scribe{rng: rng, grammar: in.grammar, site: in, patient: r.patient, day: day}
		s.staff()
		s.write("note." + kind)
		s.wear()
		if len(s.text) >= shortest && len(s.text) <= longest {
			break
		}
	}
	d := annotate.Annotated{
		Document: annotate.Document{
			Name:       fmt.Sprintf("%s-%02d", r.key, n),
			Text:       string(s.text),
			Patient:    r.key,
			Attributes: in.attributes(r.patient, kind, day),
		},
		Spans: s.spans,
	}
	if identities {
		d.Identities = s.identities()
	}
	return d
}

func (in *institution) attributes(p *patient, kind string, day time.Time) map[string]string {
	all := map[string]string{
		"name":        p.first + " " + p.last,
		"mrn":         p.mrn,
		"birth_date":  p.born.Format(time.DateOnly),
		"sex":         p.sex(),
		"zip":         p.zip,
		"city":        p.city,
		"state":       p.state,
		"phone":       p.phone,
		"diagnosis":   p.condition,
		"note_type":   kind,
		"note_date":   day.Format(time.DateOnly),
		"institution": in.name,
	}
	maps.DeleteFunc(all, func(field, _ string) bool { return p.missing[field] })
	return all
}

// random is the random source of note n of a patient; n is -1 for the dates of the visits
// and 0 for the patient. It depends on nothing else.
func (in *institution) random(number, n int) *rand.Rand {
	return rand.New(rand.NewPCG(in.seed, uint64(number)<<16|uint64(n+1)))
}
