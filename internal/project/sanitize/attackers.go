// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/greedy/learners"
	"hide/internal/project"
	"hide/internal/project/linkage"
	"hide/internal/words"
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
	if len(p.Outside) == 0 && !slices.ContainsFunc(p.Attackers, attack.Kind.Labels) {
		return nil
	}
	patients := map[string]bool{}
	for _, doc := range ws.Finished() {
		st, err := ws.Find(doc)
		if err != nil {
			return err
		}
		if patients[st.Unit()] = true; st.Unit() == "" || len(patients) > 1 {
			return nil
		}
	}
	return project.Invalidf("leave out the attackers that train on notes, or finish notes of more patients", "all finished notes are of one patient, so attackers have no other patients to train on")
}

// checkTransfer refuses a project that an attacker cannot train on, or whose notes the person
// may not read.
func (s *Service) checkTransfer(ws *workspace, by account.User, from project.ID) error {
	if from == "" {
		return nil
	}
	if from == ws.ID {
		return project.Invalidf("choose another one", "the transfer attacker must train on another project")
	}
	other, err := s.projects.Enter(by, account.ReadNotes, from)
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
	panels []*attack.Panel // of the publisher's learners, and of those trained elsewhere
	link   func(context.Context, []annotate.View) (*retrieve.Result, error)
	found  map[float64]foundAt // by L/C
}

// foundAt is what they find at an L/C.
type foundAt struct {
	words  []attack.Result
	linked *retrieve.Result
}

// newAttackers reads the notes that the transfer attacker trains on. Attackers train with
// the publisher's options but on all words.
func (s *Service) newAttackers(ctx context.Context, ws *workspace, p Params, o learners.Options) (*otherAttackers, error) {
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
	panels := []*attack.Panel{attack.NewPanel(a)}
	if len(p.Outside) > 0 {
		a.Kinds, a.Learners = []attack.Kind{attack.Outside}, p.Outside
		panels = append(panels, attack.NewPanel(a))
	}
	return &otherAttackers{panels, linker(ws), map[float64]foundAt{}}, err
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
	var results []attack.Result
	for _, panel := range o.panels {
		found, err := panel.Attack(ctx, published)
		if errors.Is(err, attack.ErrFewDocuments) {
			return project.Invalidf("leave out the attackers that train on notes, or finish notes of more patients", "%v", err)
		}
		if err != nil {
			return err
		}
		results = append(results, found...)
	}
	linked, err := o.link(ctx, published)
	o.found[lc] = foundAt{results, linked}
	return err
}

// linkedNotes is the number of notes, a random sample, on which a run tries the attacker who
// goes for the patients. All notes would slow large runs down.
const linkedNotes = 1000

// linker tries the attacker who goes for the patients on the notes of a run. It reads the notes
// of the project once.
func linker(ws *workspace) func(context.Context, []annotate.View) (*retrieve.Result, error) {
	var known *linkage.Known
	return func(ctx context.Context, views []annotate.View) (result *retrieve.Result, err error) {
		if known == nil {
			if known, err = linkage.Gather(ctx, ws.Workspace); err != nil {
				return nil, err
			}
		}
		docs := make([]annotate.DocumentID, len(views))
		for i, v := range views {
			docs[i] = v.ID
		}
		return known.Attack(ctx, docs, func(i int) (linkage.Note, error) { return outgoing(views[i]), nil }, retrieve.Params{Sample: linkedNotes})
	}
}

// outgoing is a note as the classifiers publish it.
func outgoing(v annotate.View) linkage.Note {
	n := linkage.Note{Text: v.Text}
	for i, t := range v.Tokens {
		if v.Hidden(i) {
			n.Placeholders = append(n.Placeholders, annotate.Span{Start: t.Start, End: t.End})
		}
	}
	return n
}

// heldShare is the default share of sensitive tokens that an attacker may find.
const heldShare = .01

// MostFound is the most sensitive tokens that any attacker finds among the first budget
// words of her ranking, and which attacker it is; false if no attacker was run.
func (c Result) MostFound(budget int) (found float64, by attack.Kind, ok bool) {
	if e, asked := c.Outcome.Unseen().Attack.Ranked[budget]; asked {
		found, by, ok = e.Value, attack.Ranked, true
	}
	for _, r := range c.Attackers {
		for _, p := range r.Points {
			if p.Budget == budget && (!ok || p.Found > found) {
				found, by, ok = p.Found, r.Kind, true
			}
		}
	}
	return found, by, ok
}

// Holding is the smallest L/C of the run from which on no attacker who reads budget words
// finds more than share of the sensitive tokens, at it and at every larger L/C. It is
// false if the largest L/C does not satisfy this, or if no attacker was run.
//
// L/C prices one token, but a reader cares about all that somebody finds in a given time.
// This converts the second into the first, on the run's own documents.
func (r *Run) Holding(budget int, share float64) (least Result, ok bool) {
	all := slices.DeleteFunc(slices.Clone(r.Choices), func(c Result) bool { return !c.Done })
	slices.SortFunc(all, func(a, b Result) int { return cmp.Compare(b.LC, a.LC) })
	for _, c := range all {
		found, _, asked := c.MostFound(budget)
		if !asked || found > share*float64(c.Outcome.Unseen().Sensitive) {
			break
		}
		least, ok = c, true
	}
	return least, ok
}

// HoldingWords state from which L/C on an attacker who reads budget words finds hardly
// anything. Board members think of such a reader, not of the price of a word. It is "" if
// no attacker was run.
func (r *Run) HoldingWords(budget int) string {
	most := words.ShortPercent(heldShare)
	least, ok := r.Holding(budget, heldShare)
	if !ok {
		if !slices.ContainsFunc(r.Choices, func(c Result) bool { return c.Done && c.asked(budget) }) {
			return ""
		}
		return fmt.Sprintf("Even at the largest L/C of this run, an attacker who inspects %s words is expected to find more than %s of the sensitive words. Try a larger L/C, or finish more notes.", words.Number(budget), most)
	}
	o := least.Outcome.Unseen()
	found, _, _ := least.MostFound(budget)
	return fmt.Sprintf("From L/C %s on, no attacker of the run is expected to find more than %s of the sensitive words by inspecting %s: %s of %s%s. %s of the other words are kept.",
		ratio(least.LC), most, words.Number(budget), words.Amount(found), words.Number(o.Sensitive), rankedAtMost(o, budget), words.Percent(o.NonsensitiveKept.Value))
}

func (c Result) asked(budget int) bool {
	_, _, ok := c.MostFound(budget)
	return ok
}

// inOthers: ", at most 12 in other notes like these".
func inOthers(o greedy.Outcome, budget int) string {
	if e := o.Attack.Ranked[budget]; e.AtMost > 0 {
		return ", at most " + words.Amount(math.Ceil(e.AtMost)) + " in other notes like these"
	}
	return ""
}

// rankedAtMost: ", the ranked one at most 12". The other attackers have no such bound.
func rankedAtMost(o greedy.Outcome, budget int) string {
	e, asked := o.Attack.Ranked[budget]
	if !asked || !(e.AtMost > 0) {
		return ""
	}
	return ", the ranked one at most " + words.Amount(math.Ceil(e.AtMost))
}
