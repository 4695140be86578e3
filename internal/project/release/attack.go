// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"hide/internal/annotate"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/project"
	"hide/internal/publish"
	"hide/internal/publish/joint"
)

// Outgoing is a note as it is published.
type Outgoing struct {
	Text         string
	Placeholders []annotate.Span // in order: they tell no more than the label
	Among        []string        // patients who fit what is published beside it, see [retrieve.Published]; nil for all
}

// Attack tries the attacker who goes for the patients on notes as they are published. She knows
// all notes of the project and their fields. note reads the i-th published note and may be
// called by several goroutines. Notes that are not in the project any more are left out. The
// result is nil if she has nobody to confuse. progress may be nil.
func Attack(ctx context.Context, ws *project.Workspace, docs []annotate.DocumentID, note func(i int) (Outgoing, error), progress func(done, total int)) (*retrieve.Result, error) {
	known, there, err := Known(ctx, ws)
	if err != nil {
		return nil, err
	}
	var names []string
	var at []int
	for i, doc := range docs {
		if there[doc] {
			names, at = append(names, noteName(doc)), append(at, i)
		}
	}
	result, err := known.Attack(ctx, names, func(i int) (retrieve.Published, error) {
		n, err := note(at[i])
		return retrieve.Published{Name: names[i], Text: n.Text, Hidden: n.Placeholders, Among: n.Among}, err
	}, retrieve.Params{Progress: progress})
	if errors.Is(err, retrieve.ErrNoNotes) || errors.Is(err, retrieve.ErrOnePatient) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &result, nil
}

// Known is what the attacker knows of a project, and the notes that it covers.
func Known(ctx context.Context, ws *project.Workspace) (*retrieve.Originals, map[annotate.DocumentID]bool, error) {
	there := map[annotate.DocumentID]bool{}
	var originals []annotate.Document
	for n, err := range ws.Documents(ctx, ws.All()) {
		if err != nil {
			return nil, nil, err
		}
		there[n.ID], originals = true, append(originals, known(n))
	}
	o, err := retrieve.Gather(originals)
	return o, there, err
}

// known is a note as the attacker knows it, with a name that no other note has.
func known(n project.StoredNote) annotate.Document {
	d := n.Document
	d.Name = noteName(n.ID)
	return d
}

func noteName(doc annotate.DocumentID) string { return strconv.Itoa(int(doc)) }

// attacker tries the attacker on a release of text, and shows how far it is.
func (s *Service) attacker(ws *workspace) publish.Attacker {
	return func(ctx context.Context, docs []annotate.DocumentID, note func(i int) (string, []annotate.Span, error)) (*publish.Attacked, error) {
		result, err := Attack(ctx, ws.Workspace, docs, func(i int) (n Outgoing, err error) {
			n.Text, n.Placeholders, err = note(i)
			return n, err
		}, ws.attacking)
		return attacked(result, err)
	}
}

// attacking shows that the attacker runs.
func (ws *workspace) attacking(done, total int) {
	ws.publish.Change(func(p *Status) { p.Doing, p.Done, p.Total = "attacking", done, total })
}

// attackJoint tries the attacker on notes that are published with their fields: she ranks only
// the patients of the class whose fields stand beside the note.
func (s *Service) attackJoint(ctx context.Context, ws *workspace, made *jointMade) (*publish.Attacked, error) {
	class, among := made.classes()
	result, err := Attack(ctx, ws.Workspace, made.from, func(row int) (Outgoing, error) {
		text, places := made.recoding.Rewrite(row, 0, class[row])
		n := Outgoing{Text: text, Among: among[class[row]]}
		for _, p := range places {
			if p.How == joint.Suppressed {
				n.Placeholders = append(n.Placeholders, annotate.Span{Start: p.Start, End: p.End, Label: p.Type})
			}
		}
		return n, nil
	}, ws.attacking)
	return attacked(result, err)
}

// classes are the class of each row, and the patients of each class as the attacker names them.
func (made *jointMade) classes() (class []int, among [][]string) {
	class, among = make([]int, len(made.rows)), make([][]string, len(made.parts.Classes))
	for c, people := range made.parts.Classes {
		for _, person := range people {
			for _, row := range made.origin.RowsOf(person) {
				class[row] = c
				d := annotate.Document{Name: noteName(made.from[row]), Patient: made.rows[row].Values[jointPatient]}
				among[c] = append(among[c], retrieve.PatientOf(d))
			}
		}
	}
	return class, among
}

// attacked is a result as a manifest has it.
func attacked(r *retrieve.Result, err error) (*publish.Attacked, error) {
	if r == nil || err != nil {
		return nil, err
	}
	figures, err := json.Marshal(r)
	return &publish.Attacked{Words: r.Words(), Figures: figures}, err
}
