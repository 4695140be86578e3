// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"hide/internal/annotate"
	"hide/internal/parallel"
	"hide/internal/project"
	"hide/internal/publish/transform"
	"hide/internal/store"
)

// planned is the plan for the notes of a patient, as it is stored.
type planned struct {
	number  int // of the patient
	patient storedPatient
	notes   []storedNote // by note of the patient
}

// readPatient reads the notes of a patient for a plan.
func readPatient(ctx context.Context, ws *workspace, docs []annotate.DocumentID, spans map[annotate.DocumentID][]transform.Span) (transform.Patient, error) {
	var p transform.Patient
	for n, err := range ws.Documents(ctx, docs) {
		if err != nil {
			return p, err
		}
		p.ID = n.Group()
		p.Notes = append(p.Notes, transform.Note{ID: n.ID, Text: n.Text, Spans: spans[n.ID], Date: dateOf(n.Attributes)})
		if len(p.Notes) == 1 {
			p.Identities = slices.Clone(n.Also) // every linked note has it
		}
		p.Identities = append(p.Identities, n.Identities...)
	}
	if len(p.Notes) != len(docs) {
		return p, &project.Error{Kind: project.Stale, Message: "a note of the draft was deleted", Hint: "prepare the draft again"}
	}
	return p, nil
}

// dated are the structured fields that give the day of a note, in small letters alone.
var dated = map[string]bool{"date": true, "notedate": true, "documentdate": true, "servicedate": true, "visitdate": true, "encounterdate": true, "chartdate": true, "charttime": true, "day": true}

// dateOf is the day of a note by its structured fields, zero if they do not tell.
func dateOf(fields map[string]string) (day time.Time) {
	for name, text := range fields {
		letters := strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) {
				return -1
			}
			return unicode.ToLower(r)
		}, name)
		if !dated[letters] || len(text) < len(time.DateOnly) {
			continue
		}
		t, err := time.Parse(time.DateOnly, text[:len(time.DateOnly)])
		if err != nil {
			continue
		}
		if day.IsZero() || t.Before(day) { // whatever the order of the fields
			day = t
		}
	}
	return day
}

// planPatient plans the notes of a patient.
func planPatient(planner *transform.Planner, number int, in transform.Patient) (planned, error) {
	plan, err := planner.Plan(in)
	if err != nil {
		return planned{}, err
	}
	out := planned{number: number, patient: storedPatient{Group: in.ID, Patient: keyOf(in.ID), Earlier: in.Book, Book: plan.Book, People: plan.People}}
	for i, n := range in.Notes {
		out.patient.Docs = append(out.patient.Docs, n.ID)
		out.notes = append(out.notes, storedNote{Spans: n.Spans, Decisions: plan.Notes[i]})
	}
	return out, nil
}

// planAll makes n plans on all processors, in order.
func planAll(ctx context.Context, n int, one func(i int) (planned, error)) ([]planned, error) {
	out, failed := make([]planned, n), make([]error, n)
	err := parallel.Do(ctx, runtime.GOMAXPROCS(0), n, func(_, i int) { out[i], failed[i] = one(i) })
	for _, e := range failed {
		if err == nil {
			err = e
		}
	}
	return out, err
}

// keyOf is the key of a patient, or the name of a note without a patient.
func keyOf(group string) string {
	_, key, _ := strings.Cut(group, "\x00")
	return key
}

// putPlans stores plans of a draft.
func putPlans(tx *store.Tx, draft uint64, all []planned) error {
	for _, p := range all {
		err := store.PutJSON(tx, bucketPatients, append(store.Key(draft), store.Key(uint64(p.number))...), p.patient)
		for i, n := range p.notes {
			err = errors.Join(err, store.PutJSON(tx, bucketPlaces, placeKey(draft, p.patient.Docs[i]), n))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// enter puts a plan into the index.
func (p planned) enter(x *index) {
	x.name(p.number, p.patient)
	for i, n := range p.notes {
		x.set(p.patient.Docs[i], n)
	}
}
