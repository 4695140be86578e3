// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/settings"
	"hide/internal/option"
)

// SanitizeModes are the modes of runs, as pages call them. The first three can be asked
// for; the others are those of `hide experiment`, and of runs of earlier versions.
var SanitizeModes = []option.Choice{
	{Value: string(greedy.Default), Title: "hide's default", Help: "A detector redacts. Then every attacker sorts what is left; rounds go on while sorting pays. Every count comes from a classifier that did not see the note."},
	{Value: string(greedy.Paper), Title: "the papers' algorithm", Help: "Counts on the training notes, with hard labels. One run answers every L/C, but its counts are too low."},
	{Value: string(greedy.Cost), Title: "one classifier, to compare with", Help: "No rounds: it redacts every word that is sensitive with a probability above 1 in 1 + L/C."},
	{Value: string(greedy.PaperHoldout), Title: "the papers' algorithm, counted on other notes"},
	{Value: string(greedy.GreedyUnion), Title: "small steps"},
	{Value: string(greedy.CostWeight), Title: "one classifier that is told the cost, to compare with"},
}

// offeredModes is how many of SanitizeModes can be asked for.
const offeredModes = 3

// Options are what can be asked of a run: the flags of `hide sanitize` and the
// fields of its page.
var Options = sanitizeOptions(SanitizeModes[:offeredModes], []attack.Kind{attack.Best, attack.Stacked, attack.Dictionary, attack.Repeat})

// StoredOptions are those that any run may have been started with.
var StoredOptions = append(sanitizeOptions(SanitizeModes, attack.Kinds()),
	stored(settings.Share(func(p *Params) *float64 { return &p.Share })),
	stored(settings.WithoutParts(func(p *Params) *[]string { return &p.WithoutParts })),
	stored(settings.VC(func(p *Params) *float64 { return &p.VC })),
)

func stored(o option.Option[Params]) option.Option[Params] {
	o.In = option.Stored
	return o
}

func sanitizeOptions(modes []option.Choice, kinds []attack.Kind) option.Table[Params] {
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
