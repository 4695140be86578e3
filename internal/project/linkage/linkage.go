// SPDX-License-Identifier: Apache-2.0

// Package linkage tries the attacker who goes for the patients on notes of a project: she knows
// the original notes and the fields of all its patients, and links what is published to them.
//
//	known, err := linkage.Gather(ctx, ws)
//	result, err := known.Attack(ctx, docs, note, retrieve.Params{})
package linkage

import (
	"context"
	"errors"
	"strconv"

	"hide/internal/annotate"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/project"
)

// Note is a note as it is published.
type Note struct {
	Text         string
	Placeholders []annotate.Span // in order: they tell no more than the label
	Among        []string        // patients who fit what is published beside it, see [PatientOf]; nil for all
}

// Known is what the attacker knows of a project.
type Known struct {
	originals *retrieve.Originals
	there     map[annotate.DocumentID]bool
}

// Gather reads all notes of a project.
func Gather(ctx context.Context, ws *project.Workspace) (*Known, error) {
	k := &Known{there: map[annotate.DocumentID]bool{}}
	var all []annotate.Document
	for n, err := range ws.Documents(ctx, ws.All()) {
		if err != nil {
			return nil, err
		}
		d := n.Document
		d.Name = name(n.ID) // no other note has it
		k.there[n.ID], all = true, append(all, d)
	}
	var err error
	k.originals, err = retrieve.Gather(all)
	return k, err
}

// Attack tries the attacker on some notes as they are published. note reads the i-th when it is
// needed, and may be called by several goroutines. Notes that are not in the project any more
// are left out. The result is nil if there is no note or nobody to confuse. It may be called
// again with other notes.
func (k *Known) Attack(ctx context.Context, docs []annotate.DocumentID, note func(i int) (Note, error), p retrieve.Params) (*retrieve.Result, error) {
	var names []string
	var at []int
	for i, doc := range docs {
		if k.there[doc] {
			names, at = append(names, name(doc)), append(at, i)
		}
	}
	result, err := k.originals.Attack(ctx, names, func(i int) (retrieve.Published, error) {
		n, err := note(at[i])
		return retrieve.Published{Name: names[i], Text: n.Text, Hidden: n.Placeholders, Among: n.Among}, err
	}, p)
	if errors.Is(err, retrieve.ErrNoNotes) || errors.Is(err, retrieve.ErrOnePatient) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &result, nil
}

// Attack gathers what the attacker knows, and tries her once. progress may be nil.
func Attack(ctx context.Context, ws *project.Workspace, docs []annotate.DocumentID, note func(i int) (Note, error), progress func(done, total int)) (*retrieve.Result, error) {
	k, err := Gather(ctx, ws)
	if err != nil {
		return nil, err
	}
	return k.Attack(ctx, docs, note, retrieve.Params{Progress: progress})
}

// PatientOf names the patient of a note, as [Note] does. A note without a patient is a patient
// of its own, unless its record is linked.
func PatientOf(n project.StoredNote) string {
	d := n.Document
	d.Name = name(n.ID)
	return retrieve.PatientOf(d)
}

func name(doc annotate.DocumentID) string { return strconv.Itoa(int(doc)) }
