// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"encoding/json"

	"hide/internal/annotate"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/project/linkage"
	"hide/internal/publish"
	"hide/internal/publish/joint"
)

// attacker tries the attacker on a release of text, and shows how far it is.
func (s *Service) attacker(ws *workspace) publish.Attacker {
	return func(ctx context.Context, docs []annotate.DocumentID, note func(i int) (string, []annotate.Span, error)) (*publish.Attacked, error) {
		result, err := linkage.Attack(ctx, ws.Workspace, docs, func(i int) (n linkage.Note, err error) {
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
	result, err := linkage.Attack(ctx, ws.Workspace, made.from, func(row int) (linkage.Note, error) {
		text, places := made.recoding.Rewrite(row, 0, class[row])
		n := linkage.Note{Text: text, Among: among[class[row]]}
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
				among[c] = append(among[c], made.patients[row])
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
