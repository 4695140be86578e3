// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"cmp"
	"slices"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/detect"
	"hide/internal/greedy/learners"
	"hide/internal/greedy/settings"
	"hide/internal/option"
	"hide/internal/project"
)

// Params start a run of GreedySanitize.
type Params struct {
	Mode   greedy.Mode      `json:"mode"`  // "" means Default
	LC     []float64        `json:"lc"`    // in paper mode all are read off one run
	Folds  int              `json:"folds"` // cross-fitting folds; 0 means 4
	Seed   uint64           `json:"seed"`
	Labels []annotate.Label `json:"labels,omitempty"` // sensitive ones; nil means all

	// Learners are the hypothesis class of publisher and attackers, names of
	// learners.Kept; nil means the CRF.
	Learners []string `json:"learners,omitempty"`
	// First is the learner that redacts in round 1 of default mode: "" means the
	// detector, and "none" no such round.
	First string `json:"first,omitempty"`
	// LossByLabel says how many times as bad as L a token of a label is that stays,
	// 1 where nothing is said.
	LossByLabel map[annotate.Label]float64 `json:"loss_by_label,omitempty"`
	// CostByKind says how many times C a lost word of a kind costs that is not
	// sensitive, 1 where nothing is said.
	CostByKind greedy.Prices `json:"cost_by_kind,omitempty"`
	// Context looks for words that give identifiers away by standing near them; nil:
	// it does not.
	Context *greedy.Context `json:"context,omitempty"`
	// Attackers look for what would be published beside the papers' and the ranked
	// one, who always do. One learner has no [attack.Stacked]: it would be the ranked one.
	Attackers []attack.Kind `json:"attackers,omitempty"`
	// Transfer is the project from whose finished notes, with all of their labels, the
	// [attack.Transfer] attacker learns.
	Transfer project.ID `json:"transfer,omitempty"`
	// Share is the share of the notes that attackers label, taken as the nearest 1/k;
	// 0 means 1/2.
	Share float64 `json:"share,omitempty"`
	// Ceiling is the share of the sensitive words that the ranked attacker may find
	// within the largest budget, in default mode alone: see [greedy.Params].Ceiling; 0 for
	// none.
	Ceiling float64 `json:"ceiling,omitempty"`
	// WithoutParts are the parts that the detector does without, names of
	// detect.PartTable.
	WithoutParts []string `json:"without_parts,omitempty"`
	// Sampling is what the trainings of all of these learners leave out; the zero value
	// leaves nothing out.
	Sampling project.Sampling `json:"sampling,omitzero"`
	// VC is the dimension that theorems 5 and 6 take the class to have, in paper mode
	// alone; 0 leaves them out.
	VC float64 `json:"vc,omitempty"`
}

// Modes are the modes of runs, as pages call them. The first three can be asked
// for; the others are those of `hide experiment`, and of runs of earlier versions.
var Modes = []option.Choice{
	{Value: string(greedy.Default), Title: "hide's default", Help: "A detector redacts. Then every attacker sorts what is left; rounds go on while sorting pays. Every count comes from a classifier that did not see the note."},
	{Value: string(greedy.Paper), Title: "the papers' algorithm", Help: "Counts on the training notes, with hard labels. One run answers every L/C, but its counts are too low."},
	{Value: string(greedy.Cost), Title: "one classifier, to compare with", Help: "No rounds: it redacts every word that is sensitive with a probability above 1 in 1 + L/C."},
	{Value: string(greedy.PaperHoldout), Title: "the papers' algorithm, counted on other notes"},
	{Value: string(greedy.GreedyUnion), Title: "small steps"},
	{Value: string(greedy.CostWeight), Title: "one classifier that is told the cost, to compare with"},
}

// offeredModes is how many of Modes can be asked for.
const offeredModes = 3

// Options are what can be asked of a run: the flags of `hide sanitize` and the
// fields of its page.
var Options = optionsOf(Modes[:offeredModes], []attack.Kind{attack.Best, attack.Stacked, attack.Dictionary, attack.Repeat})

// StoredOptions are those that any run may have been started with.
var StoredOptions = append(optionsOf(Modes, attack.Kinds()),
	stored(settings.Share(func(p *Params) *float64 { return &p.Share })),
	stored(settings.WithoutParts(func(p *Params) *[]string { return &p.WithoutParts })),
	stored(settings.VC(func(p *Params) *float64 { return &p.VC })),
)

func stored(o option.Option[Params]) option.Option[Params] {
	o.In = option.Stored
	return o
}

func optionsOf(modes []option.Choice, kinds []attack.Kind) option.Table[Params] {
	return slices.Concat(option.Table[Params]{
		settings.LC("1,2,5,10,20,50,100", MaxLCs, func(p *Params) *[]float64 { return &p.LC }),
		settings.Ceiling(func(p *Params) *float64 { return &p.Ceiling }),
		option.Some(option.About{Name: "sensitive", Label: "Labels that count as sensitive", Value: "LABELS", Default: "all", None: "all", All: true, Required: true, Group: settings.GroupSensitive,
			Help: "Text with another label is published as it is."}, nil, func(p *Params) *[]annotate.Label { return &p.Labels }),
		settings.Losses(func(p *Params) *map[annotate.Label]float64 { return &p.LossByLabel }),
		settings.Costs(func(p *Params) *greedy.Prices { return &p.CostByKind }),
		settings.First(func(p *Params) *string { return &p.First }),
		settings.Learners(func(p *Params) *[]string { return &p.Learners }),
		settings.Sampling(func(p *Params) *crf.Sampling { return &p.Sampling }),
	}, settings.SamplingFields(func(p *Params) *crf.Sampling { return &p.Sampling }), option.Table[Params]{
		settings.Attackers("stacked,dictionary,repeat", kinds, func(p *Params) *[]attack.Kind { return &p.Attackers }),
		settings.Context(func(p *Params) **greedy.Context { return &p.Context }),
		option.One(option.About{Name: "mode", Label: "Mode", Value: "MODE", Default: string(greedy.Default), Group: settings.GroupMeasure,
			Help: "How to choose what is redacted, and how to count what remains."}, modes, func(p *Params) *greedy.Mode { return &p.Mode }),
		settings.Folds(MaxFolds, func(p *Params) *int { return &p.Folds }),
		settings.Seed(func(p *Params) *uint64 { return &p.Seed }),
	})
}

// learnOptions are those of the publisher's learners, who know the project's
// dictionaries.
func (p Params) learnOptions(lists []dictionary.List) (learners.Options, error) {
	parts, err := detect.Without(p.WithoutParts)
	return learners.Options{CRF: crf.Options{Dictionaries: lists, Sampling: p.Sampling, Workers: 1}, Seed: p.Seed, Parts: parts}, err
}

// greedy puts what was asked for in terms of the algorithm.
func (p Params) greedy(o learners.Options) (out greedy.Params, err error) {
	out = greedy.Params{Mode: p.Mode, LC: p.LC, Folds: p.Folds, Seed: p.Seed, LossByLabel: p.LossByLabel, CostByKind: p.CostByKind, Context: p.Context, VC: p.VC, Share: p.Share, Ceiling: p.Ceiling}
	if out.Learners, err = p.class(o); err != nil {
		return out, err
	}
	if name := p.first(); name != noFirst {
		out.First, err = learners.New(name, o)
	}
	return out, err
}

// class is the hypothesis class that was asked for: a CRF when nobody said.
func (p Params) class(o learners.Options) ([]greedy.Learner, error) {
	if p.Learners == nil {
		return []greedy.Learner{greedy.CRF{Options: o.CRF}}, nil
	}
	class := make([]greedy.Learner, len(p.Learners))
	for i, name := range p.Learners {
		var err error
		if class[i], err = learners.New(name, o); err != nil {
			return nil, err
		}
	}
	return class, nil
}

// first names what redacts before the class.
func (p Params) first() string {
	if p.Mode != greedy.Default {
		return noFirst
	}
	return cmp.Or(p.First, "detector")
}
