// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"
	"errors"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/learners"
	"hide/internal/project"
)

// checkTransfer refuses a transfer attacker without a project to train on, and a project
// without that attacker.
func checkTransfer(p Params) error {
	switch wants := slices.Contains(p.Attackers, attack.Transfer); {
	case wants && p.Transfer == "":
		return project.Invalidf("name a project with finished notes of another kind or place, or leave transfer out", "the attacker transfer needs a project to train on")
	case !wants && p.Transfer != "":
		return project.Invalidf("ask for the attacker transfer too", "no attacker trains on the other project")
	}
	return nil
}

// checkLabelled refuses added attackers that train on labelled notes if all finished
// notes are of one patient: they could train only on the patient they attack.
func (ws *workspace) checkLabelled(p Params) error {
	if !slices.ContainsFunc(p.Attackers, attack.Kind.Labels) {
		return nil
	}
	patients := map[string]bool{}
	for _, doc := range ws.Finished() {
		st, err := ws.Find(doc)
		if err != nil {
			return err
		}
		if patients[st.Group] = true; st.Group == "" || len(patients) > 1 {
			return nil
		}
	}
	return project.Invalidf("leave out the attackers that train on notes, or finish notes of more patients", "all finished notes are of one patient, so attackers have no other patients to train on")
}

// checkTransfer refuses a project that an attacker cannot train on.
func (s *Service) checkTransfer(ws *workspace, from project.ID) error {
	if from == "" {
		return nil
	}
	if from == ws.ID {
		return project.Invalidf("choose another one", "the transfer attacker must train on another project")
	}
	other, err := s.projects.Workspace(from)
	if err != nil {
		return err
	}
	if len(other.Finished()) == 0 {
		return project.Invalidf("finish some there, or choose another one", "the project for the transfer attacker has no finished notes")
	}
	return nil
}

// otherAttackers are the attackers of a run besides the papers' attacker and the ranked
// one.
type otherAttackers struct {
	panel *attack.Panel
	found map[float64][]attack.Result // by L/C
}

// newAttackers reads the notes that the transfer attacker trains on. Attackers train with
// the publisher's options but on all words.
func (s *Service) newAttackers(ctx context.Context, p Params, o learners.Options) (*otherAttackers, error) {
	o.CRF.Sampling = crf.Sampling{}
	class, err := p.class(o)
	if err != nil {
		return nil, err
	}
	a := attack.Params{Kinds: slices.Clone(p.Attackers), Learners: class, Share: p.Share, Seed: p.Seed, LossByLabel: p.LossByLabel, CostByKind: p.CostByKind}
	if len(a.Learners) < 2 {
		a.Kinds = slices.DeleteFunc(a.Kinds, func(k attack.Kind) bool { return k == attack.Stacked })
	}
	if p.Transfer != "" {
		a.Other, err = s.elsewhere(ctx, p.Transfer)
	}
	return &otherAttackers{attack.NewPanel(a), map[float64][]attack.Result{}}, err
}

// elsewhere reads the finished notes of another project.
func (s *Service) elsewhere(ctx context.Context, id project.ID) ([]annotate.View, error) {
	ws, err := s.projects.Workspace(id)
	if err != nil {
		return nil, err
	}
	c, err := ws.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	views := make([]annotate.View, len(c.Docs))
	for i, d := range c.Docs {
		views[i].Note = new(annotate.NewNote(d.Annotated))
	}
	return views, nil
}

// attack records what they find in the text as published with lc.
func (o *otherAttackers) attack(ctx context.Context, lc float64, published []annotate.View) error {
	results, err := o.panel.Attack(ctx, published)
	if errors.Is(err, attack.ErrFewDocuments) {
		return project.Invalidf("leave out the attackers that train on notes, or finish notes of more patients", "%v", err)
	}
	o.found[lc] = results
	return err
}
