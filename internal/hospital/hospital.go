// SPDX-License-Identifier: Apache-2.0

package hospital

import (
	"cmp"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"hide/internal/annotate"
)

// Options say how much to invent. The zero value of each field has a meaning.
type Options struct {
	Patients    int    // how many; with both institutions, of both together
	Seed        uint64 // same seed, same hospital
	Institution string // "a", "b", or "" for both in turn
	MinNotes    int    // notes for each patient, at least; 0 means 2
	MaxNotes    int    // notes for each patient, at most; 0 means 5, never below MinNotes
}

// noteTypes are the kinds of note, in no order that matters.
func noteTypes() []string {
	return []string{
		"admission", "progress", "discharge", "radiology", "pathology",
		"nursing", "consult", "emergency", "operative", "telephone",
	}
}

// Shortest and longest note in bytes. A note outside is written anew.
const (
	shortest = 800
	longest  = 4000
	rewrites = 50 // attempts before a note of any length is taken
)

// Check reports whether the options can be used.
func (o Options) Check() error {
	switch o.Institution {
	case "", "a", "b":
	default:
		return fmt.Errorf("institution %q is neither a nor b", o.Institution)
	}
	if o.Patients < 0 || o.MinNotes < 0 || o.MaxNotes < 0 {
		return fmt.Errorf("numbers of patients and notes must not be negative")
	}
	return nil
}

// Generate invents the notes one by one, patient after patient. Each document is
// named institution-patient-note, as in "a-000017-03", and carries the patient's
// structured fields as attributes. Options that do not pass Check panic.
func Generate(o Options) iter.Seq[annotate.Annotated] {
	if err := o.Check(); err != nil {
		panic("hospital: " + err.Error())
	}
	return func(yield func(annotate.Annotated) bool) {
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

// notes yields all notes of patient number, and reports whether to go on.
func (in *institution) notes(number int, o Options, yield func(annotate.Annotated) bool) bool {
	p := in.patient(number)
	least := max(o.MinNotes, 0)
	least = cmp.Or(least, 2)
	most := o.MaxNotes
	most = cmp.Or(most, 5)
	most = max(most, least)
	rng := in.random(number, -1)
	day := in.firstVisit(rng)
	for n := range least + rng.IntN(most-least+1) {
		if !yield(in.note(p, number, n+1, day)) {
			return false
		}
		day = day.AddDate(0, 0, 1+rng.IntN(90))
	}
	return true
}

// note writes note n of the patient.
func (in *institution) note(p *patient, number, n int, day time.Time) annotate.Annotated {
	rng := in.random(number, n)
	kinds := noteTypes()
	kind := kinds[rng.IntN(len(kinds))]
	var s *scribe
	for range rewrites {
		s = &scribe{rng: rng, grammar: in.grammar, site: in, patient: p, day: day}
		s.staff()
		s.write("note." + kind)
		s.wear()
		if len(s.text) >= shortest && len(s.text) <= longest {
			break
		}
	}
	return annotate.Annotated{
		Document: annotate.Document{
			Name:       fmt.Sprintf("%s-%06d-%02d", in.name, number, n),
			Text:       string(s.text),
			Patient:    fmt.Sprintf("%s-%06d", in.name, number),
			Attributes: in.attributes(p, kind, day),
		},
		Spans: s.spans,
	}
}

func (in *institution) attributes(p *patient, kind string, day time.Time) map[string]string {
	return map[string]string{
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
}

// random is the source of note n of a patient; n is -1 for the course of the
// visits and 0 for the patient. It depends on nothing else.
func (in *institution) random(number, n int) *rand.Rand {
	return rand.New(rand.NewPCG(in.seed, uint64(number)<<16|uint64(n+1)))
}
