// SPDX-License-Identifier: Apache-2.0

package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

// Words are the words of a text in lower case and without accents. Tokens without letter
// or digit are left out, and so are tokens of the hidden spans, which are in order:
// placeholders look the same in every note.
func Words(text string, hidden []annotate.Span) []string {
	var out []string
	for _, t := range annotate.Tokenize(text) {
		for len(hidden) > 0 && hidden[0].End <= t.Start {
			hidden = hidden[1:]
		}
		if len(hidden) > 0 && hidden[0].Start < t.End {
			continue
		}
		surface := text[t.Start:t.End]
		if strings.ContainsFunc(surface, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			out = append(out, dictionary.Fold(surface))
		}
	}
	return out
}

// sexes are values of structured fields that notes say in other words.
var sexes = map[string]string{
	"f": "female woman she her", "female": "woman she her",
	"m": "male man he his him", "male": "man he his him",
}

// Fields are the distinct words of structured fields, sorted. A field of a sex adds the
// words that notes have for it. A full date of birth adds the age on each other full date,
// with or without a time, because notes give the age and tables the birth.
func Fields(rows []map[string]string) []string {
	all := map[string]bool{}
	var births, dates []time.Time
	for _, row := range rows {
		for field, value := range row {
			for _, w := range Words(value, nil) {
				all[w] = true
			}
			for w := range strings.FieldsSeq(sexes[dictionary.Fold(strings.TrimSpace(value))]) {
				all[w] = true
			}
			day, err := time.Parse(time.DateOnly, value[:min(len(value), len(time.DateOnly))])
			switch {
			case err != nil:
			case isBirth(field):
				births = append(births, day)
			default:
				dates = append(dates, day)
			}
		}
	}
	for _, born := range births {
		for _, day := range dates {
			if !day.Before(born) {
				all[ageOn(born, day)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// isBirth reports whether a field is named after a birth, in English, Spanish, French or German.
func isBirth(field string) bool {
	field = dictionary.Fold(field)
	return slices.ContainsFunc([]string{"birth", "dob", "nacim", "naiss", "gebur"}, func(part string) bool { return strings.Contains(field, part) })
}

// ageOn is the age in whole years.
func ageOn(born, day time.Time) string {
	years := day.Year() - born.Year()
	if day.Month() < born.Month() || day.Month() == born.Month() && day.Day() < born.Day() {
		years--
	}
	return strconv.Itoa(years)
}

// Published is a note as it leaves, with the name of its original.
type Published struct {
	Name   string
	Text   string
	Hidden []annotate.Span // its placeholders, in order
	Among  []string        // as in [Released]
}

// Originals is what attackers know of a collection of notes.
type Originals struct {
	patient    map[string]string // by name of note
	collection *collection
}

// Gather reads a collection. The attackers know the attributes and the original texts of all
// its notes. A note without a patient is a patient of its own.
func Gather(originals []annotate.Document) (*Originals, error) {
	o, order := &Originals{patient: map[string]string{}}, []string(nil)
	notes, rows := map[string][]Note{}, map[string][]map[string]string{}
	for i, d := range originals {
		if _, twice := o.patient[d.Name]; twice || d.Name == "" {
			return nil, fmt.Errorf("retrieval attacker: original %d has no name of its own", i+1)
		}
		of := PatientOf(d)
		if _, is := notes[of]; !is {
			order = append(order, of)
		}
		o.patient[d.Name] = of
		notes[of] = append(notes[of], Note{d.Name, Words(d.Text, nil)})
		rows[of] = append(rows[of], d.Attributes)
	}
	known := make([]Known, len(order))
	for i, of := range order {
		known[i] = Known{of, Fields(rows[of]), notes[of]}
	}
	var err error
	if o.collection, err = newCollection(known); err != nil {
		err = fmt.Errorf("retrieval attacker: %w", err)
	}
	return o, err
}

// PatientOf names the patient of an original, as [Published.Among] does: linked records have
// one name.
func PatientOf(d annotate.Document) string {
	return cmp.Or(d.Person(), "\x00"+d.Name) // no patient has such a number
}

// Attack runs the attackers on a release of some of the notes. names are those of the
// originals of all released notes. note reads the i-th when it is needed; it must be safe for
// concurrent use. It may be called for several releases at once.
func (o *Originals) Attack(ctx context.Context, names []string, note func(i int) (Published, error), p Params) (Result, error) {
	patients := make([]string, len(names))
	for i, name := range names {
		of, is := o.patient[name]
		if !is {
			return Result{}, fmt.Errorf("retrieval attacker: published note %d has no original", i+1)
		}
		patients[i] = of
	}
	return o.collection.attack(ctx, patients, func(i int) (Released, error) {
		n, err := note(i)
		return Released{Patient: patients[i], Note: names[i], Words: Words(n.Text, n.Hidden), Among: n.Among}, err
	}, p)
}

// Release runs the attackers on a release of notes of a collection, the notes included that
// are not released; see [Gather].
func Release(ctx context.Context, published []Published, originals []annotate.Document, p Params) (Result, error) {
	o, err := Gather(originals)
	if err != nil {
		return Result{}, err
	}
	names := make([]string, len(published))
	for i, n := range published {
		names[i] = n.Name
	}
	return o.Attack(ctx, names, func(i int) (Published, error) { return published[i], nil }, p)
}
