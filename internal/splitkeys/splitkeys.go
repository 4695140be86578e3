// SPDX-License-Identifier: Apache-2.0

// Package splitkeys measures what patients under several keys do to releases, on notes whose
// patients are known, such as those of a generated hospital:
//
//	truth, err := invented.ReadTruth(file) // the person of each note
//	result, err := splitkeys.Measure(ctx, notes, truth, options, nil)
//
// It imports the notes into a project in a temporary folder, trains a model on some of them and
// links the records. Before linkage and after each pass it compares the links with the truth,
// and searches the other notes for identifiers. Then it publishes a k-anonymous table without
// and with the links and counts the people of each class.
//
// # Caveats
//
// The links are those of the program without decisions of people.
package splitkeys

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"hide/internal/annotate"
	"hide/internal/hospital/invented"
	"hide/internal/lab"
	"hide/internal/option"
)

// Options configure [Measure].
type Options struct {
	Train   int
	K       int
	Without []string
}

// Table declares the options of [Measure]. They have no effect without notes.
var Table = option.Table[Options]{
	option.Whole(option.About{Name: "train", Default: "100", Value: "N", Help: "With --in: annotate N notes or a few more and train a model on them. Identifiers are searched in the others.", In: option.Command},
		option.From(0, 100_000), func(o *Options) *int { return &o.Train }),
	option.Whole(option.About{Name: "k", Default: "5", Value: "K", Help: "With --in: publish a table in classes of K patients.", In: option.Command},
		option.From(2, 1000), func(o *Options) *int { return &o.K }),
	option.Some(option.About{Name: "without", Value: "FIELDS", Help: "With --in: structured fields that the notes lack, such as mrn,name.", In: option.Command},
		nil, func(o *Options) *[]string { return &o.Without }),
}

// Result is the measurement.
type Result struct {
	Notes   int     `json:"notes"`
	Records int     `json:"records"` // patients' keys
	People  int     `json:"people"`
	Split   int     `json:"split"`   // people with several keys
	Trained int     `json:"trained"` // notes that the model is trained on
	K       int     `json:"k"`
	Stages  []Stage `json:"stages"` // before linkage, after the first and after the second pass
	Classes []Class `json:"tables"` // without and with links
}

// Measure links notes, and compares the links with the truth: the person of each note.
func Measure(ctx context.Context, notes []annotate.Annotated, truth invented.Truth, o Options, progress lab.Progress) (*Result, error) {
	if err := truth.Covers(notes); err != nil {
		return nil, err
	}
	notes, err := without(notes, o.Without)
	if err != nil {
		return nil, err
	}
	t := &trial{options: o, truth: truth, progress: progress, notes: map[string]annotate.Annotated{}}
	for _, n := range notes {
		t.notes[n.Name] = n
	}
	r := t.count(notes)
	if err := t.open(); err != nil {
		return nil, err
	}
	err = t.run(ctx, notes, r)
	return r, errors.Join(err, t.close())
}

// count counts notes, records and people, and chooses the notes to train on: all notes of the
// first people, so that nobody has notes in training and test.
func (t *trial) count(notes []annotate.Annotated) *Result {
	r := &Result{Notes: len(notes), K: t.options.K}
	keys, trained := map[string]map[string]bool{}, map[string]bool{}
	for _, n := range notes {
		person := t.truth[n.Name]
		if keys[person] == nil {
			keys[person] = map[string]bool{}
			trained[person] = r.Trained < t.options.Train
		}
		keys[person][n.Record()] = true
		if trained[person] {
			r.Trained++
		}
	}
	t.split = map[string]bool{}
	for person, own := range keys {
		r.People++
		r.Records += len(own)
		if len(own) > 1 {
			r.Split++
			t.split[person] = true
		}
	}
	t.trained = trained
	return r
}

// without removes structured fields from notes, and the identities of the patient that say the
// same.
func without(notes []annotate.Annotated, fields []string) ([]annotate.Annotated, error) {
	out, there := slices.Clone(notes), map[string]bool{}
	for i, n := range out {
		out[i].Attributes = maps.Clone(n.Attributes)
		gone := map[string]bool{}
		for _, field := range fields {
			if value, ok := n.Attributes[field]; ok {
				there[field], gone[value] = true, true
			}
			delete(out[i].Attributes, field)
		}
		out[i].Identities = slices.DeleteFunc(slices.Clone(n.Identities), func(id annotate.Identity) bool {
			return id.Of == annotate.OfPatient && (gone[id.Value] || id.Label == "PATIENT" && slices.Contains(fields, "name"))
		})
	}
	for _, field := range fields {
		if !there[field] {
			return nil, fmt.Errorf("no note has the structured field %q of --without", field)
		}
	}
	return out, nil
}
