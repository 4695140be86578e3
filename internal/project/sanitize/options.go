// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"cmp"
	"slices"
	"strconv"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/detect"
	"hide/internal/greedy/learners"
	"hide/internal/greedy/settings"
	"hide/internal/greedy/target"
	"hide/internal/option"
	"hide/internal/project"
)

// Params start a run of GreedySanitize.
type Params struct {
	Mode greedy.Mode `json:"mode"` // "" means Default
	LC   []float64   `json:"lc"`   // in paper mode one run gives the result for all of them
	// Leak is the L/C that people gave as the damage of a leak: pages show its figures
	// first. 0 means that nobody was asked.
	Leak   float64          `json:"leak,omitempty"`
	Folds  int              `json:"folds"` // cross-fitting folds; 0 means 4
	Seed   uint64           `json:"seed"`
	Labels []annotate.Label `json:"labels,omitempty"` // the sensitive ones; nil means all

	// Learners is the hypothesis class of publisher and attackers, names of
	// learners.Kept; nil means the CRF.
	Learners []string `json:"learners,omitempty"`
	// First is the learner that redacts in round 1 of default mode: "" means the
	// detector, and "none" skips this round.
	First string `json:"first,omitempty"`
	// LossByLabel is the loss, relative to L, of a missed token of a label; 1 by default.
	LossByLabel map[annotate.Label]float64 `json:"loss_by_label,omitempty"`
	// CostByKind is the cost, relative to C, of an over-redacted word of a kind; 1 by
	// default.
	CostByKind greedy.Prices `json:"cost_by_kind,omitempty"`
	// Context searches for contextual identifiers; nil switches it off.
	Context *greedy.Context `json:"context,omitempty"`
	// Attackers attack the published text in addition to the papers' attacker and the
	// ranked one, which always do. With one learner there is no [attack.Stacked]: it
	// would equal the ranked one.
	Attackers []attack.Kind `json:"attackers,omitempty"`
	// Outside are learners that were trained elsewhere. They attack the published text and
	// redact nothing, because a redaction model cannot keep them. They are not stored, and a
	// resumed run does not have them.
	Outside []greedy.Learner `json:"-"`
	// Transfer is the project on whose finished notes, with all their labels, the
	// [attack.Transfer] attacker is trained.
	Transfer project.ID `json:"transfer,omitempty"`
	// Share is the share of the notes that attackers have labels for, rounded to the
	// nearest 1/k; 0 means 1/2.
	Share float64 `json:"share,omitempty"`
	// Ceiling is the largest share of the sensitive words that the ranked attacker may
	// find within the largest budget, in default mode only: see [greedy.Params].Ceiling;
	// 0 for none.
	Ceiling float64 `json:"ceiling,omitempty"`
	// WithoutParts are the left-out parts of the detector, names of detect.PartTable.
	WithoutParts []string `json:"without_parts,omitempty"`
	// Sampling is the sampling of training words for all these learners; the zero value
	// uses all words.
	Sampling project.Sampling `json:"sampling,omitzero"`
	// TargetShare is the largest share of notes, or of patients, in which an identifier with one
	// of TargetLabels may remain, TargetSure the confidence; 0 for no target. The labels are
	// among the sensitive ones, and nil means all of these.
	TargetShare  float64          `json:"target_share,omitempty"`
	TargetSure   float64          `json:"target_sure,omitempty"`
	TargetLabels []annotate.Label `json:"target_labels,omitempty"`
	// VC is the assumed VC dimension of the class in theorems 5 and 6, in paper mode
	// only; 0 means the number of weights of the largest classifier plus 1.
	VC float64 `json:"vc,omitempty"`
}

// Modes are the modes of runs, as pages name them. Only the first three can be chosen;
// the others belong to `hide experiment` and to runs of older versions.
var Modes = []option.Choice{
	{Value: string(greedy.Default), Title: "hide's default", Help: "A detector redacts first. Then every attacker ranks the remaining words; rounds continue while an attack is profitable. Every count comes from a classifier that was not trained on the note."},
	{Value: string(greedy.Paper), Title: "the papers' algorithm", Help: "Counts on the training notes, with hard labels. One run covers every L/C, but its counts are too low."},
	{Value: string(greedy.Cost), Title: "one classifier, for comparison", Help: "No rounds: it redacts every word whose probability of being sensitive is above 1 in 1 + L/C."},
	{Value: string(greedy.PaperHoldout), Title: "the papers' algorithm, counted on held-out notes"},
	{Value: string(greedy.GreedyUnion), Title: "small steps"},
	{Value: string(greedy.CostWeight), Title: "one cost-sensitive classifier, for comparison"},
}

// offeredModes is how many of Modes can be chosen.
const offeredModes = 3

// Leaks are the answers to the question how bad a leak is, each an L/C.
var Leaks = []option.Choice{
	{Value: "1", Title: "a nuisance", Help: "L/C 1"},
	{Value: "5", Title: "bad", Help: "L/C 5"},
	{Value: "10", Title: "serious", Help: "L/C 10"},
	{Value: "50", Title: "very serious", Help: "L/C 50"},
	{Value: "100", Title: "a disaster", Help: "L/C 100"},
}

// UsualLeak is the answer that the page of sanitizing proposes.
const UsualLeak = 10

// leak is that question. Commands print the figures of every L/C and do not ask.
func leak() option.Option[Params] {
	about := option.About{Name: "leak", Label: "How bad is a leak?", In: option.Page,
		Help: "L/C is the number of words that you would redact needlessly to hide one more word of PHI. The run measures other values too, and you choose at its end."}
	o := option.Value(about, func(p *Params) *float64 { return &p.Leak }, func(text string, _ option.Place) (float64, error) {
		if err := option.Among(Leaks, text); err != nil {
			return 0, err
		}
		return strconv.ParseFloat(text, 64)
	}, func(lc float64, _ option.Place) string {
		if lc == 0 {
			return ""
		}
		return strconv.FormatFloat(lc, 'f', -1, 64)
	}).As(option.Radio)
	o.Choices = Leaks
	return o
}

// Options are the options of a run: the flags of `hide sanitize` and the fields of its
// page.
var Options = optionsOf(Modes[:offeredModes], []attack.Kind{attack.Best, attack.Stacked, attack.Dictionary, attack.Repeat})

// StoredOptions are the options that any stored run may have.
var StoredOptions = append(optionsOf(Modes, attack.Kinds()),
	stored(settings.Share(func(p *Params) *float64 { return &p.Share })),
	stored(settings.WithoutParts(func(p *Params) *[]string { return &p.WithoutParts })),
	stored(settings.VC(func(p *Params) *float64 { return &p.VC })),
)

// GroupTarget is the heading of the options of a target.
const GroupTarget = "A target instead of a ratio"

// targeted is when the options of a target matter.
var targeted = []option.Need{option.With("target")}

func stored(o option.Option[Params]) option.Option[Params] {
	o.In = option.Stored
	return o
}

func optionsOf(modes []option.Choice, kinds []attack.Kind) option.Table[Params] {
	return slices.Concat(option.Table[Params]{
		leak(),
		settings.LC("1,2,5,10,20,50,100", MaxLCs, func(p *Params) *[]float64 { return &p.LC }),
		settings.Ceiling(func(p *Params) *float64 { return &p.Ceiling }),
		option.Share(option.About{Name: "target", Label: "Share of notes in which an identifier may remain", Value: "SHARE", Group: GroupTarget, Example: "5 %",
			Help: "The run then also chooses the cheapest threshold that leaves an identifier in at most this share of the notes. Part of the random sample is set aside for it, and nothing is trained on that part. Empty for no target."},
			option.From(target.LeastShare, 0.99), func(p *Params) *float64 { return &p.TargetShare }),
		option.Share(option.About{Name: "sure", Label: "Confidence of the target", Value: "SHARE", Group: GroupTarget, Example: "95 %", Needs: targeted,
			Help: "The probability that the share really is not larger, over the random choice of the calibration notes. Empty for 95 %."},
			option.From(0.5, 0.9999), func(p *Params) *float64 { return &p.TargetSure }),
		option.Some(option.About{Name: "target-labels", Label: "Labels of these identifiers", Value: "LABELS", None: "all", Group: GroupTarget, Needs: targeted,
			Help: "Without any, every sensitive label counts."}, nil, func(p *Params) *[]annotate.Label { return &p.TargetLabels }),
		option.Some(option.About{Name: "sensitive", Label: "Labels that count as sensitive", Value: "LABELS", Default: "all", None: "all", All: true, Required: true, Group: settings.GroupSensitive,
			Help: "Text with any other label is published unredacted."}, nil, func(p *Params) *[]annotate.Label { return &p.Labels }),
		settings.Losses(func(p *Params) *map[annotate.Label]float64 { return &p.LossByLabel }),
		settings.Costs(func(p *Params) *greedy.Prices { return &p.CostByKind }),
		settings.First(func(p *Params) *string { return &p.First }),
		settings.Learners(func(p *Params) *[]string { return &p.Learners }),
		settings.Sampling(func(p *Params) *crf.Sampling { return &p.Sampling }),
	}, settings.SamplingFields(func(p *Params) *crf.Sampling { return &p.Sampling }), option.Table[Params]{
		settings.Attackers("stacked,dictionary,repeat", kinds, func(p *Params) *[]attack.Kind { return &p.Attackers }),
		settings.Context(func(p *Params) **greedy.Context { return &p.Context }),
		option.One(option.About{Name: "mode", Label: "Mode", Value: "MODE", Default: string(greedy.Default), Group: settings.GroupMeasure,
			Help: "How to choose the words to redact, and how to count the remaining PHI."}, modes, func(p *Params) *greedy.Mode { return &p.Mode }),
		settings.Folds(MaxFolds, func(p *Params) *int { return &p.Folds }),
		settings.Seed(func(p *Params) *uint64 { return &p.Seed }),
	})
}

// learnOptions are the training options of the publisher's learners, with the project's
// dictionaries.
func (p Params) learnOptions(lists []dictionary.List) (learners.Options, error) {
	parts, err := detect.Without(p.WithoutParts)
	return learners.Options{CRF: crf.Options{Dictionaries: lists, Sampling: p.Sampling, Workers: 1}, Seed: p.Seed, Parts: parts}, err
}

// greedy converts the parameters to those of the algorithm.
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

// class is the chosen hypothesis class: a CRF by default.
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

// first names the learner of round 1.
func (p Params) first() string {
	if p.Mode != greedy.Default {
		return noFirst
	}
	return cmp.Or(p.First, "detector")
}
